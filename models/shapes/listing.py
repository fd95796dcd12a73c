"""Maximal multisets of shapes within one node's room: all of them, shape after shape, as columns.

A multiset is maximal if no pod that waits fits beside it. Shapes are taken in the given order, each
as often as it fits or less. A row is given up as soon as one more pod of its last shape would fit
whatever follows: it cannot become maximal.
"""

from collections.abc import Callable

import numpy as np

from gangplan.models.arrays import Ints

Spend = Callable[[int, int], None]
"""(patterns, steps) found and looked at; raises where that is too much."""

CAP = 2**62
"""No room is above it; sums of what follows are cut here, so that differences stay in int64."""


def multisets(free: Ints, request: Ints, demand: Ints, spend: Spend) -> Ints:
    """(P, U) maximal multisets of U shapes, the first shape's largest count first.

    Parameters
    ----------
    free : (R,) at most CAP. request : (U, R). demand : (U,) the most of each.
    """
    rest = _later(request, demand)
    left = free[None, :].astype(np.int64)
    levels: list[tuple[int, Ints, Ints]] = []
    for i, (ask, most) in enumerate(zip(request, demand.tolist(), strict=True)):
        used = ask > 0
        times = np.full(len(left), most)
        if used.any():
            times = np.minimum(times, (left[:, used] // ask[used]).min(axis=1))
        if not times.any():
            continue
        spend(0, len(left) + int(times.sum()))
        at = np.repeat(np.arange(len(left)), times + 1)
        k = np.cumsum(times + 1)[at] - 1 - np.arange(len(at))
        left = left[at] - k[:, None] * ask
        # One more would still fit after all that follows has taken the most it can.
        kept = (k == most) | ~(left - rest[i] >= ask).all(axis=1)
        left = left[kept]
        levels.append((i, at[kept], k[kept]))
    spend(0, len(left))
    taken = _traced(levels, len(left), len(demand))
    full = np.ones(len(left), dtype=np.bool_)
    for ask, most, count in zip(request, demand.tolist(), taken.T, strict=True):
        full &= (count >= most) | ~(left >= ask).all(axis=1)
    spend(int(full.sum()), 0)
    return taken[full]


def _traced(levels: list[tuple[int, Ints, Ints]], n: int, n_shapes: int) -> Ints:
    """(n, U) counts of the rows of the last level, read back through where each row came from."""
    taken = np.zeros((n, n_shapes), dtype=np.int64)
    row = np.arange(n)
    for i, at, k in reversed(levels):
        taken[:, i] = k[row]
        row = at[row]
    return taken


def _later(request: Ints, demand: Ints) -> Ints:
    """(U, R) the most that the shapes after each can take together, cut at CAP."""
    each = request.astype(object) * demand[:, None].astype(object)
    later: Ints = np.minimum(np.cumsum(each[::-1], axis=0)[::-1] - each, CAP).astype(np.int64)
    return later
