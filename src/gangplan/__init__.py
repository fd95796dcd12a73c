"""Optimal, provable placement for gangs of pods on Kubernetes.

``load`` an instance, ``plan`` it, ``verify`` the plan, ``recheck`` what is claimed to be proven,
``compare`` planners and solvers. Heavy parts load on first use, so ``import gangplan`` is light.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gangplan.api import compare as compare
    from gangplan.api import load as load
    from gangplan.api import plan as plan
    from gangplan.api import recheck as recheck
    from gangplan.api import verify as verify
    from gangplan.models.errors import GangplanError as GangplanError
    from gangplan.models.instance import Instance as Instance
    from gangplan.models.plan import Plan as Plan
    from gangplan.models.result import Result as Result
    from gangplan.models.verify import Violation as Violation
    from gangplan.solvers.base import Limits as Limits

__version__ = "0.1.0"

_HOME = {
    "compare": "gangplan.api",
    "load": "gangplan.api",
    "plan": "gangplan.api",
    "recheck": "gangplan.api",
    "verify": "gangplan.api",
    "GangplanError": "gangplan.models.errors",
    "Instance": "gangplan.models.instance",
    "Plan": "gangplan.models.plan",
    "Result": "gangplan.models.result",
    "Violation": "gangplan.models.verify",
    "Limits": "gangplan.solvers.base",
}

__all__ = [*sorted(_HOME), "__version__"]


def __getattr__(name: str) -> object:
    """Import a public name from its home module on first use."""
    if name not in _HOME:
        raise AttributeError(f"module 'gangplan' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
