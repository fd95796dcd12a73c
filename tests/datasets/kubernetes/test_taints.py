from typing import Any

import pytest

from gangplan.datasets.kubernetes.objects.taints import taints, tolerates, tolerations
from gangplan.datasets.kubernetes.records import Taint, Toleration
from gangplan.datasets.kubernetes.text.fields import Faults
from tests.datasets.kubernetes.manifests import fields_of, lines

GPU = Taint("gpu", "yes", "NoSchedule")


def one(entry: dict[str, Any]) -> tuple[Toleration, ...]:
    faults = Faults()
    found = tolerations(fields_of({"tolerations": [entry]}, faults))
    assert lines(faults) == []
    return found


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"key": "gpu", "value": "yes"}, True),
        ({"key": "gpu", "operator": "Equal", "value": "no"}, False),
        ({"key": "gpu"}, False),
        ({"key": "gpu", "operator": "Exists"}, True),
        ({"operator": "Exists"}, True),
        ({"key": "gpu", "value": "yes", "operator": "", "effect": ""}, True),
        ({"operator": "Exists", "effect": "NoSchedule"}, True),
        ({"operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "gpu", "value": "yes", "effect": "NoSchedule"}, True),
        ({"key": "other", "operator": "Exists"}, False),
        ({"key": "gpu", "operator": "Exists", "effect": "PreferNoSchedule"}, False),
        ({"key": "gpu", "operator": "Exists", "tolerationSeconds": 300}, True),
    ],
)
def test_a_toleration_covers_a_taint(entry: dict[str, Any], expected: bool) -> None:
    assert tolerates(one(entry), [GPU]) is expected


@pytest.mark.parametrize(
    ("operator", "bound", "value", "expected"),
    [
        ("Gt", "750", "950", True),
        ("Gt", "950", "950", False),
        ("Lt", "5", "3", True),
        ("Lt", "5", "5", False),
        ("Lt", "5", "three", False),
        ("Gt", "-5", "-3", True),
    ],
)
def test_numeric_operators_compare_the_taint_with_the_toleration(
    operator: str, bound: str, value: str, expected: bool
) -> None:
    found = one({"key": "sla", "operator": operator, "value": bound})
    assert tolerates(found, [Taint("sla", value, "NoExecute")]) is expected


def test_every_taint_must_be_tolerated() -> None:
    other = Taint("x", "", "NoExecute")
    assert not tolerates(one({"key": "gpu", "operator": "Exists"}), [GPU, other])
    assert tolerates((), [])


def test_taints_that_only_score_are_left_out() -> None:
    faults = Faults()
    entries = [
        {"key": "a", "effect": "PreferNoSchedule"},
        {"key": "b", "effect": "NoExecute", "timeAdded": "2026-01-01T00:00:00Z"},
        {"key": "c", "value": "v", "effect": "NoSchedule"},
    ]
    assert taints(fields_of({"taints": entries}, faults)) == (
        Taint("b", "", "NoExecute"),
        Taint("c", "v", "NoSchedule"),
    )
    assert lines(faults) == []


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ({"operator": "Equal", "value": "x"}, "operator: must be Exists where the key is empty"),
        ({"key": "a", "operator": "Exists", "value": "x"}, "value: must be empty where the"),
        ({"key": "a", "operator": "Gt", "value": "x"}, "value: Gt needs an integer, as text"),
        ({"key": "a", "operator": "exists"}, "operator: one of Equal, Exists, Lt, Gt expected"),
        ({"key": "a", "effect": "Never"}, "effect: one of NoSchedule, PreferNoSchedule, NoExec"),
        ({"key": "a", "value": 1}, "value: text expected, got the number 1"),
        ({"key": "a", "operater": "Exists"}, "operater: unknown field, is it operator?"),
        ({"key": "a", "tolerationSeconds": "5"}, "tolerationSeconds: an integer expected"),
    ],
)
def test_a_toleration_that_kubernetes_refuses_is_a_fault(entry: dict[str, Any], fault: str) -> None:
    faults = Faults()
    tolerations(fields_of({"tolerations": [entry]}, faults))
    assert lines(faults)[0].startswith(f"f.yaml: tolerations[0].{fault}")


@pytest.mark.parametrize(
    "entry", [{"key": "a"}, {"effect": "NoSchedule"}, {"key": "a", "effct": 1}]
)
def test_a_taint_needs_key_and_effect(entry: dict[str, Any]) -> None:
    faults = Faults()
    assert taints(fields_of({"taints": [entry]}, faults)) == ()
    assert len(faults) >= 1
