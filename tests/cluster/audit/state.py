"""The objects that an audit reads, all at one resource version."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gangplan.cluster.client import Client
from gangplan.cluster.discovery import Served
from gangplan.cluster.errors import Gone, NotFound
from gangplan.cluster.kinds import CONFIG_MAP

Object = dict[str, Any]

NAMESPACE = "gangplan-system"
_READ = ("Pod", "PodGroup", "CompositePodGroup", "ResourceClaim", "ResourceSlice")


@dataclass(slots=True)
class State:
    """A cluster at one moment; names of namespaced objects are ``namespace/name``."""

    scheduler: str
    nodes: dict[str, Object] = field(default_factory=dict)
    pods: dict[str, Object] = field(default_factory=dict)
    groups: dict[str, Object] = field(default_factory=dict)
    composites: dict[str, Object] = field(default_factory=dict)
    claims: dict[str, Object] = field(default_factory=dict)
    slices: dict[str, Object] = field(default_factory=dict)
    journals: list[str] = field(default_factory=list)

    def ours(self, pod: Mapping[str, Any]) -> bool:
        """Whether a pod asks for our scheduler."""
        return bool(pod["spec"].get("schedulerName") == self.scheduler)

    def members(self) -> dict[str, list[Object]]:
        """Give the pods of each group, by its name."""
        found: dict[str, list[Object]] = {}
        for pod in self.pods.values():
            if group := group_of(pod):
                found.setdefault(group, []).append(pod)
        return found


def state_of(client: Client, served: Served, scheduler: str = "gangplan") -> State:
    """Read a cluster; begun again where the server forgets the moment meanwhile."""
    while True:
        try:
            return _read(client, served, scheduler)
        except Gone:
            continue


def _read(client: Client, served: Served, scheduler: str) -> State:
    nodes = client.get(served["Node"].path())
    same = {
        "resourceVersion": nodes["metadata"]["resourceVersion"],
        "resourceVersionMatch": "Exact",
    }
    lists = {
        name: _named(client.get(served[name].path(), same)["items"])
        for name in _READ
        if name in served
    }
    try:
        maps = client.get(CONFIG_MAP.path(NAMESPACE), same)["items"]
    except NotFound:
        maps = []
    journals = sorted(str(entry["metadata"]["name"]) for entry in maps)
    return State(
        scheduler,
        _named(nodes["items"]),
        lists.get("Pod", {}),
        lists.get("PodGroup", {}),
        lists.get("CompositePodGroup", {}),
        lists.get("ResourceClaim", {}),
        lists.get("ResourceSlice", {}),
        [name for name in journals if name.startswith("gangplan-flight-")],
    )


def _named(items: Iterable[Object]) -> dict[str, Object]:
    return {full_name(obj): obj for obj in items}


def full_name(obj: Mapping[str, Any]) -> str:
    """``namespace/name``, or ``name``."""
    metadata = obj["metadata"]
    return "/".join(filter(None, (metadata.get("namespace"), metadata["name"])))


def group_of(pod: Mapping[str, Any]) -> str:
    """Full name of a pod's group; empty without one."""
    name = pod["spec"].get("schedulingGroup", {}).get("podGroupName")
    return f"{pod['metadata']['namespace']}/{name}" if name else ""


def node_of(pod: Mapping[str, Any]) -> str:
    """Node that a pod is bound to; empty before that."""
    return str(pod["spec"].get("nodeName", ""))


def done(pod: Mapping[str, Any]) -> bool:
    """Whether a pod has ended: it uses nothing any more."""
    return pod.get("status", {}).get("phase") in ("Succeeded", "Failed")


def leaving(pod: Mapping[str, Any]) -> bool:
    """Whether a pod is being deleted."""
    return "deletionTimestamp" in pod["metadata"]


def counts(pod: Mapping[str, Any]) -> bool:
    """Whether a pod counts for its gang's minimum: bound, not failed, not being deleted."""
    failed = pod.get("status", {}).get("phase") == "Failed"
    return bool(node_of(pod)) and not failed and not leaving(pod)
