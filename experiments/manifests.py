"""Kubernetes objects as plain dictionaries, as small as they are allowed to be."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from gangplan.files import whole_text

Obj = dict[str, Any]

ROOT = "resource.kubernetes.io/pcieRoot"

ROOM = {"cpu": "128", "memory": "1Ti", "pods": "110"}


def dump(path: Path, items: Iterable[Obj]) -> None:
    """Write a JSON list, one object a line."""
    with whole_text(path) as file:
        file.write('{"apiVersion": "v1", "kind": "List", "items": [\n')
        for i, item in enumerate(items):
            file.write((",\n" if i else "") + json.dumps(item))
        file.write("\n]}\n")


def made(version: str, kind: str, name: str, spec: Obj, namespace: str = "") -> Obj:
    """Make an object."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


def node(name: str, labels: Obj | None = None) -> Obj:
    """Make a node that is ready."""
    labels = {"kubernetes.io/hostname": name, **(labels or {})}
    ready = [{"type": "Ready", "status": "True"}]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"allocatable": ROOM, "conditions": ready},
    }


def resource_slice(name: str, driver: str, pool: str, devices: Sequence[Obj], **reach: Any) -> Obj:
    """Make a slice that is the whole of its pool."""
    one = {"name": pool, "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": driver, "pool": one, **reach, "devices": list(devices)}
    return made("resource.k8s.io/v1", "ResourceSlice", name, spec)


def device_class(name: str, expression: str) -> Obj:
    """Make a class of one selector."""
    spec = {"selectors": [{"cel": {"expression": expression}}]}
    return made("resource.k8s.io/v1", "DeviceClass", name, spec)


def template(name: str, requests: Sequence[Obj], match: str = "") -> Obj:
    """Make a template of claims; ``match`` names the attribute that all devices share."""
    devices: Obj = {"requests": list(requests)}
    if match:
        devices["constraints"] = [{"matchAttribute": match}]
    spec = {"spec": {"devices": devices}}
    return made("resource.k8s.io/v1", "ResourceClaimTemplate", name, spec, "ml")


def request(name: str, of: str, count: int) -> Obj:
    """Ask for ``count`` devices of a class."""
    return {"name": name, "exactly": {"deviceClassName": of, "count": count}}


def gang(
    name: str, pods: int, own: Sequence[str], common: Sequence[str] = (), priority: int = 1
) -> Iterator[Obj]:
    """Make a rigid gang: its pods have claims of the templates ``own``, and share ``common``."""
    mine = [_entry(f"own-{i}", made_of) for i, made_of in enumerate(own)]
    ours = [_entry(f"common-{i}", made_of) for i, made_of in enumerate(common)]
    spec: Obj = {"schedulingPolicy": {"gang": {"minCount": pods}}, "priority": priority}
    if ours:
        spec["resourceClaims"] = ours
    yield made("scheduling.k8s.io/v1beta1", "PodGroup", name, spec, "ml")
    claims = [{"name": entry["name"]} for entry in (*mine, *ours)]
    container = {
        "name": "main",
        "image": "registry.example/train:1",
        "resources": {"requests": {"cpu": "4", "memory": "16Gi"}, "claims": claims},
    }
    for p in range(pods):
        spec = {
            "schedulingGroup": {"podGroupName": name},
            "priority": priority,
            "containers": [container],
            "resourceClaims": [*mine, *ours],
        }
        pod = made("v1", "Pod", f"{name}-{p}", spec, "ml")
        yield {**pod, "status": {"phase": "Pending"}}


def _entry(name: str, made_of: str) -> Obj:
    return {"name": name, "resourceClaimTemplateName": made_of}
