"""What allocations hold."""

from typing import Any

import pytest

from gangplan.models.instance import Instance
from tests.datasets.kubernetes.devices.claims import (
    Obj,
    asked,
    asks,
    by_name,
    claim,
    claiming,
    counters,
    device,
    device_class,
    draws,
    fitting,
    host,
    notes,
    number,
    request,
    result,
    slice_,
    template,
)
from tests.datasets.kubernetes.objects import instance

MULTI = device(
    "shared",
    allowMultipleAllocations=True,
    capacity={"memory": "80Gi"},
    consumesCounters=draws(mode="1"),
)
PLAIN = device("plain", consumesCounters=draws(mode="1"))
CARD = [counters("c", mode="3"), slice_("s", MULTI, PLAIN, "free", slices=2)]
GI = 2**30


def built_of(*objects: Obj, spec: Obj | None = None) -> Instance:
    return instance(
        host("n1"), device_class(), *CARD, template(spec=spec), claiming("p", "t"), *objects
    )


def taken(built: Instance, name: str) -> bool:
    return bool(built.devices.taken[number(built, name)])


def test_an_allocated_device_is_taken_whoever_uses_its_claim() -> None:
    pods = [[], [claiming("old", by_name(), on="n1")]]
    for users in pods:
        built = built_of(claim(allocated=[result("plain")]), *users)
        assert taken(built, "plain")
        assert not taken(built, "free")
        assert "plain" in fitting(built)


def test_what_it_draws_is_drawn_already() -> None:
    built = built_of(claim(allocated=[result("plain")]))
    assert built.devices.counter_free.tolist() == [2]
    assert built.devices.draw_device.tolist() == [number(built, "shared")]
    assert built.names.counters == ("gpu.example.com/n1/card/mode",)


def test_a_share_leaves_the_rest_of_the_pot_and_draws_once() -> None:
    share: dict[str, Any] = {"consumedCapacity": {"memory": "30Gi"}, "shareID": "x"}
    two = [result("shared", **share), result("shared", **share)]
    built = built_of(claim(allocated=two[:1]), claim("d", allocated=two[1:]))
    assert not taken(built, "shared")
    assert built.devices.pot_free.tolist() == [20 * GI]
    assert built.devices.counter_free.tolist() == [2]
    assert built.devices.draw_device.tolist() == [number(built, "plain")]


def test_admin_access_holds_nothing() -> None:
    built = built_of(claim(allocated=[result("plain", adminAccess=True)]))
    assert not taken(built, "plain")
    assert built.devices.counter_free.tolist() == [3]


def test_more_shares_than_there_is_room_leave_nothing() -> None:
    share: dict[str, Any] = {"consumedCapacity": {"gpu.example.com/memory": "90Gi"}}
    built = built_of(claim(allocated=[result("shared", **share)]))
    assert built.devices.pot_free.tolist() == [0]


def test_an_allocation_of_a_missing_device_is_told_and_its_users_stay_pinned() -> None:
    nodes = [host("n1"), host("n2")]
    old = claim(allocated=[result("gone")], on="n2")
    built = instance(*nodes, device_class(), *CARD, old, claiming("p", by_name()))
    assert built.devices.zones.tolist() == [[False, True]]
    assert built.claims.shared_zone.tolist() == [0]
    (note,) = notes(built, "that no ResourceSlice has")
    assert note.endswith("gpu.example.com/n1/gone (ResourceClaim lab/c)")


def test_fractions_of_a_counter_are_exact() -> None:
    half = [
        counters("c", mode="1500m"),
        slice_("s", device("d0", consumesCounters=draws(mode="500m")), "d1", slices=2),
    ]
    built = instance(host("n1"), device_class(), *half, template(), claiming("p", "t"))
    assert built.devices.counter_free.tolist() == [3 * int(built.devices.draw_amount[0])]


def test_devices_that_nobody_asks_for_are_no_columns() -> None:
    nic = slice_("nics", "nic", driver="nic.example.com")
    built = built_of(nic, claim(allocated=[result("nic", driver="nic.example.com")]))
    assert "nic.example.com/n1/nic" not in built.names.devices


def test_a_request_of_the_other_kind_does_not_ask_for_them() -> None:
    spec = asks(request("r", "gpu", 'device.driver == "none.example.com"'))
    assert len(built_of(spec=spec).devices) == 0


@pytest.mark.parametrize(("held", "left"), [("40Gi", {"shared", "other"}), ("41Gi", {"other"})])
def test_a_share_that_no_longer_fits_is_asked_by_nobody(held: str, left: set[str]) -> None:
    """As in Kubernetes: ALL takes the devices that have enough left."""
    other = device("other", allowMultipleAllocations=True, capacity={"memory": "80Gi"})
    every = request(allocationMode="All", capacity={"requests": {"memory": "40Gi"}})
    admin = request("a", allocationMode="All", adminAccess=True)
    built = instance(
        host("n1"),
        device_class(),
        slice_("s", MULTI | {"consumesCounters": []}, other),
        template(spec=asks(every, admin)),
        claiming("p", "t"),
        claim(allocated=[result("shared", consumedCapacity={"memory": held}, shareID="x")]),
    )
    assert asked(built) == fitting(built) == left
    assert asked(built, 1) == {"shared", "other"}
