from typing import Any

import pytest

from gangplan.datasets.kubernetes.records import Taint
from tests.datasets.kubernetes.manifests import node_faults, read_node

ROOM = {"cpu": "4", "memory": "129e6", "pods": "10", "nvidia.com/gpu": "8"}


def ready(*conditions: tuple[str, str]) -> bool:
    entries = [{"type": name, "status": status} for name, status in conditions]
    return read_node(status={"allocatable": ROOM, "conditions": entries}).ready


def test_allocatable_is_read_in_base_units() -> None:
    record = read_node(status={"allocatable": ROOM})
    assert record.allocatable == {
        "cpu": 4000,
        "memory": 129_000_000,
        "pods": 10,
        "nvidia.com/gpu": 8,
    }


def test_allocatable_is_rounded_down() -> None:
    assert read_node(status={"allocatable": {"memory": "1999m"}}).allocatable["memory"] == 1


def test_a_node_that_names_no_pods_takes_110() -> None:
    assert read_node(status={"allocatable": {"cpu": "1"}}).allocatable["pods"] == 110


def test_capacity_stands_in_for_allocatable_with_a_note() -> None:
    notes: list[str] = []
    record = read_node(notes, status={"capacity": {"cpu": "4"}})
    assert record.allocatable == {"cpu": 4000, "pods": 110}
    assert notes == ["node n1 has no status.allocatable: its capacity is used instead"]


def test_allocatable_wins_over_capacity_without_a_note() -> None:
    notes: list[str] = []
    record = read_node(notes, status={"capacity": {"cpu": "4"}, "allocatable": {"cpu": "3"}})
    assert (record.allocatable["cpu"], notes) == (3000, [])


def test_a_node_without_status_offers_pods_only_and_says_so() -> None:
    notes: list[str] = []
    assert read_node(notes).allocatable == {"pods": 110}
    assert notes == ["node n1 has no status.allocatable: it offers nothing but pods"]


def test_a_node_is_ready_if_it_says_so_or_says_nothing() -> None:
    assert ready()
    assert ready(("Ready", "True"), ("DiskPressure", "False"))
    assert not ready(("Ready", "False"))
    assert not ready(("Ready", "Unknown"))
    assert not ready(("DiskPressure", "False"))


def test_labels_taints_and_cordons_are_kept() -> None:
    record = read_node(
        metadata={"name": "n1", "labels": {"zone": "a"}, "anything": "goes"},
        spec={
            "unschedulable": True,
            "podCIDR": "10.0.0.0/24",
            "taints": [
                {"key": "a", "value": "b", "effect": "NoSchedule"},
                {"key": "soft", "effect": "PreferNoSchedule"},
            ],
        },
    )
    assert record.name == "n1"
    assert record.labels == {"zone": "a"}
    assert record.unschedulable
    assert record.taints == (Taint("a", "b", "NoSchedule"),)
    assert record.source == "f.yaml"


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ({"metadata": {}}, "Node: metadata.name: missing"),
        ({"metadata": None}, "Node: metadata.name: missing"),
        ({"metadata": {"name": "N 1"}}, "Node N 1: metadata.name: a DNS name"),
        ({"metadata": {"name": "n1", "labels": {"a": 1}}}, "Node n1: metadata.labels.a: text"),
        ({"spec": {"unschedulabel": True}}, "Node n1: spec.unschedulabel: unknown field, is it un"),
        ({"spec": {"unschedulable": "yes"}}, "Node n1: spec.unschedulable: true or false"),
        ({"spec": {"taints": {}}}, "Node n1: spec.taints: a list expected"),
        ({"status": {"allocatable": {"cpu": "-1"}}}, "Node n1: status.allocatable.cpu: at least 0"),
        ({"status": {"allocatable": {"cpu": "1e30"}}}, "Node n1: status.allocatable.cpu: the quan"),
        ({"status": {"allocatable": []}, "spec": {"x": 1}}, "Node n1: spec.x: unknown field"),
        (
            {"status": {"conditons": []}},
            "Node n1: status.conditons: unknown field, is it conditions",
        ),
        ({"status": {"conditions": {"Ready": "True"}}}, "Node n1: status.conditions: a list"),
    ],
)
def test_a_faulty_node_is_named(more: dict[str, Any], fault: str) -> None:
    assert node_faults(**more)[0].startswith(f"f.yaml: {fault}")
