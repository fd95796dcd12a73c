"""Slots: how many pods of a role one node could hold if nothing else came to it.

Roles that are equal to a node (same request, eligibility and device needs) share one count.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.instance import Instance


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """Slots of every role, one table row a distinct kind of role.

    Attributes
    ----------
    kind : (K,) row of the table a role uses.
    table : (S, N) slots; no number exceeds the pods that wait of any role of that kind.
    wanted : (K,) pods that wait; 0 for roles of held groups.
    """

    kind: Ints
    table: Ints
    wanted: Ints

    def of_role(self, role: int) -> Ints:
        """(N,) slots of one role, at most the pods that wait; 0 where its group is held."""
        slots: Ints = np.minimum(self.table[self.kind[role]], self.wanted[role])
        return slots


def slots_of(instance: Instance) -> Slots:
    """Count the slots of every kind of role on every node, shared devices included."""
    roles = instance.roles
    held = instance.groups.held[roles.group]
    columns = np.column_stack([roles.request, roles.eligible, roles.share, roles.whole, held])
    _, first, kind = np.unique(columns, axis=0, return_index=True, return_inverse=True)
    kind = kind.reshape(-1).astype(np.int64)
    most = np.zeros(len(first), dtype=np.int64)
    np.maximum.at(most, kind, roles.wanted)
    table = np.where(instance.can_use[first], most[:, None], 0)
    for row, k in enumerate(first):
        for r in np.flatnonzero(roles.request[k]):
            fit = instance.nodes.free[:, r] // roles.request[k, r]
            np.minimum(table[row], fit, out=table[row])
        if len(instance.shared):
            np.minimum(table[row], shared_slots(instance, int(k)), out=table[row])
    return Slots(kind, table, np.where(held, 0, roles.wanted))


def shared_slots(instance: Instance, role: int) -> Ints:
    """(N,) slots by shared devices alone: sum of floor(free / share), or empty devices // whole."""
    n = len(instance.nodes)
    share, whole = int(instance.roles.share[role]), int(instance.roles.whole[role])
    room = np.full(n, np.iinfo(np.int64).max, dtype=np.int64)
    node, free = instance.shared.node, instance.shared.free
    if share:
        each = np.bincount(node, weights=free // share, minlength=n).astype(np.int64)
        room = np.minimum(room, each)
    if whole:
        empty = np.bincount(node[free == 1000], minlength=n).astype(np.int64)
        room = np.minimum(room, empty // whole)
    return room
