"""The part of a cluster that a flight has to do with: the rest cannot make it right or wrong.

A flight is checked once more just before it is bound. With 50,000 pods the whole cluster takes
seconds, and there may be many flights.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from gangplan.cluster.carry import look
from gangplan.cluster.client import Object
from gangplan.cluster.flight import Flight
from gangplan.cluster.uses import group_name
from gangplan.cluster.world import World, name_of

_WIDE = ("affinity", "topologySpreadConstraints")
"""Fields of a pod whose rules look at pods of other nodes."""


def nearby(world: World, flight: Flight, others: Collection[Flight] = ()) -> World:
    """Leave out nodes that a flight does not use, and their pods, where that changes nothing.

    Everything stays where somebody falls, devices are given, or a pod's rules look at other nodes.
    Pods that repel others stay, with their nodes; so do members of the flight's groups, of its tree
    and of groups that have room reserved.

    Parameters
    ----------
    others : flights that are to be laid over the result: what they bring to these nodes stays.
    """
    mine = {placing.pod for placing in flight.placings}
    if flight.fallings or flight.allocatings or _looks_wide(world, mine):
        return world
    index = world.once(_index)
    nodes = set(flight.nodes)
    groups = {member.group for member in flight.members if member.kind == "PodGroup"}
    groups |= _of_trees(world) if flight.tree else set()
    groups |= index.reserved
    coming = {p.pod: p.node for other in others for p in other.placings}
    names = {*mine, *(name for name, node in coming.items() if node in nodes)}
    numbers = set(index.always)
    numbers.update(*(index.node.get(node, ()) for node in nodes))
    numbers.update(*(index.group.get(group, ()) for group in groups))
    numbers |= {index.name[name] for name in names if name in index.name}
    pods = world.objects.get("Pod", ())
    kept = [pods[number] for number in sorted(numbers)]
    nodes |= {look.node_of(pod) or coming.get(name_of(pod), "") for pod in kept}
    nodes |= {_nominated(pod) for pod in kept}
    changed: dict[str, list[Object]] = {"Pod": kept}
    changed["Node"] = [n for n in world.objects.get("Node", ()) if n["metadata"]["name"] in nodes]
    if not flight.tree:
        groups |= {group_name(pod) for pod in kept}
        changed["PodGroup"] = [
            obj
            for obj in world.objects.get("PodGroup", ())
            if name_of(obj) in groups or obj["spec"].get("parentCompositePodGroupName")
        ]
    return world.with_objects(changed)


@dataclass(frozen=True, slots=True)
class _Index:
    """Numbers of pods by name, by node and by group.

    Attributes
    ----------
    always : pods that matter to all nodes. reserved : groups that have room reserved.
    """

    name: Mapping[str, int]
    node: Mapping[str, list[int]]
    group: Mapping[str, list[int]]
    always: tuple[int, ...]
    reserved: frozenset[str]


def _index(world: World) -> _Index:
    name: dict[str, int] = {}
    node, group = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    always, reserved = [], set()
    for number, pod in enumerate(world.objects.get("Pod", ())):
        name[name_of(pod)] = number
        node[look.node_of(pod)].append(number)
        belongs = group_name(pod)
        group[belongs].append(number)
        if _nominated(pod):
            always.append(number)
            reserved.add(belongs)
        elif _repels(pod):
            always.append(number)
    return _Index(name, node, group, tuple(always), frozenset(reserved - {""}))


def _looks_wide(world: World, mine: Collection[str]) -> bool:
    pods = (world.find("Pod", name) for name in mine)
    return any(pod is not None and any(pod["spec"].get(key) for key in _WIDE) for pod in pods)


def _of_trees(world: World) -> set[str]:
    groups = world.objects.get("PodGroup", ())
    return {name_of(obj) for obj in groups if obj["spec"].get("parentCompositePodGroupName")}


def _repels(pod: Mapping[str, Any]) -> bool:
    affinity = pod["spec"].get("affinity") or {}
    return bool(affinity.get("podAntiAffinity") or {})


def _nominated(pod: Mapping[str, Any]) -> str:
    return str((pod.get("status") or {}).get("nominatedNodeName") or "")
