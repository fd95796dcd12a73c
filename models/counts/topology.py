r"""Required levels: all new pods of a group or composite in one domain (paper, eq. topology).

    u[t, d] in {0, 1}        for each whole required rule t and domain d of its level that is left
    sum_d u[t, d]            =   a[t]               at most 1 where no column a[t] is there
                                                                              (topology.choose)
    sum_{n in d} x[k, n]     <=  m[k, d] u[t, d]    for each role k of the owner
                                                                              (topology.inside)
    sum_{n in d} x[k, n]     >=  least_k u[t, d]    where 0 < least_k < most_k, k in a gang with y
                                                                              (topology.least)
    sum_{k, n in d} x[k, n]  >=  least_g u[t, d]    for such a gang, if its roles do not imply it
                                                                              (topology.minimum)
    sum_{d in D} u[t, d]     <=  u[t', D]           for rule t of a group inside rule t' of a
                                                    composite, and each domain D of t'
                                                                              (topology.nest)

a[t] = the yes/no of the owner of t (its y, w or p), m[k, d] = the lesser of most_k and the slots
that d has for k. An exact role of a gang has topology.inside as an equality. Levels need not nest:
each rule is a partition of its own. Where they do, topology.nest replaces topology.inside of the
outer rule, and an owner's outer rule that its inner one implies is left out. A rule with one domain
left (running members fix it) needs no columns: the pairs say it. Slices have rows of their own.
Off: no columns, no rows, and no pair is cut.
"""

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.counts.cells import Cells, cells_of, joined
from gangplan.models.counts.indexed import Indexed, indexed, numbered, stacked
from gangplan.models.counts.layers import Layer, layers, refines
from gangplan.models.counts.pairs import Pairs
from gangplan.models.counts.sizes import Sizes
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block


