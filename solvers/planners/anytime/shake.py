"""A little noise on what an objective pays for, so that few points are worth the same.

Where a cluster is filled to the last GPU, thousands of columns have a reduced cost of zero, and the
heuristics of a solver go round in circles on the optimal face. With noise that face is nearly a
point. Nothing is proven from such a model.
"""

from dataclasses import replace

import numpy as np

from gangplan.models.bound import step
from gangplan.models.milp import Milp

SCALE = 1_000
"""Times the objective, so that noise is in whole numbers below its step."""

LEAST = 4.0
"""No column's noise is above the step over this."""

LARGEST = 2.0**43
"""Largest scaled coefficient that is asked of a solver."""


def shaken(milp: Milp, seed: int, paid: int) -> Milp:
    """Return the model under SCALE times its cost, less noise on each column that has one.

    Parameters
    ----------
    paid : columns with a cost that a point uses. The noise of so many adds up to less than a step,
        as a rule: what is better is so with noise, too.

    Returns
    -------
    The model itself where its numbers leave no room.
    """
    unit = step(milp.cost) * SCALE
    most = int(unit / max(LEAST, paid**0.5))
    largest = float(np.abs(milp.cost).max(initial=0.0)) * SCALE
    if most < 1 or largest > LARGEST:
        return milp
    noise = np.random.default_rng(seed).integers(0, most + 1, milp.n_cols)
    cost = np.where(milp.cost != 0, milp.cost * SCALE - noise, 0.0)
    return replace(milp, cost=cost, offset=milp.offset * SCALE)
