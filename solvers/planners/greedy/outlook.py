"""Outlook: where room for a gang could be made, and about what it costs there."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Floats, Ints
from gangplan.solvers.planners.greedy.book import Book
from gangplan.solvers.planners.greedy.cells import Cells
from gangplan.solvers.planners.greedy.room import Room


@dataclass(frozen=True, slots=True, eq=False)
class Outlook:
    """What a rank could get.

    Attributes
    ----------
    may : (V,) units that may fall for it.
    now, most : role -> (N,) slots now, and with all of these units gone.
    fullness : (N,) of the room then.
    """

    may: Flags
    now: dict[int, Ints]
    most: dict[int, Ints]
    fullness: Floats


def outlook(room: Room, roles: Sequence[int], may: Flags) -> Outlook:
    """Look what is left when all of these units are gone."""
    # A shared claim without a site gets one with the group: now there is none.
    now = {k: room.slots(k).copy() for k in roles}
    if all(room.plain(k) for k in roles):
        falls, free = room.book.falls, room.free.copy()
        pairs = may[falls.pair_unit]
        nodes, more = falls.pair_node[pairs], falls.pair_room[pairs]
        for r in range(more.shape[1]):
            np.add.at(free[:, r], nodes, more[:, r])
        most = {k: room.slots_of(k, free) for k in roles}
        return Outlook(may, now, most, room.fullness_of(free))
    mark = room.mark()
    room.evict(np.flatnonzero(may))
    most = {k: _sited(room, k).copy() for k in roles}
    fullness = room.fullness.copy()
    room.undo(mark)
    return Outlook(may, now, most, fullness)


def _sited(room: Room, role: int) -> Ints:
    """(N,) slots, as if all nodes reached the shared claims that have no site yet."""
    waits = room.dealt is not None and room.dealt.open_claims((role,))
    return room.anywhere(role) if waits else room.slots(role)


@dataclass(frozen=True, slots=True, eq=False)
class Bill:
    """Nodes of every cell, those with the cheapest slots first, and what enough slots cost.

    Attributes
    ----------
    cost : (n,) of each cell, about.
    nodes : (M,) nodes, cell after cell, as ``Cells.start`` says.
    gain : (N,) slots that evictions add.
    """

    cost: Floats
    nodes: Ints
    gain: Ints


class Prices:
    """Prices of slots: a unit's weight, spread over the room that it blocks in a cell."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._segments: dict[tuple[int, ...], tuple[Ints, Ints]] = {}

    def bill(self, cells: Cells, seen: Outlook, role: int, need: int, weight: Floats) -> Bill:
        """Say what ``need`` slots of a role cost in each cell; ``weight`` (V,) of units."""
        falls, roles = self._book.falls, self._book.instance.roles
        label, segment = self._cut(cells)
        now, gain = seen.now[role], seen.most[role] - seen.now[role]
        asked = np.flatnonzero(roles.request[role])
        parts = falls.pair_room[:, asked] / roles.request[role, asked]
        blocked = parts.max(axis=1, initial=1e-9)
        blocked = np.where(seen.may[falls.pair_unit] & (gain[falls.pair_node] > 0), blocked, 0.0)
        total = np.bincount(segment, weights=blocked, minlength=1)[segment]
        share = np.divide(blocked, total, out=np.zeros_like(blocked), where=total > 0)
        price = np.bincount(
            falls.pair_node,
            weights=weight[falls.pair_unit] * share,
            minlength=len(now),
        )
        ratio = np.where(gain > 0, price / np.maximum(gain, 1), np.inf)
        order = cells.order[np.lexsort((ratio[cells.order], label[cells.order]))]
        gained, at = gain[order], label[order]
        before = np.cumsum(gained) - gained
        before -= before[cells.start[:-1]][at]
        lacks = need - cells.sums(now)
        used = np.clip(lacks[at] - before, 0, gained)
        each = np.where(used > 0, ratio[order], 0.0) * used
        cost = np.add.reduceat(each, cells.start[:-1]) if len(cells) else each
        return Bill(cost, order, gain)

    def _cut(self, cells: Cells) -> tuple[Ints, Ints]:
        """(N,) the cell of each node, (P,) and the same number for pairs of a unit in one cell."""
        known = self._segments.get(cells.levels)
        if known is None:
            falls = self._book.falls
            label = np.full(len(self._book.instance.nodes), -1, dtype=np.int64)
            label[cells.order] = np.repeat(np.arange(len(cells)), np.diff(cells.start))
            key = falls.pair_unit * (len(cells) + 1) + label[falls.pair_node] + 1
            _, segment = np.unique(key, return_inverse=True)
            self._segments[cells.levels] = known = label, segment.reshape(-1).astype(np.int64)
        return known
