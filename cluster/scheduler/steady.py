"""Whether anything has happened to what a flight was checked against, told by the watches.

A burst is checked once, all of its flights together. A flight that begins later need not be checked
again where nobody else has come near its nodes and its groups since then. What is not known to do
no harm counts as harm: the check is done again, and decides.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from gangplan.cluster.flight import Flight
from gangplan.cluster.scheduler.overlay import bound, group_of
from gangplan.cluster.scheduler.wakes import matters
from gangplan.cluster.world import Object, World, name_of, uid_of
from gangplan.datasets.kubernetes.objects.pods import FINISHED

_WIDE = ("affinity", "topologySpreadConstraints")
"""Fields of a pod whose rules look at pods of other nodes."""

_HARMLESS = frozenset({"PodDisruptionBudget"})
"""Kinds that only say who may be evicted."""

_MOST = 100_000
"""Marks that are kept; beyond, everything counts as changed."""


@dataclass(slots=True)
class Steady:
    """Events as marks on nodes and groups, each with a number; safe to use from all threads.

    Attributes
    ----------
    number : of the last event that was marked. Ask before asking for the world to check against.
    """

    number: int = 0
    _everything: int = 0
    _marks: dict[str, int] = field(default_factory=dict)
    _expected: dict[str, str] = field(default_factory=dict)
    _checked: dict[str, int] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def begin(self, flight: Flight, world: World, number: int) -> None:
        """Take note of a flight that fits a world, which is newer than an event's number."""
        with self._lock:
            self._expected |= {placing.uid: placing.node for placing in flight.placings}
            if _plain(flight, world):
                self._checked[flight.key] = number

    def follow(self, flight: Flight) -> None:
        """Take note that pods of a flight go elsewhere."""
        with self._lock:
            self._expected |= {placing.uid: placing.node for placing in flight.placings}
            self._checked.pop(flight.key, None)

    def end(self, flight: Flight) -> None:
        """Forget a flight."""
        with self._lock:
            self._checked.pop(flight.key, None)
            for placing in flight.placings:
                self._expected.pop(placing.uid, None)

    def checked(self, flight: Flight) -> bool:
        """Whether nothing has happened since a flight was checked."""
        names = {f"node {node}" for node in flight.nodes}
        names |= {f"group {member.group}" for member in flight.members}
        with self._lock:
            since = self._checked.get(flight.key, -1)
            last = max(self._everything, *(self._marks.get(name, 0) for name in names))
            return last <= since

    def event(self, kind: str, new: Object | None, old: Object | None) -> None:
        """Take an event of a watch; None where there is no object, after or before."""
        obj = old if new is None else new
        if obj is None or kind in _HARMLESS:
            return
        if kind == "Pod":
            self._pod(new, old)
        elif kind == "Node":
            if matters(kind, new, old, ""):
                self._mark([f"node {name_of(obj)}"])
        elif kind == "PodGroup":
            if matters(kind, new, old, ""):
                self._mark([f"group {name_of(obj)}"])
        else:
            self._mark((), everything=True)

    def _pod(self, new: Object | None, old: Object | None) -> None:
        if new is not None and old is not None and _essence(new) == _essence(old):
            return
        if new is not None and self._is_ours(new, old):
            return
        pods = [pod for pod in (new, old) if pod is not None]
        names = {f"group {group_of(pod)}" for pod in pods}
        names |= {f"node {node}" for pod in pods for node in _nodes(pod)}
        self._mark(names, everything=any(map(_repels, pods)))

    def _is_ours(self, new: Object, old: Object | None) -> bool:
        """Whether a flight has bound a pod, as all others have been told."""
        if not bound(new) or (old is not None and bound(old)):
            return False
        with self._lock:
            return bool(self._expected.get(uid_of(new)) == new["spec"]["nodeName"])

    def _mark(self, names: Iterable[str], *, everything: bool = False) -> None:
        with self._lock:
            self.number += 1
            if everything or len(self._marks) > _MOST:
                self._marks.clear()
                self._everything = self.number
            else:
                self._marks |= dict.fromkeys(names, self.number)


def _plain(flight: Flight, world: World) -> bool:
    """Whether a flight has to do with nothing but its nodes and its groups."""
    if flight.fallings or flight.allocatings or flight.tree:
        return False
    pods = [world.find("Pod", placing.pod) for placing in flight.placings]
    return not any(pod is None or any(pod["spec"].get(key) for key in _WIDE) for pod in pods)


def _essence(pod: Object) -> tuple[Any, ...]:
    metadata, status = pod["metadata"], pod.get("status") or {}
    return (
        metadata.get("uid"), metadata.get("labels"), metadata.get("annotations"),
        metadata.get("deletionTimestamp"), pod["spec"], status.get("nominatedNodeName"),
        status.get("phase") in FINISHED, status.get("resourceClaimStatuses"),
        status.get("extendedResourceClaimStatus"), status.get("allocatedResources"),
        status.get("resources"),
    )  # fmt: skip


def _nodes(pod: Mapping[str, Any]) -> set[str]:
    nominated = (pod.get("status") or {}).get("nominatedNodeName")
    return {str(node) for node in (pod["spec"].get("nodeName"), nominated) if node}


def _repels(pod: Mapping[str, Any]) -> bool:
    return bound(pod) and bool((pod["spec"].get("affinity") or {}).get("podAntiAffinity"))
