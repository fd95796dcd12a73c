r"""Who falls, so that others get in: running units, as they are or not at all (KEP-5710).

    e[v] in {0, 1}               unit v falls; 0 where nobody can evict it
    whole[c] in {0, 1}           all running members of group c, or below composite c, fall
    e[v]  <=  sum_g y[g]         over the groups g of higher rank that may evict  (preemption.whom)
    sum_{u in l} e[v(u)]  <=  spare_l (1 - whole[g]) + n_l whole[g]
                                 for each floor l of a group g: over its pods u, of unit v(u)
                                                                                (preemption.floor)
    sum_{u in g} e[v(u)]  >=  n_g whole[g]
                                 for each group g                               (preemption.whole)
    whole[h]  <=  whole[c]       for each child c of composite h with running members
                                                                                (preemption.below)
    sum_{u in c} e[v(u)]  <=  n_c - 1 + whole[c]
                                 for each group c below a composite             (preemption.taken)
    sum_c whole[c]  <=  spare_h (1 - whole[h]) + n_h whole[h]
                                 for each composite h: over the children c that stand
                                                                             (preemption.children)
    s[t, d] in Z+                slices of rule t, of k_t pods each, that leave domain d
    sum_{u in d} e[v(u)]  =  k_t s[t, d] + r[t, d] whole[g]
                                 for each such rule t of a group g: over the pods u of g in d
                                                                               (preemption.slices)
    e[v] + y[g]  <=  1           for each unit v with a pod of g, a root       (preemption.either)
    e[v] + w[h]  <=  1           for each unit v with a pod below the root h   (preemption.either)
    f[a] in {0, 1}               holding a is free
    f[a]  <=  e[v(u)]            for each user u of a                            (preemption.free)
    sum_n x[p, n] + f[a]  <=  1  for each pod p that uses the shared claim of a  (preemption.used)
    sum_v match[b, v] e[v]  <=  allowed_b
                                 for each budget b that binds                  (preemption.budget)
    viol[b, p] in Z+             victims of priority p or higher beyond budget b
    sum_v match[b, v] e[v]  <=  allowed_b + viol[b, p]
                                 over the units v of priority p or higher      (preemption.beyond)

n = running members (of the floor, the group, the children that stand), spare = what of them is not
needed for the minimum, r[t, d] = members in d modulo k_t. The row preemption.taken makes a child
count as taken however its last pod falls. Off: no columns, and nobody falls.
"""

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.assignment.falling import Falling
from gangplan.models.assignment.links import at_most, sums
from gangplan.models.assignment.pairs import Pairs, pairs_of_pods
from gangplan.models.instance import Instance
from gangplan.models.losses import losses_of
from gangplan.models.milp import RowBlock, VarBlock, row_block
from gangplan.models.needs import Needs
from gangplan.models.victims import victims_of


def rows(
    instance: Instance, needs: Needs, pairs: Pairs, falls: Falling, x: VarBlock, owner: Ints
) -> list[RowBlock]:
    """Write the preemption rows; none where nobody can fall.

    Parameters
    ----------
    owner : (G + H,) the columns y, then w: does the owner get new pods.
    """
    if not falls:
        return []
    return [
        _whom(instance, falls, owner),
        _floor(instance, falls),
        *_whole(instance, falls),
        *_trees(instance, needs, falls),
        _slices(instance, falls),
        _either(instance, falls, owner),
        *_holdings(instance, pairs, falls, x),
        *_budgets(instance, falls),
    ]


def _whom(instance: Instance, falls: Falling, owner: Ints) -> RowBlock:
    victims, priority = victims_of(instance), instance.running.priority
    units = np.flatnonzero(victims.can)
    row, g = np.nonzero(victims.evicts & (victims.rank > priority[units][:, None]))
    one = np.ones(len(units), dtype=np.int64)
    return sums("preemption.whom", row, owner[g], one, falls.e.cols[units], ">=", units[:, None])


def _floor(instance: Instance, falls: Falling) -> RowBlock:
    running = instance.running
    n = running.floor_running
    spare = np.maximum(n - running.floor_least, 0)
    member = falls.e.cols[running.pod_unit[running.member_pod]]
    whole = falls.whole.cols[running.floor_group]
    index = np.arange(len(n))
    return _spared("preemption.floor", running.member_floor, member, whole, spare, n, index)


def _spared(
    name: str, row: Ints, col: Ints, whole: Ints, spare: Ints, n: Ints, about: Ints
) -> RowBlock:
    """Write ``sum of col  <=  spare_i (1 - whole_i) + n_i whole_i`` for each row i."""
    return row_block(
        name,
        np.concatenate([row, np.arange(len(n))]),
        np.concatenate([col, whole]),
        np.concatenate([np.ones(len(row), dtype=np.int64), spare - n]),
        -np.inf,
        spare,
        len(n),
        about[:, None],
    )


def _whole(instance: Instance, falls: Falling) -> list[RowBlock]:
    """Write preemption.whole and preemption.taken."""
    running, n = instance.running, instance.groups.running
    grouped = np.flatnonzero(running.pod_group >= 0)
    of, member = running.pod_group[grouped], falls.e.cols[running.pod_unit[grouped]]
    child = np.flatnonzero((instance.groups.parent >= 0) & (n > 0))
    number = np.full(len(n), -1, dtype=np.int64)
    number[child] = np.arange(len(child))
    mine = number[of] >= 0
    some = np.flatnonzero(n > 0)
    place = np.full(len(n), -1, dtype=np.int64)
    place[some] = np.arange(len(some))
    return [
        sums(
            "preemption.whole", place[of], member, n[some], falls.whole.cols[some], ">=",
            some[:, None],
        ),
        row_block(
            "preemption.taken",
            np.concatenate([number[of[mine]], np.arange(len(child))]),
            np.concatenate([member[mine], falls.whole.cols[child]]),
            np.repeat([1, -1], [int(mine.sum()), len(child)]),
            -np.inf, n[child] - 1, len(child), child[:, None],
        ),
    ]  # fmt: skip


