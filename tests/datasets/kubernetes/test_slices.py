"""ResourceSlices: reach, pools and limits."""

from typing import Any

import pytest

from tests.datasets.kubernetes.device_objects import (
    device,
    faults,
    obj,
    records,
    resource_slice,
)

SELECTOR = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "rack", "operator": "Exists"}]}]}
TERM = SELECTOR["nodeSelectorTerms"][0]
COUNTERS = [{"name": "s", "counters": {"memory": {"value": "1"}}}]
POOL = {"name": "n1", "generation": 1, "resourceSliceCount": 1}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"nodeName": None}, "spec: one of nodeName, nodeSelector, allNodes, perDevice"),
        ({"allNodes": True}, "spec: only one of nodeName, nodeSelector, allNodes, perDevice"),
        ({"nodeName": None, "allNodes": False}, "spec.allNodes: true expected"),
        ({"nodeName": ""}, "spec.nodeName: missing"),
        (
            {"nodeName": None, "nodeSelector": {"nodeSelectorTerms": [TERM, TERM]}},
            "spec.nodeSelector.nodeSelectorTerms: exactly one term expected",
        ),
        ({"driver": "a b"}, "spec.driver: a driver (a DNS name, at most 63) expected, got 'a b'"),
        ({"driver": "a" * 64}, "spec.driver: a driver"),
        ({"driver": None}, "spec.driver: missing"),
        ({"pool": None}, "spec.pool: missing"),
        ({"pool": {**POOL, "name": "a//b"}}, "spec.pool.name: DNS names joined by '/'"),
        ({"pool": {**POOL, "generation": -1}}, "spec.pool.generation: at least 0 expected"),
        ({"pool": {**POOL, "resourceSliceCount": 0}}, "spec.pool.resourceSliceCount: at least 1"),
        ({"pool": {"name": "n1"}}, "spec.pool.resourceSliceCount: missing"),
        ({"sharedCounters": COUNTERS, "devices": [device()]}, "spec: only one of devices and"),
        ({"sharedCounters": COUNTERS * 2, "devices": None}, "sharedCounters[1].name: s is there"),
        (
            {"sharedCounters": [{**COUNTERS[0], "name": f"s{n}"} for n in range(9)]},
            "spec.sharedCounters: at most 8 expected, got 9",
        ),
        (
            {"sharedCounters": [{"name": "s", "counters": {}}], "devices": None},
            "spec.sharedCounters[0].counters: missing",
        ),
        (
            {
                "sharedCounters": [
                    {"name": "s", "counters": {f"c{n}": {"value": "1"} for n in range(33)}}
                ],
                "devices": None,
            },
            "spec.sharedCounters[0].counters: at most 32 expected, got 33",
        ),
        (
            {"devices": [device(f"d{n}") for n in range(129)]},
            "spec.devices: at most 128 expected, got 129",
        ),
        ({"devices": [device("a"), device("a")]}, "spec.devices[1].name: a is there twice"),
        ({"nodename": "n1"}, "spec.nodename: unknown field, is it nodeName?"),
    ],
)
def test_what_the_api_server_refuses_is_a_fault(spec: dict[str, Any], expected: str) -> None:
    found = faults(resource_slice(**spec))
    assert any(expected in line for line in found), found


@pytest.mark.parametrize(
    "special",
    [
        {"taints": [{"key": "k", "effect": "None"}]},
        {"consumesCounters": [{"counterSet": "s", "counters": {"memory": {"value": "1"}}}]},
        {"attributes": {"rail": {"ints": [1]}}},
    ],
)
def test_one_special_device_halves_the_number_that_a_slice_may_have(
    special: dict[str, Any],
) -> None:
    plain = [device(f"d{n}") for n in range(64)]
    assert len(records(resource_slice(*plain, device("x"))).slices[0].devices) == 65
    assert len(records(resource_slice(*plain[1:], device("x", **special))).slices) == 1
    (found,) = faults(resource_slice(*plain, device("x", **special)))
    assert "spec.devices: at most 64 with taints, counters or list attributes" in found


def test_each_device_has_a_reach_of_its_own_or_none() -> None:
    each: dict[str, Any] = {"perDeviceNodeSelection": True, "nodeName": None}
    (found,) = faults(resource_slice(device(), **each))
    assert "spec.devices[0]: one of nodeName, nodeSelector, allNodes must be set" in found
    (found,) = faults(resource_slice(device(allNodes=True)))
    assert "spec.devices[0].allNodes: only where the slice has perDeviceNodeSelection" in found


def test_the_four_reaches_are_kept_apart() -> None:
    ways: list[dict[str, Any]] = [
        {},
        {"nodeName": None, "nodeSelector": SELECTOR},
        {"nodeName": None, "allNodes": True},
        {"nodeName": None, "perDeviceNodeSelection": True},
    ]
    found = [records(resource_slice(**way)).slices[0] for way in ways]
    kept = [(one.node, one.selector is not None, one.everywhere, one.each) for one in found]
    assert kept == [
        ("n1", False, False, False),
        ("", True, False, False),
        ("", False, True, False),
        ("", False, False, True),
    ]


def test_counters_need_no_reach() -> None:
    bare = resource_slice(sharedCounters=COUNTERS, nodeName=None, devices=None)
    assert records(bare).slices[0].everywhere


def test_a_slice_has_no_status() -> None:
    (found,) = faults({**resource_slice(), "status": {"x": 1}})
    assert "status: unknown field" in found


@pytest.mark.parametrize(
    ("kind", "version", "expected"),
    [
        ("ResourceSlice", "v1alpha3", "ResourceSlice v1alpha3 is not known; known: v1beta1"),
        ("ResourceClaim", "v1alpha3", "(v1alpha3 is of Kubernetes 1.31)"),
        ("DeviceTaintRule", "v1beta1", "known: v1alpha3, v1beta2, v1"),
        ("ResourceSlices", "v1", "unknown kind in resource.k8s.io/v1, is it ResourceSlice?"),
        ("ResourcePool", "v1alpha2", "was a prototype; resource.k8s.io/v1 has ResourceSlice"),
    ],
)
def test_other_versions_and_kinds_are_refused_by_name(
    kind: str, version: str, expected: str
) -> None:
    (found,) = faults(obj(kind, "x", {}, version))
    assert expected in found


def test_a_taint_rule_is_of_v1alpha3_too() -> None:
    spec = {"taint": {"key": "k", "effect": "NoSchedule"}}
    (rule,) = records(obj("DeviceTaintRule", "r", spec, "v1alpha3")).taint_rules
    assert not rule.selects
    (rule,) = records(obj("DeviceTaintRule", "r", {**spec, "deviceSelector": {}})).taint_rules
    assert rule.selects
