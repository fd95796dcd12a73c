"""One tier: its relaxation, its search, and what may be believed of the answers."""

import time
from dataclasses import dataclass, field, replace
from math import isfinite

from gangplan.models.arrays import Ints
from gangplan.models.bound import dual_bound
from gangplan.models.errors import PlanError, SolverError
from gangplan.models.formulation import Writing
from gangplan.models.milp import Milp
from gangplan.models.plan import Plan
from gangplan.models.result import LP_DUAL, SEARCH, SEARCH_TWICE
from gangplan.models.tiers import Tier, better, values
from gangplan.solvers.base import Limits, Outcome, Solver, Stop
from gangplan.solvers.claims import checked_plan, checked_point, safe_bound
from gangplan.solvers.second import ask_again

LEAST_SECONDS = 0.005
"""No solver is started for less."""

FAILURES = 2
"""After so many failures a solver is not asked again."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A valid lower bound on the minimised objective of a tier, and its proof kind."""

    value: int
    proof: str


def tighter(left: Bound | None, right: Bound | None) -> Bound | None:
    """Return the better bound; the left one where they are equal."""
    if left is None or right is None:
        return right if left is None else left
    return right if right.value > left.value else left


@dataclass(frozen=True, slots=True, eq=False)
class Incumbent:
    """A verified plan and its exact values, tier by tier."""

    plan: Plan
    values: tuple[int, ...]


