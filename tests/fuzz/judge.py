"""One contestant on one case: its answer, tier after tier, against that of brute force.

Every tier is handed over whole, without bounds by counting and without staging, so that the backend
itself has to find and to prove each of them; ``planner`` then judges what users run.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.bound import dual_bound
from gangplan.models.counting import ceilings
from gangplan.models.errors import GangplanError, PlanError, SolverError
from gangplan.models.formulation import Writing
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp, row_block
from gangplan.models.plan import Plan
from gangplan.models.tiers import Tier, better, values
from gangplan.models.verify import check, check_tiers
from gangplan.solvers.asking import asked
from gangplan.solvers.base import Limits, Outcome, Planner, Stop
from gangplan.solvers.claims import checked_plan, checked_point, fault, safe_bound
from gangplan.solvers.held import no_worse
from gangplan.solvers.planners.anytime import Anytime
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.second import doubted, second_try
from tests.fuzz.case import Case
from tests.fuzz.contestants import Contestant

LIMITS = Limits(seconds=20.0)
"""For one tier; small instances take milliseconds."""

NOT_CARRIED = "do not carry"
"""Said of a tier that a formulation bounds by counting alone."""

FAILURES = (GangplanError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What a formulation or a solver raises when it breaks down."""


@dataclass(frozen=True)
class Disagreement:
    """Who said what against brute force; ``what`` is the same word for the same fault."""

    who: str
    what: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.who}: {self.what}: {self.sentence}"


@dataclass(frozen=True)
class Verdict:
    """Tiers proven by the contestant, tiers there are, and what is wrong."""

    proven: int
    tiers: int
    wrong: tuple[Disagreement, ...]


class Wrong(Exception):
    """A claim that is not true: the word, and the sentence."""

    def __init__(self, what: str, sentence: str) -> None:
        super().__init__(sentence)
        self.what = what


def judge(
    case: Case, instance: Instance, best: Sequence[int], who: Contestant, start: Plan | None = None
) -> Verdict:
    """Compare all tiers of a case, as far as the contestant proves them; ``start`` is a plan."""
    tiers = case.tiers(instance)
    run = _Run(case, instance, tiers, tuple(best), who, start)
    proven = 0
    try:
        for done in run.answer():
            proven = done
    except Wrong as wrong:
        fault = Disagreement(who.name, wrong.what, str(wrong))
        return Verdict(proven, len(tiers), (fault,))
    except FAILURES as error:
        fault = Disagreement(who.name, "failed", f"{type(error).__name__}: {error}")
        return Verdict(proven, len(tiers), (fault,))
    return Verdict(proven, sum(tier.kind not in who.kind.lacks for tier in tiers), ())


@dataclass
class _Run:
    case: Case
    instance: Instance
    tiers: tuple[Tier, ...]
    best: tuple[int, ...]
    who: Contestant
    begin: Plan | None

    def answer(self) -> Iterator[int]:
        """Yield the number of tiers proven so far; ends early where a limit was reached."""
        writing = self.who.kind.write(self.instance)
        limits = replace(LIMITS, seed=self.case.seed % 1000)
        milp = writing.milp
        start = None if self.begin is None else _encoded(writing, self.begin)
        for i, tier in enumerate(self.tiers):
            if tier.kind in self.who.kind.lacks:
                return  # they come last
            cost, offset = writing.tier_cost(tier)
            priced = milp.with_cost(cost, offset)
            if cost.any():
                self._duals(priced, limits, i)
                outcome = self._answer(priced, limits, start)
                if not self._proven(writing, priced, outcome, i):
                    return
                start = None if outcome.x is None else checked_point(priced, outcome.x)
                milp = _held(priced, i, self._least(i))
            elif offset != self._least(i):
                raise Wrong("value", f"{tier.name} is always {offset}, brute force {self.best[i]}")
            yield i + 1

    def _answer(self, priced: Milp, limits: Limits, start: Ints | None) -> Outcome:
        """Ask; where the answer is wrong, or a crash, ask the second way, as ``Search`` does."""
        known = 2**62 if start is None else priced.objective(start)
        try:
            outcome = asked(self.who.solver, priced, limits, start)
        except SolverError:
            outcome = None
        if outcome is not None and not fault(priced, outcome, known):
            return outcome
        return asked(second_try(self.who.solver).solver, priced, doubted(limits, limits.seconds))

    def _least(self, i: int) -> int:
        """Brute force's value of tier i, as it is minimised."""
        return -self.best[i] if self.tiers[i].maximise else self.best[i]

    def _duals(self, priced: Milp, limits: Limits, i: int) -> None:
        """On one tier a case: the duals of the relaxation bound what brute force found."""
        if self.case.seed % len(self.tiers) != i:
            return
        relaxed = self.who.solver.solve(priced.relaxed(), limits)
        if relaxed.row_dual is not None:
            bound, _ = dual_bound(priced, relaxed.row_dual)
            if bound > self._least(i):
                raise Wrong(
                    "dual", f"{self.tiers[i].name}: bound {bound} cuts off {self._least(i)}"
                )

    def _proven(self, writing: Writing, priced: Milp, outcome: Outcome, i: int) -> bool:
        """Judge an answer to tier i; False where a limit was reached without anything wrong."""
        name, least = self.tiers[i].name, self._least(i)
        if outcome.stop in (Stop.INFEASIBLE, Stop.ERROR):
            raise Wrong("status", f"{name}: {outcome.stop.value} ({outcome.message})")
        if outcome.bound is not None:
            bound = safe_bound(priced, outcome.bound)
            if bound > least:
                raise Wrong("bound", f"{name}: bound {bound} cuts off {least}")
        if outcome.x is None:
            if outcome.stop is Stop.OPTIMAL:
                raise Wrong("status", f"{name}: optimal, without a point")
            return False
        try:
            point = checked_point(priced, outcome.x)
            plan = checked_plan(writing, point)
        except PlanError as error:
            raise Wrong("plan", f"{name}: {error}") from error
        claimed = priced.objective(point)
        if claimed < least:
            raise Wrong("value", f"{name}: {claimed}, better than brute force's {least}")
        if outcome.stop is not Stop.OPTIMAL:
            return False
        if claimed != least:
            raise Wrong("value", f"{name}: optimal at {claimed}, brute force {least}")
        if outcome.bound is not None and safe_bound(priced, outcome.bound) != least:
            raise Wrong("bound", f"{name}: optimal at {least}, bound {outcome.bound}")
        reached = values(self.instance, plan, self.tiers)[: i + 1]
        if reached != self.best[: i + 1]:
            raise Wrong("value", f"{name}: the plan is worth {reached}, not {self.best[: i + 1]}")
        return True


