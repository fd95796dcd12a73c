"""PodGroup in its three versions: what each may say, and what is refused."""

import pytest

from gangplan.models.columns import BASIC, GANG
from gangplan.models.topology import REQUIRED
from tests.datasets.kubernetes.objects import (
    basic,
    faults,
    gang,
    group_number,
    held,
    instance,
    node,
    obj,
    pod,
    pods,
)

VERSIONS = ("v1alpha2", "v1beta1", "v1alpha3")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_gang_is_read_in_every_version(version: str) -> None:
    built = instance(node("n1"), gang("g", 2, version), *pods("g", 3))
    assert built.names.groups == ("lab/g",)
    assert built.groups.kind.tolist() == [GANG]
    assert built.groups.minimum.tolist() == [2]
    assert built.roles.wanted.tolist() == [3]
    assert held(built) == {}


def test_a_basic_group_has_no_minimum() -> None:
    built = instance(node("n1"), basic("g"), *pods("g", 3))
    assert (built.groups.kind.tolist(), built.groups.minimum.tolist()) == ([BASIC], [0])


def test_the_topology_key_is_a_required_rule() -> None:
    spec = {"schedulingConstraints": {"topology": [{"key": "rack"}]}}
    built = instance(node("n1", labels={"rack": "a"}), gang("g", 2, spec=spec), *pods("g", 2))
    assert built.names.levels == ("rack",)
    assert (built.rules.owner.tolist(), built.rules.mode.tolist()) == ([0], [REQUIRED])


def test_more_than_one_topology_key_is_refused() -> None:
    spec = {"schedulingConstraints": {"topology": [{"key": "a"}, {"key": "b"}]}}
    (fault,) = faults(gang("g", 2, spec=spec))
    assert "spec.schedulingConstraints.topology: at most 1 entry" in fault


def test_a_claim_of_a_group_that_none_of_its_pods_names_changes_nothing() -> None:
    spec = {"resourceClaims": [{"name": "fab", "resourceClaimName": "multi-fab"}]}
    built = instance(node("n1"), gang("g", 2, spec=spec), *pods("g", 2))
    assert held(built) == {}


def test_an_ignored_rule_is_told_once_a_field() -> None:
    made = pods("g", 2)
    for one in made:
        one["spec"]["runtimeClassName"] = "kata"
    built = instance(node("n1"), gang("g", 2), *made, ignore_unsupported=True)
    assert held(built) == {}
    assert "unsupported spec.runtimeClassName is ignored in lab/g" in built.names.notes


@pytest.mark.parametrize(
    ("version", "spec", "words"),
    [
        ("v1alpha2", {"workloadRef": {}}, "spec.workloadRef: a field of scheduling.k8s.io/v1beta1"),
        ("v1alpha2", {"preemptionPolicy": "Never"}, "not of v1alpha2 (1.36)"),
        ("v1beta1", {"podGroupTemplateRef": {}}, "which has workloadRef"),
        ("v1alpha2", {"disruptionMode": {"all": {}}}, "a union is of 1.37"),
        ("v1beta1", {"disruptionMode": "PodGroup"}, "a text is of 1.36"),
        ("v1alpha3", {"disruptionMode": {"all": {}, "single": {}}}, "only one of single, all"),
        ("v1beta1", {"schedulingPolicy": {"basic": {}, "gang": {"minCount": 1}}}, "only one of"),
        ("v1beta1", {"schedulingPolicy": {}}, "one of basic, gang must be set"),
        ("v1beta1", {"schedulingPolicy": {"gang": {}}}, "gang.minCount: missing"),
        ("v1beta1", {"schedulingPolicy": {"gang": {"minCount": 0}}}, "at least 1"),
        ("v1beta1", {"schedulingPolicy": {"gang": {"minCount": "2"}}}, "an integer expected"),
        ("v1beta1", {"schedulingPolicy": {"gang": {"minMember": 2}}}, "unknown field"),
        ("v1beta1", {"schedulingPolicies": {}}, "is it schedulingPolicy?"),
        ("v1beta1", {"preemptionPolicy": "Sometimes"}, "spec.preemptionPolicy: one of"),
        ("v1beta1", {"priority": True}, "spec.priority: an integer expected"),
        ("v1beta1", {"parentCompositePodGroupName": "top"}, "spec.workloadRef: missing"),
        ("v1beta1", {"resourceClaims": [{"name": "x"}]}, "one of resourceClaimName"),
    ],
)
def test_what_a_version_does_not_know_is_refused(
    version: str, spec: dict[str, object], words: str
) -> None:
    found = faults(gang("g", 2, version, spec=spec))
    assert any(words in fault and "PodGroup lab/g" in fault for fault in found), found


