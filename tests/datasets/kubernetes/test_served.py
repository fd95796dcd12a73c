"""Objects as an API server of 1.36 and 1.37 writes them, with the fields that it fills in."""

import json
from pathlib import Path
from typing import Any

import pytest

from gangplan.datasets.kubernetes.read import read
from tests.datasets.kubernetes.objects import held

Obj = dict[str, Any]
TIME = "2026-07-01T10:00:00Z"
ROOM = {
    "cpu": "95690m",
    "ephemeral-storage": "1751153777543",
    "hugepages-2Mi": "0",
    "memory": "1050000000Ki",
    "nvidia.com/gpu": "8",
    "pods": "110",
}


def served(api_version: str, kind: str, name: str, **parts: Any) -> Obj:
    metadata = {
        "name": name,
        "uid": f"uid-{name}",
        "resourceVersion": "12",
        "generation": 1,
        "creationTimestamp": TIME,
        "labels": {"app": "llm", "rack": "r1", "kubernetes.io/hostname": name},
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": '{"a": 1}\n'},
        "finalizers": ["example.com/protection"],
        "managedFields": [
            {
                "manager": "kubectl",
                "operation": "Update",
                "apiVersion": api_version,
                "time": TIME,
                "fieldsType": "FieldsV1",
                "fieldsV1": {"f:metadata": {"f:labels": {".": {}, "f:app": {}}}},
                "subresource": "status",
            }
        ],
    }
    if kind not in ("Node", "PriorityClass"):
        metadata["namespace"] = "ml"
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}


def node(name: str) -> Obj:
    conditions = {"MemoryPressure": "False", "DiskPressure": "False", "Ready": "True"}
    status = {
        "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
        "allocatable": ROOM,
        "capacity": ROOM,
        "conditions": [
            {"type": key, "status": value, "lastHeartbeatTime": TIME, "lastTransitionTime": TIME}
            for key, value in conditions.items()
        ],
        "config": {},
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "declaredFeatures": ["GuaranteedQoSPodCPUResize"],
        "features": {"supplementalGroupsPolicy": True},
        "images": [{"names": ["registry.example/a:1"], "sizeBytes": 1}],
        "nodeInfo": {"architecture": "amd64", "swap": {"capacity": 0}},
        "phase": "Running",
        "runtimeHandlers": [{"name": "", "features": {"userNamespaces": True}}],
        "volumesAttached": [{"name": "v", "devicePath": ""}],
        "volumesInUse": ["v"],
    }
    spec = {
        "podCIDR": "10.0.0.0/24",
        "podCIDRs": ["10.0.0.0/24"],
        "providerID": "example:///1",
        "taints": [
            {"key": "nvidia.com/gpu", "value": "x", "effect": "NoSchedule", "timeAdded": TIME}
        ],
    }
    return served("v1", "Node", name, spec=spec, status=status)


def container(name: str, gpus: str, **more: Any) -> Obj:
    amounts = {"cpu": "100m", "memory": "1Gi", "nvidia.com/gpu": gpus}
    return {
        "name": name,
        "image": "registry.example/a:1",
        "imagePullPolicy": "IfNotPresent",
        "env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
        "lifecycle": {"stopSignal": "SIGUSR1"},
        "livenessProbe": {"httpGet": {"path": "/", "port": 8080, "scheme": "HTTP"}},
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
        "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}],
        "resources": {"limits": {"nvidia.com/gpu": gpus}, "requests": amounts},
        "securityContext": {"runAsUser": 0},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "volumeMounts": [{"mountPath": "/var/run/secrets", "name": "kube-api-access-a"}],
        **more,
    }


def pod_spec() -> Obj:
    sources = [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}},
        {"podCertificate": {"signerName": "example.com/a", "keyType": "ED25519"}},
    ]
    missing = [
        {
            "key": f"node.kubernetes.io/{state}",
            "operator": "Exists",
            "effect": "NoExecute",
            "tolerationSeconds": 300,
        }
        for state in ("not-ready", "unreachable")
    ]
    return {
        "automountServiceAccountToken": True,
        "containers": [container("main", "1")],
        "initContainers": [container("side", "0", restartPolicy="Always")],
        "dnsPolicy": "ClusterFirst",
        "enableServiceLinks": True,
        "hostUsers": False,
        "preemptionPolicy": "PreemptLowerPriority",
        "priority": 1000,
        "priorityClassName": "train",
        "restartPolicy": "Never",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "serviceAccount": "default",
        "serviceAccountName": "default",
        "terminationGracePeriodSeconds": 30,
        "tolerations": [*missing, {"key": "nvidia.com/gpu", "operator": "Exists"}],
        "volumes": [
            {"name": "kube-api-access-a", "projected": {"defaultMode": 420, "sources": sources}},
            {"name": "data", "image": {"reference": "registry.example/d:1"}},
        ],
    }


