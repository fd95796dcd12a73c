"""The two shapes of row that most families write."""

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.milp import RowBlock, row_block


def at_most(name: str, left: Ints, right: Ints, about: Ints) -> RowBlock:
    """Write ``left_i <= right_i`` for each pair of columns i; ``about`` (m, any)."""
    n = len(left)
    return row_block(
        name,
        np.tile(np.arange(n), 2),
        np.concatenate([left, right]),
        np.repeat([1, -1], n),
        -np.inf,
        0.0,
        n,
        about,
    )


def sums(
    name: str, row: Ints, col: Ints, factor: Ints, column: Ints, sense: str, about: Ints
) -> RowBlock:
    """Write ``sum of col  <=, >= or =  factor_i column_i`` for each row i.

    Parameters
    ----------
    row, col : (c,) the columns that row i sums up; entries with ``row`` < 0 are left out.
    factor, column : (m,) the right side of each row.
    sense : ``<=``, ``>=`` or ``=``.
    """
    n, kept = len(column), row >= 0
    return row_block(
        name,
        np.concatenate([row[kept], np.arange(n)]),
        np.concatenate([col[kept], column]),
        np.concatenate([np.ones(int(kept.sum()), dtype=np.int64), -factor]),
        -np.inf if sense == "<=" else 0.0,
        np.inf if sense == ">=" else 0.0,
        n,
        about,
    )


def only_where(name: str, column: Ints, most: Ints, row: Ints, col: Ints, about: Ints) -> RowBlock:
    """Write ``column_i  <=  most_i (sum of col)`` for each row i; ``row``, ``col``: as in sums."""
    return _conditional(name, column, -most, row, col, 0.0, about)


def nowhere_where(
    name: str, column: Ints, most: Ints, row: Ints, col: Ints, about: Ints
) -> RowBlock:
    """Write ``column_i + most_i (sum of col)  <=  most_i`` for each row i with a col to sum up."""
    kept, row = np.unique(row, return_inverse=True)
    column, most = column[kept], most[kept]
    return _conditional(name, column, most, row.reshape(-1), col, most, about[kept])


def _conditional(
    name: str, column: Ints, factor: Ints, row: Ints, col: Ints, side: Ints | float, about: Ints
) -> RowBlock:
    n = len(column)
    return row_block(
        name,
        np.concatenate([np.arange(n), row]),
        np.concatenate([column, col]),
        np.concatenate([np.ones(n, dtype=np.int64), factor[row]]),
        -np.inf,
        side,
        n,
        about,
    )
