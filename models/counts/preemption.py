r"""Who makes room: units that fall, and what holds them together (paper, eq. preemption).

    e[v] in {0, 1}       unit v falls; only units that somebody may evict have a column
    w[o] in {0, 1}       all running members of group o, or below composite o, fall
    sum_{u in f} e    <=  spare_f (1 - w[g]) + n_f w[g]    each floor f of g      (preemption.floor)
    w[o]              <=  w[c], e[v]      each child c, or unit v, of o           (preemption.whole)
    sum_c w[c]        <=  spare_h (1 - w[h]) + s_h w[h]    standing children c of h
                                                                               (preemption.children)
    e[v] + a[root]    <=  1               the root of v does not both lose and gain
                                                                                 (preemption.either)
    sum_v match e     <=  allowed         each hard budget                       (preemption.budget)

u are pods, each with the e of its unit; n_f running members of f, spare_f = those beyond its
minimum, s_h and spare_h likewise for the standing children of h. Where one unit holds everything
that runs below o, its e is w[o]; where a member is in no unit that can fall, w[o] = 0. Rows that
cannot bind are left out. Slices have rows of their own. Off: no columns, and nobody falls.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.counts import leaving
from gangplan.models.counts.indexed import Indexed, indexed, nothing
from gangplan.models.counts.leaving import Leaving
from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.losses import losses_of
from gangplan.models.milp import Columns, RowBlock, row_block
from gangplan.models.needs import Needs
from gangplan.models.victims import victims_of


@dataclass(frozen=True, slots=True, eq=False)
class Evictions:
    """The columns of units, and what they say.

    Attributes
    ----------
    e : columns by unit.
    w : columns by owner, for those that no e speaks for.
    leaving : s.
    whole : (G + H,) the column that is 1 where everything that runs below an owner falls: an e or a
        w; -1 where it never does.
    """

    e: Indexed
    w: Indexed
    leaving: Leaving
    whole: Ints

    def of_pods(self, instance: Instance) -> Ints:
        """(U,) the e of the unit of each running pod; -1 where it cannot fall."""
        return self.e.spread(len(instance.running))[instance.running.pod_unit]


def none(instance: Instance) -> Evictions:
    """Return the columns of a family that is off."""
    owners = len(instance.groups) + len(instance.composites)
    return Evictions(
        nothing("e", 1), nothing("w", 1), leaving.none(), np.full(owners, -1, dtype=np.int64)
    )


def losers(instance: Instance) -> Flags:
    """(G + H,) roots that can lose pods."""
    victims = victims_of(instance)
    group = instance.running.pod_group[victims.can[instance.running.pod_unit]]
    flags = np.zeros(len(instance.groups) + len(instance.composites), dtype=np.bool_)
    flags[victims.root[group[group >= 0]]] = True
    return flags


def columns(instance: Instance, cols: Columns) -> Evictions:
    """Append e, w and s, for the units that can fall."""
    can, n = victims_of(instance).can, len(instance.groups)
    falls = can[instance.running.pod_unit]
    e = indexed(cols, "e", np.flatnonzero(can)[:, None], 1)
    whole = np.append(e.spread(len(can)), -1)[_only_unit(instance)]
    alone = whole[:n] >= 0
    asked = (instance.groups.parent >= 0) | leaving.sliced(instance)
    asked[instance.running.floor_group[_floors(instance, alone)]] = True
    asked = np.append(asked, np.ones(len(instance.composites), dtype=np.bool_))
    running = _running(instance)
    all_can = (running > 0) & (_below(instance, falls) == running)
    owner = np.flatnonzero(asked & all_can & (whole < 0))
    w = indexed(cols, "fallen", owner[:, None], 1)
    whole[owner] = w.cols
    return Evictions(e, w, leaving.columns(instance, falls, alone, cols), whole)


def rows(instance: Instance, needs: Needs, evictions: Evictions, places: Ints) -> list[RowBlock]:
    """Write the rows.

    Parameters
    ----------
    places : (G + H,) the column that says whether an owner gets pods; -1 where there is none.
    """
    if not len(evictions.e):
        return []
    of_pod, n = evictions.of_pods(instance), len(instance.groups)
    return [
        _floor(instance, evictions, of_pod),
        _whole(instance, evictions, of_pod),
        _children(instance, needs, evictions),
        *leaving.rows(instance, evictions.leaving, of_pod, evictions.whole[:n]),
        _either(instance, evictions, places),
        _budget(instance, evictions),
    ]


def encode(instance: Instance, evictions: Evictions, evicted: Ints, point: Ints) -> None:
    """Fill e, w and s from the units that fall, in place.

    Raises
    ------
    PlanError : a unit that nobody can evict.
    """
    column = evictions.e.spread(len(instance.running))[evicted]
    if (column < 0).any():
        name = instance.names.units[int(evicted[column < 0][0])]
        raise PlanError(f"{name}: no column says that it falls")
    point[column] = 1
    falls = instance.running.falling(evicted)
    fallen = _below(instance, falls) == _running(instance)
    point[evictions.w.cols] = fallen[evictions.w.index[:, 0]]
    leaving.encode(instance, evictions.leaving, falls, fallen[: len(instance.groups)], point)


def _running(instance: Instance) -> Ints:
    """(G + H,) running members below each owner."""
    return _with_trees(instance, instance.groups.running)


def _below(instance: Instance, pods: Flags) -> Ints:
    """(G + H,) flagged (U,) running pods below each owner."""
    group = instance.running.pod_group[pods]
    each = np.bincount(group[group >= 0], minlength=len(instance.groups)).astype(np.int64)
    return _with_trees(instance, each)


def _with_trees(instance: Instance, each: Ints) -> Ints:
    """(G,) amounts -> (G + H,) amounts below each owner."""
    composites, n = instance.composites, len(each)
    total = np.append(each, np.zeros(len(composites), dtype=np.int64))
    in_tree = instance.groups.parent >= 0
    np.add.at(total, n + instance.groups.parent[in_tree], each[in_tree])
    for h in range(len(composites) - 1, -1, -1):
        if composites.parent[h] >= 0:
            total[n + composites.parent[h]] += total[n + h]
    return total


def _only_unit(instance: Instance) -> Ints:
    """(G + H,) the unit that holds everything that runs below an owner; -1 where none does."""
    running, members = instance.running, _running(instance)
    n, trees = len(instance.groups), len(instance.composites)
    of_tree = np.full(trees, -1, dtype=np.int64)
    for h in range(trees):
        unit = running.pod_unit[np.isin(running.pod_group, instance.groups_of(n + h))]
        if len(unit) and len(unit) == members[n + h] and (unit == unit[0]).all():
            of_tree[h] = unit[0]
    return np.concatenate([victims_of(instance).whole, of_tree])


def _floors(instance: Instance, alone: Flags) -> Ints:
    """Floors that more members can leave than are spare; not those of groups that fall as one."""
    running, can = instance.running, victims_of(instance).can
    falls = can[running.pod_unit[running.member_pod]]
    leave = np.bincount(running.member_floor[falls], minlength=len(running.floor_group))
    return np.flatnonzero((leave > _spare(instance)) & ~alone[running.floor_group])


def _spare(instance: Instance) -> Ints:
    running = instance.running
    spare: Ints = np.maximum(running.floor_running - running.floor_least, 0)
    return spare


def _floor(instance: Instance, evictions: Evictions, of_pod: Ints) -> RowBlock:
    running, whole = instance.running, evictions.whole[: len(instance.groups)]
    floor = _floors(instance, np.isin(whole, evictions.e.cols))
    number = np.full(len(running.floor_group), -1, dtype=np.int64)
    number[floor] = np.arange(len(floor))
    at, col = number[running.member_floor], of_pod[running.member_pod]
    mine = (at >= 0) & (col >= 0)
    column = whole[running.floor_group[floor]]
    tied = np.flatnonzero(column >= 0)
    spare = _spare(instance)[floor]
    more = running.floor_running[floor] - spare
    return row_block(
        "preemption.floor",
        np.concatenate([at[mine], tied]),
        np.concatenate([col[mine], column[tied]]),
        np.concatenate([np.ones(int(mine.sum()), dtype=np.int64), -more[tied]]),
        -np.inf,
        spare,
        len(floor),
        floor[:, None],
    )


def _whole(instance: Instance, evictions: Evictions, of_pod: Ints) -> RowBlock:
    """Write preemption.whole, part by part: tighter than their sum."""
    n, w, running = len(instance.groups), evictions.w, instance.running
    group = running.pod_group
    links = [np.column_stack([group[group >= 0], of_pod[group >= 0]])]
    parent = np.concatenate([instance.groups.parent, instance.composites.parent])
    child = np.flatnonzero((parent >= 0) & (_running(instance) > 0))
    links.append(np.column_stack([n + parent[child], evictions.whole[child]]))
    owner, part = np.unique(np.concatenate(links), axis=0).reshape(-1, 2).T
    column = w.spread(n + len(instance.composites))[owner]
    owner, part, column = owner[column >= 0], part[column >= 0], column[column >= 0]
    both = np.tile(np.arange(len(owner)), 2)
    return row_block(
        "preemption.whole", both, np.concatenate([column, part]), np.repeat([1, -1], len(owner)),
        -np.inf, 0.0, len(owner), owner[:, None],
    )  # fmt: skip


def _children(instance: Instance, needs: Needs, evictions: Evictions) -> RowBlock:
    n, whole, composites = len(instance.groups), evictions.whole, instance.composites
    parent = np.concatenate([instance.groups.parent, composites.parent])
    stands = np.concatenate([needs.stands, needs.composite_stands]) & (parent >= 0)
    standing = np.bincount(parent[stands], minlength=len(composites))
    spare = np.maximum(standing - composites.minimum, 0)
    # A child that falls with all of the tree is as good as the tree itself.
    child = np.flatnonzero(stands & (whole >= 0))
    child = child[whole[child] != whole[n + parent[child]]]
    leave = np.bincount(parent[child], minlength=len(composites))
    tree = np.flatnonzero(leave > spare)
    number = np.full(len(composites), -1, dtype=np.int64)
    number[tree] = np.arange(len(tree))
    child = child[number[parent[child]] >= 0]
    tied = np.flatnonzero(whole[n + tree] >= 0)
    more = (standing - spare)[tree]
    return row_block(
        "preemption.children",
        np.concatenate([number[parent[child]], tied]),
        np.concatenate([whole[child], whole[n + tree][tied]]),
        np.concatenate([np.ones(len(child), dtype=np.int64), -more[tied]]),
        -np.inf,
        spare[tree],
        len(tree),
        tree[:, None],
    )


def _either(instance: Instance, evictions: Evictions, places: Ints) -> RowBlock:
    running, e = instance.running, evictions.e
    mine = np.flatnonzero(running.pod_group >= 0)
    root = victims_of(instance).root[running.pod_group[mine]]
    links = np.unique(np.column_stack([running.pod_unit[mine], root]), axis=0).reshape(-1, 2)
    column = np.column_stack([e.spread(len(running))[links[:, 0]], places[links[:, 1]]])
    kept = (column >= 0).all(axis=1)
    n = int(kept.sum())
    return row_block(
        "preemption.either", np.tile(np.arange(n), 2), column[kept].T.ravel(), 1, -np.inf, 1.0, n,
        links[kept],
    )  # fmt: skip


def _budget(instance: Instance, evictions: Evictions) -> RowBlock:
    running, unit = instance.running, evictions.e.index[:, 0]
    matches = losses_of(instance).matches[:, unit]
    budget = np.flatnonzero(running.budget_hard & (matches.sum(axis=1) > running.budget_allowed))
    row, at = np.nonzero(matches[budget])
    return row_block(
        "preemption.budget", row, evictions.e.cols[at], matches[budget][row, at], -np.inf,
        running.budget_allowed[budget], len(budget), budget[:, None],
    )  # fmt: skip