@dataclass(slots=True)
class Search:
    """Asks a solver, and believes nothing that it cannot check.

    Attributes
    ----------
    second : ask for a second opinion on what a search proves.
    warnings, seconds : what happened, for the user; phases ``bound`` and ``search``.
    """

    model: Writing
    tiers: tuple[Tier, ...]
    solver: Solver
    limits: Limits
    second: bool = False
    warnings: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    _failures: int = 0

    def relaxation(self, milp: Milp, i: int, until: float) -> Bound | None:
        """Bound tier i by the duals of its linear relaxation."""
        outcome = self._ask(milp.relaxed(), until, "bound")
        if outcome is None or outcome.row_dual is None:
            if outcome is not None and outcome.stop is Stop.INFEASIBLE:
                self._contradicted(i, "found the relaxation infeasible")
            return None
        if outcome.row_dual.shape != (milp.n_rows,):
            self._warn(f"{self.solver.name}: {outcome.row_dual.shape} duals, {milp.n_rows} rows")
            return None
        value, _ = dual_bound(milp, outcome.row_dual)
        return Bound(value, LP_DUAL)

    def improve(
        self, milp: Milp, best: Incumbent, i: int, until: float
    ) -> tuple[Bound | None, Incumbent]:
        """Search tier i from the best plan; return what it proves and the best plan now."""
        outcome = self._ask(milp, until, "search", best)
        if outcome is None:
            return None, best
        now = self._point(milp, outcome, best, i)
        best = best if now is None else now
        # Whoever hands over a broken point is not believed about the bound either.
        bound = None if now is None else self._bound(milp, outcome, best, i)
        closed = bound is not None and bound.value == self._cost(best, i)
        if bound is None or not closed or not self.second:
            return bound, best
        return self._doubt(milp, bound, best, i, until)

    def _doubt(
        self, milp: Milp, bound: Bound, best: Incumbent, i: int, until: float
    ) -> tuple[Bound | None, Incumbent]:
        """Ask another way; the claim stands, stands twice, or falls."""
        if until - time.monotonic() < LEAST_SECONDS:
            return bound, best
        begin = time.monotonic()
        limits = replace(self.limits, seconds=until - begin)
        try:
            outcome = ask_again(self.solver, milp, limits, self._start(best))
        except Exception as error:
            self._warn(f"no second opinion on {self.tiers[i].name}: {_said(error)}")
            return bound, best
        finally:
            self._clock("search", begin)
        if outcome is None:
            self._warn(f"no second opinion on {self.tiers[i].name}: no other solver is available")
            return bound, best
        now = self._point(milp, outcome, best, i)
        if now is None:
            return bound, best
        if now is not best:
            self._contradicted(
                i, "called a plan optimal, and its second opinion found a better one"
            )
            return None, now
        again = self._bound(milp, outcome, now, i)
        agreed = again is not None and again.value == bound.value
        return (Bound(bound.value, SEARCH_TWICE) if agreed else bound), now

    def _point(self, milp: Milp, outcome: Outcome, best: Incumbent, i: int) -> Incumbent | None:
        """Return the plan of the outcome's point if it is better, else ``best``; None: broken."""
        if outcome.x is None:
            return best
        name = self.tiers[i].name
        try:
            point = checked_point(milp, outcome.x)
            plan = checked_plan(self.model, point)
        except PlanError as error:
            self._warn(f"{name}: the point of {self.solver.name} failed its check: {error}")
            return None
        found = Incumbent(plan, values(self.model.instance, plan, self.tiers))
        claimed = milp.objective(point)
        if self._cost(found, i) > claimed:
            self._warn(
                f"{name}: the plan is worth {found.values[i]}, "
                f"less than the {abs(claimed)} of the model (a fault of the formulation)"
            )
        if outcome.objective is not None:
            off = abs(outcome.objective + milp.offset - claimed)
            if not off <= 1e-6 * max(1, abs(claimed)):
                self._warn(
                    f"{name}: {self.solver.name} claimed {outcome.objective + milp.offset:.9g}, "
                    f"its point is worth {claimed}"
                )
        return found if better(self.tiers, found.values, best.values) else best

    def _bound(self, milp: Milp, outcome: Outcome, best: Incumbent, i: int) -> Bound | None:
        """Return the search's bound, unless the answer contradicts a verified plan."""
        if outcome.stop is Stop.INFEASIBLE:
            self._contradicted(i, "called the model infeasible")
            return None
        if outcome.stop is Stop.ERROR:
            self._warn(f"{self.tiers[i].name}: {self.solver.name} failed: {outcome.message}")
            return None
        if outcome.bound is None or not isfinite(outcome.bound):
            return None
        value = safe_bound(milp, outcome.bound)
        if value > self._cost(best, i):
            self._contradicted(i, f"proved {abs(value)}")
            return None
        return Bound(value, SEARCH)

    def _ask(
        self, milp: Milp, until: float, phase: str, start: Incumbent | None = None
    ) -> Outcome | None:
        """Solve until then; None where there is no time, or the solver failed."""
        begin = time.monotonic()
        seconds = until - begin
        if seconds < LEAST_SECONDS or self._failures >= FAILURES:
            return None
        point = None if start is None else self._start(start)
        try:
            outcome = self.solver.solve(milp, replace(self.limits, seconds=seconds), start=point)
        except Exception as error:  # whatever a solver from outside raises: the plan in hand stays
            self._failures += 1
            self._warn(f"the solver failed, its last plan and bounds are kept: {_said(error)}")
            return None
        finally:
            self._clock(phase, begin)
        if outcome.overshoot > 1:
            self._warn(f"{self.solver.name} ran {outcome.overshoot:.1f} s past its limit")
        if "start not used" in outcome.message:
            self._warn(f"{self.solver.name}: {outcome.message}")
        return outcome

    def _start(self, best: Incumbent) -> Ints | None:
        """Write the best plan as a point; None where a family is off that the plan uses."""
        try:
            return self.model.encode(best.plan)
        except PlanError as error:
            self._warn(f"the search begins without a start: {error}")
            return None

    def _cost(self, plan: Incumbent, i: int) -> int:
        return -plan.values[i] if self.tiers[i].maximise else plan.values[i]

    def _contradicted(self, i: int, what: str) -> None:
        self._warn(
            f"{self.tiers[i].name}: {self.solver.name} {what}, but a verified plan says otherwise; "
            "its claim was set aside"
        )

    def _warn(self, text: str) -> None:
        self.warnings.append(text)

    def _clock(self, phase: str, begin: float) -> None:
        self.seconds[phase] = self.seconds.get(phase, 0.0) + time.monotonic() - begin


def _said(error: Exception) -> str:
    """Return the text of a SolverError; of anything else its type too."""
    return str(error) if isinstance(error, SolverError) else f"{type(error).__name__}: {error}"
