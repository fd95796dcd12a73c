"""Victims that fell for nothing come back, and only what was in their way goes."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from gangplan.models.blame import blamed
from gangplan.models.errors import PlanError
from gangplan.models.gone import after
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.tiers import better, tiers_of, values
from gangplan.models.verify import check
from gangplan.models.verify.needless import returning
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.planners.greedy import clean_plan, greedy_plan
from gangplan.solvers.reprieve import reprieved
from tests import brute_preemption
from tests.brute_victims import every_set, lawful
from tests.strategies_preemption import preempting, preempting_claims
from tests.tiny import make_instance
from tests.tiny_devices import with_devices
from tests.tiny_running import with_running

ONE = [{"node": n, "request": {"gpu": 4}} for n in (0, 1)]
"""A pod of priority 0 on each of two nodes."""


def plan(instance: Instance, *node: int, evicted: tuple[int, ...]) -> Plan:
    return replace(
        empty_plan(instance), node=np.array(node), evicted=np.array(evicted, dtype=np.int64)
    )


def no_better(instance: Instance, old: Plan, new: Plan) -> bool:
    tiers = tiers_of(instance)
    return better(tiers, values(instance, old, tiers), values(instance, new, tiers))


def test_a_plan_without_needless_victims_stays_the_same_object() -> None:
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 0}, {"gpu": 0}], groups=[{"priority": 5, "request": {"gpu": 4}}]
        ),
        ONE,
    )
    needed = plan(instance, 0, evicted=(0,))
    assert reprieved(instance, needed) is needed
    assert reprieved(instance, empty_plan(instance)).node.tolist() == [-1]


def test_a_victim_in_whose_place_nobody_is_comes_back() -> None:
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 0}, {"gpu": 0}], groups=[{"priority": 5, "request": {"gpu": 4}}]
        ),
        ONE,
    )
    back = reprieved(instance, plan(instance, 0, evicted=(0, 1)))
    assert (back.node.tolist(), back.evicted.tolist()) == ([0], [0])


def test_an_equal_that_took_the_place_goes_and_others_stay() -> None:
    """Node 0 was freed for a; b of priority 0 took node 1, c the room that was free there."""
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 0}, {"gpu": 1}],
            groups=[
                {"name": "a", "priority": 5, "request": {"gpu": 4}},
                {"name": "b", "priority": 0, "request": {"gpu": 4}},
                {"name": "c", "priority": 0, "request": {"gpu": 1}},
            ],
        ),
        ONE,
    )
    back = reprieved(instance, plan(instance, 0, 1, 1, evicted=(0, 1)))
    assert (back.node.tolist(), back.evicted.tolist()) == ([0, -1, 1], [0])
    assert check(instance, back) == ()


def test_elastic_pods_go_before_lower_groups() -> None:
    """b has a pod beyond its minimum on node 1; where it goes, c may stay."""
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 0}, {"gpu": 1}, {"gpu": 4}],
            groups=[
                {"name": "a", "priority": 5, "request": {"gpu": 4}},
                {"name": "b", "priority": 5, "minimum": 1, "wanted": 2, "request": {"gpu": 4}},
                {"name": "c", "priority": 0, "request": {"gpu": 1}},
            ],
        ),
        ONE,
    )
    back = reprieved(instance, plan(instance, 0, 2, 1, 1, evicted=(0, 1)))
    assert (back.node.tolist(), back.evicted.tolist()) == ([0, 2, -1, 1], [0])


def test_a_root_goes_as_a_whole_and_victims_for_it_come_back_in_turn() -> None:
    """g of priority 3 fell for nobody but h of the same; h stands on two nodes."""
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 0}, {"gpu": 0}, {"gpu": 0}],
            groups=[
                {"name": "top", "priority": 9, "request": {"gpu": 4}},
                {"name": "h", "priority": 3, "minimum": 2, "wanted": 2, "request": {"gpu": 4}},
            ],
        ),
        [
            {"node": 0, "request": {"gpu": 4}, "priority": 3},
            {"node": 1, "request": {"gpu": 4}, "priority": 0},
            {"node": 2, "request": {"gpu": 4}, "priority": 3},
        ],
    )
    back = reprieved(instance, plan(instance, 2, 0, 1, evicted=(0, 1, 2)))
    assert (back.node.tolist(), back.evicted.tolist()) == ([2, -1, -1], [2])
    assert check(instance, back) == ()


def test_a_gang_taken_whole_comes_back_as_far_as_it_stands_again() -> None:
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 0}, {"gpu": 0}, {"gpu": 0}],
            groups=[
                {"name": "old", "minimum": 2, "running": [0, 1, 2], "roles": []},
                {"name": "new", "priority": 5, "request": {"gpu": 4}},
            ],
        ),
        [{"node": n, "request": {"gpu": 4}, "group": 0} for n in range(3)],
    )
    back = reprieved(instance, plan(instance, 1, evicted=(0, 1, 2)))
    assert back.evicted.tolist() == [1]
    assert check(instance, back) == ()


def opened_by_a_lower_one() -> Instance:
    """Who opens a claim with an All request is of low priority, and stands where somebody runs.

    a (10, on n1) and b (5, on n0) share the claim. n1 reaches a device that is taken for good, n0
    does not: only beside b, in whose place a pod of priority 5 runs, does a get the claim.
    """
    nodes = [{"gpu": 0, "cpu": 9}, {"gpu": 0, "cpu": 9}]
    a = {"priority": 10, "request": {"cpu": 1}, "eligible": [1]}
    b = {"priority": 5, "request": {"gpu": 4}, "eligible": [0]}
    devices: list[dict[str, Any]] = [
        {"zone": [0, 1], "x": True},
        {"node": 1, "x": True, "taken": True},
    ]
    every = [{"requests": [("g", {"word": "x", "count": "all"})]}]
    made = with_devices(
        make_instance(nodes, [a, b]), devices, every, {}, [{"roles": [0, 1], "spec": 0}]
    )
    return with_running(made, [{"node": 0, "request": {"gpu": 4}, "priority": 5}])


def test_who_falls_for_a_claim_that_only_a_lower_pod_can_open_is_not_needless() -> None:
    instance = opened_by_a_lower_one()
    tiers = tiers_of(instance)
    result = Exact(solver=Highs()).plan(instance, Limits(seconds=20))
    assert result.plan.evicted.tolist() == [0]
    assert check(instance, result.plan) == ()
    assert (result.stop, result.warnings) == ("optimal", ())
    assert brute_preemption.best(instance, tiers) == tuple(r.value for r in result.tiers)
    # Without b, a would not be there: the pod falls for a, not for its equal.
    assert blamed(instance, result.plan) == [(0,)]


def test_a_greedy_plan_that_cannot_be_mended_gives_way_to_one_without_evictions() -> None:
    instance = with_running(
        make_instance([{"gpu": 0}, {"gpu": 4}], [{"priority": 5, "request": {"gpu": 4}}]), ONE
    )
    tiers = tiers_of(instance)
    fine, said = clean_plan(instance, plan(instance, 1, evicted=()), tiers, 1.0)
    assert (fine.node.tolist(), said) == ([1], ())
    calm, said = clean_plan(instance, plan(instance, 1, evicted=(0, 1)), tiers, 1.0)
    assert (calm.node.tolist(), calm.evicted.tolist()) == ([1], [])
    assert len(said) == 1
    assert "unit test/run0 and 1 more could come back" in said[0]
    with pytest.raises(PlanError, match="gpu 4 asked, 0 free"):
        clean_plan(instance, plan(instance, 0, evicted=()), tiers, 1.0)


def broken_otherwise(instance: Instance, some: Plan) -> bool:
    """Tell whether a plan breaks a rule other than "no needless victim", by what is said."""
    needless = {part.sentence for part in returning(instance, some)}
    return any(violation.sentence not in needless for violation in check(instance, some))


def comes_out_right(data: st.DataObject, instance: Instance) -> None:
    sets = [units for units in every_set(instance) if units and lawful(instance, units)]
    assume(sets)
    units = data.draw(st.sampled_from(sets))
    fallen = np.array(sorted(units), dtype=np.int64)
    later = after(instance, fallen)
    # One run: any plan will do, a good one leaves less to bring back.
    some = replace(greedy_plan(later, tiers_of(later), 0.0), evicted=fallen)
    if broken_otherwise(instance, some):
        some = replace(empty_plan(instance), evicted=some.evicted)
    event("somebody is placed" if (some.node >= 0).any() else "nobody is placed")
    back = reprieved(instance, some)
    assert set(back.evicted.tolist()) <= units
    assert set(np.flatnonzero(back.node >= 0).tolist()) <= set(np.flatnonzero(some.node >= 0))
    assert check(instance, back) == ()
    assert not no_better(instance, some, back)


@settings(max_examples=60)
@given(data=st.data(), instance=preempting())
def test_what_comes_back_leaves_a_sound_plan_that_is_no_worse(
    data: st.DataObject, instance: Instance
) -> None:
    comes_out_right(data, instance)


@settings(max_examples=30)
@given(data=st.data(), instance=preempting_claims())
def test_what_comes_back_takes_its_devices_again(data: st.DataObject, instance: Instance) -> None:
    comes_out_right(data, instance)
