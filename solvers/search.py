"""One tier: its relaxation, its search, and what may be believed of the answers.

A point stands by itself: it is checked, whoever gave it. A bound is the word of a solver, and falls
with anything in the same answer that is wrong; then the solver is asked once more, its second way.
"""

import time
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from gangplan.models.arrays import Ints
from gangplan.models.bound import dual_bound
from gangplan.models.certificate import Certificate, Claimant, sparse
from gangplan.models.errors import PlanError
from gangplan.models.formulation import Writing
from gangplan.models.milp import Milp
from gangplan.models.plan import Plan
from gangplan.models.result import LP_DUAL, SEARCH, SEARCH_TWICE
from gangplan.models.tiers import Tier, better, values
from gangplan.solvers.asking import LEAST_SECONDS, Asking
from gangplan.solvers.base import Outcome, Solver, Stop, relaxes
from gangplan.solvers.claims import SET_ASIDE, bound_of, checked_plan, checked_point, fault
from gangplan.solvers.generation import Generated, bound_by_generation, of_use, with_columns
from gangplan.solvers.held import families_off, no_worse, priced, signed
from gangplan.solvers.second import claimant, doubted, second_try, ways


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


class _Task(NamedTuple):
    """Tier i, priced, with the tiers above it held to those of a plan in hand."""

    milp: Milp
    held: Incumbent
    i: int


class _Judged(NamedTuple):
    """What is left of an answer: the best plan now, the bound, and what was wrong, if anything."""

    best: Incumbent
    bound: int | None
    wrong: str


