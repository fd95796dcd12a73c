"""Preemption: brute force over victim sets, the formulations, the planners and the verifier."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gangplan.models.formulation import Kind
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.restrict import as_planned
from gangplan.models.tiers import better, tiers_of, values
from gangplan.models.verify import check
from gangplan.models.verify.objective import recount_all
from gangplan.models.verify.results import check_result
from gangplan.models.verify.violation import Violation
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.planners.greedy import greedy_plan
from gangplan.solvers.registry import available
from gangplan.solvers.reprieve import reprieved
from tests import brute_preemption
from tests.brute_victims import every_set
from tests.differential.test_brute import every_plan
from tests.models.kinds import EVERY_KIND
from tests.models.solve import best_plan
from tests.strategies_preemption import evicting_plans, preempting, preempting_claims

CASES = st.one_of(preempting(), preempting_claims())

NEEDLESS = "could come back"
"""What the verifier says of rule 9, which brute force leaves to it."""

MOST = 400
"""Plans that are tried one by one."""

OBJECTIVES = st.sampled_from(("groups", "groups", "gpus", "age"))
"""Those with evictions."""


def roomy(instance: Instance) -> Instance:
    """Return the instance with room for everything, so that the other rules decide."""
    free = np.full_like(instance.nodes.free, 10**6)
    return replace(instance, nodes=replace(instance.nodes, free=free))


def broken(instance: Instance, plan: Plan) -> list[Violation]:
    """Violations of rules 1-8: which victim is needless is not brute force's to say."""
    return [v for v in check(instance, plan) if NEEDLESS not in v.sentence]


def same_verdict(data: st.DataObject) -> None:
    instance = data.draw(CASES)
    plan = data.draw(evicting_plans(instance))
    for case in (instance, roomy(instance)):
        found = broken(case, plan)
        assert brute_preemption.allowed(case, plan) == (not found), [v.sentence for v in found]


def same_optimum(data: st.DataObject, kind: Kind) -> None:
    """The best of the model is that of brute force, and its plan keeps all rules."""
    instance = data.draw(CASES)
    tiers = tiers_of(instance, data.draw(OBJECTIVES))
    plan, vector = best_plan(instance, tiers, kind=kind)
    assert vector == recount_all(instance, plan, tiers)
    assert vector == brute_preemption.best(instance, tiers)
    assert brute_preemption.allowed(instance, plan)
    assert [v.sentence for v in check(instance, plan)] == []


def planner_is_right(data: st.DataObject, planner: Exact) -> None:
    """What exact proves is what brute force finds; greedy is never better, and as clean."""
    instance = data.draw(CASES)
    objective = data.draw(OBJECTIVES)
    preemption = data.draw(st.integers(0, 7)) > 0
    pdb = data.draw(st.sampled_from(["soft", "soft", "hard"]))
    planner = replace(planner, objective=objective, preemption=preemption, pdb=pdb)
    result = planner.plan(instance, Limits(seconds=30.0))
    planned = as_planned(instance, result.planner)
    tiers = tiers_of(planned, objective)
    best = brute_preemption.best(planned, tiers)
    assert [v.sentence for v in check(planned, result.plan)] == []
    assert [v.sentence for v in check_result(instance, result, tiers)] == []
    assert tuple(report.value for report in result.tiers) == best
    assert result.stop == "optimal"
    quick = greedy_plan(planned, tiers)
    assert [v.sentence for v in check(planned, quick)] == []
    assert not better(tiers, values(planned, quick, tiers), best)


