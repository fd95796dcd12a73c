r"""Allocations of running pods that come free (paper, eq. holdings).

    f[c] in {0, 1}            holding c is free
    f[c]                      <=  e[unit(u)]      each user u                   (preemption.free)
    sum_{users k, n} x[k, n]  <=  m (1 - f[c])    an allocated shared claim     (preemption.used)

m = the lesser of the claim's limit and what its roles' pairs hold. Only holdings that may come
free, and give back something that a claim could take, have a column. Those whose users are in the
same units come free together, and share one; where that is one unit, and no new pod can use the
claim, e is f. What they give back is on the right side of claims.cell, claims.counter and
claims.pot. Off: no columns, all is held that is held now.
"""

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.counts.indexed import Indexed, nothing
from gangplan.models.counts.pairs import Pairs
from gangplan.models.counts.sizes import Sizes
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block
from gangplan.models.plan import Plan
from gangplan.models.victims import victims_of


def columns(instance: Instance, e: Indexed, cols: Columns, *, on: bool = True) -> Indexed:
    """f[c] by holding, sorted; a column may stand for several holdings, or be that of a unit."""
    running = instance.running
    if not on or not len(running.hold_shared):
        return nothing("f", 1)
    holds = np.flatnonzero(_may_fall(instance) & _useful(instance))
    user, unit = _units(instance)
    first, last = (np.searchsorted(user, holds + at) for at in (0, 1))
    # New pods may keep a shared claim's devices held, so it has a column of its own.
    alone = (last - first == 1) & (running.hold_shared[holds] < 0)
    column = np.full(len(holds), -1, dtype=np.int64)
    column[alone] = e.spread(len(running))[unit[first[alone]]]
    own = np.flatnonzero(column < 0)
    kinds: dict[tuple[int, ...], int] = {}
    kind = np.zeros(len(own), dtype=np.int64)
    for at, c in enumerate(own.tolist()):
        joined = int(holds[c]) if running.hold_shared[holds[c]] >= 0 else -1
        key = (joined, *unit[first[c] : last[c]].tolist())
        kind[at] = kinds.setdefault(key, len(kinds))
    if len(own):
        column[own] = cols.add("f", np.zeros(len(kinds)), np.ones(len(kinds))).cols[kind]
    return Indexed(VarBlock("f", column), holds[:, None])


def rows(
    instance: Instance, sizes: Sizes, pairs: Pairs, x: VarBlock, e: Indexed, f: Indexed
) -> list[RowBlock]:
    """Write preemption.free and preemption.used."""
    return [_free(instance, e, f), _used(instance, sizes, pairs, x, f)] if len(f) else []


def encode(instance: Instance, f: Indexed, point: Ints, plan: Plan) -> None:
    """Fill f, in place: 1 exactly where all users fall, and no placed pod uses the claim."""
    placed = np.isin(instance.claims.user_role, instance.pod_role[plan.node >= 0])
    kept = np.isin(instance.running.hold_shared, instance.claims.user_shared[placed])
    freed = instance.running.freed(plan.evicted) & ~kept
    point[f.cols] = freed[f.index[:, 0]]


def usable(instance: Instance, f: Indexed, point: Ints) -> Flags:
    """(I,) devices that a plan may hand out: free now, or of a holding with f = 1."""
    running = instance.running
    freed = np.zeros(len(running.hold_shared), dtype=np.bool_)
    freed[f.index[:, 0]] = point[f.cols] > 0
    able = ~instance.devices.taken
    able[running.freed_device[freed[running.freed_hold]]] = True
    return able


def _may_fall(instance: Instance) -> Flags:
    """(H,) holdings all of whose users are pods of units that can fall."""
    return instance.running.freed(np.flatnonzero(victims_of(instance).can))


def _useful(instance: Instance) -> Flags:
    """(H,) holdings that give back what a claim could use of devices, counters or pots."""
    running, devices, claims = instance.running, instance.devices, instance.claims
    fits = np.zeros(len(devices), dtype=np.bool_)
    for row in claims.fits[~claims.choice_admin]:
        fits |= row
    drawn = np.zeros(len(devices.counter_free), dtype=np.bool_)
    drawn[devices.draw_counter[fits[devices.draw_device]]] = True
    shared = np.zeros(len(devices.pot_free), dtype=np.bool_)
    shared[claims.use_pot[claims.use_amount > 0]] = True
    useful = np.zeros(len(running.hold_shared), dtype=np.bool_)
    useful[running.freed_hold[fits[running.freed_device]]] = True
    useful[running.back_hold[drawn[running.back_counter]]] = True
    useful[running.spare_hold[shared[running.spare_pot]]] = True
    return useful


def _units(instance: Instance) -> tuple[Ints, Ints]:
    """Pair each holding with the units of its users, each pair once; sorted."""
    running = instance.running
    both = np.column_stack([running.user_hold, running.pod_unit[running.user_pod]])
    pairs = np.unique(both, axis=0).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _free(instance: Instance, e: Indexed, f: Indexed) -> RowBlock:
    """Write preemption.free, once for each column of its own and unit; without e, none falls."""
    hold, unit = _units(instance)
    column = f.spread(len(instance.running.hold_shared))[hold]
    own = (column >= 0) & ~np.isin(column, e.cols)
    links = np.unique(np.column_stack([column, unit])[own], axis=0)
    falls = e.spread(len(instance.running))[links[:, 1]]
    n, some = np.arange(len(links)), np.flatnonzero(falls >= 0)
    return row_block(
        "preemption.free",
        np.concatenate([n, some]),
        np.concatenate([links[:, 0], falls[some]]),
        np.concatenate([np.ones(len(n), dtype=np.int64), np.full(len(some), -1)]),
        -np.inf, 0.0, len(n), links,
    )  # fmt: skip


def _used(instance: Instance, sizes: Sizes, pairs: Pairs, x: VarBlock, f: Indexed) -> RowBlock:
    claims = instance.claims
    claim = instance.running.hold_shared[f.index[:, 0]]
    row: list[int] = []
    col: list[int] = []
    coef: list[int] = []
    side: list[tuple[int, int]] = []
    for at in np.flatnonzero(claim >= 0).tolist():
        roles = claims.user_role[claims.user_shared == claim[at]]
        mine = np.flatnonzero(np.isin(pairs.role, roles))
        if not len(mine):
            continue
        most = int(np.minimum(sizes.most, pairs.slots)[roles].sum())
        most = min(most, int(claims.shared_limit[claim[at]]))
        row += [len(side)] * (len(mine) + 1)
        col += [*x.cols[mine].tolist(), int(f.cols[at])]
        coef += [1] * len(mine) + [most]
        side.append((most, int(f.index[at, 0])))
    about = np.array(side, dtype=np.int64).reshape(-1, 2)
    return row_block(
        "preemption.used", row, col, coef, -np.inf, about[:, 0], len(side), about[:, 1:]
    )
