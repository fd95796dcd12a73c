"""Points of a model: the one place where what a solver hands over is rounded."""

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.errors import PlanError
from gangplan.models.milp import Milp

TOLERANCE = 1e-6
"""Farthest from an integer that a column of a solver's point may lie."""


def whole_point(milp: Milp, x: Floats | Ints) -> Ints:
    """Round a point (n,); nowhere else is one rounded.

    Raises
    ------
    PlanError : a point of the wrong length, or with a column that is out of its bounds, or farther
        than TOLERANCE from an integer.
    """
    point = np.asarray(x, dtype=np.float64)
    if point.shape != (milp.n_cols,) or not np.isfinite(point).all():
        raise PlanError(f"a point of {milp.n_cols} finite columns expected")
    whole = np.rint(point)
    # Before the cast: a number that int64 cannot hold becomes any other there.
    outside = np.flatnonzero((whole < milp.lower) | (whole > milp.upper))
    if len(outside):
        raise PlanError(f"column {int(outside[0])} is outside its bounds")
    off = np.abs(point - whole)
    if off.max(initial=0.0) > TOLERANCE:
        j = int(np.argmax(off))
        raise PlanError(f"column {j} = {point[j]:.6g} is not integral")
    return whole.astype(np.int64)
