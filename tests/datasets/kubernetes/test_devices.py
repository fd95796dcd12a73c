"""Devices of a slice: attributes, capacity, counters, taints, alpha fields."""

from typing import Any

import pytest

from tests.datasets.kubernetes.device_objects import (
    device,
    device_faults,
    faults,
    read_device,
    records,
    resource_slice,
)

RACK = {
    "nodeSelectorTerms": [{"matchExpressions": [{"key": "r", "operator": "In", "values": ["a"]}]}]
}
STEP = {"min": "2", "step": "3"}


def policy(value: str = "10", **fields: Any) -> dict[str, Any]:
    return {
        "allowMultipleAllocations": True,
        "capacity": {"c": {"value": value, "requestPolicy": fields}},
    }


def draw(**fields: Any) -> dict[str, Any]:
    whole = {"counterSet": "s", "counters": {"memory": {"value": "1"}}, **fields}
    return {"consumesCounters": [whole]}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"name": "gpu.0"}, "name: a DNS label (a-z, 0-9, '-') expected, got 'gpu.0'"),
        ({"name": ""}, "name: missing"),
        ({"attributes": {"m": {}}}, "attributes.m: one of int, bool, string, version"),
        ({"attributes": {"m": None}}, "attributes.m: missing"),
        ({"attributes": {"m": {"int": 1, "bool": True}}}, "attributes.m: only one of"),
        ({"attributes": {"m": {"int": True}}}, "attributes.m.int: an integer expected, got true"),
        ({"attributes": {"m": {"int": 2**63}}}, "attributes.m: an integer of 64 bits"),
        ({"attributes": {"m": {"bool": 1}}}, "attributes.m.bool: true or false expected"),
        ({"attributes": {"m": {"string": "x" * 65}}}, "attributes.m: at most 64 bytes"),
        ({"attributes": {"m": {"version": "1.2"}}}, "attributes.m: a semantic version such as"),
        ({"attributes": {"m": {"version": "01.2.3"}}}, "attributes.m: a semantic version such as"),
        ({"attributes": {"m": {"versions": ["1.2.3", "x"]}}}, "m.versions[1]: a semantic version"),
        ({"attributes": {"m": {"ints": []}}}, "m.ints: a list that is not empty expected"),
        ({"attributes": {"m": {"strings": ["a", 1]}}}, "m.strings[1]: text expected"),
        ({"attributes": {"m": {"text": "x"}}}, "attributes.m.text: unknown field"),
        ({"attributes": {"a/b/c": {"int": 1}}}, "attributes.a/b/c: a name such as id or"),
        ({"attributes": {"a-b": {"int": 1}}}, "attributes.a-b: a name such as id or domain/id"),
        ({"attributes": {"x" * 33: {"int": 1}}}, "a name such as id or domain/id"),
        (
            {"attributes": {"m": {"int": 1}, "gpu.example.com/m": {"int": 2}}},
            "attributes.gpu.example.com/m: there twice, with and without the driver's domain",
        ),
        (
            {
                "attributes": {f"a{n}": {"int": 1} for n in range(32)},
                "capacity": {"c": {"value": 1}},
            },
            "at most 32 attributes and capacities expected, got 33",
        ),
        ({"attributes": {"a": {"ints": [1] * 49}}}, "attributes: at most 48 values expected"),
        ({"capacity": {"c": "4"}}, "capacity.c: a mapping expected, got the text '4'"),
        ({"capacity": {"c": {}}}, "capacity.c.value: missing"),
        ({"capacity": {"c": {"value": "4 Gi"}}}, "capacity.c.value: a quantity expected"),
        ({"capacity": {"c": {"value": "-1"}}}, "capacity.c.value: at least 0 expected"),
        ({"capacity": {"c": {"value": "1", "requestPolicy": {}}}}, "only beside allowMultiple"),
        (policy(validValues=["1"]), "requestPolicy.default: missing beside validValues"),
        (policy(default="2", validValues=["1"]), "default: not one of validValues"),
        (policy(default="1", validValues=["2", "1"]), "validValues: values in ascending order"),
        (policy(default="1", validValues=["1", "11"]), "validValues: a value is above the"),
        (
            policy(default="1", validValues=[str(n) for n in range(11)]),
            "validValues: at most 10 expected, got 11",
        ),
        (policy(default="1", validRange={}), "requestPolicy.validRange.min: missing"),
        (policy(default="1", validRange={"min": "2"}), "default: outside of validRange"),
        (policy(default="2", validRange={"min": "2", "max": "11"}), "max: above the capacity"),
        (policy(default="2", validRange={"min": "2", "step": "0"}), "step: more than 0 expected"),
        (policy(default="2", validRange={"min": "2", "step": "9"}), "min and one step are above"),
        (policy(default="3", validRange=STEP), "default: no whole number of steps above min"),
        (policy(default="5", validRange={**STEP, "max": "9"}), "validRange.max: no whole number"),
        (policy(default="1", validValues=["1"], validRange=STEP), "only one of validValues, valid"),
        (draw(counterSet="A b"), "consumesCounters[0].counterSet: a DNS label"),
        (draw(counters={}), "consumesCounters[0].counters: missing"),
        (draw(counters={"memory": "1"}), "consumesCounters[0].counters.memory: a mapping"),
        ({"consumesCounters": draw()["consumesCounters"] * 2}, "counterSet: s is there twice"),
        ({"consumesCounters": draw()["consumesCounters"] * 3}, "at most 2 expected, got 3"),
        ({"taints": [{"key": "k", "effect": "NoSchedul"}]}, "taints[0].effect: one of None, NoS"),
        ({"taints": [{"key": "k"}]}, "taints[0].effect: missing"),
        ({"taints": [{"effect": "None"}]}, "taints[0].key: missing"),
        ({"taints": [{"key": "k", "effect": "None"}] * 17}, "taints: at most 16 expected, got 17"),
        ({"bindingConditions": ["a"]}, "bindingFailureConditions: missing: both are there or none"),
        (
            {"bindingConditions": list("abcde"), "bindingFailureConditions": ["f"]},
            "bindingConditions: at most 4 expected, got 5",
        ),
        ({"basic": {}}, "basic: a field of v1beta1; in v1 its fields are the device's"),
        ({"attribute": {}}, "attribute: unknown field, is it attributes?"),
    ],
)
def test_what_is_wrong_with_a_device_names_its_field(fields: dict[str, Any], expected: str) -> None:
    found = device_faults(**fields)
    assert any(expected in line for line in found), found


