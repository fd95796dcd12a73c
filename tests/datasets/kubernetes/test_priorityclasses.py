from typing import Any

import pytest

from gangplan.datasets.kubernetes.objects.priorityclasses import priority_class
from gangplan.datasets.kubernetes.records import PriorityClassRecord
from gangplan.datasets.kubernetes.text.documents import Document
from gangplan.datasets.kubernetes.text.fields import Faults
from tests.datasets.kubernetes.manifests import lines


def document(**more: Any) -> Document:
    obj = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
    return Document("f.yaml", {**obj, "metadata": {"name": "high"}, **more})


def test_a_class_has_a_value_and_may_be_the_default() -> None:
    faults = Faults()
    known = {"description": "x", "preemptionPolicy": "Never", "globalDefault": True}
    record = priority_class(document(value=1000, **known), faults)
    assert record == PriorityClassRecord("high", 1000, True, "f.yaml", "Never")
    assert priority_class(document(value=-1), faults) == PriorityClassRecord(
        "high", -1, False, "f.yaml"
    )
    assert len(faults) == 0


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ({}, "PriorityClass high: value: missing"),
        ({"value": "9"}, "PriorityClass high: value: an integer expected"),
        ({"value": 2**31}, "PriorityClass high: value: at most"),
        ({"value": -(2**31) - 1}, "PriorityClass high: value: at least"),
        (
            {"value": 10**9 + 1},
            "PriorityClass high: value: at most 1000000000 expected (above it is the system's)",
        ),
        (
            {"value": 1, "preemptionPolicy": "never"},
            "PriorityClass high: preemptionPolicy: one of PreemptLowerPriority, Never expected",
        ),
        ({"value": 1, "globalDefualt": True}, "PriorityClass high: globalDefualt: unknown field"),
        ({"value": 1, "metadata": {}}, "PriorityClass: metadata.name: missing"),
    ],
)
def test_a_faulty_class_is_named(more: dict[str, Any], fault: str) -> None:
    faults = Faults()
    assert priority_class(document(**more), faults) is None
    assert lines(faults)[0].startswith(f"f.yaml: {fault}")