def test_a_group_without_a_spec_is_refused_once() -> None:
    assert faults(obj("scheduling.k8s.io/v1beta1", "PodGroup", "g")) == [
        "0.yaml: PodGroup lab/g: spec: missing"
    ]


def test_a_misspelt_section_is_refused() -> None:
    found = faults(gang("g", 1) | {"spce": {}})
    assert found == ["0.yaml: PodGroup lab/g: spce: unknown field, is it spec?"]


def test_the_alpha_of_1_35_is_refused_by_its_release() -> None:
    (fault,) = faults(obj("scheduling.k8s.io/v1alpha1", "Workload", "w", {}))
    assert "1.35" in fault


def test_running_members_count_for_the_minimum() -> None:
    built = instance(node("n1"), gang("g", 3), *pods("g", 2, on="n1"), pod("g-2", "g"), pod("late"))
    g = group_number(built, "lab/g")
    assert built.groups.running[g] == 2
    assert held(built) == {}


def test_a_finished_or_terminating_member_does_not_count() -> None:
    built = instance(
        node("n1"),
        gang("g", 3),
        pod("g-0", "g", "n1"),
        pod("g-1", "g", "n1", phase="Succeeded"),
        pod("g-2", "g", "n1", deletionTimestamp="2026-01-01T00:00:00Z"),
        pod("g-3", "g"),
    )
    assert held(built) == {
        "lab/g": "needs 3 members, has 2 (1 waiting, 1 running); terminating, not counted: lab/g-2"
    }


def test_a_gated_member_does_not_count_and_the_reason_says_so() -> None:
    gates = {"schedulingGates": [{"name": "wait"}]}
    built = instance(node("n1"), gang("g", 2), pod("g-0", "g"), pod("g-1", "g", spec=gates))
    assert held(built) == {
        "lab/g": "needs 2 members, has 1 (1 waiting, 0 running);"
        " with scheduling gates, not counted: lab/g-1"
    }
    assert "1 pod with scheduling gates, not placed: lab/g-1" in built.names.notes


def test_a_minimum_above_the_pods_there_are_holds_with_numbers() -> None:
    built = instance(node("n1"), gang("g", 5), *pods("g", 3))
    assert held(built)["lab/g"] == "needs 5 members, has 3 (3 waiting, 0 running)"
    assert built.n_pods == 3


def test_a_pod_of_a_missing_group_is_held_by_its_own_name() -> None:
    built = instance(node("n1"), pod("lost-0", "ghost"), pod("lost-1", "ghost"))
    assert held(built) == {
        "lab/lost-0": "PodGroup lab/ghost does not exist",
        "lab/lost-1": "PodGroup lab/ghost does not exist",
    }


def test_a_group_of_the_same_name_elsewhere_is_not_the_pods_group() -> None:
    built = instance(node("n1"), gang("g", 1, namespace="other"), pod("g-0", "g"))
    assert held(built)["lab/g-0"] == "PodGroup lab/g does not exist"


def test_the_namespace_is_default_where_it_is_absent() -> None:
    group, member = gang("g", 1), pod("g-0", "g")
    del group["metadata"]["namespace"], member["metadata"]["namespace"]
    assert instance(node("n1"), group, member).names.groups == ("default/g",)


def test_age_counts_from_the_newest_stamp() -> None:
    built = instance(
        node("n1"),
        gang("g", 1, creationTimestamp="2026-01-01T00:00:00Z"),
        pod("g-0", "g"),
        pod("new", creationTimestamp="2026-01-01T01:00:00Z"),
    )
    assert built.groups.age.tolist() == [3600, 0]
