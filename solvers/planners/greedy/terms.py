"""Terms: rows of capacity that bind some groups only. Reserved room, and room that others freed.

A group that evicts nobody uses no freed room; a reservation keeps room from groups of its rank or
lower, those that it is for excepted (docs/preemption.md, rules 2 and 8).
"""

from collections.abc import Iterator

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.instance import Instance
from gangplan.models.victims import victims_of


class Terms:
    """What the bound groups have used of each row's room.

    Attributes
    ----------
    signature : G numbers, equal for groups that the same rows bind.
    """

    def __init__(self, instance: Instance) -> None:
        rows = list(_rows(instance))
        groups, n_resources = len(instance.groups), instance.nodes.free.shape[1]
        self._node = np.array([n for n, _, _, _ in rows], dtype=np.int64)
        self._room = np.array([room for _, room, _, _ in rows], dtype=np.int64)
        self._room = self._room.reshape(len(rows), n_resources)
        self._freed = np.array([freed for _, _, _, freed in rows], dtype=np.bool_)
        self._used = np.zeros_like(self._room)
        bound = np.array([mine for _, _, mine, _ in rows], dtype=np.bool_)
        bound = bound.reshape(len(rows), groups)
        self._request = instance.roles.request
        self._n_nodes = len(instance.nodes)
        self._of_role = [np.flatnonzero(bound[:, g]) for g in instance.roles.group.tolist()]
        _, which = np.unique(bound, axis=1, return_inverse=True)
        self.signature: list[int] = which.reshape(-1).tolist() if len(rows) else [0] * groups

    def __bool__(self) -> bool:
        """Tell whether there is any row."""
        return bool(len(self._node))

    def bind(self, role: int) -> bool:
        """Tell whether some row binds a role."""
        return bool(len(self._of_role[role]))

    def capped(self, role: int, slots: Ints) -> Ints:
        """(N,) slots of a role, as far as its rows allow."""
        rows = self._of_role[role]
        asked = np.flatnonzero(self._request[role])
        if not len(rows) or not len(asked):
            return slots
        left = np.maximum(self._room[rows] - self._used[rows], 0)
        most = (left[:, asked] // self._request[role, asked]).min(axis=1)
        capped = slots.copy()
        np.minimum.at(capped, self._node[rows], most)
        return capped

    def move(self, role: int, nodes: Ints, pods: Ints) -> None:
        """Count pods that were placed or, where negative, taken out."""
        rows = self._of_role[role]
        if len(rows):
            at = np.zeros(self._n_nodes, dtype=np.int64)
            at[nodes] = pods
            self._used[rows] += at[self._node[rows]][:, None] * self._request[role]

    def free(self, nodes: Ints, room: Ints, sign: int) -> None:
        """Add room (n, R) that evictions free, or take it back (``sign`` -1)."""
        mine = self._freed
        if mine.any():
            self._room[mine] += sign * self._summed(nodes, room)[self._node[mine]]

    def spares(self, nodes: Ints, room: Ints) -> bool:
        """Tell whether the rows hold without freed room (n, R) on nodes."""
        mine = self._freed
        if not mine.any():
            return True
        used = self._used[mine]
        left = self._room[mine] - self._summed(nodes, room)[self._node[mine]]
        return not ((used > 0) & (used > left)).any()

    def _summed(self, nodes: Ints, room: Ints) -> Ints:
        total = np.zeros((self._n_nodes, self._room.shape[1]), dtype=np.int64)
        np.add.at(total, nodes, room)
        return total


def _rows(instance: Instance) -> Iterator[tuple[int, Ints, Flags, bool]]:
    """Node, room (R,), groups bound (G,), and whether freed room counts."""
    reserved, free = instance.reserved, instance.nodes.free
    never = np.zeros(len(instance.groups), dtype=np.bool_)
    never[instance.running.never] = len(instance.running) > 0
    never &= instance.per_group(instance.roles.wanted) > 0
    if never.any():
        for n in range(len(instance.nodes)):
            yield n, free[n], never, False
    rank = victims_of(instance).rank
    for n in np.unique(reserved.node).tolist():
        mine = reserved.node == n
        others = np.ones(len(never), dtype=np.bool_)
        others[reserved.group[mine & (reserved.group >= 0)]] = False
        for q in np.unique(reserved.priority[mine]).tolist():
            kept = reserved.request[mine & (reserved.priority >= q)].sum(axis=0)
            bound = others & (rank <= q)
            yield n, free[n] - kept, bound, True
            if (bound & never).any():
                yield n, free[n] - kept, bound & never, False
