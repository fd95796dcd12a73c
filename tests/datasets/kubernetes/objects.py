"""Kubernetes objects as plain dicts, and the short way from them to an instance."""

from typing import Any

from gangplan.datasets.kubernetes.assemble.build import build
from gangplan.datasets.kubernetes.read import snapshot_of
from gangplan.datasets.kubernetes.text.documents import Document
from gangplan.datasets.kubernetes.text.fields import Faults
from gangplan.models.errors import InputError
from gangplan.models.instance import Instance

Obj = dict[str, Any]
GPU = "nvidia.com/gpu"


def instance(*objects: Obj, ignore_unsupported: bool = False, **options: Any) -> Instance:
    """Read objects as if each came from a file of its own."""
    faults = Faults()
    documents = [Document(f"{n}.yaml", obj) for n, obj in enumerate(objects)]
    snapshot = snapshot_of(documents, faults, **options)
    faults.check()
    return build(snapshot, ignore_unsupported=ignore_unsupported)


def faults(*objects: Obj, **options: Any) -> list[str]:
    """Give the faults that reading the objects raises."""
    try:
        instance(*objects, **options)
    except InputError as error:
        return [str(fault) for fault in error.faults]
    return []


def held(built: Instance) -> dict[str, str]:
    """Reasons of the held groups."""
    for index, reason in enumerate(built.names.held):
        assert bool(reason) == bool(built.groups.held[index])
    return {
        name: why for name, why in zip(built.names.groups, built.names.held, strict=True) if why
    }


def group_number(built: Instance, name: str) -> int:
    return built.names.groups.index(name)


def eligible_nodes(built: Instance, role: int = 0) -> list[str]:
    """Names of the nodes that a role may use, whatever their room."""
    allowed = built.roles.eligible[role][built.nodes.node_class]
    return [name for name, fine in zip(built.names.nodes, allowed, strict=True) if fine]


def obj(api_version: str, kind: str, name: str, spec: Obj | None = None, **metadata: Any) -> Obj:
    made: Obj = {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": "lab", **metadata},
    }
    if spec is not None:
        made["spec"] = spec
    return made


def node(name: str, gpus: int = 8, ready: bool = True, **fields: Any) -> Obj:
    """A node; ``labels``, ``spec`` and ``allocatable`` are taken as they are."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": fields.get("labels", {})},
        "spec": fields.get("spec", {}),
        "status": {
            "allocatable": {"cpu": "64", GPU: str(gpus), "pods": "110"}
            | fields.get("allocatable", {}),
            "conditions": [{"type": "Ready", "status": "True" if ready else "False"}],
        },
    }


def pod_spec(gpus: int = 1, group: str = "", on: str = "", **spec: Any) -> Obj:
    made: Obj = {"containers": [{"name": "c", "resources": {"requests": {GPU: str(gpus)}}}]}
    if group:
        made["schedulingGroup"] = {"podGroupName": group}
    if on:
        made["nodeName"] = on
    return made | spec


def pod(
    name: str, group: str = "", on: str = "", *, gpus: int = 1, phase: str = "", **fields: Any
) -> Obj:
    """A pod; ``spec`` is merged in, other fields are metadata."""
    spec = pod_spec(gpus, group, on, **fields.pop("spec", {}))
    made = obj("v1", "Pod", name, spec, **fields)
    if phase or on:
        made["status"] = {"phase": phase or "Running"}
    return made


def pods(group: str, count: int, start: int = 0, **fields: Any) -> list[Obj]:
    return [pod(f"{group}-{n}", group, **fields) for n in range(start, start + count)]


def gang(name: str, minimum: int, version: str = "v1beta1", **fields: Any) -> Obj:
    """A gang; ``spec`` is merged in, other fields are metadata."""
    spec = {"schedulingPolicy": {"gang": {"minCount": minimum}}} | fields.pop("spec", {})
    return obj(f"scheduling.k8s.io/{version}", "PodGroup", name, spec, **fields)


def basic(name: str, **fields: Any) -> Obj:
    spec = {"schedulingPolicy": {"basic": {}}} | fields.pop("spec", {})
    return obj("scheduling.k8s.io/v1beta1", "PodGroup", name, spec, **fields)


def child(name: str, parent: str, minimum: int = 1, workload: str = "w", **spec: Any) -> Obj:
    """A gang below a composite."""
    return gang(
        name,
        minimum,
        "v1alpha3",
        spec={
            "parentCompositePodGroupName": parent,
            "workloadRef": {"workloadName": workload, "templateName": "t"},
            **spec,
        },
    )


def composite(
    name: str, minimum: int = 1, parent: str = "", workload: str = "w", **spec: Any
) -> Obj:
    made = {
        "schedulingPolicy": {"gang": {"minGroupCount": minimum}},
        "workloadRef": {"workloadName": workload, "templateName": "t"},
        **spec,
    }
    if parent:
        made["parentCompositePodGroupName"] = parent
    return obj("scheduling.k8s.io/v1alpha3", "CompositePodGroup", name, made)


def job(name: str, parallelism: int, completions: int | None = None, **spec: Any) -> Obj:
    made = {"parallelism": parallelism, "template": {"spec": pod_spec()}, **spec}
    if completions is not None:
        made["completions"] = completions
    return obj("batch/v1", "Job", name, made)
