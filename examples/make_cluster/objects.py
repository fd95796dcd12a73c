"""Kubernetes objects as the API server would return them, with what a planner does not read."""

import random
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

SEED = 20261101
NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
BLOCK = "topology.example.com/block"
RACK = "topology.example.com/rack"
GPU = "nvidia.com/gpu"
CLASSES = {"serving": 10000, "training": 1000, "research": 100}
CRITICAL = ("system-node-critical", 2000001000)

Object = dict[str, Any]


class Cluster:
    """Collects the objects in the order kubectl prints them."""

    def __init__(self) -> None:
        self.random = random.Random(SEED)
        self.items: dict[str, list[Object]] = {
            kind: [] for kind in ("Node", "Pod", "PodGroup", "CompositePodGroup", "PriorityClass")
        }

    def add(
        self, version: str, kind: str, name: str, namespace: str, minutes: float, **rest: Any
    ) -> Object:
        """Append an object that is ``minutes`` old."""
        metadata: Object = {
            "creationTimestamp": _time(minutes),
            "name": name,
            **({"namespace": namespace} if namespace else {}),
            "resourceVersion": str(self.random.randrange(10**6, 10**7)),
            "uid": str(uuid.UUID(int=self.random.getrandbits(128), version=4)),
        }
        metadata.update(rest.pop("metadata", {}))
        item = {"apiVersion": version, "kind": kind, "metadata": metadata, **rest}
        self.items[kind].append(item)
        return item

    def node(
        self,
        name: str,
        labels: dict[str, str],
        gpus: int,
        *,
        ready: bool = True,
        cordoned: bool = False,
    ) -> None:
        """Append a node."""
        size = _size(gpus)
        self.add(
            "v1",
            "Node",
            name,
            "",
            60 * 24 * 90,
            metadata={"labels": {**_labels(name), **labels}},
            spec={
                "podCIDR": f"10.{self.random.randrange(256)}.{self.random.randrange(256)}.0/24",
                **_given("taints", _taints(gpus, ready, cordoned)),
                **_given("unschedulable", cordoned),
            },
            status={
                "addresses": [{"address": name, "type": "Hostname"}],
                "allocatable": {**size, "cpu": "127" if gpus else "63"},
                "capacity": size,
                "conditions": _health(ready),
                "nodeInfo": {"kubeletVersion": "v1.37.0", "operatingSystem": "linux"},
            },
        )

    def pod(
        self,
        name: str,
        namespace: str,
        request: dict[str, str],
        *,
        node: str = "",
        group: str = "",
        owner: tuple[str, str] = ("Job", ""),
        klass: str = "research",
        minutes: float = 30,
        labels: dict[str, str] | None = None,
        annotations: dict[str, str] | None = None,
        leaving: bool = False,
        **spec: Any,
    ) -> None:
        """Append a pod, bound where ``node`` is given."""
        kind, owner_name = owner
        daemon = kind == "DaemonSet"
        klass, priority = CRITICAL if daemon else (klass, CLASSES[klass])
        leaves = {"deletionGracePeriodSeconds": 30, "deletionTimestamp": _time(-0.5)}
        image = f"registry.example.com/{namespace}/{owner_name or group or 'main'}:1"
        self.add(
            "v1",
            "Pod",
            name,
            namespace,
            minutes,
            metadata={
                **_given("annotations", annotations),
                **_given("labels", labels),
                **(leaves if leaving else {}),
                "ownerReferences": [
                    {
                        "apiVersion": "apps/v1" if daemon or kind == "ReplicaSet" else "batch/v1",
                        "controller": True,
                        "kind": kind,
                        "name": owner_name or group or name.rpartition("-")[0],
                        "uid": str(uuid.UUID(int=self.random.getrandbits(128), version=4)),
                    }
                ],
            },
            spec={
                "containers": [_container(image, request, spec.pop("ports", None))],
                **_given("nodeName", node),
                "priority": priority,
                "priorityClassName": klass,
                "restartPolicy": "Always" if daemon else "Never",
                "schedulerName": "default-scheduler",
                **_given("schedulingGroup", {"podGroupName": group} if group else None),
                **_given("tolerations", _tolerations(daemon, GPU in request)),
                **spec,
            },
            status=_phase(bool(node)),
        )

    def group(
        self,
        name: str,
        namespace: str,
        *,
        minimum: int = 0,
        klass: str = "training",
        level: str = "",
        parent: str = "",
        minutes: float = 30,
        annotations: dict[str, str] | None = None,
        standing: bool = False,
    ) -> None:
        """Append a PodGroup: a gang, or a basic one where ``minimum`` is 0."""
        said = {"type": "PodGroupInitiallyScheduled", "status": "True" if standing else "False"}
        of = {"templateName": name, "workloadName": parent}
        self.add(
            "scheduling.k8s.io/v1beta1",
            "PodGroup",
            name,
            namespace,
            minutes,
            metadata=_given("annotations", annotations),
            spec={
                "disruptionMode": {"single": {}} if not minimum else {"all": {}},
                **_given("parentCompositePodGroupName", parent),
                "priority": CLASSES[klass],
                "priorityClassName": klass,
                **_given(
                    "schedulingConstraints", {"topology": [{"key": level}]} if level else None
                ),
                "schedulingPolicy": {"gang": {"minCount": minimum}} if minimum else {"basic": {}},
                **_given("workloadRef", of if parent else None),
            },
            status={"conditions": [said]},
        )

    def waiting(
        self, group: str, namespace: str, count: int, gpus: int, *, role: str = "", **rest: Any
    ) -> None:
        """Append ``count`` waiting pods of a group."""
        stem = f"{group}-{role}" if role else group
        if role:
            rest["labels"] = {"gangplan.io/role": role}
        for i in range(count):
            self.pod(f"{stem}-{i}", namespace, ask(gpus), group=group, **rest)

    def running(self, group: str, namespace: str, gpus: int, nodes: list[str], **rest: Any) -> None:
        """Append one bound pod of a group for each of ``nodes``."""
        for i, node in enumerate(nodes):
            self.pod(
                f"{group}-{i}", namespace, ask(gpus), node=node, group=group, minutes=600, **rest
            )


