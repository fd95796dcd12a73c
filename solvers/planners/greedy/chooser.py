"""Chooser: which units fall so that enough slots of one role come free on some nodes.

All that stand there fall, then come back, the most costly for what they block first (reverse
deletion, as in primal-dual covering algorithms: Goemans and Williamson 1997).
"""

import numpy as np

from gangplan.models.arrays import Flags, Floats, Ints
from gangplan.solvers.planners.greedy.book import Book
from gangplan.solvers.planners.greedy.returns import bring_back
from gangplan.solvers.planners.greedy.room import Room

ALL = 48
"""Nodes of a cell that are all looked at; of more, those with the cheapest slots."""

PLENTY = 2.5
"""So many times the slots that are missing are looked at there."""


class _Counted:
    """Slots of one role on some nodes, while units come back."""

    def __init__(self, book: Book, room: Room, role: int, nodes: Ints, units: Ints) -> None:
        falls, request = book.falls, book.instance.roles.request[role]
        asked = np.flatnonzero(request)
        self._each: list[int] = request[asked].tolist()
        self._most = book.instance.n_pods
        free = room.free[nodes][:, asked]
        place = np.full(len(room.free), -1, dtype=np.int64)
        place[nodes] = np.arange(len(nodes))
        pairs = falls.pairs(units)
        pairs = pairs[place[falls.pair_node[pairs]] >= 0]
        at, amount = place[falls.pair_node[pairs]], falls.pair_room[pairs][:, asked]
        np.add.at(free, at, amount)
        self._free: list[list[int]] = free.tolist()
        self._rooms: dict[int, list[tuple[int, list[int]]]] = {}
        owner = falls.pair_unit[pairs].tolist()
        for v, n, room_of in zip(owner, at.tolist(), amount.tolist(), strict=True):
            self._rooms.setdefault(v, []).append((n, room_of))
        self.slots = [self._count(mine) for mine in self._free]
        self._units = set(units.tolist())
        self.spare = 0

    def _count(self, free: list[int]) -> int:
        return min((f // e for f, e in zip(free, self._each, strict=True)), default=self._most)

    def take(self, unit: int) -> bool:
        """Let a unit come back if enough slots are left."""
        if unit not in self._units:
            return False
        self._move(unit, -1)
        if self.spare >= 0:
            return True
        self._move(unit, 1)
        return False

    def drop(self, unit: int) -> None:
        """Let it fall again."""
        self._move(unit, 1)

    def _move(self, unit: int, sign: int) -> None:
        for n, room in self._rooms.get(unit, ()):
            free = self._free[n] = [f + sign * r for f, r in zip(self._free[n], room, strict=True)]
            slots = self._count(free)
            self.spare += slots - self.slots[n]
            self.slots[n] = slots


def choose(
    book: Book,
    room: Room,
    pods: tuple[int, int],
    place: tuple[Ints, Ints],
    may: Flags,
    weight: Floats,
) -> set[int] | None:
    """Choose units so that nodes have enough slots of a role; None where it finds no way.

    Parameters
    ----------
    pods : the role, and how many.
    place : nodes of one cell, those with the cheapest slots first; and (N,) the slots that the
        fall of all units adds.
    may : (V,) units that may fall. ``weight`` (V,): what each costs.
    """
    (role, need), (nodes, gain) = pods, place
    now = room.slots(role)[nodes]
    lacks = need - int(now.sum())
    looked = nodes[gain[nodes] > 0]
    if len(looked) > ALL:
        enough = int(np.searchsorted(np.cumsum(gain[looked]), PLENTY * lacks)) + 1
        looked = looked[: max(enough, ALL)]
    falls, law = book.falls, book.law
    before = room.evictions.fallen if room.evictions else set[int]()
    near = np.zeros(len(room.free), dtype=np.bool_)
    near[looked] = True
    hit = near[falls.pair_node] & may[falls.pair_unit]
    extra = law.together(before, np.unique(falls.pair_unit[hit]), may)
    counted = _Counted(book, room, role, looked, np.array(sorted(extra), dtype=np.int64))
    counted.spare = int(now.sum() - room.slots(role)[looked].sum()) + sum(counted.slots) - need
    if counted.spare < 0:
        return None
    asked = np.flatnonzero(book.instance.roles.request[role])
    parts = falls.pair_room[hit][:, asked] / book.instance.roles.request[role, asked]
    blocked = np.bincount(
        falls.pair_unit[hit], weights=parts.max(axis=1, initial=1e-9), minlength=len(may)
    )
    units = np.array(sorted(extra), dtype=np.int64)
    fallen = before | extra
    down = np.zeros(len(may), dtype=np.bool_)
    down[list(fallen)] = True
    ratio = weight[units] / np.maximum(blocked[units], 1e-9)
    over = book.costs.overdrawn(down)[units]
    order = units[np.lexsort((-ratio, ~over, -falls.priority[units]))]
    bring_back(law, fallen, order.tolist(), counted)
    return fallen & extra