@dataclass(slots=True)
class Search:
    """Judges what solvers say, and believes nothing that it cannot check.

    Attributes
    ----------
    asking : the solver, and what became of asking it.
    second : ask for a second opinion on what a search proves.
    most : columns that can be priced up to which they are listed, to be searched.
    """

    model: Writing
    tiers: tuple[Tier, ...]
    asking: Asking
    second: bool = False
    most: int = 0
    _generated: Generated | None = None

    def relaxation(self, milp: Milp, best: Incumbent, i: int, until: float) -> Bound | None:
        """Bound tier i by the duals of its linear relaxation, held to the best plan."""
        solver = self.asking.solver
        self._generated = None
        if not relaxes(solver):
            return None
        if self.model.frame is not None:
            return self._by_generation(milp, best, i, until)
        outcome = self.asking.first(milp.relaxed(), until, "bound")
        if self.asking.crash:
            self.asking.warn(self.asking.crash)
        if outcome is None or outcome.row_dual is None:
            if outcome is not None and outcome.stop is Stop.INFEASIBLE:
                self._warn(i, f"{solver.name} found the relaxation infeasible, {SET_ASIDE}")
            return None
        if outcome.row_dual.shape != (milp.n_rows,):
            self._warn(i, f"{solver.name}: {outcome.row_dual.shape} duals, {milp.n_rows} rows")
            return None
        value, multipliers = dual_bound(milp, outcome.row_dual)
        rows, values = sparse(multipliers)
        proof = {"rows": rows, "multipliers": values, "digest": milp.digest()}
        return self._certified(value, LP_DUAL, best, i, **proof)

    def _by_generation(self, milp: Milp, best: Incumbent, i: int, until: float) -> Bound | None:
        """Bound tier i with columns that are priced."""
        frame, cost = self.model.frame, self._cost(best, i)
        held = frame.covering(best.plan) if i else None
        found = bound_by_generation(frame, milp, self.asking, until, cost, held)
        if found is None:
            return None
        self._generated = found
        rows, values = sparse(found.multipliers)
        proof = {"rows": rows, "multipliers": values, "digest": milp.digest(), "priced": True}
        return self._certified(found.value, LP_DUAL, best, i, **proof)

    def _listed(self, milp: Milp, best: Incumbent, i: int) -> "Search | None":
        """Return a search with all columns that a better plan can use; None: they are too many."""
        chosen = of_use(self.model, milp, self._generated, best.plan, self._cost(best, i))
        n = sum(map(len, chosen))
        if n > self.most:
            self._warn(i, f"{n:,} columns are too many to search (limit {self.most:,})")
            return None
        return replace(self, model=with_columns(self.model, chosen))

    def improve(
        self, milp: Milp, best: Incumbent, i: int, until: float
    ) -> tuple[Bound | None, Incumbent]:
        """Search tier i from the best plan; return what it proves and the best plan now.

        What is proven is so for plans that are no worse above tier i than ``best`` was here. The
        best plan now may be better in one of those tiers, and worse in others after that.
        """
        if self.model.frame is not None:
            inner = self._listed(milp, best, i)
            if inner is None:
                return None, best
            milp = priced(inner.model, self.tiers, i, best.values[:i])
            return inner.improve(milp, best, i, until)
        asking, task = self.asking, _Task(milp, best, i)
        start = self._start(best) if asking.open(until) else None
        outcome = asking.first(milp, until, "search", start)
        if outcome is not None:
            said = self._judge(task, outcome, best, asking.solver)
        elif asking.crash:
            said = _Judged(best, None, asking.crash)
        else:
            return None, best
        who = claimant(asking.solver, asking.limits)
        again = bool(said.wrong) and asking.open(until)
        if again:
            said, who = self._again(task, said, until)
        if said.wrong:
            self._tell(i, said.wrong)
        if said.bound is None:
            return None, said.best
        bound = self._certified(said.bound, SEARCH, best, i, solvers=(who,))
        if said.bound != self._cost(said.best, i) or not self.second:
            return bound, said.best
        return self._doubt(task, bound, said.best, until, others_only=again)

    def _again(self, task: _Task, first: _Judged, until: float) -> tuple[_Judged, Claimant]:
        """Ask the solver once more: its second way, and no start, which faults come from too.

        A second answer that is right mends the first: its certificate names the second way, and the
        phase ``again`` says what it cost. Only where it is not, the user is told.
        """
        way = second_try(self.asking.solver)
        seconds = until - time.monotonic()
        what = f"second answer on {self.tiers[task.i].name}"
        outcome = self.asking.other(way, task.milp, seconds, None, what, "again")
        said = _Judged(first.best, None, "")
        if outcome is not None:
            said = self._judge(task, outcome, first.best, way.solver)
        if said.bound is None:
            self._tell(task.i, f"{first.wrong}; asked again without a start: {way.how}")
        else:
            self.asking.mended()
        return said, claimant(way.solver, doubted(self.asking.limits, seconds))

    def _doubt(
        self, task: _Task, bound: Bound, best: Incumbent, until: float, others_only: bool
    ) -> tuple[Bound | None, Incumbent]:
        """Ask other ways until one has a verdict: the claim stands twice, or falls, or stands.

        Parameters
        ----------
        others_only : the claim is that of the solver's second way already.
        """
        asking, name = self.asking, self.tiers[task.i].name
        others = [way for way in ways(asking.solver) if way.other or not others_only]
        if not others:
            asking.warn(f"no second opinion on {name}: no other solver is available")
        for n, way in enumerate(others):
            left = until - time.monotonic()
            if left < LEAST_SECONDS or asking.interrupted:
                break
            seconds = left if n == len(others) - 1 else left / 2
            start = self._start(best if self._speaks_of(task, best) else task.held)
            outcome = asking.other(way, task.milp, seconds, start, f"second opinion on {name}")
            if outcome is None:
                continue
            said = self._judge(task, outcome, best, way.solver)
            if said.wrong:
                self._warn(task.i, said.wrong)
            best = said.best
            if self._speaks_of(task, best) and self._cost(best, task.i) < bound.value:
                what = "called a plan optimal, and its second opinion found a better one"
                self._warn(task.i, f"{asking.solver.name} {what}, {SET_ASIDE}")
                return None, best
            if said.bound == bound.value:
                limits = doubted(asking.limits, seconds)
                who = (*bound.certificate.solvers, claimant(way.solver, limits))
                twice = replace(bound.certificate, kind=SEARCH_TWICE, solvers=who)
                return Bound(bound.value, twice), best
        return bound, best

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

    def _judge(self, task: _Task, outcome: Outcome, best: Incumbent, solver: Solver) -> _Judged:
        """Take what an answer is worth: a plan if it is better, the bound if nothing is wrong."""
        found = self._plan(task, outcome, solver)
        in_hand = [task.held, best, *([] if found is None else [found])]
        known = min(self._cost(plan, task.i) for plan in in_hand if self._speaks_of(task, plan))
        if found is not None and better(self.tiers, found.values, best.values):
            best = found
        wrong = fault(task.milp, outcome, known)
        if wrong:
            return _Judged(best, None, f"{solver.name} {wrong}")
        if found is None and outcome.x is not None:
            return _Judged(best, None, "")
        return _Judged(best, bound_of(task.milp, outcome), "")

    def _speaks_of(self, task: _Task, plan: Incumbent) -> bool:
        """Tell whether a plan is one of those that the held tiers leave."""
        return no_worse(self.tiers[: task.i], plan.values, task.held.values)

    def _plan(self, task: _Task, outcome: Outcome, solver: Solver) -> Incumbent | None:
        """Return the verified plan of the outcome's point; None without one.

        Where units that fell for nothing have come back, it is better than the point in an earlier
        tier, and may be worse than it in later ones.
        """
        if outcome.x is None:
            return None
        milp, held, i = task
        try:
            point = checked_point(milp, outcome.x)
        except PlanError:
            return None  # ``fault`` says it
        try:
            plan = checked_plan(self.model, point)
        except PlanError as error:
            self._warn(i, f"the point of {solver.name} failed its check: {error}")
            return None
        found = Incumbent(plan, values(self.model.instance, plan, self.tiers))
        worth = milp.objective(point)
        promised = (*held.values[:i], signed(self.tiers[i], worth))
        if better(self.tiers[: i + 1], promised, found.values[: i + 1]):
            self._warn(
                i,
                f"the plan is worth {found.values[i]}, "
                f"less than the {abs(worth)} of the model (a fault of the formulation)",
            )
        return found

    def _start(self, best: Incumbent) -> Ints | None:
        """Write the best plan as a point; None where a family is off that the plan uses."""
        try:
            return self.model.encode(best.plan)
        except PlanError as error:
            self.asking.warn(f"the search begins without a start: {error}")
            return None

    def _cost(self, plan: Incumbent, i: int) -> int:
        return signed(self.tiers[i], plan.values[i])

    def _tell(self, i: int, wrong: str) -> None:
        """Tell what was wrong; a crash is no matter of one tier."""
        if self.asking.crash:
            self.asking.warn(wrong)
        else:
            self._warn(i, wrong)

    def _warn(self, i: int, text: str) -> None:
        self.asking.warn(f"{self.tiers[i].name}: {text}")
