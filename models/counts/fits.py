"""Rows about room, exactly: sum request x <= side + what units give back, one a place and resource.

A place is a node, or a node as one gang sees it. w divides each row: the gcd of the requests that
can meet there and of the amounts that units give back. Where no unit does, the side is lowered to
the largest sum of requests below it; where one does, no amount is larger than what is asked beyond
the side. Both keep every integer point. Rows that cannot bind, or that another resource's row of
the place implies, are left out.
"""

from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.counts.knapsack import meetings, tightened
from gangplan.models.counts.pairs import Pairs
from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.milp import BIGGEST, RowBlock, VarBlock, row_block

EXACT = 2**31
"""Numbers up to here multiply without overflow, so that rows can be compared exactly."""


@dataclass(frozen=True, slots=True, eq=False)
class Back:
    """What columns give back to places, one entry a column and place; sorted by place, column.

    Attributes
    ----------
    place, col : (m,) the place, and the column.
    amount : (m, R) room.
    """

    place: Ints
    col: Ints
    amount: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """What meets where.

    Attributes
    ----------
    pair : (m,) pairs e that ask for room.
    place : (m,) the place of each.
    node : (B,) node of each place, for its name and its number in the block.
    side : (R, B) room.
    given : (B,) the column that says whether the side is there; -1: it is.
    wanted : (R, B) rows that may be written.
    """

    pair: Ints
    place: Ints
    node: Ints
    side: Ints
    given: Ints
    wanted: Flags


def nothing_back(n_resources: int) -> Back:
    """Nobody makes room."""
    none = np.zeros(0, dtype=np.int64)
    return Back(none, none, np.zeros((0, n_resources), dtype=np.int64))


def by_node(instance: Instance, pair: Ints, pairs: Pairs, side: Ints, wanted: Flags) -> Places:
    """Every node is a place; ``side`` (R, N)."""
    n = np.arange(len(instance.nodes))
    return Places(pair, pairs.node[pair], n, side, np.full(len(n), -1, dtype=np.int64), wanted)


def rows(
    name: str, instance: Instance, pairs: Pairs, x: VarBlock, places: Places, back: Back
) -> RowBlock:
    """Write the rows that can bind.

    Raises
    ------
    FormulationError : a quantity above 2^40 after division.
    """
    shapes, shape = np.unique(instance.roles.request, axis=0, return_inverse=True)
    of_pair = shape.reshape(-1)[pairs.role[places.pair]]
    present = np.zeros((len(shapes), len(places.node)), dtype=np.bool_)
    present[of_pair, places.place] = True
    met = meetings(present)
    busy = np.zeros(len(places.node), dtype=np.bool_)
    busy[back.place] = True
    divisor, side = np.ones((2, *places.side.shape), dtype=np.int64)
    for r in range(len(side)):
        divisor[r], side[r] = tightened(met, shapes[:, r], places.side[r])
        if busy.any():
            np.gcd.at(divisor[r], back.place, back.amount[:, r])
            side[r, busy] = places.side[r, busy] // divisor[r, busy]
    demand = _demand(instance, pairs, places, divisor)
    binds: Flags = (demand > side) & places.wanted
    amount = back.amount.T // divisor[:, back.place]
    amount = np.minimum(amount, np.maximum(demand - side, 0)[:, back.place])
    some = np.any(binds, axis=1)
    kept = binds & ~np.where(
        busy,
        _implied_with(shapes, present, divisor, side, back, amount, some) if busy.any() else False,
        _implied(shapes, present, divisor, side, some),
    )
    _refuse(instance, shapes, present, divisor, kept, side, places)
    _refuse_back(instance, np.where(kept[:, back.place], amount, 0), places, back)
    return _block(name, instance, pairs, x, places, kept, divisor, side, back, amount)


def demand_of(instance: Instance, pairs: Pairs, places: Places) -> Ints:
    """(R, B) what all pairs of a place would ask together; clipped, and never too small."""
    return _demand(instance, pairs, places, np.ones_like(places.side))


