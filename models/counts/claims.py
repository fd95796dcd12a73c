r"""Devices of claims (paper, eq. claims).

A part of a spec: requests that no rule ties to others. An option o serves part s at site R (one
node for own claims): a choice for every request and a value for every matchAttribute; its entries
(b, e) are the cells e that can serve choice b of it.

    b[o] in Z+                allocations that take option o
    y[o, b, e] in Z+          devices of cell e that they give to choice b
    open[e] in {0, 1}         is the shared device e, which draws from counters, in use
    sum_{o of (s, n)} b[o]   =  sum_k own_{k,s} x[k, n]   own part s, node n         (claims.own)
    sum_{o of c} b[o]       <=  1                         shared claim c, each part  (claims.once)
    sum_{o of c} b[o]       <=  sum_{users k, n} x[k, n]  likewise                   (claims.used)
    sum_{n in D} x[k, n]    <=  m[k, D] sum_{o of c that serve D} b[o]               (claims.site)
    b[o]                    <=  sum_{k, n in V} x[k, n]   o of c with ALL            (claims.anchor)
    sum_{users k, n} x[k, n]  <=  limit_c                 shared claim c             (claims.limit)
    sum_e y[o, b, e]         =  count_b b[o]                                         (claims.count)
    sum_{b, e with v} y     <=  b[o]                      distinctAttribute, value v (claims.cap)
    sum_b y[o, b, e]        <=  size_e b[o]               parts with adminAccess     (claims.cap)
    b[o']                   <=  b[o]                      the next copy o' of o      (claims.order)
    sum_{o, b} y[o, b, e]   <=  now_e + back              cells that are not shared  (claims.cell)
    sum_{o, b, e} draw_e y  <=  counter + back            open[e] for shared e      (claims.counter)
    y[o, b, e]              <=  m open[e]                 shared e with draws        (claims.open)
    sum_{o, b, e} use_b y   <=  pot + back                                           (claims.pot)

D = nodes that the same options of c serve; m[k, D] = the lesser of most_k and the slots of D. V =
nodes that reach no more devices that ALL asks than o takes: one user has to be there. Where all
users belong to one gang that needs one of them, once and used are sum b[o] = y[g]. back = sum over
holdings c of what c gives back times f[c] (holdings.py); all else counts what may be free at most.
With ALL, or one
cell to choose from, y is count_b b[o], or size_e b[o], and has no column. adminAccess uses nothing
up: only claims.count and claims.cap bind it. Rows that cannot bind are left out; weights and sides
are divided and lowered as in capacity.fits. An option whose caps overlap (two values of a device,
two rules on one choice) is written once a pod, with b <= 1. Off: no columns, pods hold no device.
"""

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.counts import claim_rooms, claim_sites
from gangplan.models.counts.claim_columns import Claimed
from gangplan.models.counts.claim_columns import columns as columns
from gangplan.models.counts.claim_columns import none as none
from gangplan.models.counts.indexed import Indexed
from gangplan.models.counts.pairs import Pairs
from gangplan.models.counts.sizes import Sizes
from gangplan.models.instance import Instance
from gangplan.models.milp import RowBlock, VarBlock, row_block


def rows(
    instance: Instance,
    sizes: Sizes,
    pairs: Pairs,
    x: VarBlock,
    d: Claimed,
    places: Ints,
    f: Indexed,
) -> list[RowBlock]:
    """Write the rows.

    Parameters
    ----------
    places : (G + H,) the column that says whether the owner gets pods; -1 where there is none.
    f : columns by holding: it is free.

    Raises
    ------
    FormulationError : a counter or pot above 2^40 after scaling.
    """
    limit = [_limit(instance, sizes, pairs, x)] if len(instance.claims.user_role) else []
    if d.options is None:
        return limit
    return [
        _equal_own(instance, pairs, x, d),
        *claim_sites.rows(instance, sizes, pairs, x, d, places),
        *limit,
        _count(d),
        _cap(d),
        _order(d),
        *claim_rooms.rows(instance, d, f),
    ]


def _equal_own(instance: Instance, pairs: Pairs, x: VarBlock, d: Claimed) -> RowBlock:
    n = max(len(instance.nodes), 1)
    mine = np.flatnonzero(d.table.claim < 0)
    key = [d.table.part[mine] * n + d.table.node[mine]]
    col, coef = [d.b.cols[mine]], [np.ones(len(mine), dtype=np.int64)]
    for p in np.flatnonzero(d.own.any(axis=1)).tolist():
        times = d.own[p, pairs.role]
        has = np.flatnonzero(times)
        key.append(p * n + pairs.node[has])
        col.append(x.cols[has])
        coef.append(-times[has])
    keys, number = np.unique(np.concatenate(key), return_inverse=True)
    return row_block(
        "claims.own", number.reshape(-1), np.concatenate(col), np.concatenate(coef), 0.0, 0.0,
        len(keys), np.column_stack([keys // n, keys % n]),
    )  # fmt: skip


def _limit(instance: Instance, sizes: Sizes, pairs: Pairs, x: VarBlock) -> RowBlock:
    claims = instance.claims
    asked = np.zeros(claims.n_shared)
    most = np.minimum(sizes.most, pairs.slots).astype(np.float64)
    np.add.at(asked, claims.user_shared, most[claims.user_role])
    binds = np.flatnonzero(asked > claims.shared_limit)
    row, col = [], []
    for at, c in enumerate(binds.tolist()):
        mine = np.flatnonzero(np.isin(pairs.role, claims.user_role[claims.user_shared == c]))
        row.append(np.full(len(mine), at))
        col.append(x.cols[mine])
    empty = np.zeros(0, dtype=np.int64)
    return row_block(
        "claims.limit", np.concatenate([empty, *row]), np.concatenate([empty, *col]), 1, -np.inf,
        claims.shared_limit[binds], len(binds), binds[:, None],
    )  # fmt: skip


def _count(d: Claimed) -> RowBlock:
    table = d.table
    free = np.flatnonzero(table.entry_fixed == 0)
    demand, number = np.unique(table.entry_demand[free], return_inverse=True)
    option = table.demand_option[demand]
    return row_block(
        "claims.count",
        np.concatenate([number.reshape(-1), np.arange(len(demand))]),
        np.concatenate([d.col[free], d.b.cols[option]]),
        np.concatenate([np.ones(len(free), dtype=np.int64), -table.demand_count[demand]]),
        0.0, 0.0, len(demand), np.column_stack([option, table.demand_choice[demand]]),
    )  # fmt: skip


def _cap(d: Claimed) -> RowBlock:
    table, n = d.table, len(d.table.cap_option)
    return row_block(
        "claims.cap",
        np.concatenate([table.member_cap, np.arange(n)]),
        np.concatenate([d.col[table.member_entry], d.b.cols[table.cap_option]]),
        np.concatenate([table.member_weight, -table.cap_bound]),
        -np.inf, 0.0, n, table.cap_option[:, None],
    )  # fmt: skip


def _order(d: Claimed) -> RowBlock:
    """Write claims.order: of the copies of an option, the first ones are taken first."""
    second = np.flatnonzero(d.copy > 0)
    first = second - 1
    n = np.arange(len(first))
    ones = np.ones(len(first), dtype=np.int64)
    return row_block(
        "claims.order", np.concatenate([n, n]),
        np.concatenate([d.b.cols[second], d.b.cols[first]]), np.concatenate([ones, -ones]),
        -np.inf, 0.0, len(first), first[:, None],
    )  # fmt: skip
