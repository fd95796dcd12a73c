"""A batch of arrivals as an instance of its own: what is placed before is room that is gone."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.columns import Shared
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.arrivals.room import Room, Spot
from gangplan.solvers.registry import get_planner


def with_pods(instance: Instance, wanted: Ints) -> Instance:
    """Return the instance with so many pods of each role; roles without any are left out.

    Parameters
    ----------
    wanted : (K,) pods of each role. Each role is a group of its own, as in openb.
    """
    kept = np.flatnonzero(wanted)
    roles, groups, names = instance.roles, instance.groups, instance.names
    owners = roles.group[kept]
    columns = ("request", "minimum", "running", "eligible", "devices", "share", "whole")
    owned = ("priority", "kind", "minimum", "running", "held", "age", "parent")
    return replace(
        instance,
        roles=replace(
            roles,
            group=np.arange(len(kept)),
            wanted=wanted[kept],
            **{name: getattr(roles, name)[kept] for name in columns},
        ),
        groups=replace(groups, **{name: getattr(groups, name)[owners] for name in owned}),
        names=replace(
            names,
            groups=tuple(names.groups[g] for g in owners),
            roles=tuple(names.roles[k] for k in kept),
            held=tuple(names.held[g] for g in owners),
            pods=tuple(
                f"{names.groups[roles.group[k]]}-{i}" for k in kept for i in range(wanted[k])
            ),
        ),
    )


def planned(room: Room, batch: Sequence[int], planner: str, seconds: float) -> list[Spot | None]:
    """Plan a batch by a planner of the registry; take what is placed from the room."""
    instance = _left(room, batch)
    result = get_planner(planner).plan(instance, Limits(seconds))
    spots = _spots(room, batch, instance, result.plan)
    for spot in spots:
        if spot is not None:
            room.take(spot)
    return spots


def _left(room: Room, batch: Sequence[int]) -> Instance:
    """Return the instance of a batch in the room that is left."""
    whole = room.instance
    wanted = np.bincount(batch, minlength=len(whole.roles)).astype(np.int64)
    n = np.repeat(np.arange(len(whole.nodes)), (room.device >= 0).sum(axis=1))
    left = room.left[room.device >= 0]
    intact = (room.left == whole.shared.free.max(initial=0)) | (room.device < 0)
    nodes = replace(whole.nodes, free=room.free, intact=whole.nodes.intact & intact.all(axis=1))
    return replace(with_pods(whole, wanted), nodes=nodes, shared=Shared(n, left))


def _spots(room: Room, batch: Sequence[int], instance: Instance, plan: Plan) -> list[Spot | None]:
    """Return where each arrival of the batch went; equal pods are told apart by their order."""
    owned = (room.device >= 0).sum(axis=1)
    first = np.concatenate(([0], np.cumsum(owned)))
    places: list[list[int]] = [[] for _ in range(instance.n_pods)]
    for pod, device in zip(plan.device_pod.tolist(), plan.device.tolist(), strict=True):
        places[pod].append(device - int(first[plan.node[pod]]))
    rows = np.argsort(batch, kind="stable")
    spots: list[Spot | None] = [None] * len(batch)
    for p, i in enumerate(rows.tolist()):
        if plan.node[p] >= 0:
            spots[i] = Spot(int(batch[i]), int(plan.node[p]), tuple(places[p]))
    return spots