def pod(name: str, on: str = "") -> Obj:
    status: Obj = {"phase": "Pending", "qosClass": "Burstable", "observedGeneration": 1}
    spec = pod_spec() | {"schedulingGroup": {"podGroupName": "llm"}}
    if on:
        spec["nodeName"] = on
        amounts = {"cpu": "100m", "memory": "1Gi", "nvidia.com/gpu": "1"}
        settled = {"allocatedResources": amounts, "resources": {"requests": amounts}}
        status |= {
            "phase": "Running",
            "startTime": TIME,
            "hostIPs": [{"ip": "10.0.0.1"}],
            "resourceClaimStatuses": [],
            "containerStatuses": [{"name": "main", "ready": True, "restartCount": 0, **settled}],
        }
    made = served("v1", "Pod", name, spec=spec, status=status)
    made["metadata"]["ownerReferences"] = [
        {"apiVersion": "batch/v1", "kind": "Job", "name": "llm", "uid": "u", "controller": True}
    ]
    return made


def group_objects(release: str) -> list[Obj]:
    old = release == "1.36"
    version = f"scheduling.k8s.io/{'v1alpha2' if old else 'v1beta1'}"
    shared: Obj = {
        "schedulingPolicy": {"gang": {"minCount": 4}},
        "schedulingConstraints": {"topology": [{"key": "rack"}]},
        "disruptionMode": "PodGroup" if old else {"all": {}},
        "priorityClassName": "train",
        "priority": 1000,
        **({} if old else {"preemptionPolicy": "PreemptLowerPriority"}),
    }
    made_from: Obj = {"workloadRef": {"workloadName": "llm", "templateName": "w"}}
    if old:
        named = {"workloadName": "llm", "podGroupTemplateName": "w"}
        made_from = {"podGroupTemplateRef": {"workload": named}}
    controller = {"apiGroup": "batch", "kind": "Job", "name": "llm"}
    workload = {"controllerRef": controller, "podGroupTemplates": [shared | {"name": "w"}]}
    scheduled = {"type": "PodGroupScheduled", "status": "True", "observedGeneration": 1}
    return [
        served(version, "Workload", "llm", spec=workload),
        served(
            version, "PodGroup", "llm", spec=shared | made_from, status={"conditions": [scheduled]}
        ),
        served("scheduling.k8s.io/v1", "PriorityClass", "train", value=1000, description="x"),
    ]


def job(release: str) -> Obj:
    spec: Obj = {
        "backoffLimit": 6,
        "completionMode": "Indexed",
        "completions": 4,
        "manualSelector": False,
        "parallelism": 4,
        "podReplacementPolicy": "TerminatingOrFailed",
        "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "x"}},
        "suspend": False,
        "template": {"metadata": {"creationTimestamp": None}, "spec": pod_spec()},
    }
    if release == "1.37":
        spec["scheduling"] = {"schedulingPolicy": {"gang": {}}, "disruptionMode": {"single": {}}}
    status = {"ready": 0, "terminating": 0, "uncountedTerminatedPods": {}}
    return served("batch/v1", "Job", "other", spec=spec, status=status)


def budget() -> Obj:
    spec: Obj = {
        "maxUnavailable": "25%",
        "selector": {"matchLabels": {"app": "llm"}},
        "unhealthyPodEvictionPolicy": "IfHealthyBudget",
    }
    allowed: Obj = {"type": "DisruptionAllowed", "status": "True", "observedGeneration": 1}
    status: Obj = {
        "conditions": [allowed],
        "currentHealthy": 2,
        "desiredHealthy": 1,
        "disruptedPods": {"llm-9": TIME},
        "disruptionsAllowed": 1,
        "expectedPods": 2,
        "observedGeneration": 1,
    }
    return served("policy/v1", "PodDisruptionBudget", "llm", spec=spec, status=status)


@pytest.mark.parametrize("release", ["1.36", "1.37"])
def test_what_a_server_writes_is_read_without_a_fault(release: str, tmp_path: Path) -> None:
    items = [node("n1"), node("n2"), *group_objects(release), job(release), budget()]
    items += [pod(f"llm-{n}", "n1" if n < 2 else "") for n in range(6)]
    listed = {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}}
    (tmp_path / "dump.json").write_text(json.dumps(listed | {"items": items}))
    built = read([str(tmp_path / "dump.json")], kubernetes=release)
    assert (held(built), built.names.notes) == ({}, ())
    assert built.names.units == ("ml/llm",)
    assert built.running.budget_allowed.tolist() == [1]
    assert built.names.groups == ("ml/llm", "ml/other")
    assert built.groups.minimum.tolist() == [4, 4]
    assert built.groups.running.tolist() == [2, 0]
    assert built.groups.priority.tolist() == [1000, 1000]
    gpu, cpu = (built.names.resources.index(name) for name in ("nvidia.com/gpu", "cpu"))
    assert built.nodes.free[:, gpu].tolist() == [6, 8]
    assert built.nodes.free[:, cpu].tolist() == [95690 - 2 * 200, 95690]
    assert built.roles.eligible.all()
