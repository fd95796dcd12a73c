"""A solver that answers what it was told: for tests of everything that calls one."""

from dataclasses import dataclass

from gangplan.models.arrays import Ints
from gangplan.models.errors import SolverError
from gangplan.models.milp import Milp
from gangplan.solvers.base import Limits, Outcome, Stop

NOTHING = Outcome(Stop.NONE_FOUND, limit="time")
"""A limit was reached with nothing in hand."""


@dataclass(frozen=True, slots=True, eq=False)
class FixedSolver:
    """Gives the same answers to every model.

    Attributes
    ----------
    outcome : the answer to a mixed-integer program, or the error to raise.
    relaxation : the answer to a linear program; by default NOTHING.
    """

    outcome: Outcome | SolverError
    relaxation: Outcome | SolverError = NOTHING

    @property
    def name(self) -> str:
        """Return ``fixed``."""
        return "fixed"

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        """Return the outcome it was made with.

        Raises
        ------
        SolverError : where that is what it was made with.
        """
        answer = self.outcome if milp.integer.any() else self.relaxation
        if isinstance(answer, SolverError):
            raise answer
        return answer
