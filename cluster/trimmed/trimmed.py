"""An object without what planning, checks, claims and telling never read.

A cluster of 50,000 pods is kept in memory, and written into files: images, commands, environment,
the manager of each field and the like are most of it. Known fields without influence are left out
of what may still be placed or reads like a rule, so that an unknown field is still seen, and
refused; of pods that are bound only what they hold is kept. ResourceClaims stay whole.

Nothing is written back from these objects but by patches of single fields.
"""

import sys
from collections.abc import Callable, Mapping
from typing import Any

from gangplan.cluster.trimmed.pooled import pooled
from gangplan.cluster.trimmed.trimmedpods import trim_pod
from gangplan.datasets.kubernetes.objects import foreign
from gangplan.datasets.kubernetes.text import schema

Object = dict[str, Any]

_METADATA = frozenset({"managedFields", "selfLink", "generateName"})
_PREFIXES = (
    "gangplan.io/",
    "kueue.x-k8s.io/",
    "resource.kubernetes.io/",
    "kubernetes.io/config.",
    *foreign.ANNOTATIONS,
)
"""Beginnings of annotations that somebody reads."""

_NODE_SPEC = frozenset({"configSource", "externalID", "podCIDR", "podCIDRs", "providerID"})
_NODE_STATUS = schema.NODE_STATUS - {"allocatable", "capacity", "conditions"}
_CONDITION = ("type", "status")  # heartbeats move its times


def trim(obj: Mapping[str, Any]) -> Object:
    """Give the object without what nobody reads; ``uid`` and ``resourceVersion`` are kept.

    Trimming twice is trimming once. Parts may be shared with other trimmed objects.
    """
    kept = {sys.intern(key): value for key, value in obj.items() if value is not None}
    change = _KINDS.get(str(obj.get("kind")))
    if change is not None:
        kept = change(kept)
    if isinstance(metadata := obj.get("metadata"), dict):
        kept["metadata"] = _metadata(metadata)
    return kept


def _metadata(metadata: Object) -> Object:
    kept = {sys.intern(key): value for key, value in metadata.items() if key not in _METADATA}
    notes = kept.pop("annotations", None)
    if isinstance(notes, dict):
        read = {key: text for key, text in notes.items() if key.startswith(_PREFIXES)}
        if read:
            kept["annotations"] = pooled(read)
    elif notes is not None:  # whatever it is, the reader says so
        kept["annotations"] = notes
    for key in ("namespace", "labels", "ownerReferences", "finalizers"):
        if key in kept:
            kept[key] = pooled(kept[key])
    return kept


def _node(obj: Object) -> Object:
    kept = dict(obj)
    if isinstance(spec := obj.get("spec"), dict):
        kept["spec"] = {key: value for key, value in spec.items() if key not in _NODE_SPEC}
    if isinstance(status := obj.get("status"), dict):
        kept["status"] = _node_status(status)
    return kept


def _node_status(status: Object) -> Object:
    kept = {key: value for key, value in status.items() if key not in _NODE_STATUS}
    if kept.get("allocatable") is not None:
        kept.pop("capacity", None)
        kept["allocatable"] = pooled(kept["allocatable"])
    conditions = kept.get("conditions")
    if isinstance(conditions, list) and all(isinstance(entry, dict) for entry in conditions):
        kept["conditions"] = pooled(
            [{key: entry[key] for key in _CONDITION if key in entry} for entry in conditions]
        )
    return kept


def _priority_class(obj: Object) -> Object:
    return {key: value for key, value in obj.items() if key != "description"}


_KINDS: Mapping[str, Callable[[Object], Object]] = {
    "Node": _node,
    "Pod": trim_pod,
    "PriorityClass": _priority_class,
}
