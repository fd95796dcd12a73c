r"""Room that is kept for nominated pods (paper, eq. kept).

    sum_{k: rank <= q} request x  <=  max(0, free[n, r] - kept + sum_v room[v, n, r] e[v])
                                                                                   (capacity.kept)

for each node n, each priority q that a reservation on n has, and each resource r, over the groups
of rank q or lower that no reservation on n is for; over those of them that use no room which an
eviction makes, without e, too. kept = what is reserved there for priority q or higher. Where more
is kept than is free,

    m[n, q, r] in {0, 1}                         victims make up for what is lacking
    sum_k request x + (kept - free) m  <=  sum_v room e                             (capacity.made)
    x[k, n]                            <=  upper m                                  (capacity.made)

Part of the capacity family.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import MOST, Flags, Ints
from gangplan.models.counts import fits
from gangplan.models.counts.fits import Back, by_node, nothing_back
from gangplan.models.counts.indexed import Indexed, indexed, nothing, stacked
from gangplan.models.counts.pairs import Pairs
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block
from gangplan.models.victims import victims_of


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """Who is kept from what, for one priority.

    Attributes
    ----------
    number, priority : place of q among the priorities of reservations, and q.
    pair : pairs e that the reservations keep room from.
    left : (R, N) free room minus what is kept; may be below 0.
    rows : (R, N) something is kept.
    """

    number: int
    priority: int
    pair: Ints
    left: Ints
    rows: Flags


def bounds(instance: Instance, pairs: Pairs) -> list[Bound]:
    """List what is kept, priority by priority."""
    reserved, free = instance.reserved, instance.nodes.free
    rank = victims_of(instance).rank[instance.roles.group[pairs.role]]
    width = max(len(instance.groups), 1)
    mine = reserved.group >= 0
    friend = reserved.node[mine] * width + reserved.group[mine]
    own = np.isin(pairs.node * width + instance.roles.group[pairs.role], friend)
    found = []
    for number, q in enumerate(np.unique(reserved.priority).tolist()):
        above = np.flatnonzero(reserved.priority >= q)
        kept = np.zeros(free.shape, dtype=np.int64)
        most = MOST // len(above)
        np.add.at(kept, reserved.node[above], np.minimum(reserved.request[above], most))
        here = np.zeros(len(free), dtype=np.bool_)
        here[reserved.node[reserved.priority == q]] = True
        kept[~here] = 0
        pair = np.flatnonzero((rank <= q) & here[pairs.node] & ~own)
        found.append(Bound(number, q, pair, (free - kept).T, (kept > 0).T))
    return found


def columns(instance: Instance, pairs: Pairs, back: Back, cols: Columns) -> Indexed:
    """m[n, q, r] where room is lacking that units can make."""
    if not len(instance.reserved) or not len(back.place):
        return nothing("made", 3)
    found = [np.zeros((0, 3), dtype=np.int64)]
    for bound in bounds(instance, pairs):
        for r, n in np.argwhere(_lacking(bound, back)).tolist():
            asks = instance.roles.request[pairs.role[bound.pair], r] > 0
            if (asks & (pairs.node[bound.pair] == n)).any():
                found.append(np.array([[n, bound.number, r]]))
    index = np.concatenate(found)
    return indexed(cols, "made", index[np.lexsort(index.T[::-1])], 1)


def rows(
    instance: Instance, pairs: Pairs, x: VarBlock, back: Back, never: Flags, made: Indexed
) -> list[RowBlock]:
    """Write capacity.kept and capacity.made.

    Parameters
    ----------
    never : (K,) roles that use no room which an eviction makes.
    """
    if not len(instance.reserved):
        return []
    none = nothing_back(len(instance.names.resources))
    kept, more = [], []
    for bound in bounds(instance, pairs):
        lacking = _lacking(bound, back)
        side = np.maximum(bound.left, 0)
        kept.append((bound.pair, side, bound.rows & ~lacking, back))
        if len(back.place):
            kept.append((bound.pair[never[pairs.role[bound.pair]]], side, bound.rows, none))
        more += [
            _made(instance, pairs, x, back, bound, int(n), int(r), int(column))
            for (n, q, r), column in zip(made.index, made.cols, strict=True)
            if q == bound.number
        ]
    blocks = [
        fits.rows("", instance, pairs, x, by_node(instance, pair, pairs, side, wanted), room)
        for pair, side, wanted, room in kept
        if len(pair)
    ]
    return [stacked("capacity.kept", blocks), *([stacked("capacity.made", more)] if more else [])]


def encode(instance: Instance, pairs: Pairs, x: VarBlock, made: Indexed, point: Ints) -> None:
    """Fill m from x, in place: 1 where a pod that room is kept from asks for it."""
    if not len(made):
        return
    for bound in bounds(instance, pairs):
        pair = bound.pair[point[x.cols[bound.pair]] > 0]
        for (n, q, r), column in zip(made.index, made.cols, strict=True):
            if q == bound.number:
                asks = instance.roles.request[pairs.role[pair], r] > 0
                point[column] = bool((asks & (pairs.node[pair] == n)).any())


def _lacking(bound: Bound, back: Back) -> Flags:
    """(R, N) more is kept than is free, and some unit makes room."""
    gives = np.zeros(bound.left.shape, dtype=np.bool_)
    np.logical_or.at(gives.T, back.place, back.amount > 0)
    lacking: Flags = gives & (bound.left < 0)
    return lacking


def _made(
    instance: Instance, pairs: Pairs, x: VarBlock, back: Back, bound: Bound, n: int, r: int,
    column: int,
) -> RowBlock:  # fmt: skip
    request = instance.roles.request[pairs.role[bound.pair], r]
    asks = (request > 0) & (pairs.node[bound.pair] == n)
    pair, request = bound.pair[asks], request[asks]
    lack = -int(bound.left[r, n])
    gives = np.flatnonzero((back.place == n) & (back.amount[:, r] > 0))
    total = sum(a * b for a, b in zip(request.tolist(), pairs.upper[pair].tolist(), strict=True))
    amount = np.minimum(back.amount[gives, r], min(lack + total, MOST))
    divisor = int(np.gcd.reduce(np.concatenate([request, amount])))
    count = np.arange(1, len(pair) + 1)
    return row_block(
        "capacity.made",
        np.concatenate([np.zeros(len(pair) + len(gives) + 1, dtype=np.int64), count, count]),
        np.concatenate(
            [x.cols[pair], back.col[gives], [column], x.cols[pair], np.full(len(pair), column)]
        ),
        np.concatenate(
            [request // divisor, -(amount // divisor), [-(-lack // divisor)],
             np.ones(len(pair), dtype=np.int64), -pairs.upper[pair]]
        ),
        -np.inf, 0.0, len(pair) + 1, np.full((len(pair) + 1, 2), [n, r]),
    )  # fmt: skip
