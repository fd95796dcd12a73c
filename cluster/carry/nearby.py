"""The part of a cluster that a flight has to do with: the rest cannot make it right or wrong.

A flight is checked once more just before it is bound. With 50,000 pods the whole cluster takes
seconds, and there may be many flights.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from gangplan.cluster.carry import look
from gangplan.cluster.client import Object
from gangplan.cluster.flight import Flight
from gangplan.cluster.world import World, name_of

_WIDE = ("affinity", "topologySpreadConstraints")
"""Fields of a pod whose rules look at pods of other nodes."""


def nearby(world: World, flight: Flight) -> World:
    """Leave out nodes that a flight does not use, and their pods, where that changes nothing.

    Everything stays where somebody falls, devices are given, or a pod's rules look at other nodes.
    Pods that repel others stay, with their nodes; so do members of the flight's groups, of its tree
    and of groups that have room reserved.
    """
    mine = {placing.pod for placing in flight.placings}
    pods: Iterable[Object] = world.objects.get("Pod", ())
    if flight.fallings or flight.allocatings or _looks_wide(pods, mine):
        return world
    nodes = set(flight.nodes)
    groups = {member.group for member in flight.members if member.kind == "PodGroup"}
    groups |= _of_trees(world) if flight.tree else set()
    groups |= {look.group_of(pod) for pod in pods if _nominated(pod)} - {""}
    kept = [
        pod
        for pod in pods
        if look.node_of(pod) in nodes
        or name_of(pod) in mine
        or _nominated(pod)
        or look.group_of(pod) in groups
        or _repels(pod)
    ]
    nodes |= {look.node_of(pod) for pod in kept} | {_nominated(pod) for pod in kept}
    rest = [node for node in world.objects.get("Node", ()) if node["metadata"]["name"] in nodes]
    changed = {"Pod": kept, "Node": rest}
    if not flight.tree:
        groups |= {look.group_of(pod) for pod in kept}
        changed["PodGroup"] = [
            obj
            for obj in world.objects.get("PodGroup", ())
            if name_of(obj) in groups or obj["spec"].get("parentCompositePodGroupName")
        ]
    return world.with_objects(changed)


def _looks_wide(pods: Iterable[Object], mine: set[str]) -> bool:
    return any(
        name_of(pod) in mine and any(pod["spec"].get(field) for field in _WIDE) for pod in pods
    )


def _of_trees(world: World) -> set[str]:
    groups = world.objects.get("PodGroup", ())
    return {name_of(obj) for obj in groups if obj["spec"].get("parentCompositePodGroupName")}


def _repels(pod: Mapping[str, Any]) -> bool:
    affinity = pod["spec"].get("affinity") or {}
    return bool(affinity.get("podAntiAffinity") or {})


def _nominated(pod: Mapping[str, Any]) -> str:
    return str((pod.get("status") or {}).get("nominatedNodeName") or "")
