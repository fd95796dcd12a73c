"""Writes a cluster as ``kubectl get nodes,pods,podgroups -A -o json`` would: one big List.

Objects have everything that real ones carry and a planner does not read (managedFields, status
conditions, images, the service account token's volume), 3 to 5 KB each, so that reading times mean
something. Run as ``python -m gangplan.experiments.dump FILE [NODES [PODS [SEED]]]``.
"""

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gangplan.files import whole_text

TIME = "2026-05-0{}T0{}:1{}:2{}Z"
GANG = 8
NODES_A_RACK = 16

TOLERATIONS = [
    {"effect": "NoSchedule", "key": "nvidia.com/gpu", "operator": "Exists"},
    {
        "effect": "NoExecute",
        "key": "node.kubernetes.io/not-ready",
        "operator": "Exists",
        "tolerationSeconds": 300,
    },
    {
        "effect": "NoExecute",
        "key": "node.kubernetes.io/unreachable",
        "operator": "Exists",
        "tolerationSeconds": 300,
    },
]

TOKEN = {
    "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
    "name": "kube-api-access",
}
"""Where a container sees the service account's token."""


def write_dump(path: Path | str, nodes: int, pods: int, seed: int = 1) -> None:
    """Write ``nodes`` nodes, ``pods`` pods (about half of them bound) and their PodGroups."""
    rng = random.Random(seed)
    with whole_text(path) as file:
        file.write('{\n    "apiVersion": "v1",\n    "items": [\n')
        for index, obj in enumerate(_objects(nodes, pods, rng)):
            text = json.dumps(obj, indent=4, sort_keys=True)
            file.write((",\n" if index else "") + text)
        file.write('\n    ],\n    "kind": "List",\n    "metadata": {"resourceVersion": ""}\n}\n')


def _objects(nodes: int, pods: int, rng: random.Random) -> Iterator[dict[str, Any]]:
    for index in range(nodes):
        yield _node(index, rng)
    free = [(15_500, 4)] * nodes  # millicores and GPUs that bound gangs leave
    for first in range(0, pods, GANG):
        group = f"train-{first // GANG}"
        cpu, gpus = rng.choice([(1000, 0), (2000, 0), (2000, 1), (4000, 1), (6000, 2)])
        bound = first < pods // 2
        yield _group(group, min(GANG, pods - first))
        for index in range(first, min(first + GANG, pods)):
            node = _take(free, index, cpu, gpus) if bound else None
            yield _pod(index, group, node, cpu, gpus, rng)


def _take(free: list[tuple[int, int]], start: int, cpu: int, gpus: int) -> int | None:
    for step in range(min(64, len(free))):
        node = (start * 7 + step) % len(free)
        if free[node][0] >= cpu and free[node][1] >= gpus:
            free[node] = (free[node][0] - cpu, free[node][1] - gpus)
            return node
    return None


def _time(rng: random.Random) -> str:
    return TIME.format(*(rng.randint(1, 9) for _ in range(4)))


def _managed(manager: str, fields: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
        "manager": manager,
        "operation": "Update",
        "time": _time(rng),
    }


def _uid(rng: random.Random) -> str:
    return (
        f"{rng.getrandbits(32):08x}-{rng.getrandbits(16):04x}-4a1b-9c3d-{rng.getrandbits(48):012x}"
    )


def _node(index: int, rng: random.Random) -> dict[str, Any]:
    conditions = [
        {
            "lastHeartbeatTime": _time(rng),
            "lastTransitionTime": _time(rng),
            "message": f"kubelet has sufficient {name}",
            "reason": f"KubeletHas{name}",
            "status": "True" if name == "Ready" else "False",
            "type": name,
        }
        for name in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
    ]
    room = {
        "cpu": "15500m",
        "ephemeral-storage": "94430172Ki",
        "hugepages-2Mi": "0",
        "memory": "64258972Ki",
        "nvidia.com/gpu": "4",
        "pods": "110",
    }
    owned: dict[str, Any] = {
        f"f:{name}": {} for name in (*room, "conditions", "images", "nodeInfo", "addresses")
    }
    taints = [{"effect": "NoSchedule", "key": "nvidia.com/gpu", "value": "present"}]
    rack = index // NODES_A_RACK
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "annotations": {"volumes.kubernetes.io/controller-managed-attach-detach": "true"},
            "creationTimestamp": _time(rng),
            "labels": {
                "kubernetes.io/arch": "amd64",
                "kubernetes.io/hostname": f"node-{index}",
                "kubernetes.io/os": "linux",
                "topology.kubernetes.io/zone": f"zone-{rack // 32}",
                "example.com/block": f"block-{rack // 8}",
                "example.com/rack": f"rack-{rack}",
            },
            "managedFields": [
                _managed(
                    "kubelet", {"f:status": {"f:allocatable": owned, "f:capacity": owned}}, rng
                )
            ],
            "name": f"node-{index}",
            "resourceVersion": str(rng.getrandbits(30)),
            "uid": _uid(rng),
        },
        "spec": {"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24"], "taints": taints},
        "status": {
            "addresses": [{"address": f"10.1.{index % 251}.7", "type": "InternalIP"}],
            "allocatable": room,
            "capacity": {**room, "cpu": "16"},
            "conditions": conditions,
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "images": [
                {"names": [f"registry.example/image-{i}:v1"], "sizeBytes": 10**8 + i}
                for i in range(8)
            ],
            "nodeInfo": {"architecture": "amd64", "kubeletVersion": "v1.37.0", "bootID": _uid(rng)},
        },
    }


