"""core/v1 Node -> `NodeRecord`."""

from gangplan.datasets.kubernetes.objects.taints import taints
from gangplan.datasets.kubernetes.records import NodeRecord
from gangplan.datasets.kubernetes.text import schema
from gangplan.datasets.kubernetes.text.documents import Document
from gangplan.datasets.kubernetes.text.fields import Faults, Fields
from gangplan.datasets.kubernetes.text.names import object_name

PODS = 110
"""Pods of a node that does not say how many it takes: the kubelet's own default."""


def node(document: Document, faults: Faults, notes: list[str] | None = None) -> NodeRecord | None:
    """Read a Node.

    Parameters
    ----------
    document : the Node.
    faults : what is wrong with it goes here.
    notes : a sentence is added where something had to be assumed.

    Returns
    -------
    NodeRecord or None
        None where something is wrong. A node without any condition counts as ready: it was written
        by hand. One without allocatable resources offers its capacity, and a note says so.
    """
    before = len(faults)
    fields = document.fields(faults)
    metadata = fields.section("metadata")
    name = object_name(fields)
    labels = metadata.labels("labels")
    spec = fields.section("spec")
    spec.only(schema.NODE_SPEC)
    status = fields.section("status")
    status.only(schema.NODE_STATUS)
    unschedulable = spec.boolean("unschedulable")
    found = taints(spec)
    allocatable = _allocatable(status, name, [] if notes is None else notes)
    ready = _ready(status)
    if len(faults) > before:
        return None
    return NodeRecord(name, labels, found, allocatable, unschedulable, ready, document.source)


def _allocatable(status: Fields, name: str, notes: list[str]) -> dict[str, int]:
    key = "allocatable"
    if not status.has(key):
        if status.has("capacity"):
            key = "capacity"
            notes.append(f"node {name} has no status.allocatable: its capacity is used instead")
        else:
            notes.append(f"node {name} has no status.allocatable: it offers nothing but pods")
    room = status.quantities(key, round_up=False)
    room.setdefault("pods", PODS)
    return room


def _ready(status: Fields) -> bool:
    conditions = status.items("conditions")
    return not conditions or any(
        entry.text("type") == "Ready" and entry.text("status") == "True" for entry in conditions
    )
