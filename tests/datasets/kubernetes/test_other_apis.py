"""Objects that are not read: counted, named or refused, never dropped in silence."""

from typing import Any

import pytest

from tests.datasets.kubernetes.objects import faults, gang, held, instance, job, node, obj, pod

ANTI = "spec.affinity.podAntiAffinity of running pod"


def test_kinds_without_influence_are_one_note_with_counts() -> None:
    quiet = [
        obj("v1", "ConfigMap", "a"),
        obj("v1", "ConfigMap", "b"),
        obj("apps/v1", "ReplicaSet", "c"),
        obj("example.com/v1", "Widget", "d"),
    ]
    notes = instance(node("n1"), pod("p"), *quiet).names.notes
    assert notes == (
        "not needed for a placement, skipped: 2 ConfigMap, 1 ReplicaSet, 1 Widget (example.com/v1)",
    )


def test_characters_that_would_break_a_line_are_escaped_in_notes() -> None:
    (note,) = instance(node("n1"), pod("p"), obj("x\x1b[31m/v1", "A\nB", "c")).names.notes
    assert note == "not needed for a placement, skipped: 1 A\\nB (x\\x1b[31m/v1)"


def test_defaults_of_a_limit_range_that_jobs_would_get_are_told() -> None:
    limits = obj("v1", "LimitRange", "defaults", {"limits": []})
    told = "LimitRange is not read: pods of Jobs are without its defaults"
    assert told in instance(node("n1"), limits, job("train", 1)).names.notes
    assert told not in instance(node("n1"), limits, pod("p")).names.notes


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("scheduling.x-k8s.io/v1alpha1", "PodGroup"),
        ("scheduling.volcano.sh/v1beta1", "PodGroup"),
        ("scheduling.example.com/v1", "PodGroup"),
        ("batch.volcano.sh/v1alpha1", "Job"),
        ("jobset.x-k8s.io/v1alpha2", "JobSet"),
        ("kueue.x-k8s.io/v1beta2", "Workload"),
    ],
)
def test_objects_of_other_gang_apis_are_named(api_version: str, kind: str) -> None:
    built = instance(node("n1"), obj(api_version, kind, "plugin", {"minMember": 2}))
    assert built.names.groups == ()
    assert f"{api_version} {kind} is not read, nothing is planned from it: lab/plugin" in (
        built.names.notes
    )


@pytest.mark.parametrize(
    ("api_version", "kind", "words"),
    [
        ("scheduling.k8s.io/v1beta1", "PodGruop", "is it PodGroup?"),
        ("scheduling.x-k8s.io/v1alpha1", "PodGruop", "is it PodGroup?"),
        ("v1", "Pods", "is it Pod?"),
        ("v1", "Widget", "unknown kind in v1"),
        ("apps/v1", "Pod", "is it Pod?"),
        ("batch/v2", "Job", "Job v2 is not known; known: v1"),
        ("v2", "Pod", "Pod v2 is not known"),
        ("scheduling.k8s.io/v1", "PodGroup", "known: v1alpha2, v1beta1, v1alpha3"),
        ("resource.k8s.io/v1", "ResourceSlices", "is it ResourceSlice?"),
        ("resource.k8s.io/v1", "DeviceClas", "is it DeviceClass?"),
        ("v1", "ResourceClaim", "is it ResourceClaim?"),
        ("resources.k8s.io/v1", "ResourceSlice", "is it resource.k8s.io?"),
        ("resource.k8s/v1", "DeviceClass", "is it resource.k8s.io?"),
        ("sheduling.k8s.io/v1beta1", "PodGroup", "is it scheduling.k8s.io?"),
    ],
)
def test_a_kind_that_nobody_knows_is_refused(api_version: str, kind: str, words: str) -> None:
    (fault,) = faults(obj(api_version, kind, "x"))
    assert words in fault
    assert f"{kind} lab/x" in fault


