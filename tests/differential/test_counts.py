"""The counts formulation against brute force: same optimum, same plans, bounds never below it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.bound import dual_bound, evaluate
from gangplan.models.counts.decode import decode, encode
from gangplan.models.counts.formulation import build, tier_cost
from gangplan.models.errors import PlanError
from gangplan.models.tiers import OBJECTIVES, tiers_of, values
from gangplan.models.verify import check
from gangplan.models.verify.objective import recount_all
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits, Stop
from tests import brute
from tests.differential.lexicographic import solve
from tests.strategies import anything, plans, weights_for


def same_optimum(data: st.DataObject) -> None:
    instance = data.draw(anything())
    objective = data.draw(st.sampled_from(OBJECTIVES))
    tiers = tiers_of(instance, objective, data.draw(weights_for(instance)))
    model = build(instance)
    vector, point = solve(model, tiers)
    plan = decode(model, point)
    assert [v.sentence for v in check(instance, plan)] == []
    assert values(instance, plan, tiers) == vector
    assert recount_all(instance, plan, tiers) == vector
    assert vector == brute.best(instance, tiers)


def same_plans(data: st.DataObject) -> None:
    """A plan that keeps the rules is a point; a point that keeps the rows is such a plan."""
    instance = data.draw(anything())
    plan = data.draw(plans(instance))
    model = build(instance)
    sound = brute.allowed(instance, plan)
    try:
        point = encode(model, plan)
    except PlanError:
        assert not sound
        return
    milp = model.milp
    kept = not len(milp.violated_rows(point)) and bool(
        ((point >= milp.lower) & (point <= milp.upper)).all()
    )
    if sound:
        assert kept, [milp.row_name(i) for i in milp.violated_rows(point)]
        for tier in tiers_of(instance):
            cost, offset = tier_cost(model, tier)
            value = milp.with_cost(cost, offset).objective(point)
            assert (-value if tier.maximise else value) == recount_all(instance, plan, [tier])[0]
    if kept:
        again = decode(model, point)
        assert [v.sentence for v in check(instance, again)] == []
        for mine, other in zip(plan.counts(instance), again.counts(instance), strict=True):
            assert mine.tolist() == other.tolist()


def safe_bounds(data: st.DataObject) -> None:
    """Duals of the relaxation, and any other multipliers, bound the optimum of brute force."""
    instance = data.draw(anything())
    model = build(instance)
    for tier in tiers_of(instance):
        best = brute.best(instance, [tier])[0]
        least = -best if tier.maximise else best
        milp = model.milp.with_cost(*tier_cost(model, tier))
        outcome = Highs().solve(milp.relaxed(), Limits())
        assert outcome.stop is Stop.OPTIMAL
        dual = np.zeros(milp.n_rows) if outcome.row_dual is None else outcome.row_dual
        assert outcome.row_dual is not None or not milp.n_cols
        bound, multipliers = dual_bound(milp, dual)
        assert bound <= least
        assert evaluate(milp, multipliers) == bound
        rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
        wild = dual + rng.normal(0, 1, milp.n_rows).round(1)
        assert dual_bound(milp, wild)[0] <= least


@settings(max_examples=200)
@given(st.data())
def test_counts_and_brute_force_have_the_same_optimum(data: st.DataObject) -> None:
    same_optimum(data)


@settings(max_examples=300)
@given(st.data())
def test_plans_and_points_are_the_same_thing(data: st.DataObject) -> None:
    same_plans(data)


@settings(max_examples=80)
@given(st.data())
def test_no_dual_bound_cuts_off_the_optimum(data: st.DataObject) -> None:
    safe_bounds(data)


@pytest.mark.slow
@settings(max_examples=5000, derandomize=False)
@given(st.data())
def test_counts_and_brute_force_have_the_same_optimum_long(data: st.DataObject) -> None:
    same_optimum(data)


@pytest.mark.slow
@settings(max_examples=10_000, derandomize=False)
@given(st.data())
def test_plans_and_points_are_the_same_thing_long(data: st.DataObject) -> None:
    same_plans(data)


@pytest.mark.slow
@settings(max_examples=2000, derandomize=False)
@given(st.data())
def test_no_dual_bound_cuts_off_the_optimum_long(data: st.DataObject) -> None:
    safe_bounds(data)
