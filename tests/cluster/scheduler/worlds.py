"""Worlds for functions that need no server: objects as the server would have written them."""

from collections import defaultdict
from typing import Any

from gangplan.cluster.flight import Falling, Flight, Member, Placing
from gangplan.cluster.world import Object, World, name_of, timestamp, uid_of

NOW = 1_800_000_000.0


def world(*objects: Object, now: float = NOW) -> World:
    """Give a world of objects; each gets a UID (its kind and name) and was made at ``now``."""
    found: dict[str, list[Object]] = defaultdict(list)
    for obj in objects:
        metadata = obj["metadata"]
        metadata.setdefault("uid", f"{obj['kind']}/{name_of(obj)}")
        metadata.setdefault("creationTimestamp", timestamp(NOW))
        metadata.setdefault("resourceVersion", "1")
        if obj["kind"] == "Pod":
            obj.setdefault("status", {"phase": "Pending"})
            obj["spec"].setdefault("priority", 0)
        if obj["kind"] in ("PodGroup", "CompositePodGroup"):
            obj["spec"].setdefault("priority", 0)
        found[obj["kind"]].append(obj)
    return World("cluster", "v1.37.2", now, "1", "gangplan", dict(found))


def running(pod: Object, node: str) -> Object:
    """Give a pod that runs on a node."""
    return {**pod, "spec": {**pod["spec"], "nodeName": node}, "status": {"phase": "Running"}}


def placing(pod: Object, node: str, group: str = "") -> Placing:
    """Give the placing of a pod of a world."""
    name = name_of(pod)
    return Placing(name, uid_of(pod), node, f"Node/{node}", group or name, "minimum")


def falling(pod: Object, whole: str = "") -> Falling:
    """Give the fall of a running pod of a world."""
    name = name_of(pod)
    return Falling(name, uid_of(pod), pod["spec"]["nodeName"], name, "pod", True, whole)


def flight(*placings: Placing, **parts: Any) -> Flight:
    """Give a flight of these placings."""
    groups = dict.fromkeys(one.group for one in placings)
    members = tuple(Member(group, f"PodGroup/{group}", "PodGroup", 1) for group in groups)
    return Flight("-".join(groups).replace("/", "-"), 0, members, placings, **parts)
