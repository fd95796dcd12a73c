"""Who is compared: every formulation on every backend that is here, and on which seeds."""

from dataclasses import dataclass

from gangplan.models.errors import FormulationError
from gangplan.models.formulation import Kind
from gangplan.models.instance import Instance
from gangplan.solvers.base import Solver
from gangplan.solvers.registry import BACKENDS, available, formulation, get

EVERY = {"highs": 1, "cpsat": 5, "scip": 7, "cbc": 19, "pyomo": 23}
"""Backend -> it answers each seed that this number divides.

By what a small model costs: a backend that starts a process a model is asked less often. No two of
the numbers have a factor in common, nor with what else goes by the seed.
"""

WHOLE = ("counts", "assignment")
"""Formulations that carry every family."""

PARTIAL = ("patterns", "configurations")
"""Formulations that refuse some instances by name; those they take they have to get right."""

OTHERS = 17
"""The same for a backend that is not in the table."""


@dataclass(frozen=True)
class Contestant:
    """A formulation on a backend."""

    kind: Kind
    solver: Solver

    @property
    def name(self) -> str:
        return f"{self.kind.name}/{self.solver.name}"

    def takes(self, instance: Instance) -> bool:
        """Tell whether the formulation has a model of it; only one that is partial may refuse."""
        if self.kind.name not in PARTIAL:
            return True
        try:
            self.kind.write(instance)
        except FormulationError:
            return False
        return True


def backends() -> tuple[str, ...]:
    """Names of our backends that can be used here."""
    return tuple(info.name for info in available() if info.available and info.name in BACKENDS)


def share(backend: str) -> int:
    """One seed in how many is answered by this backend."""
    return EVERY.get(backend, OTHERS)


def contestants(seed: int, names: tuple[str, ...]) -> list[Contestant]:
    """List who answers a seed: of the backends ``names``, those whose turn it is."""
    return everybody(tuple(name for name in names if seed % share(name) == 0))


def everybody(names: tuple[str, ...]) -> list[Contestant]:
    """List every formulation on every backend of ``names``."""
    return [
        Contestant(formulation(kind), get(name)) for name in names for kind in (*WHOLE, *PARTIAL)
    ]