def _trees(instance: Instance, needs: Needs, falls: Falling) -> list[RowBlock]:
    """Write preemption.below and preemption.children."""
    groups, composites = instance.groups, instance.composites
    parent = np.concatenate([groups.parent, composites.parent])
    stands = np.concatenate([needs.stands, needs.composite_stands])
    runs = instance.owners_above(groups.running > 0)
    below = np.flatnonzero((parent >= 0) & runs)
    tree = len(groups) + parent[below]
    standing = np.flatnonzero((parent >= 0) & stands)
    n = np.bincount(parent[standing], minlength=len(composites)).astype(np.int64)
    some = np.flatnonzero(n)
    spare = np.maximum(n - composites.minimum, 0)
    return [
        at_most(
            "preemption.below", falls.whole.cols[tree], falls.whole.cols[below], below[:, None]
        ),
        _spared(
            "preemption.children", np.searchsorted(some, parent[standing]),
            falls.whole.cols[standing], falls.whole.cols[len(groups) + some], spare[some], n[some],
            some,
        ),
    ]  # fmt: skip


def _slices(instance: Instance, falls: Falling) -> RowBlock:
    rules, running = instance.rules, instance.running
    size = rules.slice[falls.part_rule]
    row, col = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for i, (t, d) in enumerate(
        zip(falls.part_rule.tolist(), falls.part_domain.tolist(), strict=True)
    ):
        mine = (running.pod_group == rules.owner[t]) & (running.pod_node >= 0)
        unit, node = running.pod_unit[mine], running.pod_node[mine]
        there = falls.e.cols[unit[instance.topology.domain[rules.level[t], node] == d]]
        row.append(np.full(len(there), i))
        col.append(there)
    every, pods = np.arange(len(size)), np.concatenate(col)
    whole = falls.whole.cols[rules.owner[falls.part_rule]]
    return row_block(
        "preemption.slices",
        np.concatenate([*row, every, every]),
        np.concatenate([pods, falls.s.cols, whole]),
        np.concatenate([np.ones(len(pods), dtype=np.int64), -size, -(falls.part_pods % size)]),
        0.0,
        0.0,
        len(size),
        np.column_stack([falls.part_rule, falls.part_domain]),
    )


def _either(instance: Instance, falls: Falling, owner: Ints) -> RowBlock:
    running, victims = instance.running, victims_of(instance)
    mine = (running.pod_group >= 0) & victims.can[running.pod_unit]
    root = victims.root[running.pod_group[mine]]
    both = np.unique(np.column_stack([running.pod_unit[mine], root]), axis=0)
    n = len(both)
    return row_block(
        "preemption.either",
        np.tile(np.arange(n), 2),
        np.concatenate([falls.e.cols[both[:, 0]], owner[both[:, 1]]]),
        1, -np.inf, 1.0, n, both,
    )  # fmt: skip


def _holdings(instance: Instance, pairs: Pairs, falls: Falling, x: VarBlock) -> list[RowBlock]:
    """Write preemption.free and preemption.used."""
    running, claims = instance.running, instance.claims
    user, hold = running.user_pod, running.user_hold
    able = np.unique(pairs.pod)
    using = [np.zeros((0, 2), dtype=np.int64)]
    for a in np.flatnonzero(running.hold_shared >= 0).tolist():
        roles = claims.user_role[claims.user_shared == running.hold_shared[a]]
        pods = able[np.isin(instance.pod_role[able], roles)]
        using.append(np.column_stack([np.full(len(pods), a), pods]))
    about = np.concatenate(using)
    row, pair = pairs_of_pods(pairs, about[:, 1])
    return [
        at_most(
            "preemption.free", falls.f.cols[hold], falls.e.cols[running.pod_unit[user]],
            np.column_stack([hold, user]),
        ),
        row_block(
            "preemption.used",
            np.concatenate([row, np.arange(len(about))]),
            np.concatenate([x.cols[pair], falls.f.cols[about[:, 0]]]),
            1, -np.inf, 1.0, len(about), about,
        ),
    ]  # fmt: skip


def _budgets(instance: Instance, falls: Falling) -> list[RowBlock]:
    """Write preemption.budget and preemption.beyond."""
    running, matches = instance.running, losses_of(instance).matches
    hard = np.flatnonzero(running.budget_hard)
    row, unit = np.nonzero(matches[hard])
    over, beyond = np.nonzero(
        (matches[falls.over_budget] > 0)
        & (running.priority[None, :] >= falls.over_priority[:, None])
    )
    n = len(falls.over_budget)
    return [
        row_block(
            "preemption.budget", row, falls.e.cols[unit], matches[hard][row, unit], -np.inf,
            running.budget_allowed[hard], len(hard), hard[:, None],
        ),
        row_block(
            "preemption.beyond",
            np.concatenate([over, np.arange(n)]),
            np.concatenate([falls.e.cols[beyond], falls.viol.cols]),
            np.concatenate(
                [matches[falls.over_budget[over], beyond], np.full(n, -1, dtype=np.int64)]
            ),
            -np.inf, running.budget_allowed[falls.over_budget], n,
            np.column_stack([falls.over_budget, falls.over_priority]),
        ),
    ]  # fmt: skip