def columns(instance: Instance, pairs: Pairs, cols: Columns) -> Indexed:
    """u[t, d]: is d the domain of rule t; only for rules with two domains or more left."""
    whole = _not_implied(instance)
    found = [np.zeros((0, 2), dtype=np.int64)]
    for layer in layers(instance, np.flatnonzero(whole)):
        rule = layer.rule[pairs.role]
        mine = rule >= 0
        n = instance.topology.n_domains
        key = rule[mine] * n + instance.topology.domain[layer.level, pairs.node[mine]]
        distinct, _ = numbered(key, len(instance.rules) * n)
        found.append(np.column_stack([distinct // n, distinct % n]))
    index = np.concatenate(found)
    several = np.bincount(index[:, 0], minlength=len(instance.rules)) > 1
    index = index[several[index[:, 0]]]
    return indexed(cols, "u", index[np.lexsort(index.T[::-1])], 1)


def covered(instance: Instance, u: Indexed) -> Flags:
    """(G,) groups whose sizes topology.inside and topology.choose bound together."""
    owner = instance.rules.owner[u.index[:, 0]]
    flags = np.zeros(len(instance.groups), dtype=np.bool_)
    flags[owner[owner < len(instance.groups)]] = True
    return flags


def rows(
    instance: Instance, sizes: Sizes, pairs: Pairs, x: VarBlock, u: Indexed, places: Ints
) -> list[RowBlock]:
    """Write the rows of whole required rules.

    Parameters
    ----------
    places : (G + H,) the column that says whether the owner gets pods; -1 where there is none.
    """
    written = np.zeros(len(instance.rules), dtype=np.bool_)
    written[u.index[:, 0]] = True
    if not len(u):
        return []
    inside, outer = refines(instance)
    nest, cells = [], []
    for layer in layers(instance, np.flatnonzero(written)):
        rows_of_layer, nested = _nest(instance, u, layer, inside, outer)
        nest.append(rows_of_layer)
        rule = np.where(nested, -1, layer.rule)
        domain = instance.topology.domain[layer.level]
        bound = Layer(layer.level, rule)
        cells.append(cells_of(pairs, bound, domain, instance.topology.n_domains))
    sums = joined(cells)
    alone = (instance.rules.owner < len(instance.groups)) & (places[instance.rules.owner] >= 0)
    return [
        _choose(instance, u, places),
        *_inside(sizes, sums, x, u, alone),
        _minimum(instance, sizes, sums, x, u, alone),
        stacked("topology.nest", nest),
    ]


def _not_implied(instance: Instance) -> Flags:
    """(T,) whole required rules that no other rule of the same owner implies."""
    rules, levels = instance.rules, instance.topology.n_levels
    inside, _ = refines(instance)
    keep = rules.is_whole().copy()
    first = np.full((levels, len(instance.groups) + len(instance.composites)), -1, dtype=np.int64)
    for t in np.flatnonzero(keep)[::-1]:
        first[rules.level[t], rules.owner[t]] = t
    for b in range(levels):
        mine = rules.level == b
        keep &= ~mine | (first[b, rules.owner] == np.arange(len(rules)))
        for a in range(levels):
            if a != b and inside[a, b] and (not inside[b, a] or a < b):
                keep &= ~mine | (first[a, rules.owner] < 0)
    return keep


def _choose(instance: Instance, u: Indexed, places: Ints) -> RowBlock:
    rule, number = np.unique(u.index[:, 0], return_inverse=True)
    column = places[instance.rules.owner[rule]]
    tied = column >= 0
    return row_block(
        "topology.choose",
        np.concatenate([number.reshape(-1), np.flatnonzero(tied)]),
        np.concatenate([u.cols, column[tied]]),
        np.concatenate([np.ones(len(u), dtype=np.int64), np.full(int(tied.sum()), -1)]),
        np.where(tied, 0.0, -np.inf),
        np.where(tied, 0.0, 1.0),
        len(rule),
        rule[:, None],
    )


def _inside(sizes: Sizes, sums: Cells, x: VarBlock, u: Indexed, alone: Flags) -> list[RowBlock]:
    """Write topology.inside and topology.least; ``alone`` (T,): rules of gangs with a y."""
    least, most = sizes.least[sums.role], sizes.most[sums.role]
    exact = alone[sums.rule] & (least == most)
    factor = np.where(exact, most, np.minimum(most, sums.slots))
    column = u.find(sums.rule, sums.place)
    about = np.column_stack([sums.rule, sums.role, sums.place])
    n = len(column)
    every = row_block(
        "topology.inside",
        np.concatenate([sums.cell, np.arange(n)]),
        np.concatenate([x.cols[sums.pair], column]),
        np.concatenate([np.ones(len(sums.pair), dtype=np.int64), -factor]),
        np.where(exact, 0.0, -np.inf),
        0.0,
        n,
        about,
    )
    some = alone[sums.rule] & (least > 0) & ~exact
    number = np.cumsum(some) - 1
    mine = some[sums.cell]
    low = row_block(
        "topology.least",
        np.concatenate([number[sums.cell[mine]], np.arange(int(some.sum()))]),
        np.concatenate([x.cols[sums.pair[mine]], column[some]]),
        np.concatenate([np.ones(int(mine.sum()), dtype=np.int64), -least[some]]),
        0.0,
        np.inf,
        int(some.sum()),
        about[some],
    )
    return [every, low]


def _minimum(
    instance: Instance, sizes: Sizes, sums: Cells, x: VarBlock, u: Indexed, alone: Flags
) -> RowBlock:
    role_sum = instance.per_group(sizes.least)
    owner = instance.rules.owner[sums.rule]
    group = np.where(alone[sums.rule], owner, 0)
    some = alone[sums.rule]
    if len(instance.groups):
        some = some & (sizes.group_least[group] > role_sum[group])
    n = max(instance.topology.n_domains, 1)
    distinct, at = numbered(sums.rule * n + sums.place, max(len(instance.rules), 1) * n)
    wanted = np.zeros(len(distinct), dtype=np.bool_)
    wanted[at[some]] = True
    number = np.cumsum(wanted) - 1
    mine = some[sums.cell]
    rule, domain = distinct[wanted] // n, distinct[wanted] % n
    return row_block(
        "topology.minimum",
        np.concatenate([number[at[sums.cell[mine]]], np.arange(len(rule))]),
        np.concatenate([x.cols[sums.pair[mine]], u.find(rule, domain)]),
        np.concatenate(
            [
                np.ones(int(mine.sum()), dtype=np.int64),
                -sizes.group_least[instance.rules.owner[rule]],
            ]
        ),
        0.0,
        np.inf,
        len(rule),
        np.column_stack([rule, domain]),
    )


def _nest(
    instance: Instance, u: Indexed, layer: Layer, inside: Flags, outer: Ints
) -> tuple[RowBlock, Flags]:
    """Tie group rules to the composite rules of ``layer`` that they lie inside.

    Returns the rows, and (K,) the roles that need no topology.inside of the outer rule any more.
    """
    n_groups, n = len(instance.groups), max(instance.topology.n_domains, 1)
    above = np.full(n_groups, -1, dtype=np.int64)
    of_tree = layer.rule >= 0
    of_tree &= instance.rules.owner[layer.rule] >= n_groups
    above[instance.roles.group[of_tree]] = layer.rule[of_tree]
    rule, domain = u.index[:, 0], u.index[:, 1]
    owner = instance.rules.owner[rule]
    outer_rule = np.where(owner < n_groups, np.append(above, -1)[np.minimum(owner, n_groups)], -1)
    mine = (outer_rule >= 0) & inside[instance.rules.level[rule], layer.level]
    big = outer[domain[mine], layer.level]
    key = rule[mine] * n + big
    distinct, first, number = np.unique(key, return_index=True, return_inverse=True)
    rows_of_layer = row_block(
        "topology.nest",
        np.concatenate([number.reshape(-1), np.arange(len(distinct))]),
        np.concatenate([u.cols[mine], u.find(outer_rule[mine][first], big[first])]),
        np.concatenate(
            [np.ones(int(mine.sum()), dtype=np.int64), np.full(len(distinct), -1, dtype=np.int64)]
        ),
        -np.inf,
        0.0,
        len(distinct),
        np.column_stack([distinct // n, outer_rule[mine][first], distinct % n]),
    )
    nested = np.zeros(n_groups, dtype=np.bool_)
    nested[owner[mine]] = True
    return rows_of_layer, nested[instance.roles.group] & of_tree
