"""Columns of claims; part of claims.py."""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.counts.claim_users import holding
from gangplan.models.counts.indexed import Indexed, indexed, nothing
from gangplan.models.counts.pairs import Pairs
from gangplan.models.counts.sizes import Sizes
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, VarBlock
from gangplan.models.options.cells import Cells, draws_of
from gangplan.models.options.options import NO_OPTIONS, Options, Table


@dataclass(frozen=True, slots=True, eq=False)
class Claimed:
    """The columns of claims.

    Attributes
    ----------
    options : what they are written from; None where nobody asks.
    table : the options that have columns.
    b : (O,) columns of options. y : columns of entries that are open.
    open : columns by cell.
    most : (O,) upper bounds of b. copy : (O,) 0, 1, ...: which copy of its option.
    y_most : upper bounds of y.
    col, factor : (Y,) an entry gives ``factor`` devices for each unit of the column ``col``.
    own : (parts, K) claims of a part that a pod of the role has for itself.
    """

    options: Options | None
    table: Table
    b: VarBlock
    y: VarBlock
    open: Indexed
    most: Ints
    copy: Ints
    y_most: Ints
    col: Ints
    factor: Ints
    own: Ints

    @property
    def cells(self) -> Cells:
        """The cells."""
        assert self.options is not None  # nobody asks: no rows, no cells
        return self.options.cells


def none() -> Claimed:
    """Return the blocks of a family that is off, or that nothing asks for."""
    empty = np.zeros(0, dtype=np.int64)
    b, y = VarBlock("b", empty), VarBlock("b_device", empty)
    own = np.zeros((0, 0), dtype=np.int64)
    opened = nothing("open", 1)
    return Claimed(None, NO_OPTIONS, b, y, opened, empty, empty, empty, empty, empty, own)


def columns(
    instance: Instance, options: Options | None, sizes: Sizes, pairs: Pairs, cols: Columns
) -> Claimed:
    """B for the options that pairs can use, y for their open entries, open for shared devices."""
    if options is None:
        return none()
    cells, own = options.cells, _own(instance, options)
    table, most, copy = _wanted(instance, options, sizes, pairs, own)
    b = cols.add("b", np.zeros(len(table), dtype=np.int64), most)
    option, choice = table.entry_option, table.entry_choice
    free = table.entry_fixed == 0
    upper = np.minimum(
        cells.most[choice, table.entry_cell],
        table.demand_count[table.entry_demand] * most[option],
    )
    y = cols.add("b_device", np.zeros(int(free.sum()), dtype=np.int64), upper[free])
    col = b.cols[option]
    col[free] = y.cols
    draw_cell, _, _ = draws_of(instance, cells)
    drawing = np.zeros(len(cells), dtype=np.bool_)
    drawing[draw_cell] = True
    taking = table.entry_cell[~instance.claims.choice_admin[choice]]
    opened = np.unique(taking[(cells.multi & drawing)[taking]])
    return Claimed(
        options, table, b, y, indexed(cols, "open", opened[:, None], 1), most, copy,
        upper[free], col, np.where(free, 1, table.entry_fixed), own,
    )  # fmt: skip


def _own(instance: Instance, options: Options) -> Ints:
    claims = instance.claims
    by_spec = np.zeros((claims.n_specs, len(instance.roles)), dtype=np.int64)
    np.add.at(by_spec, (claims.own_spec, claims.own_role), 1)
    return by_spec[[part.spec for part in options.parts]]


def _wanted(
    instance: Instance, options: Options, sizes: Sizes, pairs: Pairs, own: Ints
) -> tuple[Table, Ints, Ints]:
    """Options that pods can take, bounds of b, and the copy that each is."""
    claims, table, n = instance.claims, options.table, len(instance.nodes)
    pods = np.zeros((len(own), n), dtype=np.int64)
    for p in np.unique(table.part[table.claim < 0]).tolist():
        np.add.at(pods[p], pairs.node, own[p, pairs.role] * pairs.upper)
    has = np.zeros((len(instance.roles), n), dtype=np.bool_)
    has[pairs.role, pairs.node] = True
    users = np.zeros((claims.n_shared, n), dtype=np.bool_)
    np.logical_or.at(users, claims.user_shared, has[claims.user_role])
    used = users[table.claim[table.cover_option], table.cover_node]
    used &= table.cover_anchor > 0
    covers = np.bincount(table.cover_option[used], minlength=len(table))
    serves = (covers > 0) & holding(instance, sizes, pairs, table)
    most = np.where(table.claim < 0, pods[table.part, table.node], serves)
    np.minimum(most, _room(options.cells, table), out=most)
    kept = np.flatnonzero(most > 0)
    single = table.single[kept] & (table.claim[kept] < 0)
    times = np.where(single, most[kept], 1)
    which = np.repeat(kept, times)
    copy = np.arange(len(which)) - np.repeat(np.cumsum(times) - times, times)
    chosen = table.take(which)
    alone = np.asarray(chosen.single | (chosen.claim >= 0))
    return chosen, np.where(alone, 1, most[which]).astype(np.int64), copy


def _room(cells: Cells, table: Table) -> Ints:
    """(O,) allocations that the devices in reach are enough for, demand by demand."""
    most = cells.most[table.entry_choice, table.entry_cell]
    fixed = table.entry_fixed > 0
    room = np.full(len(table), np.iinfo(np.int64).max)
    each = most[fixed] // table.entry_fixed[fixed]
    np.minimum.at(room, table.entry_option[fixed], each)
    total = np.zeros(len(table.demand_option), dtype=np.int64)
    np.add.at(total, table.entry_demand[~fixed], most[~fixed])
    loose = np.unique(table.entry_demand[~fixed])
    times = total[loose] // table.demand_count[loose]
    np.minimum.at(room, table.demand_option[loose], times)
    return room
