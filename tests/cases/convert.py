"""Turns a case into Kubernetes objects, as they would be in a file or a ``kubectl get`` dump."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from tests.cases.read import Case, CaseError, pods_of

Document = dict[str, Any]

SCHEDULING = "scheduling.k8s.io/v1beta1"
DRA = "resource.k8s.io/v1"
MODES = {"Single": "single", "All": "all"}

MOST_OF_A_GROUP = 1_000_000_000
"""Highest priority of a PodGroup; above it are the classes of the system."""


def documents(case: Case) -> list[Document]:
    """List the objects of a case, in the order in which it speaks of them."""
    if "manifests" in case.body:
        return [doc for doc in yaml.safe_load_all(case.body["manifests"]) if doc is not None]
    cluster = case.body.get("cluster", {})
    found = [_node(node) for node in cluster.get("nodes", ())]
    found += [
        _object(DRA, "DeviceClass", entry["name"], None, spec=entry["spec"])
        for entry in cluster.get("deviceClasses", ())
    ]
    found += [
        _object(DRA, "ResourceSlice", f"slice-{i}", None, spec=entry["spec"])
        for i, entry in enumerate(cluster.get("resourceSlices", ()))
    ]
    entries: dict[tuple[str, str], dict[str, Any]] = {}
    for entry in [*case.body.get("running", ()), *case.body.get("pending", ())]:
        merged = entries.setdefault((entry.get("namespace", "default"), entry["group"]), {})
        for key in ("priority", "minCount"):
            if merged.get(key, entry.get(key)) != entry.get(key):
                raise CaseError(f"{case.id}: {entry['group']}: two values of {key}")
        merged.update(entry)
    found += [
        _pod_group(namespace, entry)
        for (namespace, _), entry in entries.items()
        if not _of_the_system(entry)
    ]
    classes = [entry["name"] for entry in cluster.get("deviceClasses", ())]
    for entry in case.body.get("running", ()):
        found += _running(entry, classes)
    for entry in case.body.get("pending", ()):
        found += _pending(entry)
    return found


def _of_the_system(entry: Mapping[str, Any]) -> bool:
    """Tell whether only pods can have the priority: the API takes no PodGroup above it."""
    return int(entry["priority"]) > MOST_OF_A_GROUP


def levels(case: Case) -> tuple[str, ...]:
    """Node-label keys declared as a hierarchy, widest first."""
    return tuple(case.body.get("cluster", {}).get("topologyLevels", ()))


def topology_object(keys: tuple[str, ...]) -> Document:
    """Kueue's way to declare the same hierarchy."""
    spec = {"levels": [{"nodeLabel": key} for key in keys]}
    return _object("kueue.x-k8s.io/v1beta2", "Topology", "levels", None, spec=spec)


def _node(node: Mapping[str, Any]) -> Document:
    ready = "True" if node.get("ready", True) else "False"
    document = _object(
        "v1",
        "Node",
        node["name"],
        None,
        spec={
            key: node[key]
            for key in ("taints", "unschedulable")
            if node.get(key) not in (None, False)
        },
        status={
            "allocatable": {"pods": "110", **node["allocatable"]},
            "conditions": [{"type": "Ready", "status": ready}],
        },
    )
    document["metadata"]["labels"] = dict(node.get("labels", {}))
    return document


def _pod_group(namespace: str, entry: Mapping[str, Any]) -> Document:
    topology = entry.get("topology", ())
    required = [rule["key"] for rule in topology if rule["mode"] == "required"]
    preferred = [rule["key"] for rule in topology if rule["mode"] == "preferred"]
    spec: Document = {
        "schedulingPolicy": {"gang": {"minCount": entry["minCount"]}},
        "disruptionMode": {MODES[entry.get("disruptionMode", "Single")]: {}},
        "priority": entry["priority"],
    }
    # The API has room for one required key; more of them are annotations of ours.
    if required:
        spec["schedulingConstraints"] = {"topology": [{"key": required[0]}]}
    annotations = {
        "gangplan.io/required-topology": ",".join(required[1:]),
        "gangplan.io/preferred-topology": ",".join(preferred),
    }
    if "slices" in entry:
        keys = [rule["key"] for rule in entry["slices"]["topology"] if rule["mode"] == "required"]
        if len(keys) != len(entry["slices"]["topology"]):
            raise CaseError(f"{entry['group']}: slices with a preferred topology")
        annotations["gangplan.io/slice-size"] = str(entry["slices"]["size"])
        annotations["gangplan.io/slice-required-topology"] = ",".join(keys)
    if "groupClaims" in entry:
        spec["resourceClaims"] = [
            {"name": claim["name"], "resourceClaimName": claim["resourceClaimName"]}
            for claim in entry["groupClaims"]
        ]
    document = _object(SCHEDULING, "PodGroup", entry["group"], namespace, spec=spec)
    written = {key: text for key, text in annotations.items() if text}
    if written:
        document["metadata"]["annotations"] = written
    return document


