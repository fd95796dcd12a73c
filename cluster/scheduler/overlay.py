"""A World with what is on its way laid over it, so that nothing is planned over it.

Pods of a flight count as bound and its claims as allocated from the moment it starts, in whatever
step it is; what of it has happened already changes nothing. Until it has ended its pods are
nobody's victims: what is half done is not undone for others. Its own victims are seen in two ways.

cleared
    They are gone. Plans are made on this world: nobody else falls for room that is about to come.
not cleared
    They leave, and hold their room until they have left. What is written must fit this world.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gangplan.cluster.flight import Flight
from gangplan.cluster.scheduler.reservations import claims_of
from gangplan.cluster.uses import group_name
from gangplan.cluster.world import Object, World, name_of, timestamp, uid_of
from gangplan.datasets.kubernetes.objects.budgets import budget
from gangplan.datasets.kubernetes.objects.pods import FINISHED
from gangplan.datasets.kubernetes.objects.selectors import selects
from gangplan.datasets.kubernetes.text.fields import Faults, Fields

MIRROR, ON_ITS_WAY = "kubernetes.io/config.mirror", "gangplan.io/flight"
"""Annotation and value, in our memory only: as a mirror pod is, so is a pod on its way no victim
to the reader."""


def overlaid(world: World, flights: Sequence[Flight], *, cleared: bool) -> World:
    """Lay flights over a world; see the module."""
    if not flights:
        return world
    changed: dict[str, Iterable[Object]] = {
        "Pod": _pods(world, flights, cleared=cleared),
        "ResourceClaim": claims_of(world, flights, cleared=cleared),
        "PodDisruptionBudget": _budgets(world, flights),
    }
    return world.with_objects({kind: found for kind, found in changed.items() if found})


def without(world: World, groups: frozenset[str]) -> World:
    """Leave out the waiting pods of some groups (by ``group_of``)."""
    if not groups:
        return world
    pods = [
        pod for pod in world.objects.get("Pod", ()) if bound(pod) or group_of(pod) not in groups
    ]
    return world.with_objects({"Pod": pods})


def only(world: World, groups: frozenset[str]) -> World:
    """Leave out the waiting pods of all groups but some."""
    pods = [pod for pod in world.objects.get("Pod", ()) if bound(pod) or group_of(pod) in groups]
    return world.with_objects({"Pod": pods})


def group_of(pod: Mapping[str, Any]) -> str:
    """``namespace/name`` of a pod's PodGroup; of the pod itself where it has none."""
    return group_name(pod) or name_of(pod)


def bound(pod: Mapping[str, Any]) -> bool:
    """Whether a pod has a node."""
    return bool(pod["spec"].get("nodeName"))


def waits(pod: Mapping[str, Any], scheduler: str) -> bool:
    """Whether a pod is one of ours that could be placed now."""
    return (
        pod["spec"].get("schedulerName") == scheduler
        and not bound(pod)
        and not pod["metadata"].get("deletionTimestamp")
        and not pod["spec"].get("schedulingGates")
        and (pod.get("status") or {}).get("phase") not in FINISHED
    )


def leaving_nodes(world: World, flights: Iterable[Flight]) -> frozenset[str]:
    """Give the nodes on which victims of flights still hold room."""
    there = {uid_of(pod) for pod in world.objects.get("Pod", ())}
    fallings = (falling for flight in flights for falling in flight.fallings)
    return frozenset(falling.node for falling in fallings if falling.uid in there)


def _pods(world: World, flights: Sequence[Flight], *, cleared: bool) -> list[Object]:
    node = {placing.uid: placing.node for flight in flights for placing in flight.placings}
    falling = {one.uid for flight in flights for one in flight.fallings}
    now = timestamp(world.taken)
    found = []
    for pod in world.objects.get("Pod", ()):
        uid = uid_of(pod)
        if uid in falling:
            if not cleared:
                found.append(_leaving(pod, now))
        elif uid in node:
            found.append(_arriving(pod, node[uid]))
        else:
            found.append(pod)
    return found


def _arriving(pod: Object, node: str) -> Object:
    metadata, spec = pod["metadata"], pod["spec"]
    notes = {**(metadata.get("annotations") or {}), MIRROR: ON_ITS_WAY}
    spec = spec if bound(pod) else {**spec, "nodeName": node}
    return {**pod, "metadata": {**metadata, "annotations": notes}, "spec": spec}


def _leaving(pod: Object, now: str) -> Object:
    metadata = {"deletionTimestamp": now, **pod["metadata"]}
    return {**pod, "metadata": metadata}


def _budgets(world: World, flights: Sequence[Flight]) -> list[Object]:
    """Take evictions that are still to come from what budgets allow."""
    falling = {one.uid for flight in flights for one in flight.fallings}
    pods = world.objects.get("Pod", ()) if falling else ()
    coming = [pod for pod in pods if uid_of(pod) in falling and _to_come(pod)]
    return [_lowered(obj, coming) for obj in world.objects.get("PodDisruptionBudget", ())]


def _to_come(pod: Object) -> bool:
    if pod["metadata"].get("deletionTimestamp"):
        return False
    return (pod.get("status") or {}).get("phase") not in FINISHED


def _lowered(obj: Object, coming: Sequence[Object]) -> Object:
    # One that cannot be read is set aside, with its reason, where the Instance is made.
    record = budget(Fields(obj, "cluster", Faults())) if coming else None
    if record is None or record.selector is None or not record.allowed:
        return obj
    count = sum(
        pod["metadata"]["namespace"] == record.namespace
        and pod["metadata"]["name"] not in record.disrupted
        and selects(record.selector, pod["metadata"].get("labels") or {})
        for pod in coming
    )
    status = {**obj["status"], "disruptionsAllowed": max(0, record.allowed - count)}
    return {**obj, "status": status} if count else obj
