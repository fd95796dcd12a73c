"""Nodes held for a gang that starves: a taint in our memory, which the server never sees.

In the worlds that later rounds plan on, the nodes carry a ``NoSchedule`` taint that only the gang's
own waiting pods, and those of higher priority, tolerate. What runs there stays.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gangplan.cluster.scheduler.overlay import bound, group_of
from gangplan.cluster.world import Object, World, name_of

TAINT = "gangplan.io/held-for"


@dataclass(frozen=True, slots=True)
class Hold:
    """Nodes for a unit: a PodGroup, a tree (its root), or a pod of its own; by full name."""

    unit: str
    priority: int
    nodes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Units:
    """Which unit a pod belongs to, and its priority.

    Attributes
    ----------
    root : PodGroup -> root of its tree, for PodGroups in trees.
    priority : PodGroup -> spec.priority.
    """

    root: Mapping[str, str]
    priority: Mapping[str, int]

    def of(self, pod: Mapping[str, Any]) -> str:
        """Give the unit of a pod."""
        group = group_of(pod)
        return self.root.get(group, group)

    def priority_of(self, pod: Mapping[str, Any]) -> int:
        """Give a pod's priority: its group's, else its own."""
        own = int(pod["spec"].get("priority") or 0)
        return self.priority.get(group_of(pod), own)


def units_of(world: World) -> Units:
    """Read the trees and priorities of a world's groups."""
    composites = {name_of(obj): obj for obj in world.objects.get("CompositePodGroup", ())}
    root: dict[str, str] = {}
    priority: dict[str, int] = {}
    for group in world.objects.get("PodGroup", ()):
        priority[name_of(group)] = int(group["spec"].get("priority") or 0)
        top, seen = _above(group), set[str]()
        while top in composites and top not in seen:
            root[name_of(group)] = top
            seen.add(top)
            top = _above(composites[top])
    return Units(root, priority)


def held(world: World, holds: Sequence[Hold], units: Units) -> World:
    """Put the taints of holds on nodes, and the tolerations on pods."""
    if not holds:
        return world
    nodes = [_tainted(node, holds) for node in world.objects.get("Node", ())]
    pods = [
        pod if bound(pod) else _tolerant(pod, holds, units.of(pod), units.priority_of(pod))
        for pod in world.objects.get("Pod", ())
    ]
    return world.with_objects({"Node": nodes, "Pod": pods})


def _above(obj: Mapping[str, Any]) -> str:
    parent = obj["spec"].get("parentCompositePodGroupName")
    return f"{obj['metadata']['namespace']}/{parent}" if parent else ""


def _tainted(node: Object, holds: Sequence[Hold]) -> Object:
    name = name_of(node)
    taints = [
        {"key": TAINT, "value": str(hold.priority), "effect": "NoSchedule"}
        for hold in holds
        if name in hold.nodes
    ]
    if not taints:
        return node
    spec = node.get("spec") or {}
    return {**node, "spec": {**spec, "taints": [*(spec.get("taints") or ()), *taints]}}


def _tolerant(pod: Object, holds: Sequence[Hold], unit: str, priority: int) -> Object:
    # One hold a priority: its number names the hold.
    tolerations = [
        {"key": TAINT, "operator": "Equal", "value": str(hold.priority), "effect": "NoSchedule"}
        for hold in holds
        if unit == hold.unit or priority > hold.priority
    ]
    if not tolerations:
        return pod
    spec = pod["spec"]
    return {
        **pod,
        "spec": {**spec, "tolerations": [*(spec.get("tolerations") or ()), *tolerations]},
    }
