r"""Safe dual bounds: a solver's LP objective is never a bound, its duals are (in exact integers).

For row multipliers y of   min c'x,  L <= A x <= U,  l <= x <= u   (Neumaier and Shcherbina 2004)

    c'x  >=  sum_i [ y_i L_i if y_i > 0 else y_i U_i ]  +  sum_j min( d_j l_j, d_j u_j ),
    d = c - A'y

holds for *every* y whose signs fit the finite sides, however the solver found it. Multipliers are
clipped to those signs and rounded to multiples of 2**-20; everything after that is integer
arithmetic, and the result is rounded up to the step of the objective (the gcd of its coefficients),
since x is integral.
"""

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.errors import FormulationError
from gangplan.models.milp import Milp

SCALE_BITS = 20
"""Multipliers are stored in units of 2**-SCALE_BITS."""

SAFE = 2.0**61
"""Sums below this (as computed in float64) cannot overflow int64."""


def step(cost: Floats) -> int:
    """Greatest common divisor of the coefficients; 1 where all are zero.

    Raises
    ------
    FormulationError : a coefficient that is not integral.
    """
    used = cost[cost != 0]
    if (used != np.round(used)).any():
        raise FormulationError("an objective coefficient is not integral")
    return int(np.gcd.reduce(np.abs(used).astype(np.int64))) if len(used) else 1


def dual_bound(milp: Milp, row_dual: Floats) -> tuple[int, Ints]:
    """Make a valid lower bound on ``min cost'x + offset`` from any vector of row duals.

    Parameters
    ----------
    row_dual : (m,) as a backend gives it for the minimisation; it need not be accurate.

    Returns
    -------
    bound : rounded up to the step.
    multipliers : (m,) in units of 2**-20; ``evaluate`` gives the same bound from them.
    """
    scaled = rounded(milp, row_dual)
    return evaluate(milp, scaled), scaled


def rounded(milp: Milp, row_dual: Floats) -> Ints:
    """(m,) multipliers in units of 2**-20, clipped to signs that fit the finite sides."""
    clean = np.nan_to_num(np.asarray(row_dual, dtype=np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    limit = 2.0**20  # clipped before it is scaled: a float may be too large for that
    scaled = np.rint(np.clip(clean, -limit, limit) * 2.0**SCALE_BITS).astype(np.int64)
    scaled[(scaled > 0) & ~np.isfinite(milp.row_lower)] = 0
    scaled[(scaled < 0) & ~np.isfinite(milp.row_upper)] = 0
    return scaled


def evaluate(milp: Milp, multipliers: Ints) -> int:
    """Return the lower bound that the stored multipliers prove; needs no solver.

    Raises
    ------
    FormulationError : see ``lagrangian``.
    """
    unit = step(milp.cost) << SCALE_BITS
    return -(-lagrangian(milp, multipliers) // unit) * step(milp.cost) + milp.offset


def lagrangian(milp: Milp, multipliers: Ints) -> int:
    """Return the bound before it is rounded up, without offset, in units of 2**-20.

    Raises
    ------
    FormulationError : a multiplier whose sign needs a side that is open, or a column that it drives
        to a bound that it does not have.
    """
    y = np.asarray(multipliers, dtype=np.int64)
    side = np.where(y > 0, milp.row_lower, milp.row_upper)
    side = np.where(y == 0, 0.0, side)
    if not np.isfinite(side).all():
        raise FormulationError("a multiplier on a row side that is open")
    total = _dot(y, side)
    reduced = _reduced(milp, y)
    end = np.where(np.asarray(reduced > 0, dtype=np.bool_), milp.lower, milp.upper)
    end = np.where(np.asarray(reduced == 0, dtype=np.bool_), 0.0, end)
    if not np.isfinite(end).all():
        raise FormulationError("a column without a bound, and a cost that the multipliers leave it")
    return total + _dot(reduced, end)


def _reduced(milp: Milp, y: Ints) -> np.ndarray:
    """Return 2**20 c - A'y exactly: int64 where it provably fits, Python integers otherwise."""
    matrix = milp.matrix
    reach = abs(matrix).T @ np.abs(y).astype(np.float64) + np.abs(milp.cost) * 2.0**SCALE_BITS
    if not len(reach) or float(reach.max()) < SAFE:
        cost = milp.cost.astype(np.int64) << SCALE_BITS
        exact: np.ndarray = cost - matrix.astype(np.int64).T @ y
        return exact
    reduced = np.array([int(c) << SCALE_BITS for c in milp.cost], dtype=object)
    coo = matrix.tocoo()
    for row, col, coef in zip(*coo.coords, coo.data, strict=True):
        if y[row]:
            reduced[col] -= int(coef) * int(y[row])
    return reduced


def _dot(left: np.ndarray, right: Floats) -> int:
    """Return the exact inner product of integers with integral floats."""
    used = np.flatnonzero(np.asarray(left != 0, dtype=np.bool_) & (right != 0))
    if not len(used):
        return 0
    size = np.abs(left[used].astype(np.float64)) @ np.abs(right[used])
    if float(size) < SAFE:
        return int(left[used].astype(np.int64) @ right[used].astype(np.int64))
    return sum(int(a) * int(b) for a, b in zip(left[used], right[used], strict=True))
