"""Orbital shrinking: columns that are alike become one, which stands for their sum.

Every point of a model, its columns added up class by class, is a point of the folded one, whose
rows are sums of rows (Fischetti and Liberti 2012, "Orbital shrinking"): so a bound on that is a
bound on this, whatever is declared alike. Its points have to be spread over the columns again,
and checked: sums may not tell of everything.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from gangplan.models.arrays import Flags, Floats, Ints
from gangplan.models.milp import Milp


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """A folded model, and the way back.

    Attributes
    ----------
    milp : the folded model.
    number : (n,) its column for each column of the model.
    spread : point of the folded model -> point (n,) of the model; unchecked.
    """

    milp: Milp
    number: Ints
    spread: Callable[[Ints], Ints]

    def gathered(self, point: Ints) -> Ints:
        """Add up a point (n,) of the model."""
        found = np.zeros(self.milp.n_cols, dtype=np.int64)
        np.add.at(found, self.number, point)
        return found


def folded(milp: Milp, number: Ints, kept: Flags) -> Milp | None:
    """Fold a model; None where a sum of rows cannot be said in sums of columns.

    Rows of a block are added up where they touch the same class without having all of it alike.

    Parameters
    ----------
    number : (n,) class of each column, 0..m-1, each in use.
    kept : (rows,) the others are left out.
    """
    size = np.bincount(number).astype(np.int64)
    entries = sparse.coo_array(milp.matrix)
    row, col = (np.asarray(at, dtype=np.int64) for at in entries.coords)
    coef, mine = entries.data, kept[row]
    row, col, coef = row[mine], col[mine], coef[mine]
    together = _together(milp, row, number[col], coef, size)
    distinct, new = np.unique(together[kept], return_inverse=True)
    at = np.full(milp.n_rows, -1, dtype=np.int64)
    at[kept] = new.reshape(-1)
    total = sparse.csr_array(
        sparse.coo_array((coef, (at[row], col)), shape=(len(distinct), milp.n_cols))
    )
    total.eliminate_zeros()
    sums = sparse.coo_array(total)
    part = _parts(
        np.asarray(sums.coords[0], dtype=np.int64), number[sums.coords[1]], sums.data, len(size)
    )
    cost = _parts(np.zeros(milp.n_cols, dtype=np.int64), number, milp.cost, len(size))
    if (part.count < size[part.number]).any() or (part.least < part.most).any():
        return None
    if (cost.least < cost.most).any():
        return None
    shape = (len(distinct), len(size))
    lower, upper = (
        np.bincount(number, weights=side, minlength=len(size)).astype(np.float64)
        for side in (milp.lower, milp.upper)
    )
    sides = []
    for side in (milp.row_lower, milp.row_upper):
        both = np.zeros(len(distinct))
        np.add.at(both, at[kept], side[kept])  # an open side leaves the sum open
        sides.append(both)
    return Milp(
        cost=cost.least,
        lower=lower,
        upper=upper,
        integer=np.bincount(number, weights=milp.integer, minlength=len(size)) == size,
        matrix=sparse.csr_array(sparse.coo_array((part.least, (part.row, part.number)), shape)),
        row_lower=sides[0],
        row_upper=sides[1],
        offset=milp.offset,
        row_blocks={"folded": (0, len(distinct))},
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """What each row has of each class: entries, the least and the most of their coefficients."""

    row: Ints
    number: Ints
    count: Ints
    least: Floats
    most: Floats


def _parts(row: Ints, number: Ints, coef: Floats, classes: int) -> _Parts:
    key, at = np.unique(row * np.int64(classes) + number, return_inverse=True)
    at = at.reshape(-1)
    least, most = np.full(len(key), np.inf), np.full(len(key), -np.inf)
    np.minimum.at(least, at, coef)
    np.maximum.at(most, at, coef)
    width = max(classes, 1)
    return _Parts(key // width, key % width, np.bincount(at, minlength=len(key)), least, most)


def _together(milp: Milp, row: Ints, number: Ints, coef: Floats, size: Ints) -> Ints:
    """(rows,) a number for each set of rows of one block that have to be added up."""
    block = np.zeros(milp.n_rows, dtype=np.int64)
    for i, (start, end) in enumerate(milp.row_blocks.values()):
        block[start:end] = i
    part = _parts(row, number, coef, len(size))
    torn = (part.count < size[part.number]) | (part.least < part.most)
    piece = block[part.row[torn]] * len(size) + part.number[torn]
    distinct, piece = np.unique(piece, return_inverse=True)
    n = milp.n_rows + len(distinct)
    ends = (part.row[torn], milp.n_rows + piece.reshape(-1))
    links = sparse.coo_array((np.ones(len(piece)), ends), shape=(n, n))
    _, label = connected_components(links, directed=False)
    return np.asarray(label[: milp.n_rows], dtype=np.int64)
