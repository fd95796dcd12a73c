"""Pods of other schedulers in a snapshot of a cluster: capacity that moves, not ours to place.

Those that wait are not placed, and what they are nominated to is kept for them; those that run
are never victims, unless that was asked for. Without an `Origin` all pods are ours.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from gangplan.datasets.kubernetes.assemble.holds import counted
from gangplan.datasets.kubernetes.objects.pods import FINISHED
from gangplan.datasets.kubernetes.order import natural
from gangplan.datasets.kubernetes.records import CompositeRecord, GroupRecord, PodRecord, Snapshot

FOREIGN = "foreign"
"""``PodRecord.fixed`` of running pods that are not ours."""

_Key = tuple[str, str, str]


def ours_alone(snapshot: Snapshot) -> Snapshot:
    """Fix running pods of other schedulers, and leave out groups that wait for those alone."""
    origin = snapshot.origin
    if origin is None:
        return snapshot
    there = [pod for pod in snapshot.pods if pod.phase not in FINISHED]
    running = [pod for pod in there if pod.node and snapshot.is_foreign(pod)]
    waiting = [
        pod for pod in there if not (pod.node or pod.terminating) and snapshot.is_foreign(pod)
    ]
    notes = list(snapshot.notes)
    if waiting:
        notes.append(f"waiting pods of other schedulers, not placed: {_by_scheduler(waiting)}")
    pods = snapshot.pods
    if running and not origin.evict_foreign:
        notes.append(f"running pods of other schedulers, never evicted: {_by_scheduler(running)}")
        pods = [
            replace(pod, fixed=pod.fixed or FOREIGN)
            if pod.node and snapshot.is_foreign(pod)
            else pod
            for pod in pods
        ]
    kept = _kept(snapshot, there)
    return replace(
        snapshot,
        pods=pods,
        groups=[one for one in snapshot.groups if _group(one.namespace, one.name) in kept],
        composites=[one for one in snapshot.composites if _tree(one.namespace, one.name) in kept],
        notes=notes,
    )


def _by_scheduler(pods: Iterable[PodRecord]) -> str:
    count = Counter(pod.scheduler for pod in pods)
    names = sorted(count, key=natural)
    return ", ".join(f"{counted(count[name], 'pod')} of {name}" for name in names)


def _kept(snapshot: Snapshot, there: Iterable[PodRecord]) -> set[_Key]:
    """Name the groups and composites with an unbound pod of ours, or a bound one of anybody.

    A tree with an unbound pod of ours is kept whole: who else waits in it decides whether it fits.
    """
    of: dict[_Key, GroupRecord | CompositeRecord] = {
        _group(one.namespace, one.name): one for one in snapshot.groups
    }
    of |= {_tree(one.namespace, one.name): one for one in snapshot.composites}
    above = {key: _tree(one.namespace, one.parent) for key, one in of.items() if one.parent}
    roots: set[_Key] = set()
    kept: set[_Key] = set()
    for pod in there:
        path = _path(_group(pod.namespace, pod.group), above) if pod.group else []
        if pod.node:
            kept.update(path)
        elif path and not pod.terminating and not snapshot.is_foreign(pod):
            roots.add(path[-1])
    return kept | {key for key in of if _path(key, above)[-1] in roots}


def _group(namespace: str, name: str) -> _Key:
    return "PodGroup", namespace, name


def _tree(namespace: str, name: str) -> _Key:
    return "CompositePodGroup", namespace, name


def _path(key: _Key, above: dict[_Key, _Key]) -> list[_Key]:
    """From a group up to its root, or once around a cycle of parents."""
    path = [key]
    while (parent := above.get(path[-1])) is not None and parent not in path:
        path.append(parent)
    return path