def _block(
    name: str, instance: Instance, pairs: Pairs, x: VarBlock, places: Places, kept: Flags,
    divisor: Ints, side: Ints, back: Back, amount: Ints,
) -> RowBlock:  # fmt: skip
    resource, place = np.nonzero(kept)
    number = np.zeros(kept.shape, dtype=np.int64)
    number[resource, place] = np.arange(len(place))
    row, col, coef = [], [], []
    for r in range(kept.shape[0]):
        request = instance.roles.request[pairs.role[places.pair], r]
        mine = np.flatnonzero(kept[r, places.place] & (request > 0))
        at = places.place[mine]
        row.append(number[r, at])
        col.append(x.cols[places.pair[mine]])
        coef.append(request[mine] // divisor[r, at])
        given = np.flatnonzero(kept[r, back.place] & (amount[r] > 0))
        row.append(number[r, back.place[given]])
        col.append(back.col[given])
        coef.append(-amount[r, given])
    upper = side[kept]
    tied = np.flatnonzero((places.given[place] >= 0) & (upper > 0))
    row.append(tied)
    col.append(places.given[place[tied]])
    coef.append(-upper[tied])
    none = np.zeros(0, dtype=np.int64)
    return row_block(
        name,
        np.concatenate([none, *row]),
        np.concatenate([none, *col]),
        np.concatenate([none, *coef]),
        -np.inf,
        np.where(places.given[place] >= 0, 0, upper),
        len(place),
        np.column_stack([places.node[place], resource]),
    )


def _demand(instance: Instance, pairs: Pairs, places: Places, divisor: Ints) -> Ints:
    """(R, B) what all pairs of a place would ask together; clipped, and never too small."""
    total = np.zeros(divisor.shape)
    for r in range(len(divisor)):
        request = instance.roles.request[pairs.role[places.pair], r]
        asked = request.astype(np.float64) * pairs.upper[places.pair]
        total[r] = np.bincount(places.place, weights=asked, minlength=divisor.shape[1])
    # Raised by more than the sum's error: a row is dropped only where it surely cannot bind.
    return np.floor(np.minimum(total / divisor * (1 + 1e-9), 2.0**62)).astype(np.int64)


def _implied(shapes: Ints, present: Flags, divisor: Ints, side: Ints, binds: Flags) -> Flags:
    """(R, B) rows r that another row s of the place implies: a_r / b_r <= a_s / b_s for every pod.

    Of rows that imply each other the first one stays. Numbers too big to multiply imply nothing;
    resources r outside ``binds`` (R,) have no row that could imply or be implied.
    """
    implied = np.zeros(side.shape, dtype=np.bool_)
    resources = np.flatnonzero(binds).tolist()
    weight, small = {}, {}
    for r in resources:
        weight[r] = np.where(present, shapes[:, r, None] // divisor[r], 0)
        small[r] = (side[r] > 0) & (side[r] < EXACT) & (weight[r] < EXACT).all(axis=0)
        weight[r] *= small[r]
    for r, s in combinations(resources, 2):
        left, right = weight[r] * (side[s] * small[s]), weight[s] * (side[r] * small[r])
        both = small[r] & small[s]
        by_s = both & ~(left > right).any(axis=0)
        by_r = both & ~(right > left).any(axis=0)
        implied[r] |= by_s & ~by_r
        implied[s] |= by_r
    return implied


def _implied_with(
    shapes: Ints, present: Flags, divisor: Ints, side: Ints, back: Back, amount: Ints, binds: Flags
) -> Flags:
    """(R, B) rows r that some multiple p/q of another row s implies, where units give room back.

    a_r <= p/q a_s for every pod, and b_r >= p/q b_s for the side and every amount; p/q is the
    largest a_r / a_s. Of rows that imply each other one stays.
    """
    implied = np.zeros(side.shape, dtype=np.bool_)
    resources = np.flatnonzero(binds).tolist() if len(shapes) else []
    weight = {r: np.where(present, shapes[:, r, None] // divisor[r], 0) for r in resources}
    wide = {r: (side[r] >= EXACT) | (weight[r] >= EXACT).any(axis=0) for r in resources}
    for r in resources:
        np.logical_or.at(wide[r], back.place, amount[r] >= EXACT)
    for r, s in permutations(resources, 2):
        small = ~(wide[r] | wide[s])
        a_r, a_s = weight[r] * small, weight[s] * small
        ratio = np.where(a_s > 0, a_r / np.maximum(a_s, 1), -1.0)
        best = np.argmax(ratio, axis=0)[None, :]
        p, q = np.take_along_axis(a_r, best, axis=0)[0], np.take_along_axis(a_s, best, axis=0)[0]
        good = small & (q > 0) & ~(a_r * q > p * a_s).any(axis=0)
        good &= (side[r] * small) * q >= p * (side[s] * small)
        here = small[back.place]
        less = (amount[r] * here) * q[back.place] < p[back.place] * (amount[s] * here)
        np.logical_and.at(good, back.place, ~less)
        implied[r] |= good & ~implied[s]
    return implied


def _refuse(
    instance: Instance, shapes: Ints, present: Flags, divisor: Ints, kept: Flags, side: Ints,
    places: Places,
) -> None:  # fmt: skip
    """Name the node and resource whose numbers stay above 2^40 after scaling."""
    if max(int(np.where(kept, side, 0).max(initial=0)), int(shapes.max(initial=0))) <= BIGGEST:
        return
    for r in range(len(divisor)):
        top = np.where(present, shapes[:, r, None], 0).max(axis=0, initial=0) // divisor[r]
        wide = np.flatnonzero(kept[r] & (np.maximum(side[r], top) > BIGGEST))
        if len(wide):
            raise _too_big(instance, int(places.node[wide[0]]), r)


def _refuse_back(instance: Instance, amount: Ints, places: Places, back: Back) -> None:
    resource, entry = np.nonzero(amount > BIGGEST)
    if len(entry):
        raise _too_big(instance, int(places.node[back.place[entry[0]]]), int(resource[0]))


def _too_big(instance: Instance, node: int, resource: int) -> FormulationError:
    names = instance.names
    return FormulationError(
        f"node {names.nodes[node]}: {names.resources[resource]}: a quantity above 2^40 after"
        " division by the common divisor of the requests cannot be solved exactly"
    )
