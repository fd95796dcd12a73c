r"""Free room of the nodes (textbook knapsack rows).

    sum_p request[p, r] x[p, n]  <=  free[n, r] + sum_v room[v, n, r] e[v]
                                     for each node n, resource r                    (capacity.fits)
    sum_p request[p, r] x[p, n]  <=  free[n, r]
                                     over the pods p of groups that evict nobody,
                                     for each n that a unit can leave              (capacity.never)
    sum_p request[p, r] x[p, n]  <=  left[n, r, q] + sum_v room[v, n, r] e[v]
                                     over the pods p of rank q or lower of groups that nothing on n
                                     is kept for, for each priority q that room on n is kept with;
                                     for pods that evict nobody once more, without e
                                                                                    (capacity.kept)
    sum_p request[p, r] x[p, n] + d x[p', n]  <=  sum_v room[v, n, r] e[v]
                                     instead, where left[n, r, q] = 0 - d is negative: for each such
                                     pod p' that asks r                             (capacity.kept)

room[v, n, r] = what the pods of unit v hold on n; left[n, r, q] = free[n, r] minus what is kept
there with priority q or higher. Both sides are divided by the gcd of all requests of r (and of the
rooms on n), the right one rounded down, so that bytes stay exact; rows that all pods of the node
together cannot exceed are left out, and a room is cut to what they ask for. Nothing is lifted.
Off: no rows, and any number of pods fits a node.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd

import numpy as np

from gangplan.models.arrays import MOST, Flags, Ints
from gangplan.models.assignment.falling import NOBODY_FALLS, Falling, Rooms
from gangplan.models.assignment.pairs import Pairs
from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.milp import BIGGEST, RowBlock, VarBlock, row_block
from gangplan.models.victims import victims_of

NONE = np.zeros(0, dtype=np.int64)
NO_ROOMS = NOBODY_FALLS.rooms


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """Some rows of a block: entries, right sides, and node and resource of each."""

    row: Ints
    col: Ints
    coef: Ints
    side: Ints
    about: Ints


@dataclass(frozen=True, slots=True, eq=False)
class _Asking:
    """What all rows share.

    Attributes
    ----------
    request : (E, R) of each pair.
    rooms : what comes free, and ``e`` (V,) the columns that say so.
    """

    instance: Instance
    pairs: Pairs
    request: Ints
    x: VarBlock
    rooms: Rooms
    e: VarBlock

    def lines(self, mine: Ints, side: Ints, *, freed: bool = True) -> Iterator[_Lines]:
        """Write ``sum over mine  <=  side (N, R), and what falls``, resource by resource.

        Raises
        ------
        FormulationError : a quantity above 2^40 after scaling; names node and resource.
        """
        rooms = self.rooms if freed else NO_ROOMS
        for r in range(side.shape[1]):
            yield self._of(mine, side[:, r], r, rooms)

    def _of(self, mine: Ints, side: Ints, r: int, rooms: Rooms) -> _Lines:
        node, request = self.pairs.node[mine], self.request[mine, r]
        room = rooms.request[:, r] if len(rooms) else NONE
        room = np.minimum(room, _total(node, request, len(side))[rooms.node]) if len(room) else room
        divisor = np.full(len(side), max(int(np.gcd.reduce(request)), 1), dtype=np.int64)
        np.gcd.at(divisor, rooms.node, room)
        request, side, room = request // divisor[node], side // divisor, room // divisor[rooms.node]
        asked = np.bincount(node, weights=request, minlength=len(side))
        # Raised by more than the sum's error: a row is left out only where it surely cannot bind.
        binds = np.floor(asked * (1 + 1e-9)) > side
        used = np.flatnonzero(binds[node] & (request > 0))
        nodes, number = np.unique(node[used], return_inverse=True)
        here = np.flatnonzero(np.isin(rooms.node, nodes) & (room > 0))
        self._refuse(
            np.concatenate([nodes[side[nodes] > BIGGEST], rooms.node[here[room[here] > BIGGEST]]]),
            r,
        )
        return _Lines(
            np.concatenate([number.reshape(-1), np.searchsorted(nodes, rooms.node[here])]),
            np.concatenate([self.x.cols[mine[used]], self.e.cols[rooms.unit[here]]]),
            np.concatenate([request[used], -room[here]]),
            side[nodes],
            np.column_stack([nodes, np.full(len(nodes), r)]),
        )  # fmt: skip

    def short(self, mine: Ints, node: int, r: int, lack: int) -> _Lines:
        """Write, for each of the pods that ask, that what falls makes up for the ``lack`` too.

        All of ``mine`` are on the node; ``r`` is the resource.
        """
        asking = mine[self.request[mine, r] > 0]
        here = np.flatnonzero(self.rooms.node == node)
        # Python integers: nothing here is cut before it is divided.
        room: list[int] = self.rooms.request[here, r].tolist() if len(here) else []
        if sum(room) <= lack or not len(asking):
            nothing = np.zeros(len(self.instance.nodes), dtype=np.int64)
            return self._of(asking, nothing, r, NO_ROOMS)
        request: list[int] = self.request[asking, r].tolist()
        most = sum(request) + lack
        room = [min(more, most) for more in room]
        divisor = gcd(lack, *request, *room)
        if most // divisor > BIGGEST:
            self._refuse(np.array([node]), r)
        n, col = len(asking), self.x.cols[asking]
        coef = [[v // divisor for v in part] for part in (request * n, [lack] * n, room * n)]
        return _Lines(
            np.concatenate([np.arange(n).repeat(n), np.arange(n), np.arange(n).repeat(len(here))]),
            np.concatenate([np.tile(col, n), col, np.tile(self.e.cols[self.rooms.unit[here]], n)]),
            np.array([*coef[0], *coef[1], *(-v for v in coef[2])], dtype=np.int64),
            np.zeros(n, dtype=np.int64),
            np.tile([[node, r]], (n, 1)),
        )  # fmt: skip

    def _refuse(self, nodes: Ints, r: int) -> None:
        if len(nodes):
            names = self.instance.names
            raise FormulationError(
                f"node {names.nodes[nodes[0]]}: {names.resources[r]}: a quantity above 2^40 after"
                " division by the common divisor of the requests cannot be solved exactly"
            )


def rows(instance: Instance, pairs: Pairs, falls: Falling, x: VarBlock) -> list[RowBlock]:
    """Write capacity.fits; capacity.never and capacity.kept where somebody can fall, is kept from.

    Raises
    ------
    FormulationError : a quantity above 2^40 after scaling; the message names node and resource.
    """
    request = instance.roles.request[pairs.role]
    asking = _Asking(instance, pairs, request, x, falls.rooms, falls.e)
    free, never = instance.nodes.free, np.isin(pairs.group, instance.running.never)
    blocks = [_block("capacity.fits", asking.lines(np.arange(len(pairs)), free))]
    if falls:
        left = np.flatnonzero(never & np.isin(pairs.node, falls.rooms.node))
        blocks.append(_block("capacity.never", asking.lines(left, free, freed=False)))
    if len(instance.reserved):
        blocks.append(_block("capacity.kept", _kept(instance, pairs, asking, never)))
    return blocks


def _kept(instance: Instance, pairs: Pairs, asking: _Asking, never: Flags) -> Iterator[_Lines]:
    """Write the rows of each node and priority that room is kept with."""
    reserved, rank = instance.reserved, victims_of(instance).rank
    for n, q in np.unique(np.column_stack([reserved.node, reserved.priority]), axis=0).tolist():
        here = reserved.node == n
        low = (pairs.node == n) & (rank[pairs.group] <= q)
        mine = low & ~np.isin(pairs.group, reserved.group[here])
        side = instance.nodes.free.copy()
        kept = reserved.request[here & (reserved.priority >= q)]
        # Python integers: what is kept may add up to more than int64 can hold.
        total = [sum(column) for column in kept.T.tolist()]
        lack = [k - f for k, f in zip(total, side[n].tolist(), strict=True)]
        side[n] = [max(-less, 0) for less in lack]
        for which, freed in ((mine, True), (mine & never, False)):
            chosen = np.flatnonzero(which)
            yield from asking.lines(chosen, side, freed=freed)
            for r, less in enumerate(lack):
                if less > 0 and freed:
                    yield asking.short(chosen, n, r, less)


def _total(node: Ints, request: Ints, n_nodes: int) -> Ints:
    """(N,) what the pairs of each node ask together, cut to ``gone.MOST``."""
    # Python integers: all pods of a node may ask for more than int64 can hold.
    total = np.zeros(n_nodes, dtype=object)
    np.add.at(total, node, request.astype(object))
    cut: Ints = np.minimum(total, MOST).astype(np.int64)
    return cut


def _block(name: str, lines: Iterator[_Lines]) -> RowBlock:
    row, col, coef, side, about = [NONE], [NONE], [NONE], [NONE], [NONE.reshape(0, 2)]
    count = 0
    for part in lines:
        row.append(part.row + count)
        col.append(part.col)
        coef.append(part.coef)
        side.append(part.side)
        about.append(part.about)
        count += len(part.side)
    return row_block(
        name, np.concatenate(row), np.concatenate(col), np.concatenate(coef), -np.inf,
        np.concatenate(side), count, np.concatenate(about),
    )  # fmt: skip
