"""Devices and claims in a part: what others got is taken, and shared claims stay together."""

import numpy as np
import pytest

from gangplan.models.errors import FormulationError
from gangplan.models.part import inside, joined, part_of
from gangplan.models.plan import empty_plan
from gangplan.models.verify import check
from tests.placing import give, place
from tests.tiny import make_instance
from tests.tiny_devices import with_devices
from tests.tiny_running import with_running

NODES = [{"cpu": 8}, {"cpu": 8}]


def test_devices_of_others_are_taken_and_their_draws_used_up() -> None:
    instance = with_devices(
        make_instance(NODES, [{"request": {"cpu": 1}}, {"request": {"cpu": 1}}]),
        devices=[
            {"node": 0, "gpu": True},
            {"node": 1, "gpu": True, "draws": {"memory": 3}},
            {"node": 1, "gpu": True, "draws": {"memory": 3}},
        ],
        specs=[{"requests": [("g", "gpu")]}],
        own={0: [0], 1: [0]},
        counters={"memory": 5},
    )
    plan = give(place(instance, [1, -1]), (0, 0, 0, 1))
    assert not check(instance, plan)
    part = part_of(instance, plan, np.array([1]), np.array([1]))
    assert part.devices.tolist() == [1, 2]
    assert part.own.tolist() == [1]
    assert part.instance.devices.taken.tolist() == [True, False]
    assert part.instance.devices.counter_free.tolist() == [2]
    better = give(place(part.instance, [0]), (0, 0, 0, 1))
    whole = joined(instance, plan, part, better)
    assert whole.allocations.device.tolist() == [1, 2]
    assert check(part.instance, better)  # 6 of 5 from the counter
    assert check(instance, whole)
    alone = part_of(instance, plan, np.array([1]), np.array([0, 1]))
    assert alone.start.allocations.device.tolist() == [0]
    assert alone.instance.devices.counter_free.tolist() == [5]


def test_groups_that_share_a_claim_are_candidates_together() -> None:
    instance = with_devices(
        make_instance(NODES, [{"request": {"cpu": 1}}, {"request": {"cpu": 1}}]),
        devices=[{"zone": [0, 1], "gpu": True}],
        specs=[{"requests": [("g", "gpu")]}],
        shared=[{"spec": 0, "roles": [0, 1]}],
    )
    plan = give(place(instance, [1, -1]), (-1, 0, 0, 0))
    assert not check(instance, plan)
    assert not inside(instance, plan, np.array([0])).any()
    assert inside(instance, plan, np.array([1])).all()
    with pytest.raises(FormulationError, match="group test/g1: shares a claim with pods outside"):
        part_of(instance, plan, np.array([1]), np.array([1]))
    part = part_of(instance, plan, np.array([1]), np.array([0, 1]))
    assert part.common.tolist() == [0]
    better = give(place(part.instance, [-1, 0]), (-1, 0, 0, 0))
    whole = joined(instance, plan, part, better)
    assert whole.node.tolist() == [-1, 1]
    assert not check(instance, whole)


def test_claims_of_what_units_hold_are_refused() -> None:
    instance = with_running(
        with_devices(
            make_instance(NODES, [{"priority": 5, "request": {"cpu": 1}}]),
            devices=[{"node": 0, "gpu": True, "taken": True}],
            specs=[{"requests": [("g", "gpu")]}],
            own={0: [0]},
        ),
        pods=[{"node": 0, "request": {"cpu": 1}}],
        holds=[{"users": [0], "devices": [0]}],
    )
    with pytest.raises(FormulationError, match="claims of devices that units hold"):
        part_of(instance, empty_plan(instance), np.array([0]), np.array([0]))


def test_others_count_among_the_users_of_an_allocated_claim() -> None:
    instance = with_devices(
        make_instance(NODES, [{"request": {"cpu": 1}}, {"request": {"cpu": 1}}]),
        devices=[],
        specs=[],
        shared=[{"nodes": [0, 1], "roles": [0, 1], "limit": 1}],
    )
    part = part_of(instance, place(instance, [0, -1]), np.array([1]), np.array([1]))
    assert part.instance.claims.shared_limit.tolist() == [0]
    assert check(part.instance, place(part.instance, [0]))
