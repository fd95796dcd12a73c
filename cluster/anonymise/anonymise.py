"""A World with names and secrets taken out: planning it gives the same values.

What planning never reads is dropped first; of the rest every text becomes a pseudonym, unless it is
a word of the API, an amount, a time, a key of a domain that everybody knows, or a CEL expression
with what it compares. Drivers of devices keep their names, and so do attributes that a rule reads.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gangplan.cluster.anonymise.apiwords import DROPPED, OWNERS, WORDS
from gangplan.cluster.anonymise.pseudonyms import Pseudonyms, is_public
from gangplan.cluster.anonymise.readlabels import TOPOLOGY_NOTES, Read, read_of
from gangplan.cluster.trimmed import trim
from gangplan.cluster.world import Object, World
from gangplan.datasets.kubernetes.devicerecords import EXTENDED
from gangplan.datasets.kubernetes.objects import annotations, foreign, kueue
from gangplan.datasets.kubernetes.records import DEFAULT_SCHEDULER

OURS = "gangplan"
"""What the scheduler of the pods that are ours is called afterwards."""

_AMOUNTS = frozenset(["allocatable", "allocatedResources", "limits", "overhead"])
"""Maps of resources to amounts; ``requests`` and ``capacity`` are that in some places."""

_BY_NAME = frozenset(["disruptedPods"])


def anonymise(world: World) -> World:
    """Take names and secrets out of a world.

    The same world gives the same one every time. Plans of it cannot be applied: it is no cluster's.
    """
    objects = {kind: [trim(obj) for obj in found] for kind, found in world.objects.items()}
    read = read_of(obj for found in objects.values() for obj in found)
    walk = _Walk(read, world.scheduler)
    for found in objects.values():
        for obj in found:
            walk.object(obj)
    walk.names.settle((*read.labels, *read.literals))
    return replace(
        world,
        cluster="anonymous",
        resource_version="0",
        scheduler=walk.scheduler(world.scheduler),
        objects={kind: tuple(walk.object(obj) for obj in found) for kind, found in objects.items()},
        _named={},
    )


@dataclass(slots=True, eq=False)
class _Walk:
    """Goes through objects, twice: to gather the names, and to exchange them."""

    read: Read
    ours: str
    names: Pseudonyms = field(default_factory=Pseudonyms)

    def object(self, obj: Object) -> Object:
        """Give an object with its names exchanged."""
        made: Object = {"apiVersion": obj["apiVersion"], "kind": obj["kind"]}
        made["metadata"] = self._metadata(obj["metadata"], obj["kind"])
        for key, value in obj.items():
            if key not in made and key not in DROPPED:
                made[key] = self._value(key, value)
        return made

    def scheduler(self, name: str) -> str:
        """Give the name of a scheduler: ours, and that of every cluster, are no secret."""
        if name == DEFAULT_SCHEDULER:
            return name
        return OURS if name == self.ours else self.names.of(name)

    # -- any field -----------------------------------------------------------------------------

    def _value(self, key: str, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float):
            return value
        if key in _SPECIAL:
            return _SPECIAL[key](self, value)
        if isinstance(value, str):
            return value if key in WORDS else self.names.of(value)
        if isinstance(value, list):
            return [self._value(key, entry) for entry in value]
        if key in _AMOUNTS:
            return self._amounts(value)
        if key in _BY_NAME:
            return {self.names.of(name): inner for name, inner in value.items()}
        return {
            name: self._value(name, inner) for name, inner in value.items() if name not in DROPPED
        }

    def _amounts(self, value: Mapping[str, Any]) -> Object:
        return {self.names.of_resource(name): amount for name, amount in value.items()}

    # -- metadata ------------------------------------------------------------------------------

    def _metadata(self, metadata: Mapping[str, Any], kind: str = "") -> Object:
        made: Object = {}
        for key, value in metadata.items():
            if key == "labels":
                made[key] = self._labels(value, whole=kind == "Node")
            elif key == "name" and kind == "PriorityClass":
                made[key] = self.names.of_class(value)
            elif key not in DROPPED:
                made[key] = self._value(key, value)
        if notes := self._notes(metadata.get("annotations") or {}):
            made["annotations"] = notes
        return made

    def _labels(self, labels: Mapping[str, str], *, whole: bool = False) -> Object:
        """Keep labels that a rule reads; of nodes those of Kubernetes, too."""
        return {
            self.names.of_label(key): self._label(key, value)
            for key, value in (labels or {}).items()
            if self.read.label(key) or (whole and is_public(key))
        }

    def _label(self, key: str, value: str) -> str:
        number = key in self.read.numbers and value.lstrip("-").isdigit()
        return value if number else self.names.of(value)

    def _notes(self, notes: Mapping[str, str]) -> Object:
        return {
            key: self._note(key, text) for key, text in notes.items() if key.startswith(_READ_NOTES)
        }

    def _note(self, key: str, text: str) -> str:
        if key in TOPOLOGY_NOTES:
            return ",".join(self.names.of_label(part.strip()) for part in text.split(","))
        if key in _SIZES or text in (EXTENDED, "true", "api"):
            return text
        if key == annotations.ROLE_MINIMUM:
            parts = (part.partition("=") for part in text.split(","))
            return ",".join(
                f"{self.names.of(name.strip())}{sign}{least}" for name, sign, least in parts
            )
        return self.names.of(text)

    def _owners(self, owners: list[Object]) -> list[Object]:
        return [
            {
                **{key: value for key, value in owner.items() if isinstance(value, bool)},
                "apiVersion": "v1",
                "kind": (
                    owner["kind"] if owner["kind"] in OWNERS
                    else self.names.of(owner["kind"])
                ),
                "name": self.names.of(owner["name"]),
                "uid": self.names.of(owner.get("uid", "")),
            }
            for owner in owners
        ]  # fmt: skip

    # -- rules ---------------------------------------------------------------------------------

    def _expressions(self, entries: list[Object]) -> list[Object]:
        return [
            {**entry, "key": self.names.of_label(entry["key"])} for entry in self._fields(entries)
        ]

    def _fields(self, entries: list[Object]) -> list[Object]:
        """Exchange values alone: the key of a field is a word of the API."""
        return [
            {
                key: [self._label(entry["key"], one) for one in value or ()]
                if key == "values"
                else value
                for key, value in entry.items()
            }
            for entry in entries
        ]

    def _selector(self, value: Any) -> Any:
        """Exchange the values of a map of labels, or of the terms of a selector."""
        if "nodeSelectorTerms" in value:
            return {"nodeSelectorTerms": self._value("terms", value["nodeSelectorTerms"])}
        return {self.names.of_label(key): self._label(key, one) for key, one in value.items()}

    def _label_key(self, value: Any) -> Any:
        """Exchange a label key, or a list of them."""
        if isinstance(value, str):
            return self.names.of_label(value)
        return [self.names.of_label(one) for one in value]

    def _topology(self, value: Any) -> Any:
        """Exchange the keys of a PodGroup's constraints."""
        return [
            {**one, "key": self.names.of_label(one["key"])} if "key" in one else one
            for one in value
        ]

    def _key(self, key: str) -> str:
        return self.names.of_key(key)

    def _class(self, name: str) -> str:
        return self.names.of_class(name)

    def _conditions(self, entries: list[Object]) -> list[Object]:
        """Keep whether a node or a pod is ready: conditions have types of anybody's making."""
        return [
            {"type": entry["type"], "status": entry["status"]}
            for entry in entries
            if entry.get("type") == "Ready"
        ]

    def _volumes(self, volumes: list[Object]) -> list[Object]:
        """Keep which kind of volume it is."""
        return [
            {key: self.names.of(one) if key == "name" else {} for key, one in volume.items()}
            for volume in volumes
        ]

    # -- devices -------------------------------------------------------------------------------

    def _requests(self, value: Any) -> Any:
        """Amounts of resources, requests of a claim, or names of such requests."""
        if isinstance(value, dict):
            return self._amounts(value)
        return [
            self.names.of_request(one) if isinstance(one, str) else self._value("entry", one)
            for one in value
        ]

    def _capacity(self, value: Mapping[str, Any]) -> Object:
        """Amounts of a node, capacities of a device, or what a request takes of them."""
        if all(isinstance(one, dict) for one in value.values()):
            return dict(value)
        return self._amounts(value)

    def _attributes(self, value: Mapping[str, Any]) -> Object:
        return {
            name: {kind: self._texts(name, kind, inner) for kind, inner in typed.items()}
            for name, typed in value.items()
            if self.read.attribute(name)
        }

    def _texts(self, name: str, kind: str, value: Any) -> Any:
        if kind not in ("string", "strings"):
            return value
        if isinstance(value, list):
            return [self._texts(name, "string", one) for one in value]
        return value if self.read.text(name, value) else self.names.of(value)

    def _counters(self, value: Mapping[str, Any]) -> Object:
        return {self.names.of(name): dict(amount) for name, amount in value.items()}

    def _request(self, value: str) -> str:
        return self.names.of_request(value)

    def _extended(self, value: str) -> str:
        return self.names.of_resource(value)

    def _same(self, value: Any) -> Any:
        return value


