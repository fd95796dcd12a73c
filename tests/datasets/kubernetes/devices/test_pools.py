"""Pools: generations, incomplete and contradictory ones."""

from typing import Any

import pytest

from tests.datasets.kubernetes.devices.claims import (
    Obj,
    asks,
    barred,
    claiming,
    counters,
    device,
    device_class,
    draws,
    first_of,
    fitting,
    host,
    notes,
    request,
    slice_,
    template,
)
from tests.datasets.kubernetes.objects import held, instance

ALL = asks(request(allocationMode="All"))


def test_only_the_slices_of_the_highest_generation_count() -> None:
    old, new = slice_("old", "d0", "d1"), slice_("new", "d1", generation=2)
    built = instance(host("n1"), device_class(), old, new, template(), claiming("p", "t"))
    assert built.names.devices == ("gpu.example.com/n1/d1",)
    (note,) = notes(built, "generation")
    assert note == (
        "pool gpu.example.com/n1 is of generation 2; 1 ResourceSlice of an older one not used: old"
    )


def incomplete(spec: Obj) -> list[Obj]:
    half = slice_("half", "d0", slices=2)
    whole = slice_("whole", "e0", on="n2", pool="n2")
    nodes = [host("n1"), host("n2"), host("n3")]
    return [*nodes, device_class(), half, whole, template(spec=spec), claiming("p", "t")]


def test_devices_of_an_incomplete_pool_are_not_allocated() -> None:
    built = instance(*incomplete(asks()))
    assert (fitting(built), barred(built), held(built)) == ({"e0"}, set(), {})
    (note,) = notes(built, "incomplete")
    assert note.startswith("pool gpu.example.com/n1 is incomplete, 1 of its 2 ResourceSlices")


def test_all_devices_of_an_incomplete_pool_bar_the_nodes_that_reach_it() -> None:
    built = instance(*incomplete(ALL))
    assert (fitting(built), barred(built)) == ({"e0"}, {"n1"})


def test_an_incomplete_pool_of_other_devices_bars_all_that_ask_for_all() -> None:
    """As in Kubernetes, which looks at no device of it."""
    nics = slice_("nics", "nic", pool="n2", on="n2", driver="nic.example.com", slices=2)
    built = instance(*incomplete(ALL), nics)
    assert barred(built) == {"n1", "n2"}
    (note,) = notes(built, "asks for all devices")
    assert note == (
        "ResourceClaimTemplate lab/t: request r asks for all devices and is not served on n1, n2:"
        " a pool there is incomplete or contradicts itself"
    )
    assert barred(instance(*incomplete(asks()), nics)) == set()


def test_a_choice_of_all_devices_is_settled_before_any_other_choice() -> None:
    """As in Kubernetes: what ALL asks is looked up for every choice, then one is tried."""
    either = first_of("r", ("some", "gpu"), ("all", "gpu"))
    either["firstAvailable"][1]["allocationMode"] = "All"
    built = instance(*incomplete(asks(either, request("q"))))
    assert [barred(built, b) for b in range(3)] == [{"n1"}, {"n1"}, set()]


def test_an_incomplete_pool_that_shows_no_device_bars_all_that_ask_for_all() -> None:
    objects = [*incomplete(ALL), counters("c", pool="n3", slices=2, mode="1")]
    objects[-1]["spec"]["nodeName"] = "n3"
    assert barred(instance(*objects)) == {"n1", "n3"}


@pytest.mark.parametrize(
    ("slices", "reason"),
    [
        ([slice_("s", "d0", "d1"), slice_("t", "d0")], "has devices of one name: d0"),
        (
            [slice_("s", device("d0", consumesCounters=draws(mode="1")))],
            "does not declare counters that its devices draw from: card/mode",
        ),
        (
            [counters("s", mode="1"), counters("t", mode="1"), slice_("u", "d0")],
            "has counter sets of one name: card",
        ),
    ],
)
def test_a_pool_that_contradicts_itself_is_not_allocated(slices: list[Obj], reason: str) -> None:
    for one in slices:
        one["spec"]["pool"]["resourceSliceCount"] = len(slices)
    objects = [host("n1"), device_class(), *slices, template(spec=ALL), claiming("p", "t")]
    built = instance(*objects)
    assert (fitting(built), barred(built)) == (set(), {"n1"})
    (note,) = notes(built, "pool gpu.example.com/n1")
    assert reason in note


def test_a_device_with_an_alpha_field_is_left_out_by_name() -> None:
    grouped = [{**draws(mode="1")[0], "compatibilityGroups": ["a"]}]
    slices = [
        counters("c", mode="2"),
        slice_("s", device("d0", consumesCounters=grouped), "d1", slices=2),
    ]
    built = instance(host("n1"), device_class(), *slices, template(), claiming("p", "t"))
    assert fitting(built) == {"d1"}
    (note,) = notes(built, "compatibilityGroups")
    assert note.endswith("of 1 device, not allocated: gpu.example.com/n1/d0")


def test_all_is_barred_where_a_device_of_an_incomplete_pool_cannot_be_judged() -> None:
    model = 'device.attributes["gpu.example.com"].model == "h100"'
    spec = asks(request("r", "gpu", model, allocationMode="All"))
    whole = slice_("w", device("e0", attributes={"model": "h100"}), on="n2", pool="n2")
    objects = [device_class(), slice_("half", "d0", slices=2), whole, template(spec=spec)]
    built = instance(host("n1"), host("n2"), *objects, claiming("p", "t"))
    assert barred(built) == {"n1"}


def test_devices_that_bind_late_come_last() -> None:
    late: dict[str, Any] = {"bindingConditions": ["ready"], "bindingFailureConditions": ["failed"]}
    slices = slice_("s", device("a", **late), "b", "c")
    built = instance(host("n1"), device_class(), slices, template(), claiming("p", "t"))
    assert [name[-1] for name in built.names.devices] == ["b", "c", "a"]


def test_a_pool_whose_slices_disagree_on_their_number_is_incomplete() -> None:
    slices = [slice_("s", "d0", slices=1), slice_("u", "d1", slices=2)]
    built = instance(host("n1"), device_class(), *slices, template(), claiming("p", "t"))
    assert fitting(built) == set()


def test_sources_without_any_slice_are_told() -> None:
    built = instance(host("n1"), device_class(), template(), claiming("p", "t"))
    assert notes(built, "ResourceSlice") == [
        "no ResourceSlice in the sources: no claim gets a device"
    ]
    assert notes(instance(host("n1"), device_class(), template()), "ResourceSlice") == []
