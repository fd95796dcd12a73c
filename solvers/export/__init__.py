"""Models as text that other solvers read."""

from gangplan.solvers.export.lp import write_lp
from gangplan.solvers.export.mps import write_mps

__all__ = ["write_lp", "write_mps"]
