"""Greedy evictions and devices: what is given back is dealt anew, once all users are gone."""

from collections.abc import Mapping, Sequence
from typing import Any

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.tiers import tiers_of
from gangplan.models.verify.check import check
from gangplan.solvers.planners.greedy import greedy_plan
from tests.tiny import make_instance
from tests.tiny_devices import with_devices
from tests.tiny_running import with_running

Row = Mapping[str, Any]

GPU: Row = {"requests": [("g", "gpu")]}


def gpu(node: int = 0, **more: Any) -> Row:
    return {"node": node, "gpu": True} | more


def cluster(nodes: int, devices: Sequence[Row], wanted: int = 1) -> Instance:
    """Nodes with room for anybody, and an urgent gang whose pods have a claim of a GPU each."""
    urgent = {"priority": 5, "wanted": wanted, "minimum": wanted, "request": {"cpu": 1}}
    instance = make_instance(nodes=[{"cpu": 8}] * nodes, groups=[urgent])
    return with_devices(instance, devices, [GPU], {0: [0]})


def runs(node: int = 0, priority: int = 0) -> Row:
    return {"node": node, "request": {"cpu": 1}, "priority": priority}


def planned(instance: Instance) -> Plan:
    plan = greedy_plan(instance, tiers_of(instance))
    assert [v.sentence for v in check(instance, plan)] == []
    return plan


def test_a_device_comes_free_with_its_last_user() -> None:
    instance = cluster(1, [gpu(taken=True)])
    one = with_running(instance, [runs()], holds=[{"users": [0], "devices": [0]}])
    plan = planned(one)
    assert plan.evicted.tolist() == [0]
    assert plan.allocations.device.tolist() == [0]
    both = with_running(instance, [runs(), runs()], holds=[{"users": [0, 1], "devices": [0]}])
    assert planned(both).evicted.tolist() == [0, 1]


def test_a_device_with_a_user_that_may_not_fall_stays_taken() -> None:
    instance = cluster(1, [gpu(taken=True)])
    held = with_running(instance, [runs(), runs(0, 9)], holds=[{"users": [0, 1], "devices": [0]}])
    plan = planned(held)
    assert plan.evicted.tolist() == []
    assert plan.node.tolist() == [-1]


def test_nobody_falls_for_a_device_where_one_is_free() -> None:
    instance = cluster(2, [gpu(taken=True), gpu(1)])
    held = with_running(instance, [runs()], holds=[{"users": [0], "devices": [0]}])
    plan = planned(held)
    assert plan.evicted.tolist() == []
    assert plan.node.tolist() == [1]


def test_the_holder_of_the_lower_priority_gives_its_device() -> None:
    instance = cluster(2, [gpu(taken=True), gpu(1, taken=True)])
    holds = [{"users": [u], "devices": [u]} for u in range(2)]
    held = with_running(instance, [runs(0, 3), runs(1, 1)], holds=holds)
    assert planned(held).evicted.tolist() == [1]


def test_a_holder_whose_device_is_not_needed_keeps_it() -> None:
    instance = cluster(1, [gpu(taken=True)] * 3, wanted=2)
    holds = [{"users": [u], "devices": [u]} for u in range(3)]
    held = with_running(instance, [runs(), runs(), runs()], holds=holds)
    assert len(planned(held).evicted) == 2


def test_counters_that_a_holder_drew_from_return() -> None:
    devices = [gpu(draws={"m": 4}, taken=True), gpu(draws={"m": 4})]
    instance = make_instance(
        nodes=[{"cpu": 8}],
        groups=[{"priority": 5, "wanted": 1, "minimum": 1, "request": {"cpu": 1}}],
    )
    instance = with_devices(instance, devices, [GPU], {0: [0]}, counters={"m": 0})
    holds = [{"users": [0], "devices": [0], "counters": {0: 4}}]
    assert planned(with_running(instance, [runs()], holds=holds)).evicted.tolist() == [0]


def test_a_shared_claim_gets_a_device_that_somebody_gives_up() -> None:
    urgent = {"priority": 5, "wanted": 2, "minimum": 2, "request": {"cpu": 1}}
    instance = make_instance(nodes=[{"cpu": 8}], groups=[urgent])
    instance = with_devices(instance, [gpu(taken=True)], [GPU], shared=[{"spec": 0, "roles": [0]}])
    held = with_running(instance, [runs()], holds=[{"users": [0], "devices": [0]}])
    plan = planned(held)
    assert plan.evicted.tolist() == [0]
    assert plan.node.tolist() == [0, 0]
