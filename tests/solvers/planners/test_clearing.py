"""The start of the exact planner where units can fall."""

from hypothesis import given, settings

from gangplan.models.instance import Instance
from gangplan.models.tiers import better, tiers_of, values
from gangplan.models.verify import check
from gangplan.solvers.planners.clearing import start_of
from gangplan.solvers.planners.greedy import greedy_plan
from tests.strategies import anything
from tests.strategies_preemption import preempting


@settings(max_examples=40)
@given(instance=preempting())
def test_a_start_is_sound_and_no_worse_than_greedy(instance: Instance) -> None:
    tiers = tiers_of(instance)
    # One greedy run each: the same plan whatever else the machine does.
    start = start_of(instance, tiers, 0.0)
    assert check(instance, start) == ()
    greedy = values(instance, greedy_plan(instance, tiers, 0.0), tiers)
    assert not better(tiers, greedy, values(instance, start, tiers))


@settings(max_examples=20)
@given(instance=anything())
def test_where_nobody_can_fall_it_is_the_greedy_plan(instance: Instance) -> None:
    tiers = tiers_of(instance)
    start = start_of(instance, tiers, 0.0)
    assert start.node.tolist() == greedy_plan(instance, tiers, 0.0).node.tolist()