def test_a_bare_name_is_of_the_drivers_domain() -> None:
    found = read_device(attributes={"m": {"int": 1}, "other.com/m": {"int": 2}})
    assert set(found.attributes) == {"gpu.example.com/m", "other.com/m"}
    twice = read_device(attributes={"m": {"int": 1}, "gpu.example.com/m": {"int": 1}})
    assert set(twice.attributes) == {"gpu.example.com/m"}


def test_true_is_no_integer_even_after_one_was_read() -> None:
    assert read_device(attributes={"m": {"int": 1}}).attributes["gpu.example.com/m"].values == (1,)
    assert device_faults(attributes={"m": {"int": True}}) != []
    assert device_faults(attributes={"m": {"bool": 1}}) != []


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (draw(compatibilityGroups=["a"]), ("consumesCounters[].compatibilityGroups",)),
        ({"nodeAllocatableResources": {"cpu": {}}}, ("nodeAllocatableResources",)),
        ({"nodeAllocatableResources": {}}, ()),
        (
            {"nodeAllocatableResourceMappings": {"cpu": {}}},
            ("nodeAllocatableResourceMappings",),
        ),
        ({"bindsToNode": True}, ()),
        ({}, ()),
    ],
)
def test_alpha_fields_that_are_not_honoured_are_named(
    fields: dict[str, Any], expected: tuple[str, ...]
) -> None:
    assert read_device(**fields).unsupported == expected


def test_a_device_of_several_nodes_that_binds_to_one_is_not_honoured() -> None:
    whole = resource_slice(device(bindsToNode=True), nodeName=None, nodeSelector=RACK)
    assert records(whole).slices[0].devices[0].unsupported == ("bindsToNode",)


def test_v1beta1_has_the_fields_of_a_device_in_basic() -> None:
    wrong = resource_slice(device(capacity={"c": {"value": "1"}}), version="v1beta1")
    (found,) = faults(wrong)
    assert "spec.devices[0].capacity: stands in basic in v1beta1" in found
    (found,) = faults(resource_slice(device(basic={"capacty": {}}), version="v1beta1"))
    assert "spec.devices[0].basic.capacty: unknown field, is it capacity?" in found
    assert len(records(resource_slice(device(), version="v1beta1")).slices[0].devices) == 1
