"""The staged solve where units can fall: what is believed, what is proven, and of which plans."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given, settings

from gangplan.models.arrays import Floats, Ints
from gangplan.models.counts.kind import COUNTS
from gangplan.models.errors import PlanError
from gangplan.models.formulation import Formulation
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.result import COUNTING, SEARCH_TWICE, Result, TierReport
from gangplan.models.tiers import tiers_of, values
from gangplan.models.verify import check, check_result
from gangplan.solvers.backends.fixed import NOTHING, FixedSolver
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits, Outcome, Solver, Stop
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.recheck import CONFIRMED, NOT_SETTLED, REFUTED, recheck
from gangplan.solvers.refute import refute
from gangplan.solvers.second import Way
from gangplan.solvers.staged import solve_tiers
from tests import brute_preemption
from tests.strategies_preemption import preempting
from tests.tiny import make_instance
from tests.tiny_running import with_running

LIMITS = Limits(seconds=20)

CHOICE = with_running(
    make_instance(
        nodes=[{"gpu": 0}, {"gpu": 0}],
        groups=[
            {"name": "a", "priority": 9, "request": {"gpu": 4}},
            {"name": "b", "priority": 3, "request": {"gpu": 4}},
        ],
    ),
    [
        {"node": 0, "request": {"gpu": 4}, "priority": 3},
        {"node": 1, "request": {"gpu": 4}, "priority": 0},
    ],
)
"""a needs one of two nodes: the one of a pod of priority 3, or better that of one of 0."""

TIERS = tiers_of(CHOICE)

ADMITTED = [tier.name for tier in TIERS].index("admitted(3)")


def plan(*node: int, evicted: tuple[int, ...]) -> Plan:
    return replace(
        empty_plan(CHOICE), node=np.array(node), evicted=np.array(evicted, dtype=np.int64)
    )


START = plan(0, -1, evicted=(0,))
"""Sound, and not the best."""

NEEDLESS = plan(1, 0, evicted=(0, 1))
"""b has the place of the pod of priority 3, which falls for nobody above it."""

BEST = plan(1, -1, evicted=(1,))


def point(of: Plan) -> Floats:
    return COUNTS.write(CHOICE).encode(of).astype(np.float64)


@dataclass
class Scripted:
    """Answers searches one after the other as it is told, then those of HiGHS."""

    answers: list[Outcome]
    name: str = "scripted"
    highs: Solver = field(default_factory=Highs)

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        if not milp.integer.any():
            return NOTHING
        if self.answers:
            return self.answers.pop(0)
        return self.highs.solve(milp, limits, start=start)


def tier_values(some: Plan) -> tuple[int, ...]:
    return values(CHOICE, some, TIERS)


def test_the_instance_is_what_the_tests_take_it_for() -> None:
    assert check(CHOICE, START) == check(CHOICE, BEST) == ()
    (needless,) = check(CHOICE, NEEDLESS)
    assert "could come back" in needless.sentence
    assert brute_preemption.best(CHOICE, TIERS) == tier_values(BEST)


def test_a_point_with_a_needless_victim_is_a_better_plan_above_and_no_fault() -> None:
    """It wins b in its tier; the plan that it stands for wins in the one above."""
    # What is lost of priority 3 is not improved (GPUs, then pods); then the point comes.
    wins = Outcome(Stop.OPTIMAL, x=point(NEEDLESS), bound=-1.0)
    solver = Scripted([NOTHING, NOTHING, wins])
    result = solve_tiers(CHOICE, TIERS, START, solver, LIMITS)
    assert result.plan.node.tolist() == BEST.node.tolist()
    assert result.plan.evicted.tolist() == BEST.evicted.tolist()
    assert result.warnings == ()
    # The tier is searched again, for the plans that are as good as this one above it.
    assert all(tier.proven for tier in result.tiers)
    assert [tier.value for tier in result.tiers] == list(brute_preemption.best(CHOICE, TIERS))


def test_a_bound_of_plans_that_lose_more_is_not_contradicted_by_one_that_loses_less() -> None:
    """No plan that loses as little as the best one admits b; the claim that one does stays open."""
    wins = Outcome(Stop.OPTIMAL, x=point(NEEDLESS), bound=-1.0)
    solver = Scripted([NOTHING, NOTHING, wins, *[NOTHING] * 20])
    result = solve_tiers(CHOICE, TIERS, START, solver, LIMITS)
    report = result.tiers[ADMITTED]
    assert (report.value, report.bound, report.proven) == (0, 1, False)
    assert result.warnings == ()


def test_a_false_bound_on_what_is_lost_is_set_aside_when_a_later_point_belies_it() -> None:
    lie = Outcome(Stop.FEASIBLE, bound=4.0)
    wins = Outcome(Stop.OPTIMAL, x=point(NEEDLESS), bound=-1.0)
    solver = Scripted([lie, Outcome(Stop.FEASIBLE, bound=1.0), wins])
    result = solve_tiers(CHOICE, TIERS, START, solver, LIMITS)
    assert result.plan.evicted.tolist() == [1]
    assert [tier.value for tier in result.tiers] == list(tier_values(BEST))
    assert any(
        text.startswith("lost-gpus(3): a bound by search was contradicted")
        for text in result.warnings
    )
    assert result.tiers[2].proof == COUNTING


def test_a_bound_that_the_plan_in_hand_belies_falls() -> None:
    lie = FixedSolver(Outcome(Stop.OPTIMAL, x=point(START), bound=8.0))
    result = solve_tiers(CHOICE, TIERS[:3], START, lie, LIMITS)
    assert result.tiers[2].bound == 0
    assert any("proved 8" in text for text in result.warnings)


@dataclass(frozen=True, eq=False)
class Doubted:
    """Two answers, for the first and the second opinion."""

    first: Solver
    other: Solver
    name: str = "doubted"

    def second(self) -> Solver:
        return self.other

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        return self.first.solve(milp, limits, start=start)


def test_a_second_opinion_that_is_better_elsewhere_does_not_break_a_proof() -> None:
    """Both say that a gets in; the second plan loses less, in a later tier."""
    start = empty_plan(CHOICE)
    first = FixedSolver(Outcome(Stop.OPTIMAL, x=point(START), bound=4.0))
    other = FixedSolver(Outcome(Stop.OPTIMAL, x=point(NEEDLESS), bound=4.0))
    begun = replace(start, node=START.node, evicted=START.evicted)
    both = Doubted(first, other)
    result = solve_tiers(CHOICE, TIERS[:3], begun, both, LIMITS, second=True)
    # The second plan, put right, is better in that tier: that does break it.
    assert any("second opinion found a better one" in text for text in result.warnings)
    assert result.plan.evicted.tolist() == [1]
    first = FixedSolver(Outcome(Stop.OPTIMAL, x=point(BEST), bound=4.0))
    tiers = (*TIERS[:2], TIERS[6])
    result = solve_tiers(CHOICE, tiers, BEST, Doubted(first, first), LIMITS, second=True)
    assert not any("second opinion found" in text for text in result.warnings)


def claim(bound: int, *, given: bool) -> str:
    """Verdict on a bound of admitted(3), given what START has above it."""
    model, way = (
        COUNTS.write(CHOICE),
        Way(FixedSolver(Outcome(Stop.FEASIBLE, x=point(NEEDLESS))), True),
    )
    held = tier_values(START)[:ADMITTED]
    return refute(model, TIERS, ADMITTED, held, bound, way, LIMITS, given=given).verdict


def test_a_plan_that_is_better_above_refutes_what_is_said_to_be_proven_there() -> None:
    assert claim(0, given=False) == REFUTED


def test_what_is_given_is_not_said_to_be_the_best() -> None:
    assert claim(0, given=True) == NOT_SETTLED


def test_without_the_family_bounds_are_by_counting_and_nobody_falls() -> None:
    exact = Exact(solver=Highs(), formulation=Formulation(preemption=False))
    result = exact.plan(CHOICE, LIMITS)
    assert result.plan.evicted.tolist() == []
    assert {report.proof for report in result.tiers} == {COUNTING}
    assert (result.tiers[0].value, result.tiers[0].bound) == (0, 1)
    assert any("leaves out evictions: bounds by counting only" in w for w in result.warnings)


def test_a_model_without_the_family_does_not_go_on_from_a_plan_with_victims() -> None:
    off = Formulation(preemption=False)
    result = solve_tiers(CHOICE, TIERS, START, Highs(), LIMITS, off)
    assert result.plan is START
    assert any("nothing is searched" in text for text in result.warnings)
    assert check_result(CHOICE, told(result.plan, result.tiers)) == ()


def told(some: Plan, reports: tuple[TierReport, ...]) -> Result:
    return Result(some, reports, "feasible", {"objective": "groups"})


def test_preemption_off_is_proven_for_plans_without_evictions() -> None:
    result = Exact(solver=Highs(), preemption=False).plan(CHOICE, LIMITS)
    assert (result.stop, result.planner["preemption"]) == ("optimal", False)
    assert any("preemption is off: " in warning for warning in result.warnings)
    assert [report.name for report in result.tiers][:2] == ["admitted(9)", "admitted-pods(9)"]
    assert result.tiers[0].value == 0
    assert check_result(CHOICE, result) == ()
    assert {one.verdict for one in recheck(CHOICE, result, Highs(), LIMITS)} == {CONFIRMED}


def test_what_is_usual_is_not_written_down() -> None:
    about = Exact(solver=Highs()).plan(CHOICE, LIMITS).planner
    assert not {"preemption", "pdb"} & set(about)


def test_budgets_that_bind_change_the_victim_or_the_admission() -> None:
    only = with_running(
        make_instance(nodes=[{"gpu": 0}], groups=[{"priority": 9, "request": {"gpu": 4}}]),
        [{"node": 0, "request": {"gpu": 4}}],
        budgets=[{"allowed": 0, "pods": [0]}],
    )
    soft = Exact(solver=Highs()).plan(only, LIMITS)
    hard = Exact(solver=Highs(), pdb="hard").plan(only, LIMITS)
    assert (soft.plan.evicted.tolist(), hard.plan.evicted.tolist()) == ([0], [])
    assert [r.value for r in soft.tiers if r.name == "lost-budgets(0)"] == [1]
    assert (soft.stop, hard.stop, hard.planner["pdb"]) == ("optimal", "optimal", "hard")
    for result in (soft, hard):
        assert {one.verdict for one in recheck(only, result, Highs(), LIMITS)} == {CONFIRMED}
    with pytest.raises(PlanError, match="soft, hard"):
        Exact(solver=Highs(), pdb="often").plan(only, LIMITS)


@settings(max_examples=30)
@given(instance=preempting(max_nodes=3, max_pods=4, effort=1_000))
def test_what_is_proven_is_what_brute_force_finds_and_is_confirmed(instance: Instance) -> None:
    result = Exact(solver=Highs(), second_opinion=False).plan(instance, LIMITS)
    assert result.warnings == ()
    assert result.stop == "optimal"
    assert check(instance, result.plan) == ()
    best = brute_preemption.best(instance, tiers_of(instance))
    assert tuple(report.value for report in result.tiers) == best
    found = recheck(instance, result, Highs(), LIMITS)
    assert [one for one in found if one.verdict != CONFIRMED] == []


def test_a_second_opinion_proves_a_victim_set_twice() -> None:
    result = Exact(second_opinion=True).plan(CHOICE, LIMITS)
    assert result.stop == "optimal"
    assert {report.proof for report in result.tiers} <= {COUNTING, "lp-dual", SEARCH_TWICE}
