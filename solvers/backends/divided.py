"""Rows made smaller without a change to their points: by their common divisor, by powers of two.

For backends whose tolerance is a part of the row's side (``divided``):
A row of whole numbers over integer columns is divided by the greatest common divisor of its
coefficients, and its sides are rounded inwards: the same integer points, smaller numbers. SCIP
takes ``4 (2**37 + 1) <= 2**39`` for kept (4 bytes of 512 GiB); divided it is ``4 <= 3``.

For backends whose tolerance is absolute (``halved``): HiGHS 1.16.0 calls models with rows of 2**40
infeasible that are not, or a point optimal that is not (4 and 1 of 3,000 small random ones); with
the same rows times a power of two, which no number is rounded by, it is right about each.
"""

from dataclasses import replace

import numpy as np
from scipy import sparse

from gangplan.models.arrays import Floats
from gangplan.models.milp import Milp

LARGEST = 2.0**20
"""Of a coefficient of a halved row: a unit of 2**40 is then 1e-6, ten times HiGHS's tolerance."""


def divided(milp: Milp) -> Milp:
    """Return the model with smaller rows; a model with a continuous column as it is."""
    if not milp.matrix.nnz or not milp.integer.all():
        return milp
    starts = milp.matrix.indptr
    filled = np.flatnonzero(np.diff(starts))
    divisor = np.ones(milp.n_rows, dtype=np.int64)
    whole = np.abs(milp.matrix.data).astype(np.int64)
    divisor[filled] = np.maximum(np.gcd.reduceat(whole, starts[filled]), 1)
    if (divisor == 1).all():
        return milp
    data = milp.matrix.data / np.repeat(divisor, np.diff(starts))
    shape = milp.matrix.shape
    return replace(
        milp,
        matrix=sparse.csr_array((data, milp.matrix.indices, starts), shape=shape),
        # Both are whole and below 2**53, so no quotient is rounded past a whole number.
        row_lower=np.ceil(milp.row_lower / divisor),
        row_upper=np.floor(milp.row_upper / divisor),
    )


def halved(milp: Milp) -> tuple[Milp, Floats]:
    """Return the model with rows halved until no coefficient is above LARGEST.

    Returns
    -------
    milp : with the same points, and coefficients that need not be whole any more.
    factors : (m,) powers of two; times them, duals of the new rows are those of the old ones.
    """
    factors = np.ones(milp.n_rows)
    starts = milp.matrix.indptr
    filled = np.flatnonzero(np.diff(starts))
    if len(filled):
        largest = np.maximum.reduceat(np.abs(milp.matrix.data), starts[filled])
        factors[filled] = 2.0 ** -np.ceil(np.log2(np.maximum(largest / LARGEST, 1.0)))
    if (factors == 1).all():
        return milp, factors
    data = milp.matrix.data * np.repeat(factors, np.diff(starts))
    shape = milp.matrix.shape
    smaller = replace(
        milp,
        matrix=sparse.csr_array((data, milp.matrix.indices, starts), shape=shape),
        row_lower=milp.row_lower * factors,
        row_upper=milp.row_upper * factors,
    )
    return smaller, factors
