"""Exact tightening of the right sides of rows ``sum a_i x_i <= b`` over integers x >= 0.

Divide by the gcd of the weights and round b down; then lower b to the largest sum that the weights
can make. Every integer point is kept.
"""

from dataclasses import dataclass
from math import gcd

import numpy as np

from gangplan.models.arrays import Flags, Ints

REACH = 4096
"""Largest right side (after division by the gcd) for which reachable sums are listed."""


@dataclass(frozen=True, slots=True, eq=False)
class Meetings:
    """Which items can meet in which row, listed once per distinct set.

    Attributes
    ----------
    of_row : (m,) the set of each row.
    sets : items of each set.
    """

    of_row: Ints
    sets: tuple[tuple[int, ...], ...]


def meetings(present: Flags) -> Meetings:
    """Find the distinct sets of ``present`` (items, rows)."""
    packed = np.packbits(present, axis=0).T
    _, first, of_row = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    sets = [tuple(np.flatnonzero(present[:, at]).tolist()) for at in first]
    return Meetings(of_row.reshape(-1).astype(np.int64), tuple(sets))


def tightened(met: Meetings, weight: Ints, side: Ints) -> tuple[Ints, Ints]:
    """Tighten the rows of one kind.

    Parameters
    ----------
    weight : (items,) weights >= 0.
    side : (m,) right sides >= 0.

    Returns
    -------
    divisor, side : (m,) the gcd of each row's weights (1 where it has none), and the right side in
        units of it; 0 where a row has no weight.
    """
    each = weight.tolist()
    kinds: dict[tuple[int, ...], int] = {}
    kind_of_set = [
        kinds.setdefault(tuple(sorted({each[i] for i in items} - {0})), len(kinds))
        for items in met.sets
    ]
    kind = np.array(kind_of_set, dtype=np.int64)[met.of_row]
    divisors = np.array([max(gcd(*weights), 1) for weights in kinds], dtype=np.int64)
    divisor = divisors[kind]
    tight = side // divisor
    for weights, number in kinds.items():
        rows = np.flatnonzero((kind == number) & (tight <= REACH))
        own = [w // max(gcd(*weights), 1) for w in weights]
        if len(rows) and own[:1] != [1]:
            sums = _sums(own, int(tight[rows].max()))
            tight[rows] = sums[np.searchsorted(sums, tight[rows], side="right") - 1]
    return divisor, tight


def _sums(weights: list[int], most: int) -> Ints:
    """Every sum <= ``most`` of any number of the weights, ascending; by a bit set."""
    mask = (1 << (most + 1)) - 1
    bits = 1
    for weight in weights:
        step = weight
        while step <= most:
            bits |= (bits << step) & mask
            step *= 2
    raw = np.frombuffer(bits.to_bytes(most // 8 + 1, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(raw, bitorder="little"))
