"""A solver that keeps the clocks of the one inside it: what a planner alone does not tell."""

from dataclasses import dataclass, field

from gangplan.models.arrays import Ints
from gangplan.models.errors import SolverError
from gangplan.models.milp import Milp
from gangplan.solvers.base import Doubtable, Limits, Outcome, Prestarted, Solver, Stop


@dataclass(slots=True)
class Tally:
    """What all solves of one plan add up to.

    Attributes
    ----------
    handover, solve : seconds, as the backend clocks them.
    overshoot : the most seconds of one solve past its limit.
    errors : searches that failed; a relaxation that a backend cannot solve is no fault of it.
    """

    handover: float = 0.0
    solve: float = 0.0
    overshoot: float = 0.0
    errors: int = 0

    def add(self, outcome: Outcome, search: bool) -> None:
        """Count one answer, to a search or to a relaxation."""
        self.handover += outcome.handover_seconds
        self.solve += outcome.solve_seconds
        self.overshoot = max(self.overshoot, outcome.overshoot)
        self.errors += search and outcome.stop is Stop.ERROR


@dataclass(frozen=True, slots=True, eq=False)
class Metered:
    """Runs ``solver`` and counts.

    Attributes
    ----------
    solver : the one inside.
    tally : shared with its second opinion.
    """

    solver: Solver
    tally: Tally = field(default_factory=Tally)

    @property
    def name(self) -> str:
        """Return the name of the solver inside."""
        return self.solver.name

    def second(self) -> Solver | None:
        """Return the second opinion of the solver inside, counted too; None without one."""
        other = self.solver.second() if isinstance(self.solver, Doubtable) else None
        return None if other is None else Metered(other, self.tally)

    def prestart(self, threads: int = 1) -> None:
        """Start ahead what the solver inside can start ahead."""
        if isinstance(self.solver, Prestarted):
            self.solver.prestart(threads)

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        """Solve, and add the answer to the tally.

        Raises
        ------
        SolverError : that of the solver inside; counted too.
        """
        try:
            outcome = self.solver.solve(milp, limits, start=start)
        except SolverError:
            self.tally.errors += 1
            raise
        self.tally.add(outcome, bool(milp.integer.any()))
        return outcome