def planner(case: Case, instance: Instance, best: Sequence[int], who: Contestant) -> Verdict:
    """Compare what the planner ``exact`` says: every tier proven, the same values, no warning but
    that of an answer that was set aside for a second one, or of tiers that counts stands in for."""
    made = Exact(
        who.solver,
        who.kind,
        objective=case.objective,
        weights=_weights(case),
        second_opinion=case.seed % 3 == 0,
    )
    return _planned(case, instance, best, made, f"exact/{who.name}", 60.0)


def against_the_clock(case: Case, instance: Instance, best: Sequence[int]) -> Verdict:
    """Compare what the planner ``anytime`` says, with hardly any time or with enough."""
    made = Anytime(objective=case.objective, weights=_weights(case))
    return _planned(case, instance, best, made, "anytime", 0.2 if case.seed % 2 else 5.0)


def _weights(case: Case) -> dict[int, int] | None:
    return {int(p): w for p, w in case.weights.items()} or None


def _planned(
    case: Case, instance: Instance, best: Sequence[int], made: Planner, name: str, seconds: float
) -> Verdict:
    tiers = case.tiers(instance)
    try:
        result = made.plan(instance, replace(LIMITS, seconds=seconds, seed=case.seed % 1000))
    except FAILURES as error:
        fault = Disagreement(name, "failed", f"{type(error).__name__}: {error}")
        return Verdict(0, len(tiers), (fault,))
    said = [v.sentence for v in check(instance, result.plan)]
    said += [v.sentence for v in check_tiers(instance, result.plan, result.tiers, tiers)]
    said += [text for text in result.warnings if NOT_CARRIED not in text]
    worth = [report.value for report in result.tiers]
    for i, (report, value) in enumerate(zip(result.tiers, best, strict=True)):
        # A bound speaks of plans that are no worse in each tier above.
        speaks = no_worse(tiers, best, worth[:i])
        cuts = speaks and _cuts(report.bound, value, report.maximise)
        if (report.proven and report.value != value) or cuts:
            said.append(
                f"{report.name}: {report.value} (bound {report.bound}), brute force {value}"
            )
    proven = sum(report.proven for report in result.tiers)
    wrong = (Disagreement(name, "planner", "; ".join(said)),) if said else ()
    return Verdict(proven, len(tiers), wrong)


def without_solver(
    case: Case, instance: Instance, best: Sequence[int], plan: Plan
) -> list[Disagreement]:
    """Judge what needs no solver: the greedy plan keeps the rules, counting bounds brute force."""
    tiers = case.tiers(instance)
    wrong = []
    broken = [v.sentence for v in check(instance, plan)]
    if broken:
        wrong.append(Disagreement("greedy", "plan", broken[0]))
    elif better(tiers, values(instance, plan, tiers), tuple(best)):
        wrong.append(Disagreement("greedy", "value", "better than brute force"))
    for tier, top, value in zip(tiers, ceilings(instance, tiers), best, strict=True):
        if _cuts(top, value, tier.maximise):
            wrong.append(Disagreement("counting", "bound", f"{tier.name}: {top} cuts off {value}"))
    return wrong


def _cuts(bound: int | None, value: int, maximise: bool) -> bool:
    return bound is not None and (bound < value if maximise else bound > value)


def _encoded(writing: Writing, plan: Plan) -> Ints:
    try:
        return writing.encode(plan)
    except PlanError as error:
        raise Wrong("encode", f"a plan that keeps the rules is no point: {error}") from error


def _held(milp: Milp, number: int, least: int) -> Milp:
    """Hold the objective of ``milp`` at its optimum."""
    used = np.flatnonzero(milp.cost)
    coef = milp.cost[used].astype(np.int64)
    side = least - milp.offset
    return milp.with_rows(
        row_block(f"held.{number}", np.zeros(len(used)), used, coef, -np.inf, side, 1)
    )
