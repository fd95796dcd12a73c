"""Objects of resource.k8s.io for tests, and the short way from them to records or faults."""

from pathlib import Path
from typing import Any

from gangplan.datasets.kubernetes.devicerecords import DeviceObjects, DeviceRecord, SpecRecord
from gangplan.datasets.kubernetes.read import snapshot_of
from gangplan.datasets.kubernetes.records import Snapshot
from gangplan.datasets.kubernetes.text.documents import Document
from gangplan.datasets.kubernetes.text.fields import Faults

Obj = dict[str, Any]
DATA = Path(__file__).parents[2] / "data" / "devices"
DRIVER = "gpu.example.com"


def snapshot(*objects: Obj) -> tuple[Snapshot, list[str]]:
    """Records of objects, and what is wrong with them (without the file's name)."""
    found = Faults()
    documents = [Document("f", obj) for obj in objects]
    records = snapshot_of(documents, found)
    return records, [str(fault).removeprefix("f: ") for fault in found]


def records(*objects: Obj) -> DeviceObjects:
    """Records of objects that have nothing wrong."""
    found, wrong = snapshot(*objects)
    assert wrong == []
    return found.devices


def faults(*objects: Obj) -> list[str]:
    return snapshot(*objects)[1]


def obj(kind: str, name: str, spec: Obj | None, version: str = "v1", **more: Any) -> Obj:
    made: Obj = {
        "apiVersion": f"resource.k8s.io/{version}",
        "kind": kind,
        "metadata": {"name": name},
        **more,
    }
    return made if spec is None else {**made, "spec": spec}


def resource_slice(*devices: Obj, version: str = "v1", **spec: Any) -> Obj:
    """A slice ``s`` of node n1 with these devices, changed by ``spec``; None takes a field away."""
    whole = {
        "driver": DRIVER,
        "nodeName": "n1",
        "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
        "devices": list(devices),
        **spec,
    }
    fields = {key: value for key, value in whole.items() if value is not None}
    return obj("ResourceSlice", "s", fields, version)


def device(name: str = "d0", **fields: Any) -> Obj:
    return {"name": name, **fields}


def read_device(**fields: Any) -> DeviceRecord:
    """The record of one device ``d0``."""
    (one,) = records(resource_slice(device(**fields))).slices
    return one.devices[0]


def device_faults(**fields: Any) -> list[str]:
    """What is wrong with one device, from its own path on."""
    prefix = "ResourceSlice s: spec.devices[0]"
    return [
        line.removeprefix(prefix).lstrip(".") for line in faults(resource_slice(device(**fields)))
    ]


def claim(*requests: Obj, version: str = "v1", status: Obj | None = None, **devices: Any) -> Obj:
    """A claim ``default/c`` with these requests."""
    spec = {"devices": {"requests": list(requests), **devices}}
    more = {} if status is None else {"status": status}
    return obj("ResourceClaim", "c", spec, version, **more)


def exactly(name: str = "r", **fields: Any) -> Obj:
    return {"name": name, "exactly": {"deviceClassName": "gpu", **fields}}


def read_spec(*requests: Obj, version: str = "v1", **devices: Any) -> SpecRecord:
    (one,) = records(claim(*requests, version=version, **devices)).claims
    return one.spec


def claim_faults(*requests: Obj, **more: Any) -> list[str]:
    """What is wrong with a claim, from its own path on."""
    prefix = "ResourceClaim c: "
    return [line.removeprefix(prefix) for line in faults(claim(*requests, **more))]
