"""Groups that evict nobody: preemptionPolicy Never in all its places, and room on its way."""

from typing import Any

import pytest

from tests.datasets.kubernetes.objects import (
    Obj,
    child,
    composite,
    faults,
    gang,
    instance,
    job,
    pod,
)
from tests.datasets.kubernetes.running.work import NODES, never, nominated, priority_class

LOW = pod("low", on="n1")
NEVER: Obj = {"preemptionPolicy": "Never"}
LOWER: Obj = {"preemptionPolicy": "PreemptLowerPriority"}
MEEK = priority_class("meek", 5, preemptionPolicy="Never")
OF_MEEK: Obj = {"priorityClassName": "meek"}
GONE: Obj = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("version", "of_group", "of_pods", "evicts"),
    [
        ("v1beta1", NEVER, {}, False),
        ("v1alpha3", NEVER, LOWER, False),
        ("v1beta1", LOWER, NEVER, True),
        ("v1beta1", OF_MEEK, {}, False),
        ("v1beta1", OF_MEEK | LOWER, {}, True),
        ("v1beta1", {}, {}, True),
        ("v1alpha2", {}, NEVER, False),
        ("v1alpha2", OF_MEEK, {}, False),
        ("v1alpha2", {}, OF_MEEK, False),
        ("v1alpha2", {}, LOWER, True),
    ],
)
def test_the_policy_of_a_group_its_pods_or_its_class(
    version: str, of_group: Obj, of_pods: Obj, evicts: bool
) -> None:
    objects = [gang("g", 1, version, spec=of_group), pod("g-0", "g", spec=of_pods)]
    built = instance(*NODES, MEEK, LOW, *objects)
    assert never(built) == ([] if evicts else ["g"])


def test_never_of_a_composite_is_one_for_all_groups_below_it() -> None:
    tree = [
        composite("top"),
        composite("mid", parent="top", **NEVER),
        child("a", "mid"),
        child("b", "top"),
        pod("a-0", "a"),
        pod("b-0", "b"),
    ]
    assert never(instance(*NODES, LOW, *tree)) == ["a"]


def test_the_class_that_is_the_default_has_a_policy_too() -> None:
    default = priority_class("meek", 5, preemptionPolicy="Never", globalDefault=True)
    assert never(instance(*NODES, default, LOW, gang("g", 1), pod("g-0", "g"))) == ["g"]


def test_bare_pods_of_different_policy_are_different_units() -> None:
    pods = [pod("a"), pod("b"), pod("c", spec=NEVER), pod("d", spec=LOWER)]
    built = instance(*NODES, LOW, *pods)
    assert built.names.groups == ("lab/a", "lab/c")
    assert built.roles.wanted.tolist() == [3, 1]
    assert never(built) == ["c"]


def test_the_template_of_a_job_has_a_policy() -> None:
    made = job("j", 2, scheduling={"schedulingPolicy": {"gang": {"minCount": 2}}})
    made["spec"]["template"]["spec"] |= NEVER
    assert never(instance(*NODES, LOW, made)) == ["j"]


def test_a_group_that_room_is_on_its_way_to_evicts_nobody() -> None:
    group = [gang("g", 2), nominated(pod("g-0", "g"), "n2"), pod("g-1", "g")]
    assert never(instance(*NODES, LOW, *group)) == []
    assert never(instance(*NODES, LOW, pod("x", on="n2", **GONE), *group)) == ["g"]
    assert never(instance(*NODES, LOW, pod("x", on="n1", **GONE), *group)) == []
    nowhere = [nominated(pod("q"), "n9"), pod("x", on="n9", **GONE)]
    assert never(instance(*NODES, LOW, *nowhere)) == []


def test_nor_does_its_tree_but_a_bare_pod_speaks_for_itself() -> None:
    leaves = pod("x", on="n2", **GONE)
    tree = [composite("top"), child("a", "top"), child("b", "top"), pod("b-0", "b")]
    built = instance(*NODES, LOW, leaves, *tree, nominated(pod("a-0", "a"), "n2"))
    assert never(built) == ["a", "b"]
    bare = instance(*NODES, LOW, leaves, pod("p"), nominated(pod("q"), "n2"))
    assert (bare.names.groups, never(bare)) == (("lab/p", "lab/q"), ["q"])


@pytest.mark.parametrize("wrong", [pod("p", spec={"preemptionPolicy": "never"})])
def test_another_word_is_refused(wrong: Any) -> None:
    assert faults(*NODES, wrong) == [
        "2.yaml: Pod lab/p: spec.preemptionPolicy: one of PreemptLowerPriority, Never expected,"
        " got 'never'"
    ]


def test_pods_of_another_policy_than_their_groups_are_told() -> None:
    spec = {"priority": 9, "preemptionPolicy": "PreemptLowerPriority"}
    meek = pod("g-0", "g", spec={"priority": 9, "preemptionPolicy": "Never"})
    built = instance(*NODES, LOW, gang("g", 1, spec=spec), meek, pod("g-1", "g", spec=spec))
    assert never(built) == []
    assert built.names.notes == (
        "PodGroup lab/g has preemptionPolicy PreemptLowerPriority, which stands for its pods;"
        " 1 pod with another: lab/g-0 (kube-scheduler 1.37 refuses such a group)",
    )
