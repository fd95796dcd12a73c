"""What the server says about the pods of a flight, asked directly: no cache is believed here."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gangplan.cluster.carry.patience import each
from gangplan.cluster.client import Object
from gangplan.cluster.errors import NotFound
from gangplan.cluster.flight import Flight
from gangplan.cluster.kinds import NODE, POD
from gangplan.cluster.site import Site
from gangplan.cluster.uses import group_name
from gangplan.cluster.world import name_of, uid_of
from gangplan.datasets.kubernetes.objects.pods import FINISHED

_SINGLE = 32
"""Up to so many pods of a namespace are read one by one."""
_CHUNK = 500

_REASONS = frozenset(
    {
        *("NodeAffinity", "NodeName", "NodePorts", "NodeUnschedulable", "TaintToleration"),
        *("UnexpectedAdmissionError", "TopologyAffinityError", "PodOSNotSupported"),
        *("PodOSSelectorNodeLabelDoesNotMatch", "PodFeatureUnsupported", "NodeShutdown"),
        *("AppArmor", "SysctlForbidden", "VolumeAttachmentLimitExceeded", "AdmissionFailed"),
    }
)
"""Reasons of a kubelet's rejection beside ``OutOf...`` (pkg/kubelet/lifecycle)."""


def pod_of(site: Site, full_name: str) -> Object | None:
    """Read a pod; None where there is none of that name."""
    try:
        return site.client.get(POD.path_of(full_name))
    except NotFound:
        return None


def pods_of(site: Site, full_names: Iterable[str]) -> dict[str, Object]:
    """Read pods, those that are there, by their full names."""
    spaces: dict[str, list[str]] = {}
    for name in dict.fromkeys(full_names):
        spaces.setdefault(name.rpartition("/")[0], []).append(name)
    single = [name for names in spaces.values() if len(names) <= _SINGLE for name in names]
    found = {
        name_of(pod): pod
        for pod in each(site, single, lambda name: pod_of(site, name))
        if pod is not None
    }
    wanted = {name for names in spaces.values() if len(names) > _SINGLE for name in names}
    for space in sorted({name.rpartition("/")[0] for name in wanted}):
        found |= listed(site, space, lambda pod: name_of(pod) in wanted)
    return found


def listed(site: Site, namespace: str, keep: Callable[[Object], bool]) -> dict[str, Object]:
    """List the pods of a namespace, and keep some."""
    found: dict[str, Object] = {}
    params: dict[str, object] = {"limit": _CHUNK}
    while True:
        answer = site.client.get(POD.path(namespace), params)
        found |= {name_of(pod): pod for pod in answer["items"] if keep(pod)}
        token = answer["metadata"].get("continue")
        if not token:
            return found
        params["continue"] = token


def flight_pods(site: Site, flight: Flight) -> dict[str, Object]:
    """List the pods that a flight places, and all others of its groups."""
    mine = {placing.pod for placing in flight.placings}
    groups = {member.group for member in flight.members if member.kind == "PodGroup"}
    found: dict[str, Object] = {}
    for namespace in sorted({name.rpartition("/")[0] for name in mine}):
        found |= listed(
            site, namespace, lambda pod: name_of(pod) in mine or group_name(pod) in groups
        )
    return found


def to_bind(site: Site, flight: Flight) -> dict[str, Object]:
    """Give the pods that a flight places, as watches know them; those that they lack are read.

    What is out of date in them is found out by a Binding, which names the resource version.
    """
    known = site.glance()
    names = [placing.pod for placing in flight.placings]
    if known is None:
        return pods_of(site, names)
    found = {name: pod for name in names if (pod := known.find(POD.name, name)) is not None}
    return {**found, **pods_of(site, (name for name in names if name not in found))}


def standing_nodes(site: Site, flight: Flight) -> set[str]:
    """Nodes of the flight that are still the ones that were planned with.

    Where watches tell us, nobody is asked: an answer would be as old by the time that it is used.
    """
    uids = {placing.node: placing.node_uid for placing in flight.placings}
    known = site.glance()

    def stands(name: str) -> bool:
        node: Object | None
        try:
            node = known.find(NODE.name, name) if known else site.client.get(NODE.path_of(name))
        except NotFound:
            return False
        return node is not None and uid_of(node) == uids[name] and not leaving(node)

    names = sorted(uids)
    if known is not None:
        return set(filter(stands, names))
    return {name for name, there in zip(names, each(site, names, stands), strict=True) if there}


def node_of(pod: Mapping[str, Any]) -> str:
    """Where a pod is bound; empty while it is not."""
    return str(pod["spec"].get("nodeName") or "")


def leaving(obj: Mapping[str, Any]) -> bool:
    """Whether an object is being deleted."""
    return bool(obj["metadata"].get("deletionTimestamp"))


def finished(pod: Mapping[str, Any]) -> bool:
    """Whether a pod has ended, one way or the other: it holds nothing of its node any more."""
    return (pod.get("status") or {}).get("phase") in FINISHED


def waits(pod: Mapping[str, Any]) -> bool:
    """Whether a pod could be bound: it has no node, and neither ends nor is held by a gate."""
    gates = pod["spec"].get("schedulingGates")
    return not (node_of(pod) or leaving(pod) or finished(pod) or gates)


def rejected(pod: Mapping[str, Any]) -> bool:
    """Whether the kubelet would not have a bound pod (it does not try again)."""
    status = pod.get("status") or {}
    reason, message = str(status.get("reason") or ""), str(status.get("message") or "")
    return status.get("phase") == "Failed" and (
        reason.startswith("OutOf")
        or reason in _REASONS
        or message.startswith(("Pod was rejected", "Pod Node didn't have enough resource"))
    )


def taken_in(pod: Mapping[str, Any]) -> bool:
    """Whether the kubelet has said anything about a pod."""
    status = pod.get("status") or {}
    return bool(status.get("startTime")) or status.get("phase") not in (None, "Pending")


def controller_of(pod: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Owner that makes a pod again, if it has one."""
    owners = pod["metadata"].get("ownerReferences") or ()
    return next((owner for owner in owners if owner.get("controller")), None)
