"""An upper bound on what parts of devices can be had: what one device can hold, by prices.

Every part of a device has a price, the same for parts of equal size, and so has a whole device. For
any prices, what all devices j could earn at most, plus what every pod is worth above its price, is
at least what any choice of pods is worth (weak duality of Gilmore and Gomory's pattern model,
1961). What one device earns is computed exactly, by the unbounded knapsack over the sizes that
occur. The prices begin with Martello and Toth's functions, which say that a part counts a whole
device where nobody fits beside it, and follow Polyak's subgradient (1969), in integers: whatever
they become, the bound holds, and it is the same on every machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.columns import EMPTY

SCALE = 2**10
"""Prices are multiples of 1 / SCALE."""

ROUNDS = 240
"""Steps of the subgradient; after every 40 of them, steps are half as long."""

BELOW = 400
"""Steps aim at 1 / BELOW below the best bound."""

RATES = 6
"""Prices tried for each of Martello and Toth's functions, at most."""

MOST_WORTH = 2**40
"""Above it, what one device earns could leave int64: no bound is looked for."""


@dataclass(frozen=True, slots=True)
class Sharer:
    """Pods of a role: each asks a part of one device (share) or some whole ones."""

    worth: int
    share: int
    whole: int
    copies: int


@dataclass(frozen=True, slots=True, eq=False)
class _Pool:
    """Columns of the sharers and of the devices, in units of what all parts are multiples of."""

    worth: Ints
    part: Ints
    whole: Ints
    copies: Ints
    parts: Ints
    levels: Ints
    devices: Ints
    full: int


def shared_bound(sharers: Sequence[Sharer], free: Ints) -> int:
    """Return a bound on the worth of all pods that the devices can hold together.

    Parameters
    ----------
    sharers : copies at least 0; those that ask for nothing count in full.
    free : (J,) thousandths free of each device.
    """
    everything = sum(s.worth * s.copies for s in sharers)
    gratis = sum(s.worth * s.copies for s in sharers if not s.share and not s.whole)
    asked = [s for s in sharers if (s.share or s.whole) and s.worth * s.copies > 0]
    alone = sum(s.copies * max(s.whole, 1) for s in asked)
    if alone <= int((free == EMPTY).sum()) or everything >= MOST_WORTH:
        return everything
    pool = _pool(asked, free)
    best = everything - gratis
    prices = np.zeros(len(pool.parts) + 1, dtype=np.int64)
    for start in _starts(pool):
        earned = _bound(pool, start)
        if earned < best:
            best, prices = earned, start
    return gratis + min(best, _descended(pool, prices, best))


