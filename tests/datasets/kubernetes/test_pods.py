from typing import Any

import pytest

from gangplan.datasets.kubernetes.objects.pods import pod, pod_from_spec
from gangplan.datasets.kubernetes.records import (
    AntiTerm,
    Eligibility,
    LabelSelector,
    Requirement,
    Toleration,
)
from gangplan.datasets.kubernetes.text.documents import Document
from gangplan.datasets.kubernetes.text.fields import Faults, Fields
from tests.datasets.kubernetes.manifests import lines, pod_faults, read_pod

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def test_a_minimal_pod_waits_and_asks_for_nothing() -> None:
    record = read_pod()
    assert (record.namespace, record.name, record.node, record.phase) == ("ml", "a", "", "Pending")
    assert (record.group, record.owner, record.priority, record.created) == ("", "", None, None)
    assert not record.terminating
    assert not record.gated
    assert record.request == {"pods": 1}
    assert record.eligibility == Eligibility()
    assert (record.unsupported, record.anti, record.source) == ((), (), "f.yaml")


def test_the_state_of_a_pod_is_kept() -> None:
    record = read_pod(
        {
            "nodeName": "n1",
            "priority": -5,
            "priorityClassName": "low",
            "schedulingGroup": {"podGroupName": "g-0"},
            "schedulingGates": [{"name": "wait"}],
        },
        metadata={
            "name": "a-0",
            "labels": {"app": "x"},
            "annotations": {
                "gangplan.io/required-topology": "rack",
                "kueue.x-k8s.io/podset-slice-size": "4",
                "example.com/gangplan.io/x": "no",
                "number": 5,
            },
            "creationTimestamp": "1970-01-01T00:00:10Z",
            "deletionTimestamp": "2026-01-01T00:00:00Z",
            "ownerReferences": [
                {"kind": "Other", "name": "o"},
                {"kind": "Job", "name": "j", "controller": True},
            ],
        },
        status={"phase": "Running", "unknown": {"is": "ignored"}},
    )
    assert (record.namespace, record.node, record.phase) == ("default", "n1", "Running")
    assert (record.priority, record.priority_class) == (-5, "low")
    assert (record.group, record.owner, record.created) == ("g-0", "Job/j", 10.0)
    assert record.terminating
    assert record.gated
    assert record.labels == {"app": "x"}
    assert record.annotations == {
        "gangplan.io/required-topology": "rack",
        "kueue.x-k8s.io/podset-slice-size": "4",
    }


def test_everything_that_decides_the_node_is_read() -> None:
    record = read_pod(
        {
            "nodeSelector": {"b": "2", "a": "1"},
            "affinity": {
                "nodeAffinity": {
                    REQUIRED: {
                        "nodeSelectorTerms": [
                            {"matchExpressions": [{"key": "x", "operator": "Exists"}]}
                        ]
                    },
                    PREFERRED: [{"weight": 1, "preference": {}}],
                }
            },
            "tolerations": [{"key": "t", "operator": "Exists", "effect": "NoSchedule"}],
        }
    )
    assert record.eligibility == Eligibility(
        (("a", "1"), ("b", "2")),
        ((Requirement("x", "Exists", ()),),),
        (Toleration("t", "Exists", "", "NoSchedule"),),
    )
    assert record.unsupported == ()


def test_equal_pods_share_one_eligibility() -> None:
    spec = {"nodeSelector": {"share": "me"}}
    assert read_pod(spec).eligibility is read_pod(dict(spec)).eligibility


def test_a_faulty_eligibility_is_told_of_every_pod_that_has_it() -> None:
    spec = {"nodeSelector": {"share": 5}}
    assert pod_faults(spec) == pod_faults(spec)
    assert len(pod_faults(spec)) == 1


def test_a_pod_for_another_system_avoids_nodes_that_say_so() -> None:
    """The kubelet rejects a pod whose os differs from its own; no label means no objection."""
    extra = Requirement("kubernetes.io/os", "NotIn", ("windows",))
    assert read_pod({"os": {"name": "linux"}}).eligibility.terms == ((extra,),)
    terms = [{}, {"matchExpressions": [{"key": "x", "operator": "Exists"}]}]
    affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": terms}}}
    record = read_pod({"os": {"name": "linux"}, "affinity": affinity})
    assert record.eligibility.terms == ((), (Requirement("x", "Exists", ()), extra))


def anti(**term: Any) -> tuple[AntiTerm, ...]:
    entry = {"topologyKey": "zone", **term}
    return read_pod(
        {"affinity": {"podAntiAffinity": {REQUIRED: [entry], PREFERRED: []}}},
        metadata={"name": "a", "labels": {"rev": "7"}},
    ).anti


def test_required_anti_affinity_is_kept_for_newcomers() -> None:
    selector = {"matchLabels": {"app": "x"}}
    mine = LabelSelector((Requirement("app", "In", ("x",)),))
    assert anti(labelSelector=selector) == (AntiTerm(mine, ()),)
    assert anti(labelSelector=selector, namespaces=["b", "a"]) == (AntiTerm(mine, ("a", "b")),)
    assert anti(labelSelector=selector, namespaceSelector={}) == (AntiTerm(mine, (), True),)


def test_an_anti_affinity_without_a_selector_forbids_nobody_and_an_empty_one_everybody() -> None:
    assert anti() == ()
    assert anti(labelSelector={}) == (AntiTerm(LabelSelector(()), ()),)


def test_label_keys_of_an_anti_affinity_take_the_pods_own_values() -> None:
    (term,) = anti(labelSelector={}, matchLabelKeys=["rev", "none"])
    assert term.selector.requirements == (Requirement("rev", "In", ("7",)),)
    (term,) = anti(labelSelector={}, mismatchLabelKeys=["rev"])
    assert term.selector.requirements == (Requirement("rev", "NotIn", ("7",)),)


