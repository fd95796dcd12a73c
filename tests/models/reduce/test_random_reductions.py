"""Property tests: a reduction leaves the optimum as it was, and its plans can be lifted."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.instance import Instance
from gangplan.models.reduce import Reduced, components, lifted, settled, shrink
from gangplan.models.reduce.order import SHRINK
from gangplan.models.tiers import OBJECTIVES, Tier, tiers_of, values
from gangplan.models.verify import check
from gangplan.solvers.planners.greedy import greedy_plan
from tests import brute, brute_preemption
from tests.strategies import claiming, instances
from tests.strategies_preemption import preempting

Vector = tuple[int, ...]

EACH = [*SHRINK.values(), shrink]


@pytest.mark.parametrize("smaller", EACH, ids=[*SHRINK, "all"])
@given(data=st.data())
@settings(max_examples=25)
def test_the_optimum_stays(smaller: Callable[[Instance], Reduced], data: st.DataObject) -> None:
    instance = data.draw(st.one_of(instances(), claiming()))
    tiers = tiers_of(instance, data.draw(st.sampled_from(OBJECTIVES)), _weights(instance))
    step = smaller(instance)
    if step.said:
        assert brute.best(step.instance, tiers) == brute.best(instance, tiers)


@pytest.mark.parametrize("smaller", EACH, ids=[*SHRINK, "all"])
@given(data=st.data())
@settings(max_examples=15)
def test_the_optimum_stays_where_somebody_could_make_room(
    smaller: Callable[[Instance], Reduced], data: st.DataObject
) -> None:
    instance = data.draw(preempting())
    tiers = tiers_of(instance)
    step = smaller(instance)
    if step.said:
        assert best_of_part(step.instance, tiers) == brute_preemption.best(instance, tiers)


@given(data=st.data())
@settings(max_examples=25)
def test_units_that_a_plan_shows_to_be_safe_stay_in_every_optimum(data: st.DataObject) -> None:
    instance = data.draw(preempting())
    tiers = tiers_of(instance)
    plan = greedy_plan(instance, tiers)
    step = settled.shrink(instance, plan)
    if not step.said:
        return
    assert best_of_part(step.instance, tiers) == brute_preemption.best(instance, tiers)
    small = greedy_plan(step.instance, tiers)
    assert not check(instance, step.lift(small))
    assert values(instance, step.lift(small), tiers) == values(step.instance, small, tiers)


@given(data=st.data())
@settings(max_examples=40)
def test_plans_of_the_smaller_instance_are_plans_of_the_whole(data: st.DataObject) -> None:
    instance = data.draw(st.one_of(instances(), preempting()))
    tiers = tiers_of(instance)
    step = shrink(instance)
    small = greedy_plan(step.instance, tiers)
    plan = step.lift(small)
    assert not check(instance, plan)
    assert values(instance, plan, tiers) == values(step.instance, small, tiers)


@given(data=st.data())
@settings(max_examples=25)
def test_the_optimum_is_the_sum_over_the_components(data: st.DataObject) -> None:
    instance = data.draw(instances())
    tiers = tiers_of(instance)
    parts = components(instance)
    each = [brute.best(part.instance, tiers) for part in parts]
    assert added(tiers, each) == brute.best(instance, tiers)


@given(data=st.data())
@settings(max_examples=15)
def test_the_optimum_is_the_sum_where_somebody_could_make_room(data: st.DataObject) -> None:
    instance = data.draw(preempting())
    tiers = tiers_of(instance)
    each = [best_of_part(part.instance, tiers) for part in components(instance)]
    assert added(tiers, each) == brute_preemption.best(instance, tiers)


@given(data=st.data())
@settings(max_examples=40)
def test_plans_of_the_components_make_a_plan_of_the_whole(data: st.DataObject) -> None:
    instance = data.draw(st.one_of(instances(), preempting()))
    tiers = tiers_of(instance)
    parts = components(instance)
    plans = [greedy_plan(part.instance, tiers) for part in parts]
    plan = lifted(instance, parts, plans)
    assert not check(instance, plan)
    each = [values(part.instance, p, tiers) for part, p in zip(parts, plans, strict=True)]
    assert values(instance, plan, tiers) == added(tiers, each)


def best_of_part(instance: Instance, tiers: tuple[Tier, ...]) -> Vector:
    """Brute force knows an instance's own tiers; what nobody here can lose is 0.

    Beyond budgets, for a priority that no unit has, is what the next one above it loses.
    """
    own = tiers_of(instance)
    best = dict(zip(own, brute_preemption.best(instance, own), strict=True))
    assert set(own) <= set(tiers)
    found, beyond = [], 0
    for tier in tiers:
        beyond = best.get(tier, beyond) if tier.unit == "budgets" else beyond
        found.append(beyond if tier.unit == "budgets" else best.get(tier, 0))
    return tuple(found)


def added(tiers: tuple[Tier, ...], vectors: list[Vector]) -> Vector:
    """Add up vectors of tiers."""
    return tuple(sum(vector[i] for vector in vectors) for i in range(len(tiers)))


def _weights(instance: Instance) -> dict[int, int]:
    return {int(p): 1 + int(p) for p in set(instance.groups.priority.tolist())}