def _pool(asked: Sequence[Sharer], free: Ints) -> _Pool:
    unit = gcd(EMPTY, *(s.share for s in asked))
    levels, devices = np.unique(free // unit, return_counts=True)
    parts = np.unique([s.share // unit for s in asked if s.share])
    share = np.array([s.share // unit for s in asked], dtype=np.int64)
    return _Pool(
        np.array([s.worth for s in asked], dtype=np.int64),
        np.where(share > 0, np.searchsorted(parts, share), len(parts)),
        np.array([s.whole for s in asked], dtype=np.int64),
        np.array([s.copies for s in asked], dtype=np.int64),
        parts.astype(np.int64),
        levels,
        devices,
        EMPTY // unit,
    )


def _starts(pool: _Pool) -> list[Ints]:
    """Prices by what a part keeps from others, at what pods are worth for each unit of that."""
    each = np.maximum(pool.whole, 1)
    found, most = [], _highest(pool)
    for t in np.unique((1, *(pool.parts + 1), *(pool.full + 1 - pool.parts))).tolist():
        if 2 * t > pool.full:
            continue
        large = np.where(pool.parts > pool.full - t, pool.full, pool.parts)
        sizes = np.append(np.where(pool.parts < t, 0, large), pool.full)
        size = sizes[pool.part] * each
        rates = np.unique(SCALE * pool.worth[size > 0] // size[size > 0])
        if len(rates) > RATES:
            rates = rates[np.linspace(0, len(rates) - 1, RATES).astype(np.int64)]
        found += [np.minimum(sizes * rate, most) for rate in rates.tolist()]
    return found


def _highest(pool: _Pool) -> int:
    """Return a price that nobody pays: with none above it, a device earns less than 2^61."""
    return SCALE * int(pool.worth.max(initial=0))


def _bound(pool: _Pool, prices: Ints) -> int:
    return _priced(pool, prices, _earned(pool, prices[:-1]))


def _priced(pool: _Pool, prices: Ints, most: Ints) -> int:
    """Return the bound at these prices, rounded down; ``most`` is what parts earn of a device."""
    above = SCALE * pool.worth - prices[pool.part] * np.maximum(pool.whole, 1)
    # The sums can leave int64, and are Python's.
    rest = zip(pool.copies.tolist(), np.maximum(above, 0).tolist(), strict=True)
    total = sum(copies * more for copies, more in rest)
    earned = most[pool.levels]
    earned = np.where(pool.levels == pool.full, np.maximum(earned, prices[-1]), earned)
    each = zip(pool.devices.tolist(), earned.tolist(), strict=True)
    return int(total + sum(devices * most for devices, most in each)) // SCALE


def _earned(pool: _Pool, prices: Ints) -> Ints:
    """(full + 1,) the most that parts which fit so much of a device earn together."""
    best = np.zeros(pool.full + 1, dtype=np.int64)
    for part, price in zip(pool.parts.tolist(), prices.tolist(), strict=True):
        for _ in range(pool.full // part):
            more = best[:-part] + price
            if (more <= best[part:]).all():
                break
            best[part:] = np.maximum(best[part:], more)
    return best


def _descended(pool: _Pool, prices: Ints, best: int) -> int:
    """Return the least bound on the way down from these prices."""
    highest = _highest(pool)
    for step in range(ROUNDS):
        most = _earned(pool, prices[:-1])
        here = _priced(pool, prices, most)
        best = min(best, here)
        slope = _slope(pool, prices, most)
        square = sum(s * s for s in slope.tolist())
        if not square:
            break
        gap = (here - best + best // BELOW + 1) * SCALE >> (step // 40)
        moved = [
            p - gap * s // square for p, s in zip(prices.tolist(), slope.tolist(), strict=True)
        ]
        prices = np.array([min(max(p, 0), highest) for p in moved], dtype=np.int64)
    return best


def _slope(pool: _Pool, prices: Ints, most: Ints) -> Ints:
    """(parts + 1,) how the bound changes with each price: what devices hold less what is asked."""
    each = np.maximum(pool.whole, 1)
    pays = SCALE * pool.worth > prices[pool.part] * each
    slope = np.zeros(len(prices), dtype=np.int64)
    np.subtract.at(slope, pool.part, pool.copies * each * pays)
    for level, devices in zip(pool.levels.tolist(), pool.devices.tolist(), strict=True):
        if level == pool.full and prices[-1] > most[level]:
            slope[-1] += devices
        else:
            slope[:-1] += devices * _held(pool, prices, most, level)
    return slope


def _held(pool: _Pool, prices: Ints, most: Ints, level: int) -> Ints:
    """(parts,) a choice of parts that earns ``most`` in so much of a device."""
    held = np.zeros(len(pool.parts), dtype=np.int64)
    while level > 0 and most[level] > 0:
        if most[level] == most[level - 1]:
            level -= 1
            continue
        fits = np.flatnonzero((pool.parts <= level) & (prices[:-1] > 0)).tolist()
        i = next(i for i in fits if most[level] == most[level - int(pool.parts[i])] + prices[i])
        held[i] += 1
        level -= int(pool.parts[i])
    return held
