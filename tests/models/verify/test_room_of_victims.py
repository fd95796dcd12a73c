"""Room that victims leave, and room that is kept for nominated pods (rules 2, 6 and 8)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify import check
from tests.models.verify.claimed import ask
from tests.placing import give, place
from tests.tiny import Row, make_instance
from tests.tiny_devices import with_devices
from tests.tiny_running import with_running


def said(instance: Instance, plan: Plan, units: Sequence[int]) -> list[str]:
    found = check(instance, replace(plan, evicted=np.array(units, dtype=np.int64)))
    return [v.sentence for v in found if v.family in ("capacity", "claims")]


def test_the_room_of_a_victim_is_there_once_and_on_its_node_only() -> None:
    new: Row = {"priority": 5, "request": {"gpu": 3}}
    instance = with_running(
        make_instance([{"gpu": 1}, {"gpu": 1}], [new]),
        [{"node": 0, "request": {"gpu": 2}}, {"node": -1, "request": {"gpu": 9}}],
    )
    assert said(instance, place(instance, [0]), []) == ["node n0: gpu 3 asked, 1 free"]
    assert said(instance, place(instance, [0]), [0]) == []
    assert said(instance, place(instance, [1]), [0, 1]) == ["node n1: gpu 3 asked, 1 free"]


def test_room_of_victims_is_no_room_for_groups_that_evict_nobody() -> None:
    groups: list[Row] = [
        {"priority": 9, "request": {"gpu": 2}},
        {"priority": 5, "request": {"gpu": 2}},
    ]
    instance = with_running(
        make_instance([{"gpu": 2}], groups), [{"node": 0, "request": {"gpu": 4}}], never=[0]
    )
    assert said(instance, place(instance, [0, 0]), [0]) == []
    less = replace(instance, nodes=replace(instance.nodes, free=np.array([[1]])))
    assert said(less, place(less, [0, 0]), [0]) == [
        "node n0: gpu 2 asked by groups that evict nobody, 1 free"
    ]


def test_victims_room_beyond_int64_does_not_wrap_around() -> None:
    new: Row = {"priority": 5, "wanted": 3, "request": {"mem": 2**62}}
    pod: Row = {"node": 0, "request": {"mem": 2**62}}
    instance = with_running(make_instance([{"mem": 2**62}], [new]), [pod, pod])
    assert said(instance, place(instance, [0, 0, 0]), [0, 1]) == []
    assert said(instance, place(instance, [0, 0, 0]), [0]) == [
        f"node n0: mem {3 * 2**62} asked, {2 * 2**62} free"
    ]


RANKS: list[Row] = [{"priority": p, "request": {"gpu": 4}} for p in (9, 5, 1)]


@pytest.mark.parametrize(
    ("node_of", "bad"),
    [
        ([0, -1, -1], []),
        ([-1, 0, -1], ["5 or lower, 2 free beside the 4"]),
        ([-1, -1, 0], ["5 or lower, 2 free beside the 4"]),
        ([1, 1, 1], ["node n1: gpu 12 asked, 6 free"]),
    ],
)
def test_room_on_its_way_is_closed_to_its_own_rank_and_lower(
    node_of: list[int], bad: list[str]
) -> None:
    instance = with_running(
        make_instance([{"gpu": 6}, {"gpu": 6}], RANKS),
        [],
        reserved=[{"node": 0, "priority": 5, "request": {"gpu": 4}}],
    )
    found = said(instance, place(instance, node_of), [])
    assert len(found) == len(bad)
    assert all(text in sentence for sentence, text in zip(found, bad, strict=True))


def test_the_group_that_room_is_kept_for_uses_it() -> None:
    mine: Row = {"node": 0, "priority": 5, "group": 1, "request": {"gpu": 4}}
    other: Row = {"node": 0, "priority": 9, "request": {"gpu": 2}}
    instance = with_running(make_instance([{"gpu": 6}], RANKS), [], reserved=[mine, other])
    assert said(instance, place(instance, [-1, 0, -1]), []) == []
    assert said(instance, place(instance, [-1, -1, 0]), []) == [
        "node n0: gpu 4 asked by groups of priority 5 or lower, 0 free beside the 6 kept for "
        "nominated pods"
    ]


def test_a_rank_pays_only_for_reservations_of_its_own_priority_or_higher() -> None:
    rows: list[Row] = [{"node": 0, "priority": p, "request": {"gpu": 2}} for p in (1, 5)]
    instance = with_running(make_instance([{"gpu": 6}], RANKS), [], reserved=rows)
    assert said(instance, place(instance, [-1, 0, -1]), []) == []
    (found,) = said(instance, place(instance, [-1, -1, 0]), [])
    assert "by groups of priority 1 or lower, 2 free beside the 4" in found


def test_kept_room_comes_before_victims_room_for_those_that_evict_nobody() -> None:
    instance = with_running(
        make_instance([{"gpu": 6}], RANKS),
        [{"node": 0, "request": {"gpu": 4}, "priority": -1}],
        never=[2],
        reserved=[{"node": 0, "priority": 5, "request": {"gpu": 4}}],
    )
    assert said(instance, place(instance, [-1, 0, -1]), [0]) == []
    assert said(instance, place(instance, [-1, -1, 0]), [0]) == [
        "node n0: gpu 4 asked by groups of priority 5 or lower that evict nobody, 2 free beside "
        "the 4 kept for nominated pods"
    ]


def held(**hold: Any) -> Instance:
    """Two pods of one claim on node 0; a new pod asks a device there."""
    bare = make_instance([{}], [{"priority": 5, "kind": "bare"}])
    devices: list[Row] = [
        {"node": 0, "gpu": True, "taken": True, "draws": {"slots": 2}},
        {"node": 0, "gpu": True, "draws": {"slots": 2}},
        {"node": 0, "net": True, "multi": True, "pots": {"rate": 1}},
    ]
    specs = [ask(("g", "gpu"))] if "pots" not in hold else [
        ask(("n", {"word": "net", "uses": {"rate": 3}}))
    ]  # fmt: skip
    instance = with_devices(bare, devices, specs, {0: [0]}, counters={"slots": 1})
    pods: list[Row] = [{"node": 0, "group": -1}, {"node": 0, "group": -1}]
    return with_running(instance, pods, holds=[{"users": [0, 1], **hold}])


def test_a_device_is_nobodys_once_all_users_of_its_claim_have_fallen() -> None:
    instance = held(devices=[0], counters={0: 2})
    plan = give(place(instance, [0]), (0, 0, 0, 0))
    assert said(instance, plan, [0, 1]) == []
    assert said(instance, plan, [0]) == [
        "pod test/g0-0-0, claim claim0: request g: device test/pool/d0 is held by test/run0, "
        "test/run1",
        "counter slots: 2 asked, 1 free",
    ]
    assert len(said(instance, plan, [1])) == 2


def test_counters_get_back_what_fallen_users_drew() -> None:
    instance = held(devices=[0], counters={0: 2})
    plan = give(place(instance, [0]), (0, 0, 0, 1))
    assert said(instance, plan, [0, 1]) == []
    (found,) = said(instance, plan, [0])
    assert found.endswith(": 2 asked, 1 free")


def test_pots_get_back_what_fallen_users_used() -> None:
    instance = held(pots={0: 2})
    plan = give(place(instance, [0]), (0, 0, 0, 2))
    assert said(instance, plan, [0, 1]) == []
    (found,) = said(instance, plan, [1])
    assert "capacity rate" in found
    assert found.endswith("3 asked, 1 free")


def test_an_allocated_claim_that_new_pods_use_keeps_its_devices() -> None:
    groups: list[Row] = [{"priority": 5, "kind": "bare"}, {"priority": 5, "kind": "bare"}]
    devices: list[Row] = [{"node": 0, "gpu": True, "taken": True}]
    instance = with_devices(
        make_instance([{}], groups),
        devices,
        [ask(("g", "gpu"))],
        {0: [0]},
        [{"nodes": [0], "roles": [1]}],
    )
    instance = with_running(
        instance, [{"node": 0}], holds=[{"users": [0], "shared": 0, "devices": [0]}]
    )
    row = (0, 0, 0, 0)
    assert said(instance, give(place(instance, [0, -1]), row), [0]) == []
    (found,) = said(instance, give(place(instance, [0, 0]), row), [0])
    assert "is held by test/run0 (and new pods may use claim" in found
