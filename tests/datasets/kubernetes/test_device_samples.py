"""The samples of tests/data/devices, field by field."""

from fractions import Fraction
from typing import Any

import yaml

from gangplan.datasets.kubernetes.devicerecords import (
    ALL,
    Attribute,
    Capacity,
    ChoiceRecord,
    ConstraintRecord,
    DeviceObjects,
    DeviceTaint,
    Policy,
    Reference,
    RequestRecord,
    ResultRecord,
)
from gangplan.datasets.kubernetes.terms import Requirement, Toleration
from tests.datasets.kubernetes.device_objects import DATA, records

GI = 2**30


def sample(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DATA / name).read_text(encoding="utf-8")))


def whole() -> DeviceObjects:
    return records(*sample("node.yaml"))


def test_counters_and_the_devices_that_draw_from_them_are_read() -> None:
    counters, devices, _ = whole().slices
    assert counters.counters == {
        "gpu-0": {"memory": Fraction(40 * GI), "multiprocessors": Fraction(98)}
    }
    assert (counters.driver, counters.pool, counters.generation, counters.slices) == (
        "gpu.example.com",
        "n1",
        3,
        2,
    )
    assert (devices.node, devices.selector, devices.everywhere, devices.each) == (
        "n1",
        None,
        False,
        False,
    )
    gpu, mig = devices.devices
    assert gpu.attributes == {
        "gpu.example.com/index": Attribute("int", (0,)),
        "gpu.example.com/model": Attribute("string", ("A100",)),
        "gpu.example.com/healthy": Attribute("bool", (True,)),
        "gpu.example.com/driverVersion": Attribute("version", ("580.126.9",)),
        "resource.kubernetes.io/pcieRoot": Attribute("string", ("pci0000:10",)),
    }
    assert gpu.draws == (
        ("gpu-0", "memory", Fraction(40 * GI)),
        ("gpu-0", "multiprocessors", Fraction(98)),
    )
    assert mig.attributes["gpu.example.com/rails"] == Attribute("int", (0, 1), listed=True)
    assert mig.taints == (DeviceTaint("example.com/ecc", "high", "NoSchedule"),)


def test_policies_and_the_reach_of_each_device_are_read() -> None:
    fabric = whole().slices[2]
    assert (fabric.each, fabric.node, fabric.pool) == (True, "", "rack/a")
    nic, switch, everywhere = fabric.devices
    assert (nic.multi, nic.node) == (True, "n1")
    assert nic.capacity == {
        "nic.example.com/bandwidth": Capacity(
            Fraction(10**11),
            Policy(
                Fraction(10**9),
                least=Fraction(10**9),
                most=Fraction(10**11),
                step=Fraction(5 * 10**8),
            ),
        ),
        "nic.example.com/queues": Capacity(
            Fraction(8), Policy(Fraction(1), valid=(Fraction(1), Fraction(2), Fraction(8)))
        ),
    }
    assert switch.selector == ((Requirement("rack", "In", ("a",)),),)
    assert (switch.late, nic.late) == (True, False)
    assert everywhere.everywhere


def test_a_class_and_a_taint_rule_are_read() -> None:
    found = whole()
    (gpu,) = found.classes
    assert gpu.selectors == ('device.driver == "gpu.example.com"',)
    assert (gpu.name, gpu.extended, gpu.created) == ("gpu", "example.com/gpu", 1767225600.0)
    (rule,) = found.taint_rules
    assert (rule.selects, rule.driver, rule.pool, rule.device) == (
        True,
        "gpu.example.com",
        "n1",
        None,
    )
    assert rule.taint == DeviceTaint("example.com/broken", "", "NoExecute")


def test_a_claim_with_its_allocation_is_read() -> None:
    (found,) = whole().claims
    small = ChoiceRecord(
        "small",
        "gpu",
        ('device.attributes["gpu.example.com"].model == "A100"',),
        tolerations=(Toleration("example.com/ecc", "Exists", "", ""),),
        capacity=(("memory", Fraction(4 * GI)),),
    )
    assert found.spec.requests == (
        RequestRecord("gpu", (ChoiceRecord("big", "gpu", count=2), small)),
        RequestRecord("nic", (ChoiceRecord("", "nic", count=ALL, admin=True),)),
    )
    assert found.spec.constraints == (
        ConstraintRecord(("gpu/big", "nic"), "resource.kubernetes.io/pcieRoot", False),
        ConstraintRecord((), "gpu.example.com/index", True),
    )
    assert found.allocation is not None
    assert found.allocation.results == (
        ResultRecord("gpu/small", "gpu.example.com", "n1", "gpu-0-mig-0"),
        ResultRecord(
            "nic",
            "nic.example.com",
            "rack/a",
            "nic-0",
            admin=True,
            consumed=(
                ("nic.example.com/bandwidth", Fraction(15 * 10**8)),
                ("nic.example.com/queues", Fraction(1)),
            ),
        ),
    )
    here = Requirement("metadata.name", "In", ("n1",), field=True)
    assert found.allocation.selector == ((here,),)
    assert found.reserved == (
        Reference("", "pods", "a-0", "uid-a-0"),
        Reference("scheduling.k8s.io", "podgroups", "g", "uid-g"),
    )
    assert found.controller == Reference("", "Pod", "a-0", "uid-a-0")
    assert (found.namespace, found.name, found.terminating) == ("ml", "shared", False)


def test_a_template_is_read() -> None:
    (found,) = whole().templates
    assert (found.namespace, found.name) == ("ml", "one-gpu")
    assert found.spec.requests == (RequestRecord("gpu", (ChoiceRecord("", "gpu"),)),)


def test_v1beta1_says_the_same_in_another_form() -> None:
    found = records(*sample("v1beta1.yaml"))
    (gpu,) = found.slices[0].devices
    assert gpu.attributes == {"gpu.example.com/model": Attribute("string", ("A100",))}
    assert gpu.capacity == {"gpu.example.com/memory": Capacity(Fraction(40 * GI))}
    assert gpu.taints == (DeviceTaint("example.com/ecc", "", "NoSchedule"),)
    assert found.claims[0].spec.requests == (
        RequestRecord("gpu", (ChoiceRecord("", "gpu", ("true",), count=2),)),
        RequestRecord("nic", (ChoiceRecord("fast", "nic"),)),
    )


def test_v1beta2_is_read_as_v1() -> None:
    old = sample("node.yaml")
    for one in old:
        one["apiVersion"] = "resource.k8s.io/v1beta2"
    assert records(*old) == whole()
