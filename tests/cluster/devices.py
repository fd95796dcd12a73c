"""API objects of devices for tests (``resource.k8s.io/v1``): classes, slices, claims, templates."""

from collections.abc import Mapping, Sequence
from typing import Any

Object = dict[str, Any]

DRA = "resource.k8s.io/v1"
DRIVER = "gpu.example.com"
CLASS = "gpu"


def named(claim: str) -> Object:
    """Give a pod's or a group's reference to a claim that exists."""
    return {"resourceClaimName": claim}


def from_template(template: str) -> Object:
    """Give a reference to a template: a claim is made for each pod, or one for the group."""
    return {"resourceClaimTemplateName": template}


def device_class(name: str = CLASS, *, driver: str = DRIVER, selector: str = "") -> Object:
    """Give a DeviceClass of all devices of a driver, and of those that match a selector."""
    expressions = [f'device.driver == "{driver}"', *([selector] if selector else [])]
    selectors = [{"cel": {"expression": expression}} for expression in expressions]
    return _object("DeviceClass", name, "", selectors=selectors)


def device(name: str, *, model: str = "", **fields: Any) -> Object:
    """Give a device; ``model`` is an attribute, the fields are as the API has them."""
    attributes = {"attributes": {"model": {"string": model}}} if model else {}
    return {"name": name, **attributes, **fields}


def resource_slice(
    name: str,
    devices: Sequence[Mapping[str, Any]],
    *,
    node: str = "",
    nodes: Mapping[str, str] | None = None,
    pool: str = "",
    driver: str = DRIVER,
    counters: Sequence[Mapping[str, Any]] = (),
    slices: int = 1,
) -> Object:
    """Give a ResourceSlice.

    Parameters
    ----------
    node : where its devices are; else ``nodes`` (one label: key -> value), else all nodes.
    pool : the node's name, or the slice's own, unless something else is said.
    counters : ``sharedCounters``; a slice has devices or these, never both.
    slices : number of slices of its pool.
    """
    spec: Object = {
        "driver": driver,
        "pool": {"name": pool or node or name, "generation": 1, "resourceSliceCount": slices},
    }
    if node:
        spec["nodeName"] = node
    elif nodes:
        terms = [{"key": k, "operator": "In", "values": [v]} for k, v in nodes.items()]
        spec["nodeSelector"] = {"nodeSelectorTerms": [{"matchExpressions": terms}]}
    else:
        spec["allNodes"] = True
    if counters:
        spec["sharedCounters"] = [dict(entry) for entry in counters]
    else:
        spec["devices"] = [dict(entry) for entry in devices]
    return _object("ResourceSlice", name, "", **spec)


def gpus_of(node: str, count: int, **fields: Any) -> Object:
    """Give the slice of a node with exclusive devices ``gpu-0``, ``gpu-1``, ..."""
    devices = [device(f"gpu-{i}", **fields) for i in range(count)]
    return resource_slice(f"{node}-gpus", devices, node=node)


def partitions_of(node: str, total: int, parts: Mapping[str, int]) -> list[Object]:
    """Give two slices of a node: a counter ``memory`` of ``total``, and parts that consume it."""
    counters = [{"name": "card", "counters": {"memory": {"value": str(total)}}}]
    made = [
        device(
            name,
            consumesCounters=[
                {"counterSet": "card", "counters": {"memory": {"value": str(used)}}}
            ],
        )
        for name, used in parts.items()
    ]  # fmt: skip
    return [
        resource_slice(f"{node}-counters", (), node=node, counters=counters, slices=2),
        resource_slice(f"{node}-parts", made, node=node, slices=2),
    ]


def claim(name: str, count: int = 1, *, namespace: str = "default", **options: Any) -> Object:
    """Give a ResourceClaim of so many devices of one class; the options are those of ``asking``."""
    return _object("ResourceClaim", name, namespace, **asking(count, **options))


def claim_template(
    name: str, count: int = 1, *, namespace: str = "default", **options: Any
) -> Object:
    """Give a ResourceClaimTemplate with the same spec as ``claim``."""
    return _object("ResourceClaimTemplate", name, namespace, spec=asking(count, **options))


def asking(count: int = 1, *, device_class: str = CLASS, selector: str = "") -> Object:
    """Give the spec of a claim: request ``main``, so many devices of a class, CEL on demand."""
    exactly: Object = {"deviceClassName": device_class, "count": count}
    if selector:
        exactly["selectors"] = [{"cel": {"expression": selector}}]
    return {"devices": {"requests": [{"name": "main", "exactly": exactly}]}}


def _object(kind: str, name: str, namespace: str, **spec: Any) -> Object:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": DRA, "kind": kind, "metadata": metadata, "spec": spec}
