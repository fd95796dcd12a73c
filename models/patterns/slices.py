r"""Columns and rows of groups that are split into slices (paper, eq. slices).

    y[j, v, i, d] in Z+   pods of role i of the groups of type j at v that take slots at place d
    q[j, v, r, D] in Z+   slices of rule r in domain D, unfinished ones included

    sum_{i, d in D} y[j, v, i, d] + left_{r, D} t[j, v]  =  k_r q[j, v, r, D]  (patterns.slice)
    sum_d y[j, v, i, d]  >=  least_i t[j, v]                                  (patterns.slice-least)
    sum_d y[j, v, i, d]  <=  most_i t[j, v]                                    (patterns.slice-most)
    sum_{i, d} y[j, v, i, d]   >=  need_j t[j, v]                           (patterns.slice-minimum)
    sum_D q[j, v, r, D]  >=  low_r t[j, v]                                      (patterns.slice-low)
    sum_D q[j, v, r, D]  <=  high_r t[j, v]                                    (patterns.slice-high)

Here low and high are the slices of the fewest and of the most pods, rounded inwards. Pods take
slots at d, not at v.
Types of several groups have one role, one rule and no member whose slice is unfinished: then slices
can be dealt to their groups in any way, and each group keeps low and high.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block
from gangplan.models.shapes.tree import Tree
from gangplan.models.shapes.types import Type


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """The columns.

    Attributes
    ----------
    cell : (Y, 3) option, role (its place in the type) and place of each column of ``y``.
    piece : (Z, 3) option, rule (its place in the type) and vertex of each column of ``q``.
    """

    cell: Ints
    piece: Ints
    y: VarBlock
    q: VarBlock

    def used(self, types: Sequence[Type], option: Ints, n_shapes: int) -> Ints:
        """(Y, 3) key vertex x S + shape, column, pods: slots that the columns take."""
        shape = [types[int(option[o, 0])].shape[i] for o, i, _ in self.cell.tolist()]
        key = self.cell[:, 2] * n_shapes + np.array(shape, dtype=np.int64)
        return np.column_stack([key, self.y.cols, np.ones(len(key), dtype=np.int64)])


def columns(types: Sequence[Type], option: Ints, tree: Tree, slots: Ints, cols: Columns) -> Slices:
    """Write the columns; no block where no group has slices."""
    cell: list[tuple[int, int, int]] = []
    piece: list[tuple[int, int, int]] = []
    most: list[int] = []
    pieces: list[int] = []
    for o, (j, v) in enumerate(option.tolist()):
        one = types[j]
        if not one.slices:
            continue
        n, inside = len(one.groups), dict.fromkeys(range(len(tree)), 0)
        places = one.places[one.vertices.index(v)]
        for d in places:
            for i, s in enumerate(one.shape):
                cell.append((o, i, d))
                most.append(min(n * one.most[i], int(slots[d, s])))
                for w in tree.path(d):
                    inside[w] += most[-1]
        for r, rule in enumerate(one.slices):
            for w in sorted({w for d in places for w in tree.path(d)} & one.domains[r]):
                piece.append((o, r, w))
                pieces.append((inside[w] + n * rule.left_at(w)) // rule.size)
    table = np.array(cell, dtype=np.int64).reshape(-1, 3)
    other = np.array(piece, dtype=np.int64).reshape(-1, 3)
    none = np.zeros(0, dtype=np.int64)
    if not cell:
        return Slices(table, other, VarBlock("y", none), VarBlock("q", none))
    y = cols.add("y", np.zeros(len(cell), dtype=np.int64), np.array(most, dtype=np.int64))
    q = cols.add("q", np.zeros(len(piece), dtype=np.int64), np.array(pieces, dtype=np.int64))
    return Slices(table, other, y, q)


class _Rows:
    """Collects rows of one block."""

    def __init__(self, name: str, lower: float, upper: float) -> None:
        self.name, self.lower, self.upper = name, lower, upper
        self.entries: list[tuple[int, int, int]] = []
        self.about: list[tuple[int, ...]] = []

    def add(self, terms: Sequence[tuple[int, int]], *about: int) -> None:
        self.entries += [(len(self.about), col, coef) for col, coef in terms]
        self.about.append(about)

    def block(self, width: int) -> RowBlock:
        table = np.array(self.entries, dtype=np.int64).reshape(-1, 3)
        about = np.array(self.about, dtype=np.int64).reshape(-1, width)
        row, col, coef = table.T
        return row_block(self.name, row, col, coef, self.lower, self.upper, len(about), about)


def rows(
    types: Sequence[Type], option: Ints, tree: Tree, t: VarBlock, slices: Slices, *, elastic: bool
) -> list[RowBlock]:
    """Write the rows; none where no group has slices."""
    if not len(slices.cell):
        return []
    blocks = {
        "slice": _Rows("patterns.slice", 0.0, 0.0),
        "least": _Rows("patterns.slice-least", 0.0, np.inf),
        "most": _Rows("patterns.slice-most", -np.inf, 0.0),
        "minimum": _Rows("patterns.slice-minimum", 0.0, np.inf if elastic else 0.0),
        "low": _Rows("patterns.slice-low", 0.0, np.inf),
        "high": _Rows("patterns.slice-high", -np.inf, 0.0),
    }
    for o in np.unique(slices.cell[:, 0]).tolist():
        one, yes = types[int(option[o, 0])], int(t.cols[o])
        mine = [
            (i, d, int(slices.y.cols[at]))
            for at in np.flatnonzero(slices.cell[:, 0] == o).tolist()
            for i, d in [slices.cell[at, 1:].tolist()]
        ]
        for i in range(len(one.shape)):
            terms = [(col, 1) for role, _, col in mine if role == i]
            blocks["most"].add([*terms, (yes, -one.most[i])], o, i)
            if one.least[i]:
                blocks["least"].add([*terms, (yes, -one.least[i])], o, i)
        if one.need:
            blocks["minimum"].add([*((col, 1) for _, _, col in mine), (yes, -one.need)], o, 0)
        for r, rule in enumerate(one.slices):
            whole: list[tuple[int, int]] = []
            for at in np.flatnonzero((slices.piece[:, :2] == (o, r)).all(axis=1)).tolist():
                w, col = int(slices.piece[at, 2]), int(slices.q.cols[at])
                whole.append((col, 1))
                terms = [(y, 1) for _, d, y in mine if w in tree.path(d)]
                terms += [(yes, left) for left in [rule.left_at(w)] if left]
                blocks["slice"].add([*terms, (col, -rule.size)], o, w)
            low, high = one.pieces(rule, elastic=elastic)
            blocks["low"].add([*whole, (yes, -low)], o, r)
            blocks["high"].add([*whole, (yes, -high)], o, r)
    return [rows.block(2) for rows in blocks.values()]
