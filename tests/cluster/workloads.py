"""API objects of tests, as plain dictionaries; each function says what differs between versions.

``version`` is that of PodGroup on the server (``Served.group_version``): ``v1beta1`` and
``v1alpha3`` (Kubernetes 1.37), ``v1alpha2`` (1.36). Everything lies in the namespace ``default``
unless something else is asked for, and pods are ours unless ``scheduler`` says otherwise.
"""

from collections.abc import Mapping, Sequence
from typing import Any

Object = dict[str, Any]

OURS = "gangplan"
RACK, BLOCK, HOST = "example.com/rack", "example.com/block", "kubernetes.io/hostname"
GPU = "nvidia.com/gpu"
GROUPS = "scheduling.k8s.io"
OLD = "v1alpha2"


# -- nodes -----------------------------------------------------------------------------------------


def node(
    name: str,
    *,
    cpu: str = "8",
    memory: str = "32Gi",
    pods: int = 110,
    gpus: int = 0,
    rack: str = "",
    block: str = "",
    labels: Mapping[str, str] | None = None,
    taints: Sequence[Mapping[str, str]] = (),
    extended: Mapping[str, str] | None = None,
) -> Object:
    """Give a Ready node with labels of its rack and block, and GPUs as an extended resource."""
    room = {"cpu": cpu, "memory": memory, "pods": str(pods), **(extended or {})}
    if gpus:
        room[GPU] = str(gpus)
    marks = {HOST: name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
    marks |= {key: value for key, value in ((RACK, rack), (BLOCK, block)) if value}
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady"}
    found = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {**marks, **(labels or {})}},
        "status": {"capacity": room, "allocatable": dict(room), "conditions": [ready]},
    }
    if taints:
        found["spec"] = {"taints": [dict(taint) for taint in taints]}
    return found


def racks(count: int, size: int, *, per_block: int = 2, **options: Any) -> list[Object]:
    """Give nodes ``n0``, ``n1``, ...: ``count`` racks ``r0``.. of ``size`` nodes, in blocks."""
    return [
        node(f"n{r * size + i}", rack=f"r{r}", block=f"b{r // per_block}", **options)
        for r in range(count)
        for i in range(size)
    ]


def priority_class(name: str, value: int, *, preempts: bool = True) -> Object:
    """Give a PriorityClass; with ``preempts`` false its pods evict nobody."""
    policy = "PreemptLowerPriority" if preempts else "Never"
    return _object(
        f"{GROUPS}/v1", "PriorityClass", name, namespace="", value=value, preemptionPolicy=policy
    )


# -- pods ------------------------------------------------------------------------------------------


