"""Running work of a snapshot -> `Running`: the order of the steps."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gangplan.datasets.kubernetes.assemble import room
from gangplan.datasets.kubernetes.assemble.devices.extended import Extended
from gangplan.datasets.kubernetes.assemble.holds import counted, some
from gangplan.datasets.kubernetes.assemble.membership import Membership
from gangplan.datasets.kubernetes.assemble.priorities import Priorities
from gangplan.datasets.kubernetes.assemble.running.budgets import budgets_of
from gangplan.datasets.kubernetes.assemble.running.floors import floors_of
from gangplan.datasets.kubernetes.assemble.running.holders import gpus_of, holders_of
from gangplan.datasets.kubernetes.assemble.running.nominated import Nomination, nominations
from gangplan.datasets.kubernetes.assemble.running.policies import never_of
from gangplan.datasets.kubernetes.assemble.running.units import (
    Standing,
    groups_of,
    ranks_of,
    standing_of,
)
from gangplan.datasets.kubernetes.assemble.trees import Branch
from gangplan.datasets.kubernetes.order import full_name
from gangplan.datasets.kubernetes.records import PodRecord, Snapshot
from gangplan.datasets.running import Budget, Floor, Hold, Pod, Section, Unit, running
from gangplan.models.running import UNKNOWN


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """What runs, before nodes and devices are looked at.

    Attributes
    ----------
    group : full name of a running pod -> number of its group.
    never : groups that evict nobody.
    holders : claims that come free with their users, by full name.
    gpus : full name of each pod of a unit -> GPUs that it holds.
    now : when the snapshot was taken, or its newest stamp, seconds since the epoch.
    """

    units: list[Standing]
    group: Mapping[str, int]
    floors: list[Floor]
    budgets: list[Budget]
    never: tuple[int, ...]
    holders: Mapping[str, tuple[str, ...]]
    gpus: Mapping[str, int]
    nominated: list[Nomination]
    now: float


def work_of(
    snapshot: Snapshot,
    members: Membership,
    branches: Sequence[Branch],
    priorities: Priorities,
    extended: Extended,
    notes: list[str],
    kept: Mapping[str, str],
) -> Work:
    """Find the units, and what protects them; priorities that are wrong go to their faults.

    Parameters
    ----------
    kept : full names of pods that are not evicted although they could be -> why.
    """
    group = groups_of(members.units)
    units = standing_of(members, branches, group, priorities, notes, kept)
    notes += _kept(kept)
    pods = [pod for unit in units for pod in unit.pods]
    falling = set(map(full_name, pods))
    claims = snapshot.devices.claims
    there = {node.name for node in snapshot.nodes}
    holders = holders_of(claims, members, falling)
    nominated = nominations(members, ranks_of(members.units, branches), priorities)
    if priorities.changed:
        changed = list(priorities.changed)
        notes.append(
            f"{counted(len(changed), 'object')} with another priority than the class has now:"
            f" {some(changed)}"
        )
    return Work(
        units,
        group,
        floors_of(members.units, falling),
        budgets_of(snapshot.budgets, members.running, falling, notes),
        never_of(members, branches, priorities, there) if units else (),
        holders,
        gpus_of(pods, claims, holders, extended),
        nominated,
        _now(snapshot),
    )


def section_of(
    work: Work,
    nodes: Mapping[str, int],
    resources: Sequence[str],
    space: room.Room,
    holds: Sequence[Hold],
) -> Section:
    """Write the columns.

    A node that is overcommitted gets less back: what it has too little of is taken from each pod
    there, since whoever falls first makes it up.

    Parameters
    ----------
    nodes : name -> number.
    """
    rows: dict[tuple[tuple[str, int], ...], tuple[int, ...]] = {}
    over = {n: tuple(row) for n, row in enumerate(space.over.tolist()) if any(row)}

    def said(pod: PodRecord) -> Pod:
        name, n = full_name(pod), nodes.get(pod.node, -1)
        key = tuple(pod.request.items())
        request = rows.get(key)
        if request is None:
            asked = room.row(pod.request, resources)
            rows[key] = request = tuple(min(amount, room.MOST) for amount in asked)
        if n in over:
            request = tuple(max(a - b, 0) for a, b in zip(request, over[n], strict=True))
        return Pod(
            name=name,
            node=n,
            request=request,
            devices=work.gpus[name],
            group=work.group.get(name, -1),
            minutes=_minutes(pod, work.now),
        )

    units = [
        Unit(unit.name, unit.priority, tuple(map(said, unit.pods)), unit.kind)
        for unit in work.units
    ]
    return running(len(resources), units, work.floors, work.budgets, holds, work.never)


def _kept(kept: Mapping[str, str]) -> Iterator[str]:
    """Tell of pods that stay for the sake of others."""
    for why in dict.fromkeys(kept.values()):
        names = [name for name, reason in kept.items() if reason == why]
        yield (
            f"{counted(len(names), 'pod')} not evicted: a selector would fail on a device that"
            f" comes free, and bar the nodes that reach it ({why}): {some(names)}"
        )


def _minutes(pod: PodRecord, now: float) -> int:
    return UNKNOWN if pod.started is None else max(int((now - pod.started) // 60), 0)


def _now(snapshot: Snapshot) -> float:
    created = [
        record.created
        for records in (snapshot.pods, snapshot.groups, snapshot.composites)
        for record in records
        if record.created is not None
    ]
    started = [pod.started for pod in snapshot.pods if pod.started is not None]
    return snapshot.now(max((*created, *started), default=0.0))
