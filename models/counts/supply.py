"""Rows of one kind of thing that runs out, with what comes back to it; exact scaling.

What columns take of a thing is at most what is left of it now, and what holdings give back to it.
Weights and amounts are divided by the gcd of both, and the right side is lowered to what they can
make together: with 1 - f in place of f, it is a row of positive weights (knapsack.py). What comes
back counts no more than the columns could take beyond what is left now.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import MOST, Ints
from gangplan.models.counts.knapsack import Meetings, tightened
from gangplan.models.errors import FormulationError
from gangplan.models.milp import BIGGEST, RowBlock, row_block


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """Entries: one of column ``col`` takes (or gives back) ``amount`` of the thing ``number``."""

    number: Ints
    col: Ints
    amount: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Left:
    """What is left of each thing ``now`` (things,), and what columns in {0, 1} give ``back``."""

    now: Ints
    back: Taken


def limited(
    name: str, taken: Taken, upper: Ints, left: Left, what: Callable[[int], str]
) -> RowBlock:
    """Write the rows that can bind, divided and lowered.

    Parameters
    ----------
    upper : bounds by column number, of the columns that take.
    what : says which thing it is, for people.

    Raises
    ------
    FormulationError : a quantity above 2^40 after scaling.
    """
    most = _most(left)
    keys, total = _merged(taken, most)
    thing, row = np.unique(keys[:, 0], return_inverse=True)
    row = row.reshape(-1)
    demand = np.zeros(len(thing))
    np.add.at(demand, row, total.astype(np.float64) * upper[keys[:, 1]])
    # Raised by more than the sum's error: a row is dropped only where it surely cannot bind.
    binds = demand * (1 + 1e-9) > left.now[thing]
    number_of = np.cumsum(binds) - 1
    mine = binds[row]
    keys, total, row, thing = keys[mine], total[mine], number_of[row[mine]], thing[binds]
    if not len(thing):
        return row_block(name, [], [], [], [], [], 0, thing[:, None])
    back_row, back_col, back = _returned(left, thing, row, total, upper[keys[:, 1]])
    plus = np.zeros(len(thing))
    np.add.at(plus, back_row, back)
    if (wide := np.flatnonzero(plus + left.now[thing] * (plus > 0) > MOST)).size:
        raise _too_big(what(int(thing[wide[0]])))
    both, entry = np.concatenate([row, back_row]), np.concatenate([total, back])
    weights, item = np.unique(entry, return_inverse=True)
    met = _met(both, item.reshape(-1), len(thing))
    given = np.zeros(len(thing), dtype=np.int64)
    np.add.at(given, back_row, back)
    divisor, tight = tightened(met, weights, left.now[thing] + given)
    tight -= given // divisor
    coef = entry // divisor[both]
    coef[len(row) :] *= -1
    if (wide := np.flatnonzero((np.abs(coef) > BIGGEST) | (tight[both] > BIGGEST))).size:
        raise _too_big(what(int(thing[both[wide[0]]])))
    col = np.concatenate([keys[:, 1], back_col])
    return row_block(name, both, col, coef, -np.inf, tight, len(thing), thing[:, None])


def _most(left: Left) -> Ints:
    """(things,) what is left once all has come back; at most MOST where something does."""
    more = np.zeros(len(left.now))
    np.add.at(more, left.back.number, left.back.amount)
    most = left.now.copy()
    some = more > 0
    most[some] = np.minimum(left.now[some] + more[some] * (1 + 1e-9) + 1, MOST).astype(np.int64)
    return most


def _merged(taken: Taken, most: Ints) -> tuple[Ints, Ints]:
    """Return each (number, column) once, and what one of the column takes together."""
    keys, at = np.unique(np.column_stack([taken.number, taken.col]), axis=0, return_inverse=True)
    # A column taken once never exceeds a side (its bound would be 0), but two of its uses may.
    wide = taken.amount.max(initial=0) > 2**56
    total = np.zeros(len(keys), dtype=object if wide else np.int64)
    np.add.at(total, at.reshape(-1), taken.amount)
    return keys, np.minimum(total, most[keys[:, 0]] + 1).astype(np.int64)


def _returned(
    left: Left, thing: Ints, row: Ints, total: Ints, upper: Ints
) -> tuple[Ints, Ints, Ints]:
    """Rows, columns and amounts of what comes back to the things that have a row."""
    back = left.back
    at = np.minimum(np.searchsorted(thing, back.number), len(thing) - 1)
    here = np.flatnonzero(thing[at] == back.number)
    if not len(here):
        none = np.zeros(0, dtype=np.int64)
        return none, none, none
    keys, number = np.unique(
        np.column_stack([at[here], back.col[here]]), axis=0, return_inverse=True
    )
    amount = _summed(number.reshape(-1), back.amount[here], len(keys))
    divisor = np.zeros(len(thing), dtype=np.int64)
    np.gcd.at(divisor, row, total)
    of_row = keys[:, 0]
    lacking = _summed(row, total.astype(object) * upper, len(thing)) - left.now[thing]
    # In whole units of the weights, so that the common divisor stays as large as it is.
    need = -(-np.maximum(lacking, 0) // divisor) * divisor
    return of_row, keys[:, 1], np.minimum(amount, need[of_row])


def _summed(at: Ints, amount: Ints, n: int) -> Ints:
    """(n,) sums, cut to MOST; in Python integers, since a holding may give back anything."""
    total = np.zeros(n, dtype=object)
    np.add.at(total, at, amount.astype(object))
    return np.minimum(total, MOST).astype(np.int64)


def _met(row: Ints, item: Ints, n: int) -> Meetings:
    """Which items are in which of n rows."""
    sets: dict[bytes, int] = {}
    pairs = np.unique(np.column_stack([row, item]), axis=0)
    parts = np.split(pairs[:, 1], np.searchsorted(pairs[:, 0], np.arange(1, n)))
    of_row = [sets.setdefault(part.tobytes(), len(sets)) for part in parts[:n]]
    return Meetings(
        np.array(of_row, dtype=np.int64),
        tuple(tuple(np.frombuffer(key, dtype=np.int64).tolist()) for key in sets),
    )


def _too_big(what: str) -> FormulationError:
    return FormulationError(
        f"{what}: a quantity above 2^40 after division by the common divisor of what claims take"
        " of it cannot be solved exactly"
    )
