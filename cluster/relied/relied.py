"""What a plan relied on: written into the plan file (``cluster``), compared with a later World.

Of each object that the plan touches there is the UID, and a short digest of every field that was
used. Resource versions are not: heartbeats change them. Objects are trimmed first, so it does not
matter whether they were before.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from gangplan.cluster.relied.touched import Device, Find, Touched
from gangplan.cluster.trimmed import trim
from gangplan.cluster.world import Object, World, timestamp, uid_of
from gangplan.datasets.json_file import refuse
from gangplan.datasets.kubernetes.objects.annotations import ROLE_LABEL
from gangplan.datasets.kubernetes.objects.pods import ANNOTATIONS, FINISHED
from gangplan.datasets.plan_fields import mapping

DEVICE = "Device"
"""Stands for a kind: a device is no object, and its slices are made anew whenever one changes."""

_CHANGED = {
    "allocatable": "its allocatable resources changed",
    "labels": "its labels changed",
    "taints": "its taints changed",
    "spec": "its spec changed",
    "nodeName": "its node is another one now, or it had none",
    "deletion": "it is being deleted",
    "finished": "it has finished",
    "rules": "its role, or its annotations with rules, changed",
    "allocation": "its allocation changed",
    "reservedFor": "its users changed",
    "device": "it changed, or its ResourceSlice did",
}
_GONE = "it is not there any more"
_AGAIN = "it was made again"


def relied_on(world: World, plan_document: Mapping[str, Any]) -> dict[str, Any]:
    """Give the plan file's entry ``cluster``: which cluster, when, and what the plan relied on.

    Raises
    ------
    InputError : the document is no plan.
    """
    slices = world.objects.get("ResourceSlice", ())
    header = world.snapshot_object()["spec"]
    return entry_of(header, world.find, lambda wanted: slices, plan_document)


def entry_of(
    header: Mapping[str, Any],
    find: Find,
    slices: Callable[[set[Device]], Iterable[Object]],
    plan_document: Mapping[str, Any],
) -> dict[str, Any]:
    """Give the same entry, wherever the objects are kept.

    Parameters
    ----------
    header : spec of the Snapshot object.
    slices : gives ResourceSlices, at least those that have one of these devices.
    """
    touched = Touched(find)
    touched.plan(plan_document)
    relied = {
        kind: {name: _fields_of(find(kind, name)) for name in sorted(names)}
        for kind, names in touched.names.items()
        if names
    }
    if touched.devices:
        there = _devices(slices(touched.devices), touched.devices)
        relied[DEVICE] = {
            "/".join(key): {"device": there.get(key, "")} for key in sorted(touched.devices)
        }
    return {
        "uid": header.get("cluster", ""),
        "version": header.get("version", ""),
        "taken": header.get("taken", timestamp(0)),
        "resourceVersion": header.get("resourceVersion", ""),
        "scheduler": header.get("schedulerName", ""),
        "evictForeign": header.get("evictForeign", False),
        "relied": relied,
    }


def changes(world: World, entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Say what has changed since a plan file's entry ``cluster`` was made, a sentence a change.

    Raises
    ------
    InputError : the entry is not as ``relied_on`` gives it.
    """
    if entry.get("uid") != world.cluster:
        return (f"the plan is of another cluster: {entry.get('uid')}, not {world.cluster}",)
    relied = mapping("plan", "cluster.relied", entry.get("relied"))
    found: list[str] = []
    for kind in relied:
        named = mapping("plan", f"cluster.relied.{kind}", relied[kind])
        if kind == DEVICE:
            found += _device_changes(world, named)
            continue
        for name, value in named.items():
            was = mapping("plan", f"cluster.relied.{kind}.{name}", value)
            found += (f"{kind} {name}: {what}" for what in _changes(world.find(kind, name), was))
    return tuple(found)


