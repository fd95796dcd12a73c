"""Taints of devices and DeviceTaintRules."""

from typing import Any

import pytest

from tests.datasets.kubernetes.devices.claims import (
    Obj,
    asked,
    asks,
    claiming,
    device,
    device_class,
    fitting,
    host,
    notes,
    request,
    slice_,
    taint_rule,
    template,
)
from tests.datasets.kubernetes.objects import instance

HERE = [{"key": "broken", "value": "ecc", "effect": "NoSchedule"}]


def fits(*objects: Obj, taints: Any = (), **fields: Any) -> tuple[set[str], set[str]]:
    slices = slice_("s", device("d0", taints=list(taints)), "d1")
    spec = asks(request(**fields))
    built = instance(
        host("n1"), device_class(), slices, template(spec=spec), claiming("p", "t"), *objects
    )
    return fitting(built), asked(built)


@pytest.mark.parametrize("effect", ["NoSchedule", "NoExecute"])
def test_both_effects_forbid(effect: str) -> None:
    taints = [{"key": "broken", "effect": effect}]
    assert fits(taints=taints)[0] == {"d1"}


def test_a_taint_without_effect_forbids_nothing() -> None:
    assert fits(taints=[{"key": "broken", "effect": "None"}])[0] == {"d0", "d1"}


def test_all_asks_a_tainted_device_that_it_may_not_have() -> None:
    assert fits(taints=HERE, allocationMode="All") == ({"d1"}, {"d0", "d1"})


@pytest.mark.parametrize(
    ("toleration", "fine"),
    [
        ({"operator": "Exists"}, True),
        ({"key": "broken", "operator": "Exists"}, True),
        ({"key": "broken", "value": "ecc"}, True),
        ({"key": "broken", "value": "other"}, False),
        ({"key": "broken", "operator": "Exists", "effect": "NoExecute"}, False),
    ],
)
def test_a_toleration_of_the_request_covers_a_taint(toleration: Obj, fine: bool) -> None:
    assert ("d0" in fits(taints=HERE, tolerations=[toleration])[0]) == fine


@pytest.mark.parametrize(
    ("selector", "left"),
    [
        ({"driver": "gpu.example.com", "pool": "n1", "device": "d1"}, {"d0"}),
        ({"pool": "n1"}, set()),
        ({"pool": "n2"}, {"d0", "d1"}),
        ({"driver": "nic.example.com"}, {"d0", "d1"}),
        ({}, set()),
        (None, {"d0", "d1"}),
    ],
)
def test_a_rule_taints_what_it_selects(selector: Obj | None, left: set[str]) -> None:
    assert fits(taint_rule(selector=selector))[0] == left


def test_admin_access_tolerates_nothing() -> None:
    assert fits(taints=HERE, adminAccess=True)[0] == {"d1"}


def test_a_node_whose_devices_are_all_tainted_is_told() -> None:
    slices = [
        slice_("s", device("d0", taints=HERE), device("d1", taints=HERE)),
        slice_("t", device("d0", taints=HERE), "d1", on="n2", pool="n2"),
    ]
    built = instance(
        host("n1"),
        host("n2"),
        device_class(),
        template(spec=asks(request("r"))),
        *slices,
        claiming("p", "t"),
    )
    (note,) = notes(built, "taints")
    assert note == (
        "ResourceClaimTemplate lab/t: request r cannot be served on n1: taints of its devices"
        " there are not tolerated, broken:NoSchedule (gpu.example.com/n1/d0, gpu.example.com/n1/d1)"
    )
