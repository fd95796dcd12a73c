"""Cells: the (role, place) sums that rows about topology are written on."""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.counts.indexed import numbered
from gangplan.models.counts.layers import Layer
from gangplan.models.counts.pairs import Pairs


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The pairs of one layer, added up by role and place (a domain, or what stands for one).

    Attributes
    ----------
    pair : (c,) pairs e that lie in a cell.
    cell : (c,) the cell of each.
    rule, role, place : (m,) what a cell stands for; sorted by role, then place.
    slots : (m,) most pods of the role in the place.
    """

    pair: Ints
    cell: Ints
    rule: Ints
    role: Ints
    place: Ints
    slots: Ints


def cells_of(pairs: Pairs, layer: Layer, place: Ints, n_places: int) -> Cells:
    """Add up the pairs of the roles that a layer binds.

    Parameters
    ----------
    place : (N,) place of each node, in 0..n_places-1 wherever a bound role has a pair.
    """
    n = max(n_places, 1)
    pair = np.flatnonzero(layer.rule[pairs.role] >= 0)
    key = pairs.role[pair] * n + place[pairs.node[pair]]
    distinct, cell = numbered(key, len(pairs.slots) * n)
    role = distinct // n
    slots = np.bincount(cell, weights=pairs.upper[pair], minlength=len(distinct))
    return Cells(pair, cell, layer.rule[role], role, distinct % n, slots.astype(np.int64))


def joined(cells: list[Cells]) -> Cells:
    """Put the cells of several layers behind one another."""
    none = np.zeros(0, dtype=np.int64)
    start = np.cumsum([0, *(len(c.rule) for c in cells)])
    return Cells(
        np.concatenate([none, *(c.pair for c in cells)]),
        np.concatenate([none, *(c.cell + s for c, s in zip(cells, start, strict=False))]),
        np.concatenate([none, *(c.rule for c in cells)]),
        np.concatenate([none, *(c.role for c in cells)]),
        np.concatenate([none, *(c.place for c in cells)]),
        np.concatenate([none, *(c.slots for c in cells)]),
    )
