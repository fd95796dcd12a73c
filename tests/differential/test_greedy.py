"""Greedy plans keep every rule and never beat brute force; counting is never below it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.counting import cannot_be_placed, ceilings
from gangplan.models.tiers import OBJECTIVES, better, tiers_of, values
from gangplan.models.verify import check
from gangplan.models.verify.objective import recount_all
from gangplan.solvers.planners.greedy import greedy_plan
from tests import brute
from tests.strategies import anything, weights_for


def within_brute_force(data: st.DataObject) -> None:
    instance = data.draw(anything())
    objective = data.draw(st.sampled_from(OBJECTIVES))
    tiers = tiers_of(instance, objective, data.draw(weights_for(instance)))
    best = brute.best(instance, tiers)
    plan = greedy_plan(instance, tiers, seconds=60.0)
    assert [v.sentence for v in check(instance, plan)] == []
    assert brute.allowed(instance, plan)
    found = values(instance, plan, tiers)
    assert recount_all(instance, plan, tiers) == found
    assert not better(tiers, found, best)
    for tier, most, value in zip(tiers, ceilings(instance, tiers), best, strict=True):
        assert most is None or most >= value, tier.name


def counted_out(data: st.DataObject) -> None:
    instance = data.draw(anything())
    for g in range(len(instance.groups)):
        if cannot_be_placed(instance, g) is not None:
            assert not brute.feasible(instance, g)


@settings(max_examples=150)
@given(st.data())
def test_greedy_and_counting_stay_within_brute_force(data: st.DataObject) -> None:
    within_brute_force(data)


@pytest.mark.slow
@settings(max_examples=5000, derandomize=False)
@given(st.data())
def test_greedy_and_counting_stay_within_brute_force_long(data: st.DataObject) -> None:
    within_brute_force(data)


@settings(max_examples=150)
@given(st.data())
def test_a_group_that_counting_rules_out_is_never_feasible(data: st.DataObject) -> None:
    counted_out(data)


@pytest.mark.slow
@settings(max_examples=5000, derandomize=False)
@given(st.data())
def test_a_group_that_counting_rules_out_is_never_feasible_long(data: st.DataObject) -> None:
    counted_out(data)
