"""Rows divided by their common divisor, for backends whose tolerance is a part of the row's side.

A row of whole numbers over integer columns is divided by the greatest common divisor of its
coefficients, and its sides are rounded inwards: the same integer points, smaller numbers. SCIP
takes ``4 (2**37 + 1) <= 2**39`` for kept (4 bytes of 512 GiB); divided it is ``4 <= 3``.
"""

from dataclasses import replace

import numpy as np
from scipy import sparse

from gangplan.models.milp import Milp


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
