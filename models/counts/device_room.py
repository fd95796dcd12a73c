"""Devices of nodes as room, for rows about whose fall serves whom (serving.py).

Each set of devices that a request is confined to, all of them on nodes, is a resource more: pods
ask what their own claims take of it at least, nodes have what is free now, and a running pod gives
back what its claims hold. Of several users of a claim the first one does: with f[c] <= e that is no
less than what comes free. So every plan keeps rows that are written from it.
"""

from dataclasses import replace

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.counts.indexed import Indexed
from gangplan.models.instance import Instance
from gangplan.models.options.budgets import budgets_of


def with_devices_as_room(instance: Instance, f: Indexed) -> Instance:
    """Return the instance with resources for devices; itself where no device comes free.

    Parameters
    ----------
    f : columns by holding: those that may come free.
    """
    if not len(f):
        return instance
    budgets, devices = budgets_of(instance), instance.devices
    need = budgets.need[: len(budgets.sets)]
    back = np.isin(instance.running.freed_hold, f.index[:, 0])
    mine = need.any(axis=1) & ~(budgets.sets & (devices.zone >= 0)).any(axis=1)
    mine &= budgets.sets[:, instance.running.freed_device[back]].any(axis=1)
    if not mine.any():
        return instance
    sets, need = budgets.sets[mine], need[mine]
    free, given = _room(instance, sets, back)
    names = tuple(f"devices {number}" for number in range(len(sets)))
    none = np.zeros((1, len(sets)), dtype=np.int64)
    return replace(
        instance,
        nodes=replace(instance.nodes, free=_beside(instance.nodes.free, free)),
        roles=replace(instance.roles, request=_beside(instance.roles.request, need.T)),
        leaving=replace(instance.leaving, request=_beside(instance.leaving.request, none)),
        running=replace(instance.running, pod_request=_beside(instance.running.pod_request, given)),
        reserved=replace(instance.reserved, request=_beside(instance.reserved.request, none)),
        names=replace(instance.names, resources=(*instance.names.resources, *names)),
    )


def _room(instance: Instance, sets: Flags, back: Flags) -> tuple[Ints, Ints]:
    """(N, sets) devices free now, and (U, sets) devices that pods give back.

    What a pod holds away from its own node counts as free: it falls there for nothing.
    """
    running, devices = instance.running, instance.devices
    free = np.zeros((len(instance.nodes), len(sets)), dtype=np.int64)
    given = np.zeros((len(running.pod_unit), len(sets)), dtype=np.int64)
    hold, device = running.freed_hold[back], running.freed_device[back]
    pod = running.user_pod[np.searchsorted(running.user_hold, hold)]
    here = running.pod_node[pod] == devices.node[device]
    now = np.concatenate([np.flatnonzero(~devices.taken & (devices.node >= 0)), device[~here]])
    now = now[devices.node[now] >= 0]
    np.add.at(free, devices.node[now], sets[:, now].T.astype(np.int64))
    np.add.at(given, pod[here], sets[:, device[here]].T.astype(np.int64))
    return free, given


def _beside(table: Ints, more: Ints) -> Ints:
    rows = np.broadcast_to(more, (len(table), more.shape[1]))
    both: Ints = np.hstack([table, rows])
    return both
