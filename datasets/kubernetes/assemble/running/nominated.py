"""Room on its way: what nodes keep for pods that are nominated to them (KEP-5278)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from gangplan.datasets.kubernetes.assemble import room
from gangplan.datasets.kubernetes.assemble.holds import counted, named
from gangplan.datasets.kubernetes.assemble.membership import Membership
from gangplan.datasets.kubernetes.assemble.priorities import Priorities
from gangplan.datasets.kubernetes.order import by_name
from gangplan.datasets.kubernetes.records import PodRecord
from gangplan.models.arrays import Ints
from gangplan.models.running import NO_RESERVED, Reserved

Nomination = tuple[int, int, PodRecord]
"""Rank, group (-1: none that could use the room now), pod."""


def nominations(
    members: Membership, ranks: Sequence[int], priorities: Priorities
) -> list[Nomination]:
    """Give the nominated pods that wait, the highest rank first, then by name.

    A pod with scheduling gates keeps its room from its own group, too: that places other pods. So
    does a pod that another scheduler places.
    """
    found: list[Nomination] = []
    of_group = {
        id(pod): ranks[g]
        for g, unit in enumerate(members.units)
        for pod in (*unit.gated, *unit.foreign)
    }
    for g, unit in enumerate(members.units):
        found += [(ranks[g], g, pod) for pod in unit.pending if pod.nominated]
    for pod in (*members.gated, *members.foreign):
        if pod.nominated:
            rank = of_group[id(pod)] if id(pod) in of_group else priorities.of_pod(pod)
            found.append((rank, -1, pod))
    found.sort(key=lambda one: (-one[0], by_name(one[2])))
    return found


def reserved_of(
    nominated: Sequence[Nomination],
    leaving: Sequence[PodRecord],
    nodes: Mapping[str, int],
    resources: Sequence[str],
    space: room.Room,
    notes: list[str],
) -> Reserved:
    """Write what is kept of the free room.

    What the pods being deleted on a node release serves the highest first; only what is left of a
    request is kept, as far as there is room now.

    Parameters
    ----------
    nodes : name -> number.
    notes : told of nominations to nodes that are not there, and of claims.
    """
    lost = [pod for _, _, pod in nominated if pod.nominated not in nodes]
    if lost:
        notes.append(
            f"{counted(len(lost), 'pod')} nominated to nodes not in the sources: {named(lost)}"
        )
    claiming = [pod for _, _, pod in nominated if pod.claims and pod.nominated in nodes]
    if claiming:
        notes.append(
            "no device is kept for claims of nominated pods, only what they request:"
            f" {named(claiming)}"
        )
    coming = _released(leaving, {pod.nominated for _, _, pod in nominated}, nodes, resources, space)
    free = {n: space.free[n].tolist() for n in coming}
    kept: defaultdict[tuple[int, int, int], list[int]] = defaultdict(lambda: [0] * len(resources))
    for rank, g, pod in nominated:
        n = nodes.get(pod.nominated)
        if n is None:
            continue
        for r, asked in enumerate(room.row(pod.request, resources)):
            comes = min(asked, coming[n][r])
            coming[n][r] -= comes
            keeps = min(asked - comes, free[n][r])
            free[n][r] -= keeps
            kept[n, rank, g][r] += keeps
    rows = sorted((key, row) for key, row in kept.items() if any(row))
    if not rows:
        return NO_RESERVED
    keys = np.array([key for key, _ in rows], dtype=np.int64)
    request: Ints = np.array([row for _, row in rows], dtype=np.int64)
    return Reserved(keys[:, 0], keys[:, 1], keys[:, 2], request)


def _released(
    leaving: Sequence[PodRecord],
    wanted: set[str],
    nodes: Mapping[str, int],
    resources: Sequence[str],
    space: room.Room,
) -> dict[int, list[int]]:
    """Give what leaving pods release on each wanted node, beyond what it has too little of."""
    total = {nodes[name]: [0] * len(resources) for name in wanted if name in nodes}
    for pod in leaving:
        held = total.get(nodes.get(pod.node, -1))
        if held is not None:
            for r, amount in enumerate(room.row(pod.request, resources)):
                held[r] += amount
    return {
        n: [max(a - b, 0) for a, b in zip(held, space.over[n].tolist(), strict=True)]
        for n, held in total.items()
    }