def test_a_template_makes_a_pod_and_its_faults_name_its_place() -> None:
    faults = Faults()
    obj = {
        "kind": "Job",
        "metadata": {"name": "j", "namespace": "ml"},
        "spec": {"template": {"spec": {"containers": [{"name": "m"}], "nodeSelectr": {}}}},
    }
    template = Fields(obj, "f.yaml", faults).section("spec").section("template")
    nothing = Fields({}, "f.yaml", faults)
    args = (template.section("metadata"), template.section("spec"), nothing, "f.yaml", faults)
    assert pod_from_spec("ml", "j-0", *args) is None
    assert lines(faults) == [
        "f.yaml: Job ml/j: spec.template.spec.nodeSelectr: unknown field, is it nodeSelector?"
    ]
    del template.obj["spec"]["nodeSelectr"]
    record = pod_from_spec("ml", "j-0", *args)
    assert record is not None
    assert (record.namespace, record.name) == ("ml", "j-0")


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ({"nodeSelectr": {"a": "b"}}, "spec.nodeSelectr: unknown field, is it nodeSelector?"),
        ({"workloadRef": {"name": "w"}}, "spec.workloadRef: unknown field"),
        ({"containers": [{"name": "a", "resource": {}}]}, "spec.containers[0].resource: unknown"),
        ({"containers": "x"}, "spec.containers: a list expected"),
        ({"initContainers": [{"nam": "a"}]}, "spec.initContainers[0].nam: unknown field, is it na"),
        (
            {"initContainers": [{"name": "a", "restartPolicy": "always"}]},
            "spec.initContainers[0].restartPolicy: one of Always, OnFailure, Never expected",
        ),
        ({"affinity": {"nodeAffinty": {}}}, "spec.affinity.nodeAffinty: unknown field, is it node"),
        (
            {"affinity": {"nodeAffinity": {"required": {}}}},
            "spec.affinity.nodeAffinity.required: unknown field",
        ),
        (
            {"affinity": {"podAffinity": {REQUIRED: [{"labelSelector": {}}]}}},
            f"spec.affinity.podAffinity.{REQUIRED}[0].topologyKey: missing",
        ),
        (
            {"affinity": {"podAntiAffinity": {REQUIRED: [{"topologyKey": "z", "slector": {}}]}}},
            f"spec.affinity.podAntiAffinity.{REQUIRED}[0].slector: unknown field",
        ),
        ({"tolerations": [{"ky": "a"}]}, "spec.tolerations[0].ky: unknown field, is it key?"),
        ({"schedulingGroup": {"name": "g"}}, "spec.schedulingGroup.name: unknown field"),
        ({"schedulingGroup": {}}, "spec.schedulingGroup.podGroupName: missing"),
        ({"schedulingGates": ["a"]}, "spec.schedulingGates[0]: a mapping expected"),
        ({"priority": "high"}, "spec.priority: an integer expected"),
        ({"priority": 2**31}, "spec.priority: at most 2147483647 expected"),
        ({"volumes": [{"name": "a", "emptydir": {}}]}, "spec.volumes[0].emptydir: unknown field"),
        ({"os": {"name": "plan9"}}, "spec.os.name: one of linux, windows expected"),
        ({"nodeName": 5}, "spec.nodeName: text expected"),
        ({"topologySpreadConstraints": [{"maxSkew": 1}]}, "spec.topologySpreadConstraints[0].topo"),
    ],
)
def test_a_faulty_spec_is_named(spec: dict[str, Any], fault: str) -> None:
    assert pod_faults(spec)[0].startswith(f"f.yaml: Pod ml/a: {fault}")


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ({"metadata": {"namespace": "ml"}}, "Pod ml: metadata.name: missing"),
        ({"metadata": {"name": "A_b"}}, "Pod A_b: metadata.name: a DNS name"),
        ({"metadata": {"name": "a", "namespace": "x/y"}}, "Pod x/y/a: metadata.namespace: a DNS"),
        ({"status": "Running"}, "Pod ml/a: status: a mapping expected, got the text"),
        ({"metadata": "a"}, "Pod: metadata: a mapping expected"),
        ({"status": {"phase": "Sleeping"}}, "Pod ml/a: status.phase: one of Pending, Running"),
        ({"metadata": {"name": "a", "labels": []}}, "Pod a: metadata.labels: a mapping expected"),
        ({"metadata": {"name": "a", "creationTimestamp": "x"}}, "Pod a: metadata.creationTimestam"),
    ],
)
def test_a_faulty_pod_is_named(more: dict[str, Any], fault: str) -> None:
    assert pod_faults(**more)[0].startswith(f"f.yaml: {fault}")


def test_a_pod_needs_a_spec() -> None:
    faults = Faults()
    obj = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}
    assert pod(Document("f.yaml", obj), faults) is None
    assert lines(faults) == ["f.yaml: Pod a: spec: missing"]


def test_all_faults_of_a_pod_are_told_at_once() -> None:
    found = pod_faults({"nodeSelectr": {}, "priority": "x", "tolerations": [{"effect": "No"}]})
    assert len(found) == 4


def test_fields_that_do_not_matter_may_hold_anything_of_theirs() -> None:
    record = read_pod(
        {
            "dnsPolicy": "Default",
            "securityContext": {"runAsUser": 0},
            "ephemeralContainers": [{"name": "d", "targetContainerName": "main"}],
            "hostAliases": [{"ip": "1.2.3.4"}],
            "activeDeadlineSeconds": None,
        },
        metadata={"name": "a", "managedFields": [{"x": 1}], "uid": "u"},
        status={"conditions": [{"type": "Ready", "anything": 1}]},
    )
    assert record.unsupported == ()
