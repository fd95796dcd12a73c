r"""Slices: a group split into sub-groups of a few pods, each in one domain (paper, eq. slices).

    q[t, d] in Z+                 slices of rule t in domain d, an unfinished one included
    sum_{k in g, n in d} x[k, n] + r[t, d] a[t]  =  s_t q[t, d]
                                  for each rule t of group g and domain d       (topology.slices)
    q[t, d]  <=  Q[t, d] a[t]     where a[t] is a column                    (topology.slice-use)

s_t = pods of a slice, a[t] = 1 if the group gets pods (its y, or its p where r asks for it),
r[t, d] = running members in d modulo s_t, Q[t, d] = most slices that the slots of the domain allow.
Members that are whole slices already cancel out. Part of the topology family.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.counts.cells import cells_of
from gangplan.models.counts.indexed import Indexed, indexed, nothing
from gangplan.models.counts.layers import Layer, layers
from gangplan.models.counts.pairs import Pairs
from gangplan.models.counts.sizes import Sizes
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """The slice columns and what their rows need.

    Attributes
    ----------
    q : (n,) columns by (rule, domain).
    left_over : (n,) running members in the domain, modulo the rule's slice size.
    upper : (n,) most slices, the members' unfinished one included.
    """

    q: Indexed
    left_over: Ints
    upper: Ints


def none() -> Slices:
    """Return the block of a family that is off."""
    empty = np.zeros(0, dtype=np.int64)
    return Slices(nothing("q", 2), empty, empty)


def owners(instance: Instance) -> Flags:
    """(G + H,) owners whose running members leave a slice unfinished: their rows need a yes/no."""
    rules = instance.rules
    size = np.maximum(rules.slice[rules.member_rule], 1)
    flags = np.zeros(len(instance.groups) + len(instance.composites), dtype=np.bool_)
    flags[rules.owner[rules.member_rule[rules.member_count % size > 0]]] = True
    return flags


def columns(instance: Instance, sizes: Sizes, pairs: Pairs, cols: Columns) -> Slices:
    """q[t, d] for each domain with pairs of the owner, or with an unfinished slice of it."""
    n, n_rules = max(instance.topology.n_domains, 1), len(instance.rules)
    slots = np.zeros(n_rules * n, dtype=np.int64)
    for layer in _layers(instance):
        domain = instance.topology.domain[layer.level]
        sums = cells_of(pairs, layer, domain, n)
        np.add.at(slots, sums.rule * n + sums.place, np.minimum(sums.slots, sizes.most[sums.role]))
    left_over = np.zeros(n_rules * n, dtype=np.int64)
    rules = instance.rules
    alive = np.zeros(n_rules, dtype=np.bool_)
    alive[np.flatnonzero(slots) // n] = True
    mine = (rules.slice[rules.member_rule] > 0) & alive[rules.member_rule]
    rule = rules.member_rule[mine]
    np.add.at(left_over, rule * n + rules.member_domain[mine], rules.member_count[mine])
    left_over %= np.repeat(np.maximum(rules.slice, 1), n)
    key = np.flatnonzero((slots > 0) | (left_over > 0))
    most = np.minimum(slots[key], sizes.group_most[rules.owner[key // n]])
    upper = (most + left_over[key]) // np.maximum(rules.slice[key // n], 1)
    index = np.column_stack([key // n, key % n])
    return Slices(indexed(cols, "q", index, upper), left_over[key], upper)


def rows(
    instance: Instance, pairs: Pairs, x: VarBlock, slices: Slices, places: Ints
) -> list[RowBlock]:
    """Write topology.slices and topology.slice-use.

    Parameters
    ----------
    places : (G + H,) the column that says whether the owner gets pods; -1 where there is none.
    """
    q, upper, rules = slices.q, slices.upper, instance.rules
    if not len(q):
        return []
    n = max(instance.topology.n_domains, 1)
    row_of = np.full(max(len(rules), 1) * n, -1, dtype=np.int64)
    row_of[q.index[:, 0] * n + q.index[:, 1]] = np.arange(len(q))
    row, col = [np.arange(len(q))], [q.cols]
    size = rules.slice[q.index[:, 0]]
    coef = [-size]
    for layer in _layers(instance):
        pair = np.flatnonzero(layer.rule[pairs.role] >= 0)
        domain = instance.topology.domain[layer.level, pairs.node[pair]]
        row.append(row_of[layer.rule[pairs.role[pair]] * n + domain])
        col.append(x.cols[pair])
        coef.append(np.ones(len(pair), dtype=np.int64))
    placing = places[rules.owner[q.index[:, 0]]]
    broken = np.flatnonzero(slices.left_over)
    row.append(broken)
    col.append(placing[broken])
    coef.append(slices.left_over[broken])
    whole = row_block(
        "topology.slices", np.concatenate(row), np.concatenate(col), np.concatenate(coef),
        0.0, 0.0, len(q), q.index,
    )  # fmt: skip
    tied = np.flatnonzero((placing >= 0) & (upper > 0))
    both = np.concatenate([np.arange(len(tied)), np.arange(len(tied))])
    use = row_block(
        "topology.slice-use", both, np.concatenate([q.cols[tied], placing[tied]]),
        np.concatenate([np.ones(len(tied), dtype=np.int64), -upper[tied]]),
        -np.inf, 0.0, len(tied), q.index[tied],
    )  # fmt: skip
    return [whole, use]


def _layers(instance: Instance) -> list[Layer]:
    return layers(instance, np.flatnonzero(instance.rules.slice > 0))