def ask(gpus: int) -> dict[str, str]:
    """Return the request of a pod."""
    if not gpus:
        return {"cpu": "4", "memory": "16Gi"}
    return {"cpu": str(6 * gpus), "memory": f"{96 * gpus}Gi", GPU: str(gpus)}


def _given(key: str, value: Any) -> Object:
    """Return the field where there is something in it: the API server leaves others out."""
    return {key: value} if value else {}


def _time(minutes: float) -> str:
    return (NOW - timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _labels(name: str) -> dict[str, str]:
    return {
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
    }


def _size(gpus: int) -> dict[str, str]:
    return {
        "cpu": "128" if gpus else "64",
        "ephemeral-storage": "1842917056Ki",
        "hugepages-2Mi": "0",
        "memory": "2113387520Ki" if gpus else "263974912Ki",
        **({GPU: str(gpus)} if gpus else {}),
        "pods": "110",
    }


def _taints(gpus: int, ready: bool, cordoned: bool) -> list[Object]:
    taints = [{"effect": "NoSchedule", "key": GPU, "value": "present"}] if gpus else []
    if cordoned:
        taints.append({"effect": "NoSchedule", "key": "node.kubernetes.io/unschedulable"})
    if not ready:
        taints.append({"effect": "NoExecute", "key": "node.kubernetes.io/unreachable"})
    return taints


def _health(ready: bool) -> list[Object]:
    return [
        {"reason": "KubeletHasSufficientMemory", "status": "False", "type": "MemoryPressure"},
        {
            "reason": "KubeletReady" if ready else "NodeStatusUnknown",
            "status": "True" if ready else "Unknown",
            "type": "Ready",
        },
    ]


def _container(image: str, request: dict[str, str], ports: list[Object] | None) -> Object:
    limits = {GPU: request[GPU]} if GPU in request else None
    return {
        "image": image,
        "name": "main",
        "resources": {**_given("limits", limits), "requests": request},
        **_given("ports", ports),
    }


def _tolerations(daemon: bool, gpus: bool) -> list[Object]:
    if daemon:
        return [{"operator": "Exists"}]
    return [{"effect": "NoSchedule", "key": GPU, "operator": "Exists"}] if gpus else []


def _phase(bound: bool) -> Object:
    scheduled = {"status": "True" if bound else "False", "type": "PodScheduled"}
    if not bound:
        scheduled["reason"] = "Unschedulable"
    return {"conditions": [scheduled], "phase": "Running" if bound else "Pending"}
