"""Exact tightening of the right side of a row ``sum a_i x_i <= b`` over integers x >= 0."""

import numpy as np

from gangplan.models.arrays import Flags, Ints

REACH = 4096
"""Largest right side (after division by the gcd) for which reachable sums are listed."""


def common_divisor(present: Flags, weight: Ints) -> Ints:
    """(m,) gcd of the weights (s,) that are present in each row, ``present`` (s, m); >= 1."""
    together = np.gcd.reduce(np.where(present, weight[:, None], 0), axis=0, initial=0)
    positive: Ints = np.maximum(together, 1)
    return positive


def reachable(present: Flags, weight: Ints, divisor: Ints, side: Ints) -> Ints:
    """Lower each right side to the largest sum that its weights can make.

    Parameters
    ----------
    present : (s, m) which weights occur in a row.
    weight : (s,) the weights; a row's own are ``weight / divisor``.
    divisor : (m,) divides every weight present.
    side : (m,) right sides in units of the divisor.

    Returns
    -------
    (m,) right sides <= ``side``, with the same integer points.
    """
    tight = side.copy()
    small = np.flatnonzero(side <= REACH)
    if not len(small):
        return tight
    keys = np.concatenate([present[:, small], divisor[None, small]]).astype(np.int64)
    patterns, which = np.unique(keys, axis=1, return_inverse=True)
    for number in range(patterns.shape[1]):
        rows = small[which.reshape(-1) == number]
        own = np.unique(weight[patterns[:-1, number] > 0] // patterns[-1, number])
        sums = _sums(own[own > 0], int(side[rows].max()))
        tight[rows] = sums[np.searchsorted(sums, side[rows], side="right") - 1]
    return tight


def _sums(weights: Ints, most: int) -> Ints:
    """Every sum <= ``most`` of any number of the weights, ascending; by a bit set."""
    mask = (1 << (most + 1)) - 1
    bits = 1
    for weight in weights.tolist():
        step = int(weight)
        while step <= most:
            bits |= (bits << step) & mask
            step *= 2
    flags = np.array([bits >> i & 1 for i in range(most + 1)], dtype=np.bool_)
    return np.flatnonzero(flags)