def _changes(obj: Object | None, was: Mapping[str, Any]) -> Iterator[str]:
    if obj is None:
        yield _GONE
        return
    now = _fields_of(obj)
    if now["uid"] != was.get("uid"):
        yield _AGAIN
        return
    moved = now.get("nodeName") != was.get("nodeName")
    for key in now.keys() | was.keys() - {"uid"}:
        if key not in _CHANGED:
            if key != "uid":
                raise refuse("plan", "cluster.relied", f"{key} is not known here")
        elif now.get(key) != was.get(key) and not (moved and key == "spec"):
            # Of a bound pod less of the spec is kept: what has moved differs in any case.
            yield _CHANGED[key]


def _device_changes(world: World, named: Mapping[str, Any]) -> Iterator[str]:
    wanted = {_device_key(name) for name in named}
    there = _devices(world.objects.get("ResourceSlice", ()), wanted)
    for name, value in named.items():
        was = mapping("plan", f"cluster.relied.{DEVICE}.{name}", value).get("device")
        now = there.get(_device_key(name))
        if now is None:
            yield f"{DEVICE} {name}: {_GONE}"
        elif now != was:
            yield f"{DEVICE} {name}: {_CHANGED['device']}"


def _device_key(name: str) -> Device:
    driver, _, rest = name.partition("/")
    pool, _, device = rest.rpartition("/")
    return driver, pool, device


def _fields_of(obj: Object | None) -> dict[str, str]:
    """UID and digests of the fields that planning uses; no UID where there is no object."""
    if obj is None:
        return {"uid": ""}
    kept = trim(obj)
    read = _READ[str(kept["kind"])]
    return {"uid": uid_of(kept), **{key: digest(value) for key, value in read(kept).items()}}


def _node(node: Object) -> dict[str, Any]:
    spec = node.get("spec") or {}
    taints = [
        {key: value for key, value in taint.items() if key != "timeAdded"}
        for taint in spec.get("taints") or ()
    ]
    return {
        "allocatable": (node.get("status") or {}).get("allocatable"),
        "labels": node["metadata"].get("labels"),
        "taints": [sorted(map(digest, taints)), bool(spec.get("unschedulable"))],
    }


def _pod(pod: Object) -> dict[str, Any]:
    spec, metadata = dict(pod["spec"]), pod["metadata"]
    return {
        "nodeName": spec.pop("nodeName", None),
        "spec": spec,
        "deletion": bool(metadata.get("deletionTimestamp")),
        "finished": (pod.get("status") or {}).get("phase") in FINISHED,
        "rules": [(metadata.get("labels") or {}).get(ROLE_LABEL), _notes(metadata)],
    }


def _group(group: Object) -> dict[str, Any]:
    return {"spec": group["spec"], "rules": _notes(group["metadata"])}


def _notes(metadata: Mapping[str, Any]) -> dict[str, str]:
    notes = metadata.get("annotations") or {}
    return {key: text for key, text in notes.items() if key.startswith(ANNOTATIONS)}


def _claim(claim: Object) -> dict[str, Any]:
    status = claim.get("status") or {}
    users = sorted(str(user.get("uid")) for user in status.get("reservedFor") or ())
    return {"allocation": status.get("allocation"), "reservedFor": users}


def _class(one: Object) -> dict[str, Any]:
    return {"spec": one["spec"]}


_READ: Mapping[str, Callable[[Object], dict[str, Any]]] = {
    "Node": _node,
    "Pod": _pod,
    "PodGroup": _group,
    "CompositePodGroup": _group,
    "ResourceClaim": _claim,
    "DeviceClass": _class,
}


def _devices(slices: Iterable[Object], wanted: set[Device]) -> dict[Device, str]:
    """Digest devices of the newest generation of their pools."""
    found: dict[Device, tuple[int, str]] = {}
    pools = {key[:2] for key in wanted}
    for one in slices:
        spec = one["spec"]
        driver, pool = spec["driver"], spec["pool"]
        if (driver, pool["name"]) not in pools:
            continue
        for device in spec.get("devices") or ():
            key = (driver, pool["name"], device["name"])
            generation = int(pool.get("generation") or 0)
            if key in wanted and generation >= found.get(key, (0, ""))[0]:
                found[key] = (generation, digest(device))
    return {key: text for key, (_, text) in found.items()}


def digest(value: Any) -> str:
    """Digest a part of an object; the order of keys does not count."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