def _running(entry: Mapping[str, Any], classes: Sequence[str]) -> Iterator[Document]:
    """Yield the pods; what a case leaves out of their claims is asked of its first class."""
    for pod in entry["pods"]:
        document = _pod("default", pod["name"], entry, pod)
        document["spec"]["nodeName"] = pod["node"]
        document["spec"]["priority"] = pod.get("priority", entry["priority"])
        document["status"] = {"phase": pod.get("phase", "Running")}
        if "deletionTimestamp" in pod:
            document["metadata"]["deletionTimestamp"] = str(pod["deletionTimestamp"])
        for allocation in pod.get("allocations", ()):
            claim = allocation["claim"]
            document["spec"].setdefault("resourceClaims", []).append(
                {"name": claim, "resourceClaimName": claim}
            )
            asked = [
                {"name": name, "exactly": {"deviceClassName": classes[0]}}
                for name in dict.fromkeys(row["request"] for row in allocation["results"])
            ]
            spec = {"devices": {"requests": asked}}
            held = _object(DRA, "ResourceClaim", claim, "default", spec=spec)
            document["metadata"]["uid"] = pod["name"]
            held["status"] = {
                "allocation": {"devices": {"results": allocation["results"]}},
                "reservedFor": [{"resource": "pods", "name": pod["name"], "uid": pod["name"]}],
            }
            yield held
        yield document


def _pending(entry: Mapping[str, Any]) -> Iterator[Document]:
    namespace = entry.get("namespace", "default")
    for claim in entry.get("groupClaims", ()):
        yield _object(
            DRA, "ResourceClaim", claim["resourceClaimName"], namespace, spec=claim["spec"]
        )
    for name, pod in pods_of(entry):
        document = _pod(namespace, name, entry, pod)
        document["status"] = {"phase": "Pending"}
        references = []
        for claim in pod.get("claims", ()):
            template = f"{name}-{claim['name']}"
            references.append({"name": claim["name"], "resourceClaimTemplateName": template})
            yield _object(
                DRA, "ResourceClaimTemplate", template, namespace, spec={"spec": claim["spec"]}
            )
        for used in pod.get("usesGroupClaims", ()):
            claim = next(c for c in entry["groupClaims"] if c["name"] == used)
            references.append({"name": used, "resourceClaimName": claim["resourceClaimName"]})
        if references:
            document["spec"]["resourceClaims"] = references
        yield document


def _pod(namespace: str, name: str, entry: Mapping[str, Any], pod: Mapping[str, Any]) -> Document:
    requests = dict(pod.get("requests", {}))
    resources: Document = {"requests": requests} if requests else {}
    extended = {key: value for key, value in requests.items() if "/" in key}
    if extended:
        resources["limits"] = extended
    kept = ("nodeSelector", "tolerations", "affinity", "topologySpreadConstraints")
    group = {"schedulingGroup": {"podGroupName": entry["group"]}}
    spec: Document = {
        **({} if _of_the_system(entry) else group),
        "priority": entry["priority"],
        "containers": [{"name": "c", "image": "example.invalid/c", "resources": resources}],
        **{key: pod[key] for key in kept if key in pod},
    }
    document = _object("v1", "Pod", name, namespace, spec=spec)
    if pod.get("labels"):
        document["metadata"]["labels"] = dict(pod["labels"])
    return document


def _object(
    version: str, kind: str, name: str, namespace: str | None, **sections: Document
) -> Document:
    metadata: Document = {"name": name}
    if namespace is not None:
        metadata["namespace"] = namespace
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **sections}