def pod(
    name: str,
    *,
    namespace: str = "default",
    group: str = "",
    cpu: str = "1",
    memory: str = "1Gi",
    gpus: int = 0,
    scheduler: str = OURS,
    priority_class: str = "",
    claims: Mapping[str, Mapping[str, str]] | None = None,
    node: str = "",
    labels: Mapping[str, str] | None = None,
    extended: Mapping[str, str] | None = None,
    **spec: Any,
) -> Object:
    """Give a pod of one container.

    Parameters
    ----------
    claims : name in the pod -> ``named(claim)`` or ``from_template(template)``.
    node : where it runs already: set at creation, no scheduler is asked.
    extended : further requests. spec : further fields of the pod's spec, as the API has them.
    """
    requests = {"cpu": cpu, "memory": memory, **(extended or {})}
    if gpus:
        requests[GPU] = str(gpus)
    hard = {key: value for key, value in requests.items() if "/" in key}
    resources: Object = {"requests": requests, **({"limits": hard} if hard else {})}
    full: Object = {"schedulerName": scheduler, "terminationGracePeriodSeconds": 0, **spec}
    if claims:
        resources["claims"] = [{"name": name} for name in claims]
        full["resourceClaims"] = [{"name": name, **ref} for name, ref in claims.items()]
    full["containers"] = [{"name": "main", "image": "example.invalid/c", "resources": resources}]
    if group:
        full["schedulingGroup"] = {"podGroupName": group}
    if priority_class:
        full["priorityClassName"] = priority_class
    if node:
        full["nodeName"] = node
    metadata = {"name": name, "namespace": namespace, "labels": dict(labels or {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": full}


def pods(group: str, count: int, *, start: int = 0, **options: Any) -> list[Object]:
    """Give pods ``<group>-<number>`` of a group; the options are those of ``pod``."""
    return [pod(f"{group}-{i}", group=group, **options) for i in range(start, start + count)]


def budget(name: str, labels: Mapping[str, str], available: int | str, **metadata: Any) -> Object:
    """Give a PodDisruptionBudget of pods with these labels: so many stay available."""
    spec = {"minAvailable": available, "selector": {"matchLabels": dict(labels)}}
    return _object("policy/v1", "PodDisruptionBudget", name, spec=spec, **metadata)


# -- groups ----------------------------------------------------------------------------------------


def pod_group(
    version: str,
    name: str,
    minimum: int | None,
    *,
    namespace: str = "default",
    topology: str = "",
    whole: bool = False,
    priority_class: str = "",
    claims: Mapping[str, Mapping[str, str]] | None = None,
    parent: str = "",
    workload: str = "",
    template: str = "",
) -> Object:
    """Give a PodGroup.

    Parameters
    ----------
    minimum : of a gang; None for the policy ``basic``.
    topology : label key within one value of which all its pods have to be.
    whole : it is disrupted as a whole (``{all: {}}``; 1.36: ``PodGroup``).
    claims : name -> ``named`` or ``from_template``: shared by the pods with the same entry.
    parent : a CompositePodGroup (1.37, v1alpha3 only); it needs a workload as well.
    workload, template : ``workloadRef`` (1.36: ``podGroupTemplateRef``).
    """
    spec = _group_spec(version, minimum, topology, whole, priority_class)
    if claims:
        spec["resourceClaims"] = [{"name": key, **ref} for key, ref in claims.items()]
    if parent:
        spec["parentCompositePodGroupName"] = parent
    if workload and version == OLD:
        of = {"workloadName": workload, "podGroupTemplateName": template or "workers"}
        spec["podGroupTemplateRef"] = {"workload": of}
    elif workload:
        spec["workloadRef"] = {"workloadName": workload, "templateName": template or "workers"}
    return _object(f"{GROUPS}/{version}", "PodGroup", name, namespace=namespace, spec=spec)


def gang(
    version: str,
    name: str,
    size: int,
    *,
    minimum: int | None = None,
    group: Mapping[str, Any] | None = None,
    priority_class: str = "",
    claims: Mapping[str, Mapping[str, str]] | None = None,
    **options: Any,
) -> list[Object]:
    """Give a PodGroup and its pods; ``minimum`` is all of them unless something else is said.

    ``group`` are options of ``pod_group``, ``options`` those of ``pod``; the claims are shared.
    """
    least = size if minimum is None else minimum
    shared: Object = {"priority_class": priority_class, "claims": claims}
    head = pod_group(version, name, least, **{**shared, **(group or {})})
    return [head, *pods(name, size, priority_class=priority_class, claims=claims, **options)]


def workload(version: str, name: str, template: Mapping[str, Any], **options: Any) -> Object:
    """Give a Workload with the template ``workers``: the spec of a group as ``pod_group`` gives it.

    1.36 admits no PodGroup whose Workload is missing.
    """
    kept = ("schedulingPolicy", "schedulingConstraints", "disruptionMode", "priorityClassName")
    inner = {key: template[key] for key in kept if key in template}
    spec = {"podGroupTemplates": [{"name": "workers", **inner}]}
    return _object(f"{GROUPS}/{version}", "Workload", name, spec=spec, **options)


def composite(
    name: str,
    minimum: int | None,
    *,
    workload: str,
    template: str = "root",
    parent: str = "",
    topology: str = "",
    whole: bool = False,
    priority_class: str = "",
) -> Object:
    """Give a CompositePodGroup (1.37): ``minimum`` of its groups, or ``basic`` for None."""
    spec = _group_spec("v1alpha3", None, topology, whole, priority_class)
    if minimum is not None:
        spec["schedulingPolicy"] = {"gang": {"minGroupCount": minimum}}
    spec["workloadRef"] = {"workloadName": workload, "templateName": template}
    if parent:
        spec["parentCompositePodGroupName"] = parent
    return _object(f"{GROUPS}/v1alpha3", "CompositePodGroup", name, spec=spec)


def tree(
    name: str, minimum: int, groups: Mapping[str, int], *, topology: str = "", inner: str = "",
    priority_class: str = "", **options: Any,
) -> list[Object]:  # fmt: skip
    """Give a CompositePodGroup, its Workload, and gangs ``<name>-<key>`` of so many pods (1.37).

    ``topology`` is the tree's, ``inner`` that of each group.
    """
    leaves = [
        {"name": key, **_group_spec("v1alpha3", size, inner, False, priority_class)}
        for key, size in groups.items()
    ]
    root = {"name": "root", **_group_spec("v1alpha3", None, topology, False, priority_class)}
    root["schedulingPolicy"] = {"gang": {"minGroupCount": minimum}}
    spec = {"compositePodGroupTemplates": [{**root, "podGroupTemplates": leaves}]}
    head = composite(name, minimum, workload=name, topology=topology, priority_class=priority_class)
    found = [_object(f"{GROUPS}/v1alpha3", "Workload", name, spec=spec), head]
    for key, size in groups.items():
        of: Object = {"parent": name, "workload": name, "template": key, "topology": inner}
        found += gang(
            "v1alpha3", f"{name}-{key}", size, group=of, priority_class=priority_class, **options
        )
    return found


def job(
    name: str,
    size: int,
    *,
    minimum: int | None = None,
    topology: str = "",
    indexed: bool = True,
    backoff: int = 6,
    **options: Any,
) -> Object:
    """Give a Job of ``size`` pods at once; the options are those of ``pod``.

    With a minimum or a topology it has ``spec.scheduling`` (1.37 only). Without: a gang on 1.36 by
    its shape alone, ``basic`` on 1.37.
    """
    template = pod(name, **options)
    inner = {**template["spec"], "restartPolicy": "Never"}
    spec: Object = {
        "parallelism": size,
        "completions": size,
        "backoffLimit": backoff,
        "template": {"metadata": {"labels": template["metadata"]["labels"]}, "spec": inner},
    }
    if indexed:
        spec["completionMode"] = "Indexed"
    if minimum is not None or topology:
        spec["scheduling"] = {"schedulingPolicy": {"gang": {"minCount": minimum or size}}}
        if topology:
            spec["scheduling"]["schedulingConstraints"] = {"topology": [{"key": topology}]}
    return _object("batch/v1", "Job", name, spec=spec)


def _group_spec(
    version: str, minimum: int | None, topology: str, whole: bool, priority_class: str
) -> Object:
    policy: Object = {"basic": {}} if minimum is None else {"gang": {"minCount": minimum}}
    spec: Object = {"schedulingPolicy": policy}
    if topology:
        spec["schedulingConstraints"] = {"topology": [{"key": topology}]}
    if whole:
        spec["disruptionMode"] = "PodGroup" if version == OLD else {"all": {}}
    if priority_class:
        spec["priorityClassName"] = priority_class
    return spec


def _object(
    api_version: str, kind: str, name: str, *, namespace: str = "default", **fields: Any
) -> Object:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}
