"""Objects of resource.k8s.io as plain dicts, and what an instance says of devices by name."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gangplan.models.instance import Instance
from tests.datasets.kubernetes.objects import Obj as Obj
from tests.datasets.kubernetes.objects import gang, node, obj, pod

API = "resource.k8s.io/v1"
DRIVER = "gpu.example.com"
IS_GPU = f'device.driver == "{DRIVER}"'


def cel(*expressions: str) -> list[Obj]:
    return [{"cel": {"expression": text}} for text in expressions]


def device_class(name: str = "gpu", *expressions: str, **spec: Any) -> Obj:
    made = obj(API, "DeviceClass", name, {"selectors": cel(*expressions or (IS_GPU,)), **spec})
    del made["metadata"]["namespace"]
    return made


def typed(value: Any) -> Obj:
    """An attribute; texts, integers, booleans and lists of texts."""
    kind = {bool: "bool", int: "int", str: "string", list: "strings"}[type(value)]
    return {kind: value}


def device(name: str, *, capacity: Obj | None = None, **fields: Any) -> Obj:
    """A device: attributes as keyword arguments are in ``attributes``."""
    made = {"name": name, **fields}
    if "attributes" in made:
        made["attributes"] = {key: typed(value) for key, value in made["attributes"].items()}
    if capacity:
        made["capacity"] = {
            key: value if isinstance(value, dict) else {"value": value}
            for key, value in capacity.items()
        }
    return made


def draws(**amounts: str) -> list[Obj]:
    """Draw from counters of the counter set ``card``."""
    counters = {name: {"value": value} for name, value in amounts.items()}
    return [{"counterSet": "card", "counters": counters}]


def counters(name: str = "counters", pool: str = "n1", slices: int = 2, **values: str) -> Obj:
    sets = [{"name": "card", "counters": {key: {"value": one} for key, one in values.items()}}]
    return slice_(name, pool=pool, slices=slices, devices=None, sharedCounters=sets)


def slice_(
    name: str = "s1",
    *devices: Obj | str,
    on: str | Sequence[str] = "n1",
    pool: str = "n1",
    driver: str = DRIVER,
    generation: int = 1,
    slices: int = 1,
    **spec: Any,
) -> Obj:
    """A slice on one node, or (a list) on the nodes of these names."""
    where: Obj = {"nodeName": on}
    if not isinstance(on, str):
        key = {"key": "kubernetes.io/hostname", "operator": "In", "values": list(on)}
        where = {"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [key]}]}}
    if {"allNodes", "perDeviceNodeSelection"} & spec.keys():
        where = {}
    made = obj(
        API,
        "ResourceSlice",
        name,
        {
            "driver": driver,
            "pool": {"name": pool, "generation": generation, "resourceSliceCount": slices},
            "devices": [device(one) if isinstance(one, str) else one for one in devices],
            **where,
            **spec,
        },
    )
    if spec.get("devices", 0) is None:
        del made["spec"]["devices"]
    del made["metadata"]["namespace"]
    return made


def request(name: str = "r", device_class: str = "gpu", *expressions: str, **fields: Any) -> Obj:
    exactly: Obj = {"deviceClassName": device_class, **fields}
    if expressions:
        exactly["selectors"] = cel(*expressions)
    return {"name": name, "exactly": exactly}


def first_of(name: str, *choices: tuple[str, str], **fields: Any) -> Obj:
    """A request with choices (name, class)."""
    entries = [{"name": one, "deviceClassName": of, **fields} for one, of in choices]
    return {"name": name, "firstAvailable": entries}


def asks(*requests: Obj, constraints: Sequence[Obj] = ()) -> Obj:
    devices: Obj = {"requests": list(requests or (request(),))}
    if constraints:
        devices["constraints"] = list(constraints)
    return {"devices": devices}


def template(name: str = "t", spec: Obj | None = None) -> Obj:
    return obj(API, "ResourceClaimTemplate", name, {"spec": spec or asks()})


def claim(
    name: str = "c",
    spec: Obj | None = None,
    allocated: Sequence[Obj] | None = None,
    on: str = "",
    reserved: Sequence[str | Obj] = (),
    owner: tuple[str, str] | None = None,
    **metadata: Any,
) -> Obj:
    """A claim; ``allocated``: results, reached from the node ``on``; ``owner``: (kind, name)."""
    if owner:
        kind, who = owner
        reference = {"apiVersion": "v1", "kind": kind, "name": who, "uid": "", "controller": True}
        metadata["ownerReferences"] = [reference]
    made = obj(API, "ResourceClaim", name, spec or asks(), **metadata)
    if allocated is not None:
        allocation: Obj = {"devices": {"results": list(allocated)}}
        if on:
            field = {"key": "metadata.name", "operator": "In", "values": [on]}
            allocation["nodeSelector"] = {"nodeSelectorTerms": [{"matchFields": [field]}]}
        users = [
            {"resource": "pods", "name": one, "uid": one} if isinstance(one, str) else one
            for one in reserved
        ]
        made["status"] = {"allocation": allocation, "reservedFor": users}
    return made


def result(device: str, pool: str = "n1", driver: str = DRIVER, **fields: Any) -> Obj:
    return {"request": "r", "driver": driver, "pool": pool, "device": device, **fields}


def taint_rule(name: str = "rule", selector: Obj | None = None, **taint: str) -> Obj:
    spec: Obj = {"taint": {"key": "broken", "effect": "NoExecute", **taint}}
    if selector is not None:
        spec["deviceSelector"] = selector
    made = obj(API, "DeviceTaintRule", name, spec)
    del made["metadata"]["namespace"]
    return made


def claiming(name: str, *claims: Obj | str, group: str = "", on: str = "", **fields: Any) -> Obj:
    """A pod without GPU resources; a text is a template, whose claim is called ``c``."""
    entries = [
        {"name": "c", "resourceClaimTemplateName": one} if isinstance(one, str) else one
        for one in claims
    ]
    status = fields.pop("status", None)
    made = pod(name, group, on, gpus=0, **fields)
    made["spec"]["resourceClaims"] = entries
    if status is not None:
        made["status"] = status
    return made


def by_name(name: str = "c", entry: str = "c") -> Obj:
    return {"name": entry, "resourceClaimName": name}


def generated(claim: str | None, entry: str = "c") -> Obj:
    """Status of a pod or PodGroup with a claim made from a template; None: none is needed."""
    named = {} if claim is None else {"resourceClaimName": claim}
    return {"resourceClaimStatuses": [{"name": entry, **named}]}


def host(name: str, **fields: Any) -> Obj:
    """A node that carries its name as a label, without GPU resources."""
    labels = {"kubernetes.io/hostname": name, **fields.pop("labels", {})}
    return node(name, gpus=0, labels=labels, **fields)


def claiming_gang(name: str, minimum: int, *claims: Obj) -> Obj:
    made = gang(name, minimum)
    made["spec"]["resourceClaims"] = list(claims)
    return made


def short(name: str) -> str:
    return name.rpartition("/")[2]


def fitting(built: Instance, choice: int = 0) -> set[str]:
    """Names (without driver and pool) of the devices that fit a choice."""
    return {short(built.names.devices[i]) for i in np.flatnonzero(built.claims.fits[choice])}


def asked(built: Instance, choice: int = 0) -> set[str]:
    return {short(built.names.devices[i]) for i in np.flatnonzero(built.claims.asks[choice])}


def barred(built: Instance, choice: int = 0) -> set[str]:
    """Names of the nodes where a choice may not be used."""
    return {built.names.nodes[n] for n in np.flatnonzero(built.claims.barred[choice])}


def reached(built: Instance, name: str) -> set[str]:
    """Names of the nodes that reach a device."""
    (i,) = (i for i, full in enumerate(built.names.devices) if short(full) == name)
    nodes = built.devices.reach(i, len(built.nodes))
    return {built.names.nodes[n] for n in np.flatnonzero(nodes)}


def number(built: Instance, name: str) -> int:
    (i,) = (i for i, full in enumerate(built.names.devices) if short(full) == name)
    return i


def notes(built: Instance, word: str) -> list[str]:
    """The notes that have a word."""
    return [note for note in built.names.notes if word in note]
