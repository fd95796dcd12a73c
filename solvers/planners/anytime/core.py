"""Core: the few columns of a model that a better point is likely to need, by its linear relaxation.

A column whose reduced cost is above what a point in hand is away from the relaxation is in no
better point; among the others, those of the lowest reduced cost are nearly always enough. It takes
duals from the middle of the optimal face (``Centred``): a vertex gives too many columns a zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gangplan.models.arrays import Flags, Floats, Ints
from gangplan.models.bound import step
from gangplan.models.milp import Milp

PAYING = 90
"""Columns kept of a block that the objective pays for (groups at domains)."""

FREE = 300
"""Columns kept of any other block (patterns, slots)."""

NOISE = 1e-6
"""What floating point may add to a value, relative above 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Relaxation:
    """A linear relaxation solved.

    Attributes
    ----------
    value : a lower bound of the objective, without its offset; in floating point, no proof.
    reduced : (n,) reduced costs.
    """

    value: float
    reduced: Floats


def relaxation_of(milp: Milp, row_dual: Floats) -> Relaxation:
    """Read the duals of a relaxation; those of a wrong sign are taken as 0."""
    dual = np.where(np.isfinite(milp.row_upper), row_dual, np.maximum(row_dual, 0))
    dual = np.where(np.isfinite(milp.row_lower), dual, np.minimum(dual, 0))
    reduced: Floats = milp.cost - milp.matrix.T @ dual
    side = np.where(dual > 0, milp.row_lower, milp.row_upper)
    used = dual != 0
    ends = np.where(reduced > 0, milp.lower, milp.upper)
    return Relaxation(float(dual[used] @ side[used] + reduced @ ends), reduced)


def hopeless(milp: Milp, relaxed: Relaxation, worth: int) -> bool:
    """Tell whether no point is worth less than ``worth``, offset included."""
    target = worth - milp.offset - step(milp.cost)
    return relaxed.value > target + NOISE * max(1.0, abs(target))


def core(milp: Milp, relaxed: Relaxation, keep: Flags, scale: int = 1) -> Milp:
    """Return the model with all but the best columns of each block fixed at their lower bounds.

    Parameters
    ----------
    keep : (n,) columns that stay whatever their reduced cost.
    scale : times PAYING and FREE.
    """
    stay = keep.copy()
    paying = milp.cost != 0
    for start, end in milp.col_blocks.values():
        most = scale * (PAYING if paying[start:end].any() else FREE)
        if end - start <= most:
            stay[start:end] = True
        else:
            order = np.argsort(relaxed.reduced[start:end], kind="stable")
            stay[start + order[:most]] = True
    return replace(milp, upper=np.where(stay, milp.upper, milp.lower))


def used_by(milp: Milp, points: Sequence[Ints]) -> Flags:
    """(n,) columns that are not at their lower bounds in one of the points."""
    used = np.zeros(milp.n_cols, dtype=np.bool_)
    for point in points:
        used |= point != milp.lower
    return used