_SIZES = frozenset([annotations.SLICE_SIZE, kueue.SLICE_SIZE])
_READ_NOTES = (
    annotations.PREFIX,
    kueue.PREFIX,
    "resource.kubernetes.io/",
    "kubernetes.io/config.",
    *foreign.ANNOTATIONS,
)

_SPECIAL: Mapping[str, Callable[[_Walk, Any], Any]] = {
    "attributes": _Walk._attributes,
    "capacity": _Walk._capacity,
    "conditions": _Walk._conditions,
    "consumedCapacity": _Walk._same,
    "counters": _Walk._counters,
    "derivedAttributes": _Walk._same,
    "extendedResourceName": _Walk._extended,
    "key": _Walk._key,
    "labels": _Walk._labels,
    "matchExpressions": _Walk._expressions,
    "matchFields": _Walk._fields,
    "matchLabelKeys": _Walk._label_key,
    "matchLabels": _Walk._selector,
    "metadata": _Walk._metadata,
    "mismatchLabelKeys": _Walk._label_key,
    "nodeLabel": _Walk._label_key,
    "nodeSelector": _Walk._selector,
    "os": _Walk._same,
    "ownerReferences": _Walk._owners,
    "priorityClassName": _Walk._class,
    "request": _Walk._request,
    "requests": _Walk._requests,
    "schedulerName": _Walk.scheduler,
    "topology": _Walk._topology,
    "topologyKey": _Walk._label_key,
    "volumes": _Walk._volumes,
}