def _group(name: str, size: int) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.k8s.io/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {
            "disruptionMode": {"single": {}},
            "priority": 0,
            "schedulingConstraints": {"topology": [{"key": "example.com/block"}]},
            "schedulingPolicy": {"gang": {"minCount": size}},
        },
    }


def _pod(
    index: int, group: str, node: int | None, cpu: int, gpus: int, rng: random.Random
) -> dict[str, Any]:
    requests = {"cpu": f"{cpu}m", "memory": f"{cpu * 2}Mi"}
    limits = {"memory": f"{cpu * 2}Mi"}
    if gpus:
        requests["nvidia.com/gpu"] = limits["nvidia.com/gpu"] = str(gpus)
    resources = {"limits": limits, "requests": requests}
    # The order of the draws: status, then metadata.
    status = _pod_status(index, node, resources, rng)
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _pod_metadata(index, group, rng),
        "spec": _pod_spec(index, group, node, resources),
        "status": status,
    }


def _pod_status(
    index: int, node: int | None, resources: dict[str, Any], rng: random.Random
) -> dict[str, Any]:
    status: dict[str, Any] = {"phase": "Pending", "qosClass": "Burstable"}
    if node is not None:
        status |= {
            "conditions": [
                {
                    "lastProbeTime": None,
                    "lastTransitionTime": _time(rng),
                    "status": "True",
                    "type": t,
                }
                for t in ("PodScheduled", "Initialized", "ContainersReady", "Ready")
            ],
            "containerStatuses": [
                {
                    "allocatedResources": resources["requests"],
                    "containerID": f"containerd://{rng.getrandbits(256):064x}",
                    "image": "registry.example/train:1",
                    "name": "main",
                    "ready": True,
                    "resources": resources,
                    "restartCount": 0,
                    "started": True,
                    "state": {"running": {"startedAt": _time(rng)}},
                }
            ],
            "hostIP": "10.1.0.7",
            "phase": "Running",
            "podIP": f"10.2.{index % 251}.{index % 241}",
            "startTime": _time(rng),
        }
    return status


def _pod_metadata(index: int, group: str, rng: random.Random) -> dict[str, Any]:
    names = ("metadata", "spec", "containers", "image", "name", "resources", "env", "volumeMounts")
    owned: dict[str, Any] = {f"f:{name}": {"f:limits": {}, "f:requests": {}} for name in names}
    return {
        "annotations": {"example.com/checksum": _uid(rng)},
        "creationTimestamp": _time(rng),
        "generateName": f"{group}-",
        "labels": {
            "batch.kubernetes.io/controller-uid": _uid(rng),
            "batch.kubernetes.io/job-name": group,
            "job-name": group,
        },
        "managedFields": [
            _managed("kube-controller-manager", {"f:metadata": owned, "f:spec": owned}, rng),
            _managed("kubelet", {"f:status": owned}, rng),
        ],
        "name": f"{group}-{index}",
        "namespace": "ml",
        "ownerReferences": [
            {
                "apiVersion": "batch/v1",
                "blockOwnerDeletion": True,
                "controller": True,
                "kind": "Job",
                "name": group,
                "uid": _uid(rng),
            }
        ],
        "resourceVersion": str(rng.getrandbits(30)),
        "uid": _uid(rng),
    }


def _pod_spec(
    index: int, group: str, node: int | None, resources: dict[str, Any]
) -> dict[str, Any]:
    return {
        "containers": [
            {
                "env": [{"name": "RANK", "value": str(index % GANG)}],
                "image": "registry.example/train:1",
                "imagePullPolicy": "IfNotPresent",
                "name": "main",
                "resources": resources,
                "terminationMessagePath": "/dev/termination-log",
                "terminationMessagePolicy": "File",
                "volumeMounts": [TOKEN],
            }
        ],
        "dnsPolicy": "ClusterFirst",
        "enableServiceLinks": True,
        **({"nodeName": f"node-{node}"} if node is not None else {}),
        "preemptionPolicy": "PreemptLowerPriority",
        "priority": 0,
        "restartPolicy": "Never",
        "schedulerName": "default-scheduler",
        "schedulingGroup": {"podGroupName": group},
        "securityContext": {},
        "serviceAccount": "default",
        "serviceAccountName": "default",
        "terminationGracePeriodSeconds": 30,
        "tolerations": TOLERATIONS,
        "volumes": [
            {
                "name": "kube-api-access",
                "projected": {
                    "defaultMode": 420,
                    "sources": [
                        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                        {"configMap": {"name": "kube-root-ca.crt"}},
                    ],
                },
            }
        ],
    }


if __name__ == "__main__":
    write_dump(sys.argv[1], *(int(text) for text in sys.argv[2:]))
