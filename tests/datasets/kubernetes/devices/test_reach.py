"""Which nodes reach a device."""

from gangplan.models.instance import Instance
from tests.datasets.kubernetes.devices.claims import (
    Obj,
    claiming,
    device,
    device_class,
    host,
    notes,
    reached,
    slice_,
    template,
)
from tests.datasets.kubernetes.objects import instance

NODES = [host("n1"), host("n2"), host("n3")]


def built_of(*slices: Obj) -> Instance:
    return instance(*NODES, device_class(), *slices, template(), claiming("p", "t"))


def test_a_device_of_a_node_is_reached_from_there() -> None:
    built = built_of(slice_("s", "d0", on="n2"))
    assert reached(built, "d0") == {"n2"}
    assert built.devices.node.tolist() == [1]


def test_a_selector_gives_a_zone_and_equal_zones_are_one() -> None:
    two = [slice_(f"s{i}", f"d{i}", on=["n1", "n3"], pool=f"p{i}") for i in range(2)]
    built = built_of(*two, slice_("s2", "d2", on=["n2", "n3"], pool="p2"))
    assert [reached(built, f"d{i}") for i in range(3)] == [{"n1", "n3"}] * 2 + [{"n2", "n3"}]
    assert len(built.devices.zones) == 2


def test_a_zone_of_one_node_is_that_node() -> None:
    assert built_of(slice_("s", "d0", on=["n3"])).devices.node.tolist() == [2]


def test_all_nodes_reach_a_device_of_all_nodes() -> None:
    assert reached(built_of(slice_("s", "d0", allNodes=True)), "d0") == {"n1", "n2", "n3"}


def test_each_device_may_say_it_for_itself() -> None:
    devices = [device("d0", nodeName="n1"), device("d1", allNodes=True)]
    built = built_of(slice_("s", *devices, perDeviceNodeSelection=True))
    assert (reached(built, "d0"), reached(built, "d1")) == ({"n1"}, {"n1", "n2", "n3"})


def test_a_device_of_a_node_that_is_not_there_is_left_out_and_told() -> None:
    built = built_of(slice_("s", "d0"), slice_("t", "d1", on="gone", pool="gone"))
    assert built.names.devices == ("gpu.example.com/n1/d0",)
    (note,) = notes(built, "no node in the sources reaches")
    assert note.endswith("gpu.example.com/gone/d1")
