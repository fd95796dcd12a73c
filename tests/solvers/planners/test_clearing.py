"""The start of the exact planner where units can fall."""

import numpy as np
from hypothesis import given, settings

from gangplan.models.gone import after
from gangplan.models.instance import Instance
from gangplan.models.tiers import better, tiers_of, values
from gangplan.models.verify import check
from gangplan.solvers.planners.clearing import start_of
from gangplan.solvers.planners.greedy import greedy_plan
from tests.strategies import anything
from tests.strategies_preemption import preempting
from tests.tiny import make_instance
from tests.tiny_running import with_running


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


def test_who_begins_with_everybody_gone_may_take_the_wrong_place() -> None:
    """The empty node fits, but the one that a running pod would leave fits better."""
    instance = with_running(
        make_instance([{"gpu": 8}, {"gpu": 0}], [{"priority": 5, "request": {"gpu": 4}}]),
        [{"node": 1, "request": {"gpu": 4}}],
    )
    tiers = tiers_of(instance)
    gone = after(instance, np.array([0]))
    assert greedy_plan(gone, tiers_of(gone), 0.0).node.tolist() == [1]
    start = start_of(instance, tiers, 0.0)
    assert (start.node.tolist(), start.evicted.tolist()) == ([0], [])
