"""Rows of what runs out: cells, counters, capacities of shared devices; part of claims.py."""

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.counts.claim_columns import Claimed
from gangplan.models.counts.indexed import Indexed, joined
from gangplan.models.counts.supply import Left, Taken, limited
from gangplan.models.instance import Instance
from gangplan.models.milp import RowBlock, row_block
from gangplan.models.options.cells import draws_of


def rows(instance: Instance, d: Claimed, f: Indexed) -> list[RowBlock]:
    """Write claims.cell, claims.counter, claims.open and claims.pot."""
    cells, claims, names, running = d.cells, instance.claims, instance.names, instance.running
    entry = np.flatnonzero(~claims.choice_admin[d.table.entry_choice])
    cell = d.table.entry_cell[entry]
    shared = cells.multi[cell]
    alone = entry[~shared]
    freed = running.freed_device
    left = _left(cells.now, instance, f, running.freed_hold, cells.of[freed], np.ones_like(freed))
    return [
        limited(
            "claims.cell", Taken(d.table.entry_cell[alone], d.col[alone], d.factor[alone]),
            _upper(d), left, lambda e: f"devices like {names.devices[cells.first[e]]}",
        ),
        _counter(instance, d, f, alone),
        _open(d, entry[shared]),
        _pot(instance, d, f, entry[shared]),
    ]  # fmt: skip


def _left(
    now: Ints, instance: Instance, f: Indexed, hold: Ints, number: Ints, amount: Ints
) -> Left:
    """Return what is left now, and what the holdings ``hold`` give back to it."""
    column = f.spread(len(instance.running.hold_shared))[hold]
    some = column >= 0
    return Left(now, Taken(number[some], column[some], amount[some]))


def _counter(instance: Instance, d: Claimed, f: Indexed, alone: Ints) -> RowBlock:
    draw_cell, counter, amount = draws_of(instance, d.cells)
    at, which = joined(draw_cell, d.table.entry_cell[alone])
    entry = alone[which]
    column = d.open.spread(len(d.cells))[draw_cell]
    opened = np.flatnonzero(column >= 0)
    running = instance.running
    return limited(
        "claims.counter",
        Taken(
            np.concatenate([counter[at], counter[opened]]),
            np.concatenate([d.col[entry], column[opened]]),
            np.concatenate([amount[at] * d.factor[entry], amount[opened]]),
        ),
        _upper(d),
        _left(
            instance.devices.counter_free, instance, f,
            running.back_hold, running.back_counter, running.back_amount,
        ),
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


def _pot(instance: Instance, d: Claimed, f: Indexed, shared: Ints) -> RowBlock:
    claims, devices = instance.claims, instance.devices
    some = np.flatnonzero(claims.use_amount > 0)
    width = max(len(d.cells), 1)
    use_cell = d.cells.of[devices.pot_device[claims.use_pot[some]]]
    key = claims.use_choice[some] * width + use_cell
    at, which = joined(key, d.table.entry_choice[shared] * width + d.table.entry_cell[shared])
    entry, use = shared[which], some[at]
    running = instance.running
    return limited(
        "claims.pot",
        Taken(claims.use_pot[use], d.col[entry], claims.use_amount[use] * d.factor[entry]),
        _upper(d),
        _left(
            devices.pot_free, instance, f,
            running.spare_hold, running.spare_pot, running.spare_amount,
        ),
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
