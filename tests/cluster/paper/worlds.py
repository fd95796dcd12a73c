"""Worlds of tests, made of objects without a server."""

from collections import defaultdict
from copy import deepcopy
from typing import Any

from gangplan.cluster.world import World, seconds_of

Object = dict[str, Any]

TAKEN = seconds_of("2026-02-01T00:00:00Z")
OURS = {"schedulerName": "gangplan"}


def world(*objects: Object, evict_foreign: bool = False, cluster: str = "c-1") -> World:
    """Give the objects as a cluster would: each has a UID."""
    found: dict[str, list[Object]] = defaultdict(list)
    for obj in deepcopy(objects):
        metadata = obj["metadata"]
        metadata.setdefault("uid", f"uid-of-{obj['kind']}-{metadata['name']}".lower())
        found[obj["kind"]].append(obj)
    return World(
        cluster=cluster,
        version="v1.37.2",
        taken=TAKEN,
        resource_version="7",
        scheduler="gangplan",
        objects={kind: tuple(of_kind) for kind, of_kind in found.items()},
        evict_foreign=evict_foreign,
    )


def changed(before: World, kind: str, name: str, **parts: Any) -> World:
    """Give the world with fields of one object exchanged: ``spec__nodeName="n2"``."""
    objects = deepcopy(list(before.objects[kind]))
    for obj in objects:
        if obj["metadata"]["name"] == name:
            for path, value in parts.items():
                *sections, key = path.split("__")
                part = obj
                for section in sections:
                    part = part.setdefault(section, {})
                part[key] = value
    return before.with_objects({kind: objects})


def without(before: World, kind: str, name: str) -> World:
    """Give the world without one object."""
    return before.with_objects(
        {kind: [obj for obj in before.objects[kind] if obj["metadata"]["name"] != name]}
    )