@pytest.mark.parametrize(
    "metadata",
    [
        {"labels": {"scheduling.x-k8s.io/pod-group": "plugin"}},
        {"labels": {"kueue.x-k8s.io/pod-group-name": "plugin"}},
        {"annotations": {"scheduling.k8s.io/group-name": "plugin"}},
        {"annotations": {"scheduling.volcano.sh/group-name": "plugin"}},
    ],
)
def test_a_pod_of_a_foreign_group_is_held_not_free(metadata: dict[str, Any]) -> None:
    built = instance(node("n1"), pod("p", **metadata))
    ((where, mark),) = metadata.items()
    assert held(built) == {"lab/p": f"unsupported metadata.{where}[{next(iter(mark))}]"}


def test_a_job_of_a_foreign_group_is_held() -> None:
    template = {
        "metadata": {"labels": {"scheduling.x-k8s.io/pod-group": "plugin"}},
        "spec": {"containers": [{"name": "c"}]},
    }
    built = instance(node("n1"), obj("batch/v1", "Job", "j", {"template": template}))
    assert "unsupported metadata.labels[scheduling.x-k8s.io/pod-group]" in held(built)["lab/j"]


def blocker(selector: dict[str, Any], on: str = "n1", **fields: Any) -> dict[str, Any]:
    rule = {"topologyKey": "kubernetes.io/hostname", "labelSelector": selector, **fields}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": [rule]}
    return pod("guard", on=on, spec={"affinity": {"podAntiAffinity": required}})


@pytest.mark.parametrize(
    ("selector", "fields", "matches"),
    [
        ({"matchLabels": {"app": "web"}}, {}, True),
        ({"matchLabels": {"app": "db"}}, {}, False),
        ({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, {}, True),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}, {}, False),
        ({"matchLabels": {"app": "web"}}, {"namespaces": ["prod"]}, False),
        ({"matchLabels": {"app": "web"}}, {"namespaces": ["prod", "lab"]}, True),
        ({"matchLabels": {"app": "web"}}, {"namespaceSelector": {}}, True),
    ],
)
def test_a_running_pods_anti_affinity_holds_what_it_matches(
    selector: dict[str, Any], fields: dict[str, Any], matches: bool
) -> None:
    waiting = pod("p", labels={"app": "web"})
    built = instance(node("n1"), blocker(selector, **fields), waiting)
    assert held(built) == ({"lab/p": f"unsupported {ANTI} lab/guard"} if matches else {})


def test_a_finished_pods_anti_affinity_forbids_nothing() -> None:
    done = blocker({"matchLabels": {"app": "web"}}) | {"status": {"phase": "Succeeded"}}
    assert held(instance(node("n1"), done, pod("p", labels={"app": "web"}))) == {}


def test_bare_pods_that_it_does_not_match_stay_free() -> None:
    guard = blocker({"matchLabels": {"app": "web"}})
    built = instance(node("n1"), guard, pod("a"), pod("b", labels={"app": "web"}), pod("c"))
    assert built.names.groups == ("lab/a", "lab/b")
    assert held(built) == {"lab/b": f"unsupported {ANTI} lab/guard"}


def test_one_matching_pod_holds_its_whole_group() -> None:
    built = instance(
        node("n1"),
        blocker({"matchLabels": {"app": "web"}}),
        gang("g", 2),
        pod("g-0", "g"),
        pod("g-1", "g", labels={"app": "web"}),
    )
    assert held(built) == {"lab/g": f"unsupported {ANTI} lab/guard"}


def test_an_unsupported_rule_of_one_pod_holds_its_whole_group() -> None:
    other = {"runtimeClassName": "kata"}
    objects = [node("n1"), gang("g", 2), pod("g-0", "g"), pod("g-1", "g", spec=other)]
    assert held(instance(*objects)) == {"lab/g": "unsupported spec.runtimeClassName"}
    assert held(instance(*objects, ignore_unsupported=True)) == {}
