"""Objects kept small while files are read, until it is known which of them a plan relied on.

A plan touches some thousands of the objects of a cluster, and which ones is known in the end. To
read the files again would take as long as planning; to keep the objects, most of the memory.
"""

import marshal
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from gangplan.cluster.relied import entry_of
from gangplan.cluster.relied.touched import Device
from gangplan.cluster.world import Object, name_of
from gangplan.datasets.kubernetes.snapshotobject import SNAPSHOT_KIND, SNAPSHOT_VERSION
from gangplan.datasets.kubernetes.text.documents import Document

_KINDS = frozenset(["CompositePodGroup", "DeviceClass", "Node", "Pod", "PodGroup", "ResourceClaim"])


_STATUS = (
    "allocatable",
    "allocation",
    "extendedResourceClaimStatus",
    "phase",
    "reservedFor",
    "resourceClaimStatuses",
)
"""Fields of a status that a plan relies on, or whose names it follows."""


class Recorder:
    """Takes the objects of a snapshot file as they are read.

    An object that is read before the Snapshot object is not taken for one of the cluster: a plan
    that touches it cannot be applied.
    """

    def __init__(self) -> None:
        self._header: Mapping[str, Any] | None = None
        self._kept: dict[tuple[str, str], bytes] = {}
        self._slices: defaultdict[tuple[str, str], list[bytes]] = defaultdict(list)

    def see(self, document: Document) -> None:
        """Take one object; what is wrong with it is the reader's to say."""
        obj, kind = document.obj, document.kind
        if kind == SNAPSHOT_KIND and document.api_version == SNAPSHOT_VERSION:
            self._header = obj["spec"] if isinstance(obj.get("spec"), dict) else {}
        elif self._header is None or not _whole(obj):
            return
        elif kind in _KINDS:
            self._kept[kind, name_of(obj)] = _packed(obj)
        elif kind == "ResourceSlice" and isinstance(pool := obj["spec"].get("pool"), dict):
            key = str(obj["spec"].get("driver")), str(pool.get("name"))
            self._slices[key].append(_packed(obj))

    def entry(self, plan_document: Mapping[str, Any]) -> dict[str, Any]:
        """Give ``{"cluster": what the plan relied on}``; nothing without a Snapshot object.

        Raises
        ------
        InputError : the document is no plan.
        """
        if self._header is None:
            return {}
        return {"cluster": entry_of(self._header, self._find, self._having, plan_document)}

    def _find(self, kind: str, full_name: str) -> Object | None:
        packed = self._kept.get((kind, full_name))
        return None if packed is None else _unpacked(packed)

    def _having(self, devices: set[Device]) -> Iterator[Object]:
        for driver, pool in {key[:2] for key in devices}:
            for packed in self._slices.get((driver, pool), ()):
                yield _unpacked(packed)


def _whole(obj: Object) -> bool:
    metadata = obj.get("metadata")
    named = isinstance(metadata, dict) and isinstance(metadata.get("name"), str)
    return named and isinstance(obj.get("spec"), dict)


def _packed(obj: Object) -> bytes:
    """Pack what may be asked for later; trimming each object would take longer than reading it."""
    metadata, status = obj["metadata"], obj.get("status")
    kept: Object = {
        "kind": obj["kind"],
        "metadata": {key: value for key, value in metadata.items() if key != "managedFields"},
        "spec": obj["spec"],
    }
    if isinstance(status, dict):
        kept["status"] = {key: status[key] for key in _STATUS if key in status}
    return marshal.dumps(kept)


def _unpacked(packed: bytes) -> Object:
    obj: Object = marshal.loads(packed)
    return obj