def nothing_is_better(data: st.DataObject) -> None:
    """Of all plans at all, those that the verifier accepts: the best is that of brute force.

    And every one as good as that has no needless victim, as rule 9 says.
    """
    instance = data.draw(preempting(max_nodes=2, max_pods=2))
    placings = float(len(instance.nodes) + 1) ** instance.n_pods
    assume(placings * 2 ** len(instance.running) <= MOST)
    tiers = tiers_of(instance, data.draw(OBJECTIVES))
    best = brute_preemption.best(instance, tiers)
    # Few instances are this small and lose something.
    loses = any(v for tier, v in zip(tiers, best, strict=True) if tier.kind == "lost")
    assume(loses or data.draw(st.integers(0, 9)) == 9)
    found = None
    for units in every_set(instance):
        evicted = np.array(sorted(units), dtype=np.int64)
        for placed in every_plan(instance):
            plan = replace(placed, evicted=evicted)
            wrong = check(instance, plan)
            vector = values(instance, plan, tiers)
            if all(NEEDLESS in v.sentence for v in wrong):
                assert not better(tiers, vector, best)
                assert not wrong or vector != best, [v.sentence for v in wrong]
                found = vector if found is None or better(tiers, vector, found) else found
    assert found == best


def who_comes_back_is_no_loss(data: st.DataObject) -> None:
    """Any plan that breaks nothing but rule 9 is mended, and is no worse for it."""
    instance = data.draw(CASES)
    plan = data.draw(evicting_plans(instance))
    if broken(instance, plan):
        return
    tiers = tiers_of(instance, data.draw(OBJECTIVES))
    mended = reprieved(instance, plan)
    assert [v.sentence for v in check(instance, mended)] == []
    assert not better(tiers, values(instance, plan, tiers), values(instance, mended, tiers))
    assert (mended is plan) == (not check(instance, plan))


CBC = Exact(solver="cbc")
HAS_CBC = any(info.name == "cbc" and info.available for info in available())


@settings(max_examples=150)
@given(st.data())
def test_verify_and_brute_force_accept_the_same_evictions(data: st.DataObject) -> None:
    same_verdict(data)


@EVERY_KIND
@settings(max_examples=25)
@given(data=st.data())
def test_every_formulation_and_brute_force_have_the_same_optimum(
    kind: Kind, data: st.DataObject
) -> None:
    same_optimum(data, kind)


@settings(max_examples=30)
@given(st.data())
def test_what_exact_proves_with_evictions_is_what_brute_force_finds(data: st.DataObject) -> None:
    planner_is_right(data, Exact())


@settings(max_examples=15)
@given(st.data())
def test_no_plan_that_verify_accepts_is_better(data: st.DataObject) -> None:
    nothing_is_better(data)


@settings(max_examples=120)
@given(st.data())
def test_victims_that_come_back_are_no_loss(data: st.DataObject) -> None:
    who_comes_back_is_no_loss(data)


@pytest.mark.slow
@settings(max_examples=20_000, derandomize=False)
@given(st.data())
def test_verify_and_brute_force_accept_the_same_evictions_long(data: st.DataObject) -> None:
    same_verdict(data)


@pytest.mark.slow
@EVERY_KIND
@settings(max_examples=2000, derandomize=False)
@given(data=st.data())
def test_every_formulation_and_brute_force_have_the_same_optimum_long(
    kind: Kind, data: st.DataObject
) -> None:
    same_optimum(data, kind)


@pytest.mark.slow
@settings(max_examples=3000, derandomize=False)
@given(st.data())
def test_what_exact_proves_with_evictions_is_what_brute_force_finds_long(
    data: st.DataObject,
) -> None:
    planner_is_right(data, Exact())


@pytest.mark.slow
@settings(max_examples=2000, derandomize=False)
@given(st.data())
def test_no_plan_that_verify_accepts_is_better_long(data: st.DataObject) -> None:
    nothing_is_better(data)


@pytest.mark.slow
@settings(max_examples=20_000, derandomize=False)
@given(st.data())
def test_victims_that_come_back_are_no_loss_long(data: st.DataObject) -> None:
    who_comes_back_is_no_loss(data)


if HAS_CBC:

    @settings(max_examples=5)
    @given(st.data())
    def test_what_cbc_proves_with_evictions_is_what_brute_force_finds(data: st.DataObject) -> None:
        planner_is_right(data, CBC)

    @pytest.mark.slow
    @settings(max_examples=300, derandomize=False)
    @given(st.data())
    def test_what_cbc_proves_with_evictions_is_what_brute_force_finds_long(
        data: st.DataObject,
    ) -> None:
        planner_is_right(data, CBC)
