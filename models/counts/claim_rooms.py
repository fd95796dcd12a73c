"""Rows of what runs out: cells, counters, capacities of shared devices; part of claims.py."""

from collections.abc import Callable

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.counts.claim_columns import Claimed
from gangplan.models.counts.indexed import joined
from gangplan.models.counts.knapsack import Meetings, tightened
from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.milp import BIGGEST, RowBlock, row_block
from gangplan.models.options.cells import draws_of


def rows(instance: Instance, d: Claimed) -> list[RowBlock]:
    """Write claims.cell, claims.counter, claims.open and claims.pot."""
    cells, claims, names = d.cells, instance.claims, instance.names
    entry = np.flatnonzero(~claims.choice_admin[d.table.entry_choice])
    cell = d.table.entry_cell[entry]
    shared = cells.multi[cell]
    alone = entry[~shared]
    return [
        _room(
            "claims.cell", d, d.table.entry_cell[alone], d.col[alone], d.factor[alone], cells.free,
            lambda e: f"devices like {names.devices[cells.first[e]]}",
        ),
        _counter(instance, d, alone),
        _open(d, entry[shared]),
        _pot(instance, d, entry[shared]),
    ]  # fmt: skip


def _counter(instance: Instance, d: Claimed, alone: Ints) -> RowBlock:
    draw_cell, counter, amount = draws_of(instance, d.cells)
    at, which = joined(draw_cell, d.table.entry_cell[alone])
    entry = alone[which]
    column = d.open.spread(len(d.cells))[draw_cell]
    opened = np.flatnonzero(column >= 0)
    return _room(
        "claims.counter", d,
        np.concatenate([counter[at], counter[opened]]),
        np.concatenate([d.col[entry], column[opened]]),
        np.concatenate([amount[at] * d.factor[entry], amount[opened]]),
        instance.devices.counter_free,
        lambda c: f"counter {instance.names.counters[c]}",
    )  # fmt: skip


def _open(d: Claimed, shared: Ints) -> RowBlock:
    column = d.open.spread(len(d.cells))[d.table.entry_cell[shared]]
    entry, column = shared[column >= 0], column[column >= 0]
    links = np.unique(np.column_stack([d.col[entry], column]), axis=0)
    n = np.arange(len(links))
    return row_block(
        "claims.open", np.concatenate([n, n]), links.T.ravel(),
        np.concatenate([np.ones(len(n), dtype=np.int64), -_upper(d)[links[:, 0]]]),
        -np.inf, 0.0, len(n), links,
    )  # fmt: skip


def _pot(instance: Instance, d: Claimed, shared: Ints) -> RowBlock:
    claims, devices = instance.claims, instance.devices
    some = np.flatnonzero(claims.use_amount > 0)
    width = max(len(d.cells), 1)
    use_cell = d.cells.of[devices.pot_device[claims.use_pot[some]]]
    key = claims.use_choice[some] * width + use_cell
    at, which = joined(key, d.table.entry_choice[shared] * width + d.table.entry_cell[shared])
    entry, use = shared[which], some[at]
    return _room(
        "claims.pot", d, claims.use_pot[use], d.col[entry],
        claims.use_amount[use] * d.factor[entry], devices.pot_free,
        lambda m: f"{instance.names.pots[m]} of {instance.names.devices[devices.pot_device[m]]}",
    )  # fmt: skip


def _upper(d: Claimed) -> Ints:
    """Upper bounds by column number, of the columns of claims."""
    upper = np.ones(
        int(max(d.col.max(initial=-1), d.open.cols.max(initial=-1))) + 1, dtype=np.int64
    )
    upper[d.b.cols] = d.most
    upper[d.y.cols] = d.y_most
    return upper


def _room(
    name: str, d: Claimed, number: Ints, col: Ints, weight: Ints, side: Ints,
    what: Callable[[int], str],
) -> RowBlock:  # fmt: skip
    """Rows sum weight x col <= side[number]: those that can bind, divided and lowered."""
    keys, at = np.unique(np.column_stack([number, col]), axis=0, return_inverse=True)
    # A column taken once never exceeds a side (its bound would be 0), but two of its uses may.
    total = np.zeros(len(keys), dtype=object if weight.max(initial=0) > 2**56 else np.int64)
    np.add.at(total, at.reshape(-1), weight)
    total = np.minimum(total, side[keys[:, 0]] + 1).astype(np.int64)
    thing, row = np.unique(keys[:, 0], return_inverse=True)
    row = row.reshape(-1)
    demand = np.zeros(len(thing))
    np.add.at(demand, row, total.astype(np.float64) * _upper(d)[keys[:, 1]])
    # Raised by more than the sum's error: a row is dropped only where it surely cannot bind.
    binds = demand * (1 + 1e-9) > side[thing]
    number_of = np.cumsum(binds) - 1
    mine = binds[row]
    keys, total, row, thing = keys[mine], total[mine], number_of[row[mine]], thing[binds]
    weights, item = np.unique(total, return_inverse=True)
    sets: dict[bytes, int] = {}
    pairs = np.unique(np.column_stack([row, item.reshape(-1)]), axis=0)
    parts = np.split(pairs[:, 1], np.searchsorted(pairs[:, 0], np.arange(1, len(thing))))
    of_row = [sets.setdefault(part.tobytes(), len(sets)) for part in parts[: len(thing)]]
    met = Meetings(
        np.array(of_row, dtype=np.int64),
        tuple(tuple(np.frombuffer(key, dtype=np.int64).tolist()) for key in sets),
    )
    if not len(thing):
        return row_block(name, [], [], [], [], [], 0, thing[:, None])
    divisor, tight = tightened(met, weights, side[thing])
    coef = total // divisor[row]
    wide = np.flatnonzero((coef > BIGGEST) | (tight[row] > BIGGEST))
    if len(wide):
        raise FormulationError(
            f"{what(int(keys[wide[0], 0]))}: a quantity above 2^40 after division by the common"
            " divisor of what claims take of it cannot be solved exactly"
        )
    return row_block(name, row, keys[:, 1], coef, -np.inf, tight, len(thing), thing[:, None])
