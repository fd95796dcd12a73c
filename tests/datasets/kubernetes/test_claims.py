"""ResourceClaims and their templates: requests, constraints, status."""

from fractions import Fraction
from typing import Any

import pytest

from gangplan.datasets.kubernetes.assemble.duplicates import duplicates
from gangplan.datasets.kubernetes.devicerecords import ALL
from gangplan.datasets.kubernetes.text.fields import Faults
from tests.datasets.kubernetes.device_objects import (
    claim,
    claim_faults,
    exactly,
    faults,
    obj,
    read_spec,
    records,
    resource_slice,
    snapshot,
)

Obj = dict[str, Any]
RESULT = {"request": "r", "driver": "gpu.example.com", "pool": "n1", "device": "d0"}
USER = {"resource": "pods", "name": "p", "uid": "u"}


def alternatives(*entries: Obj, **more: Any) -> Obj:
    return {"name": "r", "firstAvailable": list(entries), **more}


def choice(name: str = "a", **fields: Any) -> Obj:
    return {"name": name, "deviceClassName": "gpu", **fields}


def allocated(*results: Obj, **status: Any) -> Obj:
    return {"allocation": {"devices": {"results": list(results)}}, **status}


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ({"name": "r"}, "requests[0]: one of exactly, firstAvailable must be set"),
        ({**exactly(), "firstAvailable": [choice()]}, "requests[0]: only one of exactly, first"),
        ({"name": "r", "deviceClassName": "gpu"}, "deviceClassName: stands in exactly in v1"),
        (exactly("R"), "requests[0].name: a DNS label"),
        (exactly(deviceClassName=""), "requests[0].exactly.deviceClassName: missing"),
        (exactly(deviceClassname="x"), "exactly.deviceClassname: unknown field, is it deviceClass"),
        (exactly(allocationMode="Some"), "allocationMode: one of ExactCount, All expected"),
        (exactly(allocationMode="All", count=1), "count: may not be set beside allocationMode All"),
        (exactly(count=-1), "exactly.count: at least 0 expected"),
        (exactly(count="2"), "exactly.count: an integer expected"),
        (exactly(selectors=[{}]), "exactly.selectors[0].cel: missing"),
        (exactly(selectors=[{"cel": {"expression": ""}}]), "selectors[0].cel.expression: missing"),
        (
            exactly(selectors=[{"cel": {"expression": "true"}}] * 33),
            "exactly.selectors: at most 32 expected, got 33",
        ),
        (exactly(tolerations=[{"key": "k", "operator": "Gt"}]), "operator: one of Equal, Exists"),
        (exactly(tolerations=[{}]), "tolerations[0].operator: must be Exists where the key is"),
        (exactly(tolerations=[{"operator": "Exists"}] * 17), "tolerations: at most 16 expected"),
        (exactly(capacity={"requests": {"a b": "1"}}), "capacity.requests.a b: a name such as"),
        (exactly(capacity={"requests": {"c": "x"}}), "capacity.requests.c: a quantity expected"),
        (exactly(capacity={"request": {}}), "capacity.request: unknown field, is it requests?"),
        (alternatives(), "requests[0].firstAvailable: missing"),
        (alternatives(choice(adminAccess=True)), "firstAvailable[0].adminAccess: unknown field"),
        (alternatives(choice(), choice()), "firstAvailable: two entries have the same name"),
        (alternatives(choice("")), "firstAvailable[0].name: missing"),
        (
            alternatives(*(choice(f"c{n}") for n in range(9))),
            "requests[0].firstAvailable: at most 8 expected, got 9",
        ),
    ],
)
def test_what_is_wrong_with_a_request_names_its_field(request_: Obj, expected: str) -> None:
    found = claim_faults(request_)
    assert any(expected in line for line in found), found


@pytest.mark.parametrize(
    ("devices", "expected"),
    [
        ({"constraints": [{}]}, "constraints[0]: one of matchAttribute, distinctAttribute"),
        ({"constraints": [{"matchAttribute": "m"}]}, "matchAttribute: a name such as domain/id"),
        (
            {"constraints": [{"matchAttribute": "d/m", "requests": ["r", "x"]}]},
            "constraints[0].requests[1]: no request 'x' in the claim",
        ),
        (
            {"constraints": [{"matchAttribute": "d/m", "requests": ["r/a"]}]},
            "constraints[0].requests[0]: no request 'r/a' in the claim",
        ),
        (
            {"constraints": [{"matchAttribute": "d/m", "requests": ["r", "r"]}]},
            "constraints[0].requests: a request is there twice",
        ),
        ({"constraints": [{"matchAttribute": "d/m"}] * 33}, "constraints: at most 32 expected"),
        ({"config": [{}]}, "config[0].opaque: missing"),
        (
            {"config": [{"requests": ["x"], "opaque": {"driver": "d", "parameters": {}}}]},
            "config[0].requests[0]: no request 'x' in the claim",
        ),
        ({"constraint": []}, "spec.devices.constraint: unknown field, is it constraints?"),
    ],
)
def test_what_is_wrong_with_a_spec_names_its_field(devices: Obj, expected: str) -> None:
    found = claim_faults(exactly(), **devices)
    assert any(expected in line for line in found), found


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"reservedFor": [USER]}, "status.reservedFor: may not be set without allocation"),
        (allocated(RESULT, reservedFor=[USER, USER]), "reservedFor: an entry is there twice"),
        (
            allocated(RESULT, reservedFor=[{**USER, "uid": f"{n}"} for n in range(257)]),
            "status.reservedFor: at most 256 expected, got 257",
        ),
        (allocated({**RESULT, "request": "x"}), "results[0].request: no request 'x' in the claim"),
        (allocated({**RESULT, "device": ""}), "results[0].device: missing"),
        (allocated({**RESULT, "pool": "A"}), "results[0].pool: DNS names joined by '/'"),
        (allocated(*[RESULT] * 33), "devices.results: at most 32 expected, got 33"),
        (
            allocated({**RESULT, "consumedCapacity": {"m": "x"}}),
            "results[0].consumedCapacity.m: a quantity expected",
        ),
        ({"allocated": {}}, "status.allocated: unknown field, is it allocation?"),
    ],
)
def test_what_is_wrong_with_a_status_names_its_field(status: Obj, expected: str) -> None:
    found = claim_faults(exactly(), status=status)
    assert any(expected in line for line in found), found


