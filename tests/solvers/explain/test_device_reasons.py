"""Why groups wait for devices: what is asked, what is there, and how that is known."""

from typing import Any

import pytest

from gangplan.models.instance import Instance
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from tests.tiny import make_instance
from tests.tiny_devices import with_devices

Row = dict[str, Any]

GPU: Row = {"gpu": True}
NIC: Row = {"nic": True}


def wanting(count: int | str = 1, **more: Any) -> Row:
    return {"requests": [("gpus", {"word": "gpu", "count": count, **more})]}


def cluster(*groups: Row, nodes: int = 2) -> Instance:
    each: Row = {"request": {"cpu": 1}}
    return make_instance([{"cpu": 8}] * nodes, [each | group for group in groups])


def why(instance: Instance) -> dict[int, str]:
    return dict(Exact(solver=Highs()).plan(instance, Limits(seconds=20)).reasons)


def on(*nodes: int, **fields: Any) -> list[Row]:
    return [GPU | {"node": n} | fields for n in nodes]


@pytest.mark.parametrize(
    ("devices", "has"),
    [
        (on(0, 0, 0, 1), "more than 3 free that fits"),
        (on(0, 0, 0, 0, taken=True) + on(1), "more than 1 free that fits"),
        ([NIC | {"node": 0}], "one free that fits"),
    ],
)
def test_a_pod_that_asks_for_more_than_any_node_has(devices: list[Row], has: str) -> None:
    instance = with_devices(cluster({"wanted": 2, "minimum": 2}), devices, [wanting(4)], {0: [0]})
    assert why(instance) == {
        0: "cannot be placed: 2 pods needed, 0 can be placed; short of devices for request gpus of "
        f"claim claim0: one pod asks for 4 devices, no node it may use has {has} (proven: counting)"
    }


def test_no_device_at_all() -> None:
    instance = with_devices(cluster({}), [NIC | {"node": 0}], [wanting()], {0: [0]})
    assert (
        "one pod asks for 1 device, no node it may use has one free that fits" in why(instance)[0]
    )


def test_a_device_that_may_be_shared_counts_as_many() -> None:
    shared = [GPU | {"node": 0, "multi": True, "pots": {"memory": 4}}]
    asks = wanting(4, uses={"memory": 2})
    said = why(with_devices(cluster({}), shared, [asks], {0: [0]}))[0]
    assert said.startswith("cannot be placed: 1 pod needed, 0 can be placed; short of devices for")
    assert "one pod asks" not in said


def test_a_gang_that_devices_of_all_nodes_do_not_serve() -> None:
    instance = with_devices(
        cluster({"wanted": 3, "minimum": 3}), on(0, 0, 0, 1), [wanting(2)], {0: [0]}
    )
    assert why(instance) == {
        0: "cannot be placed: 3 pods needed, 1 can be placed; short of devices for request gpus of "
        "claim claim0 (proven: counting)"
    }


def test_a_shared_claim_without_a_place() -> None:
    shared = [{"spec": 0, "roles": [0], "name": "ns/fabric"}]
    instance = with_devices(cluster({"wanted": 2}), on(0, 1), [wanting(2)], shared=shared)
    assert (
        "short of nodes that reach the devices of claim ns/fabric (proven: counting)"
        in (why(instance)[0])
    )


def test_a_shared_claim_on_one_node_that_has_no_room_for_the_gang() -> None:
    """Each node serves the claim, but none holds nine pods: nothing that slots can count."""
    shared = [{"spec": 0, "roles": [0], "name": "ns/fabric"}]
    group = {"wanted": 9, "minimum": 9}
    said = why(with_devices(cluster(group), on(0, 1), [wanting()], shared=shared))[0]
    assert not said.startswith("cannot be placed")
    assert said.startswith("no plan starts it (proven: ")


def test_devices_that_others_have_are_no_shortage() -> None:
    """Each gang fits alone; the second one waits for the first, as the tiers prove."""
    groups = [{"wanted": 2, "minimum": 2, "priority": 1}, {"wanted": 2, "minimum": 2}]
    instance = with_devices(cluster(*groups), on(0, 0, 1), [wanting()], {0: [0], 1: [0]})
    said = why(instance)
    assert set(said) == {1}
    assert "cannot be placed" not in said[1]
    assert said[1].startswith("no room beside what is admitted: no plan starts it unless another")


def test_what_only_a_rule_keeps_apart_is_said_of_the_claim() -> None:
    devices: list[Row] = [
        {"node": 0, "gpu": True, "root": "r0"}, {"node": 0, "nic": True, "root": "r1"},
    ]  # fmt: skip
    pair: Row = {"requests": [("g", "gpu"), ("n", "nic")], "match": ["root"]}
    said = why(with_devices(cluster({}), devices, [pair], {0: [0]}))
    assert "together" in said[0]
    assert "claim0 (proven: counting)" in said[0]


def test_a_held_group_keeps_its_reason() -> None:
    instance = with_devices(cluster({"held": True}), [], [wanting(4)], {0: [0]})
    assert why(instance) == {0: "held by the test"}


@pytest.mark.parametrize(
    ("devices", "more", "said"),
    [
        (on(0, 0) + on(0, taken=True), {}, "with d2 held"),
        (on(0, taken=True) + on(0, 0), {"blocked": [2]}, "with d0 held, d2 not fit for it"),
        (on(0) + on(0, 0, taken=True), {}, "with d1 and 1 more held"),
        ([GPU | {"zone": [0, 1], "taken": True}], {}, "with d0 held"),
    ],
)
def test_a_request_for_all_devices_says_which_are_in_the_way(
    devices: list[Row], more: Row, said: str
) -> None:
    named = [row | {"name": f"d{i}"} for i, row in enumerate(devices)]
    instance = with_devices(cluster({}), named, [wanting("all", **more)], {0: [0]})
    assert why(instance)[0].endswith(
        "short of devices for request gpus of claim claim0: it asks for all devices of a node, "
        f"{said} (proven: counting)"
    )
