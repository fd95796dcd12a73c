"""What must be so of every moment of a history: pure functions of its events."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.cluster.audit import devices, groups, room
from tests.cluster.audit.state import counts, done, full_name, group_of, node_of

Object = dict[str, Any]

_UNBOUND: Object = {"spec": {}}
_BY_US = "PreemptionByScheduler"
_BY_EVICTION = "EvictionByEvictionAPI"


@dataclass(frozen=True, slots=True)
class Event:
    """``ADDED``, ``MODIFIED`` or ``DELETED``: an object of a kind, at a resource version."""

    version: int
    kind: str
    change: str
    object: Object


@dataclass(slots=True)
class Moment:
    """The cluster after an event; pods, claims and groups by UID, nodes by name."""

    nodes: dict[str, Object] = field(default_factory=dict)
    pods: dict[str, Object] = field(default_factory=dict)
    groups: dict[str, Object] = field(default_factory=dict)
    claims: dict[str, Object] = field(default_factory=dict)

    def take(self, event: Event) -> None:
        """Let an event happen."""
        of_kind = {
            "Node": self.nodes, "Pod": self.pods, "PodGroup": self.groups,
            "ResourceClaim": self.claims,
        }[event.kind]  # fmt: skip
        metadata = event.object["metadata"]
        key = metadata["name"] if event.kind == "Node" else metadata["uid"]
        if event.change == "DELETED":
            of_kind.pop(key, None)
        else:
            of_kind[key] = event.object

    def bound(self, group: str) -> set[str]:
        """UIDs of the pods of a group that count for its minimum."""
        return {uid for uid, pod in self.pods.items() if group_of(pod) == group and counts(pod)}


def wrong(
    events: Sequence[Event], scheduler: str = "gangplan", *, evict_foreign: bool = False
) -> list[str]:
    """Everything that was wrong at any moment."""
    now = Moment()
    found: list[str] = []
    evicted: dict[str, Eviction] = {}
    for event in events:
        pod, uid = event.object, event.object["metadata"]["uid"]
        before = now.pods.get(uid)
        if event.kind == "Pod" and by_eviction(event) and uid not in evicted:
            evicted[uid] = Eviction(pod, event.version, now.bound(group_of(pod)))
        now.take(event)
        newly = event.kind == "Pod" and uid in now.pods and node_of(before or _UNBOUND) == ""
        if newly and node_of(pod):
            found += _crowded(now, node_of(pod), event.version)
        if event.kind == "ResourceClaim":
            claims = {full_name(claim): claim for claim in now.claims.values()}
            found += [f"{text} (at {event.version})" for text in devices.twice(claims)]
    if not evict_foreign:
        found += [
            f"pod {full_name(entry.pod)} of {entry.pod['spec'].get('schedulerName')} was evicted"
            for entry in evicted.values()
            if entry.pod["spec"].get("schedulerName") != scheduler
        ]
    found += _again(events, list(evicted.values()))
    found += _cut(now, list(evicted.values()))
    return list(dict.fromkeys(found))


@dataclass(slots=True)
class Eviction:
    """A pod that was evicted, when, and which pods of its group were bound then."""

    pod: Object
    version: int
    before: set[str]


def by_eviction(event: Event) -> bool:
    """Whether a pod goes because of an eviction, or because we made room."""
    pod = event.object
    conditions = pod.get("status", {}).get("conditions") or ()
    going = event.change == "DELETED" or "deletionTimestamp" in pod["metadata"]
    return going and any(
        entry["type"] == "DisruptionTarget"
        and entry["status"] == "True"
        and entry.get("reason") in (_BY_US, _BY_EVICTION)
        for entry in conditions
    )


def _crowded(now: Moment, name: str, version: int) -> list[str]:
    node = now.nodes.get(name)
    if node is None:
        return [f"a pod was bound to node {name}, which was not there (at {version})"]
    used: room.Amounts = defaultdict(lambda: room.ZERO)
    for pod in now.pods.values():
        if node_of(pod) == name and not done(pod):
            for key, amount in room.requests(pod).items():
                used[key] += amount
    lacking = room.lacking(name, dict(used), room.allocatable(node))
    return [f"{text} (at {version})" for text in lacking]


def _again(events: Sequence[Event], evicted: Sequence[Eviction]) -> Iterator[str]:
    """Replacements of an evicted pod that were evicted for the same purpose.

    Between two evictions of one member somebody else must have been bound who gained by the first:
    a pod of a higher priority. Else the first was for nothing.
    """
    bound = [
        (event.version, int(event.object["spec"].get("priority", 0)))
        for event in events
        if event.kind == "Pod" and event.change != "DELETED" and node_of(event.object)
    ]
    last: dict[tuple[str, ...], Eviction] = {}
    for entry in sorted(evicted, key=lambda entry: entry.version):
        member = _member(entry.pod)
        first = last.get(member)
        last[member] = entry
        if first is None:
            continue
        priority = int(first.pod["spec"].get("priority", 0))
        gained = any(
            first.version < version < entry.version and other > priority
            for version, other in bound
        )  # fmt: skip
        if not gained:
            yield f"pod {full_name(entry.pod)} was evicted twice, its replacement after itself"


def _member(pod: Mapping[str, Any]) -> tuple[str, ...]:
    """What stays the same when a controller makes a pod again."""
    metadata = pod["metadata"]
    owners = [entry["uid"] for entry in metadata.get("ownerReferences", ())]
    index = metadata.get("labels", {}).get("batch.kubernetes.io/job-completion-index")
    if owners and index is not None:
        return (owners[0], index)
    return (metadata["namespace"], metadata["name"])


def _cut(now: Moment, evicted: Sequence[Eviction]) -> Iterator[str]:
    """Gangs that lost pods by evictions and kept some, but fewer than their minimum."""
    first: dict[str, Eviction] = {}
    for entry in evicted:
        if name := group_of(entry.pod):
            first.setdefault(name, entry)
    found = {full_name(group): group for group in now.groups.values()}
    for name, entry in sorted(first.items()):
        if name not in found:
            continue
        least = groups.minimum(found[name])
        left = entry.before & now.bound(name)
        if len(entry.before) >= least > len(now.bound(name)) > 0 and left:
            yield f"gang {name} was cut to {len(left)} of at least {least} pods by evictions"
