"""Slots: how many pods of a role one node could hold if nothing else came to it."""

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.instance import Instance


def slots_of(instance: Instance, role: int) -> Ints:
    """(N,) slots of one role: free room, eligibility and shared devices; 0 where held.

    No node gets more than the pods that wait.
    """
    usable = instance.can_use[role]
    room = np.where(usable, instance.roles.wanted[role], 0)
    for r in np.flatnonzero(instance.roles.request[role]):
        room = np.minimum(room, instance.nodes.free[:, r] // instance.roles.request[role, r])
    return np.minimum(room, shared_slots(instance, role)) if len(instance.shared) else room


def shared_slots(instance: Instance, role: int) -> Ints:
    """(N,) slots by shared devices alone: sum of floor(free / share), or empty devices // whole."""
    n = len(instance.nodes)
    share, whole = int(instance.roles.share[role]), int(instance.roles.whole[role])
    room = np.full(n, int(instance.roles.wanted[role]), dtype=np.int64)
    node, free = instance.shared.node, instance.shared.free
    if share:
        each = np.bincount(node, weights=free // share, minlength=n).astype(np.int64)
        room = np.minimum(room, each)
    if whole:
        empty = np.bincount(node[free == 1000], minlength=n).astype(np.int64)
        room = np.minimum(room, empty // whole)
    return room
