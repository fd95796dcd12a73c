"""Priorities: the object's own, its class's, the global default's, 0."""

from typing import Any

import pytest

from tests.datasets.kubernetes.objects import (
    composite,
    faults,
    gang,
    instance,
    job,
    node,
    obj,
    pod,
    pod_spec,
    pods,
)


def priority_class(name: str, value: int, default: bool = False) -> dict[str, Any]:
    made = obj("scheduling.k8s.io/v1", "PriorityClass", name)
    return made | {"value": value, "globalDefault": default}


HIGH = priority_class("high", 100)


def test_a_groups_class_gives_its_priority_or_its_own_number() -> None:
    by_class = gang("a", 1, spec={"priorityClassName": "high"})
    by_both = gang("b", 1, spec={"priorityClassName": "high", "priority": 100})
    built = instance(node("n1"), HIGH, by_class, by_both, gang("c", 1, spec={"priority": 7}))
    assert built.groups.priority.tolist() == [100, 100, 7]


@pytest.mark.parametrize(
    ("wrong", "item"),
    [
        (pod("p", spec={"priorityClassName": "high", "priority": 9}), "Pod lab/p"),
        (pod("p", on="n1", spec={"priorityClassName": "high", "priority": 9}), "Pod lab/p"),
        (gang("g", 1, spec={"priorityClassName": "high", "priority": 9}), "PodGroup lab/g"),
    ],
)
def test_a_number_that_is_not_the_classes_is_refused(wrong: dict[str, Any], item: str) -> None:
    text = f"{item}: spec.priority: 9 is not 100, the value of PriorityClass high"
    assert faults(node("n1"), HIGH, wrong) == [f"2.yaml: {text}"]


@pytest.mark.parametrize(
    ("wrong", "most"),
    [
        (pod("p", spec={"priority": 2**31}), 2**31 - 1),
        (gang("p", 1, spec={"priority": 10**9 + 1}), 10**9),
        (gang("p", 1, "v1alpha2", spec={"priority": 2**31}), 10**9),
        (composite("p", priority=10**9 + 1), 10**9),
    ],
)
def test_a_number_above_the_highest_is_refused(wrong: dict[str, Any], most: int) -> None:
    (fault,) = faults(node("n1"), wrong)
    assert f"spec.priority: at most {most} expected" in fault


def test_a_class_of_the_system_is_for_pods_alone() -> None:
    spec = {"priorityClassName": "system-node-critical"}
    of_composite = composite("t", priorityClassName="system-node-critical")
    assert faults(node("n1"), gang("g", 1, spec=spec), of_composite) == [
        "1.yaml: PodGroup lab/g: spec.priorityClassName: 2000001000 of PriorityClass"
        " system-node-critical is above 1000000000, the most that a group may have",
        "2.yaml: CompositePodGroup lab/t: spec.priorityClassName: 2000001000 of PriorityClass"
        " system-node-critical is above 1000000000, the most that a group may have",
    ]
    of_job = job("j", 2, template={"spec": pod_spec(priorityClassName="system-node-critical")})
    assert instance(node("n1"), of_job).groups.priority.tolist() == [2_000_001_000]


def test_a_class_made_anew_with_another_value_is_told_and_the_number_stays() -> None:
    spec = {"priorityClassName": "high", "priority": 9}
    built = instance(
        node("n1"), HIGH, pod("p", uid="1", spec=spec), pod("q", on="n1", uid="2", spec=spec)
    )
    assert (built.groups.priority.tolist(), built.running.priority.tolist()) == ([9], [9])
    assert built.names.notes == (
        "2 objects with another priority than the class has now: Pod lab/p, Pod lab/q",
    )


def test_the_global_default_stands_in_and_the_lowest_of_several() -> None:
    built = instance(node("n1"), HIGH, priority_class("d", 5, True), pod("p"), gang("g", 1))
    assert built.groups.priority.tolist() == [5, 5]
    both = [priority_class("d", 5, True), priority_class("e", 3, True)]
    assert instance(node("n1"), *both, pod("p")).groups.priority.tolist() == [3]


def test_system_classes_are_built_in() -> None:
    spec = {"priorityClassName": "system-node-critical"}
    assert instance(node("n1"), pod("p", spec=spec)).groups.priority.tolist() == [2_000_001_000]


def test_a_class_that_does_not_exist_is_refused() -> None:
    for wrong, item in (
        (pod("p", spec={"priorityClassName": "hgih"}), "Pod lab/p"),
        (gang("g", 1, spec={"priorityClassName": "hgih"}), "PodGroup lab/g"),
    ):
        (fault,) = faults(node("n1"), HIGH, wrong)
        assert f"{item}: spec.priorityClassName: no PriorityClass hgih" in fault
    known = pod("p", spec={"priorityClassName": "hgih", "priority": 9})
    assert instance(node("n1"), known).groups.priority.tolist() == [9]


@pytest.mark.parametrize(
    ("version", "more"),
    [("v1alpha2", ""), ("v1beta1", " (kube-scheduler 1.37 refuses such a group)")],
)
def test_the_groups_priority_stands_for_its_pods_and_a_difference_is_told(
    version: str, more: str
) -> None:
    other = pod("g-0", "g", spec={"priority": 9})
    group = gang("g", 1, version, spec={"priority": 4})
    built = instance(node("n1"), group, other, pod("g-1", "g"))
    assert built.groups.priority.tolist() == [4]
    assert built.names.notes == (
        "PodGroup lab/g has priority 4, which stands for its pods; 1 pod with another: lab/g-0"
        + more,
    )
    same = pods("g", 2, spec={"priority": 4})
    assert instance(node("n1"), gang("g", 1, spec={"priority": 4}), *same).names.notes == ()