def test_a_claim_of_the_limits_own_size_is_read() -> None:
    users = [{**USER, "uid": f"{n}"} for n in range(256)]
    whole = claim(
        *(exactly(f"r{n}") for n in range(32)),
        status=allocated(*({**RESULT, "request": f"r{n}"} for n in range(32)), reservedFor=users),
    )
    (found,) = records(whole).claims
    assert len(found.reserved) == 256
    assert found.allocation is not None
    assert len(found.allocation.results) == 32
    assert found.allocation.selector is None
    wrong = claim_faults(*(exactly(f"r{n}") for n in range(33)))
    assert "spec.devices.requests: at most 32 expected, got 33" in wrong


def test_count_defaults_to_one_and_all_is_told_apart() -> None:
    spec = read_spec(exactly("a"), exactly("b", count=0), exactly("c", allocationMode="All"))
    assert [request.choices[0].count for request in spec.requests] == [1, 1, ALL]


def test_a_request_for_capacity_keeps_its_name_as_written() -> None:
    spec = read_spec(exactly(capacity={"requests": {"memory": "1Ki", "d.com/m": 2}}))
    assert spec.requests[0].choices[0].capacity == (
        ("d.com/m", Fraction(2)),
        ("memory", Fraction(1024)),
    )


def test_derived_attributes_are_named_as_not_honoured() -> None:
    derived = [{"name": "d.com/x", "expression": "1"}]
    (path,) = read_spec(exactly(derivedAttributes=derived)).unsupported
    assert path == "spec.devices.requests[].derivedAttributes"
    assert read_spec(exactly()).unsupported == ()


def test_a_toleration_of_effect_none_alone_covers_nothing() -> None:
    entries = [{"key": "a", "operator": "Exists", "effect": "None"}, {"key": "b", "value": "v"}]
    (kept,) = read_spec(exactly(tolerations=entries)).requests[0].choices[0].tolerations
    assert (kept.key, kept.operator, kept.value, kept.effect) == ("b", "Equal", "v", "")


def test_equal_specs_are_equal_and_hashable() -> None:
    selectors = [{"cel": {"expression": "true"}}]
    one, other = (read_spec(exactly(selectors=selectors)) for _ in range(2))
    assert len({one, other, read_spec(exactly())}) == 2


def test_v1beta1_has_the_fields_of_exactly_in_the_request() -> None:
    flat = {"name": "r", "deviceClassName": "gpu", "allocationMode": "All", "adminAccess": True}
    (request,) = read_spec(flat, version="v1beta1").requests
    assert (
        request.choices[0]
        == read_spec(exactly(allocationMode="All", adminAccess=True)).requests[0].choices[0]
    )
    found = claim_faults(exactly(), version="v1beta1")
    assert any("requests[0].exactly: not of v1beta1, where its" in line for line in found)
    found = claim_faults(alternatives(choice(), count=2), version="v1beta1")
    assert found == [
        "spec.devices.requests[0].count: may not be set beside firstAvailable",
    ]


def test_a_claim_without_requests_is_one_that_asks_nothing() -> None:
    assert read_spec().requests == ()


def test_a_template_may_set_labels_and_annotations_only() -> None:
    spec = {"metadata": {"labels": {"a": "b"}, "name": "x"}, "spec": {"devices": {}}}
    (found,) = faults(obj("ResourceClaimTemplate", "t", spec))
    assert "spec.metadata.name: unknown field" in found
    (found,) = faults(obj("ResourceClaimTemplate", "t", {"devices": {}}))
    assert found == "ResourceClaimTemplate t: spec.spec: missing"


def test_two_objects_of_one_name_are_faults_when_the_instance_is_made() -> None:
    template = obj("ResourceClaimTemplate", "t", {"spec": {"devices": {}}})
    klass = obj("DeviceClass", "k", {})
    rule = obj("DeviceTaintRule", "r", {"taint": {"key": "k", "effect": "None"}})
    twice = [claim(), resource_slice(), template, klass, rule] * 2
    found, wrong = snapshot(*twice)
    assert wrong == []
    told = Faults()
    duplicates(found, told)
    assert {str(fault).split(": ")[1] for fault in told} == {
        "ResourceClaim default/c",
        "ResourceSlice s",
        "ResourceClaimTemplate default/t",
        "DeviceClass k",
        "DeviceTaintRule r",
    }
