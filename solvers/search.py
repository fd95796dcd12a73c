"""One tier: its relaxation, its search, and what may be believed of the answers."""

import time
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

from gangplan.models.arrays import Ints
from gangplan.models.bound import dual_bound
from gangplan.models.certificate import Certificate, sparse
from gangplan.models.errors import PlanError, SolverError
from gangplan.models.formulation import Writing
from gangplan.models.milp import Milp
from gangplan.models.plan import Plan
from gangplan.models.result import LP_DUAL, SEARCH, SEARCH_TWICE
from gangplan.models.tiers import Tier, better, values
from gangplan.solvers.base import Interrupted, Limits, Outcome, Solver, Stop, relaxes
from gangplan.solvers.claims import checked_plan, checked_point, safe_bound
from gangplan.solvers.held import families_off, signed
from gangplan.solvers.second import Way, claimant, doubted, ways

LEAST_SECONDS = 0.005
"""No solver is started for less."""

FAILURES = 2
"""After so many failures a solver is not asked again."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A valid lower bound on the minimised objective of a tier, and what it rests on."""

    value: int
    certificate: Certificate

    @property
    def proof(self) -> str:
        """Kind of proof."""
        return self.certificate.kind


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
    interrupted : Ctrl-C ended a solve; what that had found is taken, and nothing more is asked.
    """

    model: Writing
    tiers: tuple[Tier, ...]
    solver: Solver
    limits: Limits
    second: bool = False
    warnings: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    interrupted: bool = False
    _failures: int = 0

    def relaxation(self, milp: Milp, best: Incumbent, i: int, until: float) -> Bound | None:
        """Bound tier i by the duals of its linear relaxation, held to the best plan."""
        if not relaxes(self.solver):
            return None
        outcome = self._ask(milp.relaxed(), until, "bound")
        if outcome is None or outcome.row_dual is None:
            if outcome is not None and outcome.stop is Stop.INFEASIBLE:
                self._contradicted(i, self.solver, "found the relaxation infeasible")
            return None
        if outcome.row_dual.shape != (milp.n_rows,):
            self._warn(f"{self.solver.name}: {outcome.row_dual.shape} duals, {milp.n_rows} rows")
            return None
        value, multipliers = dual_bound(milp, outcome.row_dual)
        rows, values = sparse(multipliers)
        proof = {"rows": rows, "multipliers": values, "digest": milp.digest()}
        return self._certified(value, LP_DUAL, best, i, **proof)

    def improve(
        self, milp: Milp, best: Incumbent, i: int, until: float
    ) -> tuple[Bound | None, Incumbent]:
        """Search tier i from the best plan; return what it proves and the best plan now."""
        outcome = self._ask(milp, until, "search", best)
        if outcome is None:
            return None, best
        now = self._point(milp, outcome, best, i, self.solver)
        # Whoever hands over a broken point is not believed about the bound either.
        value = None if now is None else self._bound(milp, outcome, now, i, self.solver)
        bound = None
        if value is not None:
            who = (claimant(self.solver, self.limits),)
            bound = self._certified(value, SEARCH, best, i, solvers=who)
        now = best if now is None else now
        closed = bound is not None and bound.value == self._cost(now, i)
        if bound is None or not closed or not self.second:
            return bound, now
        return self._doubt(milp, bound, now, i, until)

    def _doubt(
        self, milp: Milp, bound: Bound, best: Incumbent, i: int, until: float
    ) -> tuple[Bound | None, Incumbent]:
        """Ask other ways until one has a verdict: the claim stands twice, or falls, or stands."""
        others = ways(self.solver)
        if not others:
            self._warn(f"no second opinion on {self.tiers[i].name}: no other solver is available")
        for n, way in enumerate(others):
            left = until - time.monotonic()
            if left < LEAST_SECONDS or self.interrupted:
                break
            limits = doubted(self.limits, left if n == len(others) - 1 else left / 2)
            outcome = self._ask_again(way, milp, limits, best, i)
            now = None if outcome is None else self._point(milp, outcome, best, i, way.solver)
            if outcome is None or now is None:
                continue
            if now is not best:
                what = "called a plan optimal, and its second opinion found a better one"
                self._contradicted(i, self.solver, what)
                return None, now
            if self._bound(milp, outcome, best, i, way.solver) == bound.value:
                who = (*bound.certificate.solvers, claimant(way.solver, limits))
                twice = replace(bound.certificate, kind=SEARCH_TWICE, solvers=who)
                return Bound(bound.value, twice), best
        return bound, best

    def _ask_again(
        self, way: Way, milp: Milp, limits: Limits, best: Incumbent, i: int
    ) -> Outcome | None:
        """Solve another way; None where that failed."""
        begin = time.monotonic()
        try:
            return way.solver.solve(milp, limits, start=self._start(best))
        except KeyboardInterrupt:
            self.interrupted = True
            return None
        except Exception as error:
            self._warn(f"no second opinion on {self.tiers[i].name} by {way.how}: {_said(error)}")
            return None
        finally:
            self._clock("search", begin)

    def _certified(self, value: int, kind: str, held: Incumbent, i: int, **evidence: Any) -> Bound:
        """Write down what a bound of tier i rests on; ``held``: the plan the model was held to."""
        tier, model = self.tiers[i], self.model
        return Bound(
            value,
            Certificate(
                tier.name,
                kind,
                signed(tier, value),
                model.kind.name,
                families_off(model.formulation),
                held.values[:i],
                **evidence,
            ),
        )

    def _point(
        self, milp: Milp, outcome: Outcome, best: Incumbent, i: int, solver: Solver
    ) -> Incumbent | None:
        """Return the plan of the outcome's point if it is better, else ``best``; None: broken."""
        if outcome.x is None:
            return best
        name = self.tiers[i].name
        try:
            point = checked_point(milp, outcome.x)
            plan = checked_plan(self.model, point)
        except PlanError as error:
            self._warn(f"{name}: the point of {solver.name} failed its check: {error}")
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
                    f"{name}: {solver.name} claimed {outcome.objective + milp.offset:.9g}, "
                    f"its point is worth {claimed}"
                )
        return found if better(self.tiers, found.values, best.values) else best

    def _bound(
        self, milp: Milp, outcome: Outcome, best: Incumbent, i: int, solver: Solver
    ) -> int | None:
        """Return the search's bound, unless the answer contradicts a verified plan."""
        if outcome.stop is Stop.INFEASIBLE:
            self._contradicted(i, solver, "called the model infeasible")
            return None
        if outcome.stop is Stop.ERROR:
            self._warn(f"{self.tiers[i].name}: {solver.name} failed: {outcome.message}")
            return None
        if outcome.bound is None or not isfinite(outcome.bound):
            return None
        value = safe_bound(milp, outcome.bound)
        if value > self._cost(best, i):
            self._contradicted(i, solver, f"proved {abs(value)}")
            return None
        return value

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
        except KeyboardInterrupt as stop:
            self.interrupted = True
            if not isinstance(stop, Interrupted):
                return None
            outcome = stop.outcome
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
        return signed(self.tiers[i], plan.values[i])

    def _contradicted(self, i: int, solver: Solver, what: str) -> None:
        self._warn(
            f"{self.tiers[i].name}: {solver.name} {what}, but a verified plan says otherwise; "
            "its claim was set aside"
        )

    def _warn(self, text: str) -> None:
        self.warnings.append(text)

    def _clock(self, phase: str, begin: float) -> None:
        self.seconds[phase] = self.seconds.get(phase, 0.0) + time.monotonic() - begin


def _said(error: Exception) -> str:
    """Return the text of a SolverError; of anything else its type too."""
    return str(error) if isinstance(error, SolverError) else f"{type(error).__name__}: {error}"
