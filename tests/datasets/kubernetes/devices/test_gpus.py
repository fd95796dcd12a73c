"""Devices of claims that count as GPUs."""

from gangplan.models.instance import Instance
from tests.datasets.kubernetes.devices.claims import (
    Obj,
    asks,
    by_name,
    claim,
    claiming,
    device_class,
    first_of,
    host,
    request,
    result,
    slice_,
    template,
)
from tests.datasets.kubernetes.objects import instance

NIC = "nic.example.com"
CLASSES = [
    device_class(),
    device_class("card"),
    device_class("nic", f'device.driver == "{NIC}"'),
]


def built_of(spec: Obj, *objects: Obj) -> Instance:
    slices = [
        slice_("s", "d0", "d1", "d2"),
        slice_("t", "d3", "d4", on="n2", pool="n2"),
        slice_("u", "nic", driver=NIC),
    ]
    nodes = [host("n1"), host("n2"), host("n3")]
    return instance(*nodes, *CLASSES, *slices, template(spec=spec), claiming("p", "t"), *objects)


def gpus(spec: Obj) -> int:
    (found,) = built_of(spec).roles.devices.tolist()
    return int(found)


def test_the_class_or_the_driver_says_what_is_a_gpu() -> None:
    assert gpus(asks(request("r", "gpu", count=2))) == 2
    assert gpus(asks(request("r", "card", count=2))) == 2
    assert gpus(asks(request("r", "nic"))) == 0
    assert gpus(asks(request("q", "gpu"), request("r", "nic"))) == 1


def test_the_first_choice_counts() -> None:
    assert gpus(asks(first_of("r", ("one", "nic"), ("two", "gpu")))) == 0
    assert gpus(asks(first_of("r", ("one", "gpu"), ("two", "nic")))) == 1


def test_all_counts_as_the_fewest_that_a_node_has() -> None:
    assert gpus(asks(request(allocationMode="All"))) == 2


def test_a_shared_claim_adds_nothing() -> None:
    slices = slice_("s", "d0")
    built = instance(host("n1"), *CLASSES, slices, claim(), claiming("p", by_name()))
    assert built.roles.devices.tolist() == [0]


def test_a_node_is_intact_while_nobody_holds_a_gpu_of_it() -> None:
    assert built_of(asks()).nodes.intact.tolist() == [True, True, False]
    held = built_of(asks(), claim(allocated=[result("d1")]))
    assert held.nodes.intact.tolist() == [False, True, False]
    nic = built_of(asks(), claim(allocated=[result("nic", driver=NIC)]))
    assert nic.nodes.intact.tolist() == [True, True, False]
