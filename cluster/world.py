"""The cluster at one moment, as the objects that planning needs; and the Instance of it.

Two things make a world: ``listing`` (all of it, at one resource version) and ``watched`` (kept up
to date). Everything that plans or checks reads a world and asks nobody where it came from.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from gangplan.datasets.kubernetes.snapshotobject import SNAPSHOT_KIND, SNAPSHOT_VERSION

Object = dict[str, Any]
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class World:
    """API objects by kind, each with its ``apiVersion`` and ``kind``; nobody changes them.

    Attributes
    ----------
    cluster : UID of the namespace kube-system: which cluster this is.
    version : of the server. taken : seconds since the epoch, by the server's clock.
    resource_version : of the lists; of a watched world the newest that was seen.
    scheduler : schedulerName of the pods that are ours. evict_foreign : others may be evicted.
    objects : kind (``Pod``) -> objects.
    """

    cluster: str
    version: str
    taken: float
    resource_version: str
    scheduler: str
    objects: Mapping[str, Sequence[Object]]
    evict_foreign: bool = False
    _named: dict[str, dict[str, Object]] = field(default_factory=dict, repr=False, compare=False)
    _made: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    def find(self, kind: str, full_name: str) -> Object | None:
        """Give the object ``namespace/name`` (``name`` where the kind has no namespaces)."""
        if kind not in self._named:
            self._named[kind] = {name_of(obj): obj for obj in self.objects.get(kind, ())}
        return self._named[kind].get(full_name)

    def once(self, make: Callable[["World"], Made]) -> Made:
        """Give ``make(self)``, made once for this world: an index that many ask for."""
        if make not in self._made:
            self._made[make] = make(self)
        found: Made = self._made[make]
        return found

    def with_objects(self, changed: Mapping[str, Iterable[Object]]) -> "World":
        """Give the same world with the objects of some kinds exchanged."""
        objects = {**self.objects, **{kind: tuple(found) for kind, found in changed.items()}}
        return replace(self, objects=objects, _named={}, _made={})

    def snapshot_object(self) -> Object:
        """Give what a snapshot file says about itself (``gangplan.io/v1 Snapshot``)."""
        return {
            "apiVersion": SNAPSHOT_VERSION,
            "kind": SNAPSHOT_KIND,
            "metadata": {"name": "snapshot"},
            "spec": {
                "cluster": self.cluster,
                "version": self.version,
                "taken": timestamp(self.taken),
                "resourceVersion": self.resource_version,
                "schedulerName": self.scheduler,
                "evictForeign": self.evict_foreign,
            },
        }

    def documents(self) -> Iterator[Object]:
        """Yield the Snapshot object, then all others."""
        yield self.snapshot_object()
        for found in self.objects.values():
            yield from found


def name_of(obj: Mapping[str, Any]) -> str:
    """``namespace/name`` of an object, or ``name``."""
    metadata = obj["metadata"]
    namespace = metadata.get("namespace")
    return f"{namespace}/{metadata['name']}" if namespace else str(metadata["name"])


def uid_of(obj: Mapping[str, Any]) -> str:
    """``metadata.uid``."""
    return str(obj["metadata"].get("uid", ""))


def timestamp(seconds: float) -> str:
    """RFC 3339 in UTC, to the second, as Kubernetes writes it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds_of(text: str) -> float:
    """Seconds since the epoch of an RFC 3339 time."""
    return datetime.fromisoformat(text).timestamp()
