r"""Preferred levels: a cost of 1 for each domain used beyond the first (paper, eq. preferred).

    v[t, d] in {0, 1}        for each preferred rule t and domain d without running members of its
                             owner; a node without the label is a domain of its own
    sum_{n in d} x[k, n]  <=  m[k, d] v[t, d]                for each role k of the owner
                                                                                  (preferred.used)
    sum_d v[t, d]         >=  c_t a[t]                       if c_t > 0           (preferred.fewest)

    cost of t  =  sum_d v[t, d] + (m_t - 1) a[t]

m[k, d] = the lesser of most_k and the slots that d has for k, m_t = domains with running members.
a[t] = 1 if the owner of t gets pods (its y or w; its p where m_t is not 1). c_t = the fewest
domains without members that the owner's least size can do with, by counting slots; at least 1
where m_t = 0. Off: no columns, no cost.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.counts.cells import Cells, cells_of
from gangplan.models.counts.indexed import Indexed, indexed, nothing, stacked
from gangplan.models.counts.layers import Layer, layers
from gangplan.models.counts.pairs import Pairs
from gangplan.models.counts.sizes import Sizes
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block
from gangplan.models.topology import PREFERRED


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where the owners of preferred rules may go.

    Attributes
    ----------
    v : columns by (rule, place); a place is a domain d, or D + n for a node n without the label.
    members : (T,) domains with running members; 0 for rules that are not preferred.
    fewest : (T,) c_t.
    counted : (T,) the rule can cost something: its columns and its (m_t - 1) a are written.
    """

    v: Indexed
    members: Ints
    fewest: Ints
    counted: Flags


def none() -> Places:
    """Return the block of a family that is off."""
    empty = np.zeros(0, dtype=np.int64)
    return Places(nothing("v", 2), empty, empty, np.zeros(0, dtype=np.bool_))


def owners(instance: Instance) -> Flags:
    """(G + H,) owners whose cost has a term in a: the rule's m_t is not 1."""
    rules = instance.rules
    flags = np.zeros(len(instance.groups) + len(instance.composites), dtype=np.bool_)
    flags[rules.owner[(rules.mode == PREFERRED) & (_members(instance) != 1)]] = True
    return flags


def columns(instance: Instance, sizes: Sizes, pairs: Pairs, cols: Columns) -> Places:
    """v[t, d] for the rules that can cost something."""
    rules, width = instance.rules, _width(instance)
    members = _members(instance)
    member_key = rules.member_rule * width + rules.member_domain
    reached = np.zeros(len(rules), dtype=np.bool_)
    keys, rooms = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for layer in _layers(instance):
        key, room = _rooms(instance, sizes, pairs, layer)
        reached[key // width] = True
        keys.append(key)
        rooms.append(room)
    key, number = np.unique(np.concatenate(keys), return_inverse=True)
    room = np.zeros(len(key), dtype=np.int64)
    np.add.at(room, number.reshape(-1), np.concatenate(rooms))
    fresh = ~np.isin(key, member_key)
    n_fresh = np.bincount(key[fresh] // width, minlength=len(rules))
    counted = reached & ((n_fresh + members > 1) | (members > 1))
    fewest = _fewest(instance, sizes, members, key // width, room, fresh)
    mine = fresh & counted[key // width]
    index = np.column_stack([key[mine] // width, key[mine] % width])
    return Places(indexed(cols, "v", index, 1), members, fewest, counted)


def rows(
    instance: Instance, sizes: Sizes, pairs: Pairs, x: VarBlock, places: Places, a: Ints
) -> list[RowBlock]:
    """Write preferred.used and preferred.fewest.

    Parameters
    ----------
    a : (G + H,) the column that says whether the owner gets pods; -1 where there is none.
    """
    used = [_used(instance, sizes, pairs, layer, x, places) for layer in _layers(instance)]
    column = a[instance.rules.owner]
    tied = np.flatnonzero(places.counted & (places.fewest > 0) & (column >= 0))
    number = np.full(len(instance.rules), -1, dtype=np.int64)
    number[tied] = np.arange(len(tied))
    rule = places.v.index[:, 0]
    mine = number[rule] >= 0
    fewest = row_block(
        "preferred.fewest",
        np.concatenate([number[rule[mine]], np.arange(len(tied))]),
        np.concatenate([places.v.cols[mine], column[tied]]),
        np.concatenate([np.ones(int(mine.sum()), dtype=np.int64), -places.fewest[tied]]),
        0.0,
        np.inf,
        len(tied),
        tied[:, None],
    )
    return [stacked("preferred.used", used), fewest]


def place_of(instance: Instance, level: int) -> Ints:
    """(N,) the place of each node at a level: its domain, or D + n where it has no label."""
    domain = instance.topology.domain[level]
    return np.where(domain >= 0, domain, instance.topology.n_domains + np.arange(len(domain)))


def _layers(instance: Instance) -> list[Layer]:
    return layers(instance, np.flatnonzero(instance.rules.mode == PREFERRED))


def _width(instance: Instance) -> int:
    return max(instance.topology.n_domains + len(instance.nodes), 1)


def _members(instance: Instance) -> Ints:
    rules = instance.rules
    count = np.bincount(rules.member_rule, minlength=len(rules)).astype(np.int64)
    return np.where(rules.mode == PREFERRED, count, 0)


def _cells(instance: Instance, pairs: Pairs, layer: Layer) -> Cells:
    return cells_of(pairs, layer, place_of(instance, layer.level), _width(instance))


def _rooms(instance: Instance, sizes: Sizes, pairs: Pairs, layer: Layer) -> tuple[Ints, Ints]:
    """(rule, place) keys of a layer, one a cell, and how many pods of the cell's role fit."""
    sums = _cells(instance, pairs, layer)
    key = sums.rule * _width(instance) + sums.place
    return key, np.minimum(sums.slots, sizes.most[sums.role])


def _fewest(
    instance: Instance, sizes: Sizes, members: Ints, rule: Ints, room: Ints, fresh: Flags
) -> Ints:
    """(T,) c_t: the largest rooms first until the owner's least size is held."""
    fewest = np.zeros(len(members), dtype=np.int64)
    for t in np.unique(rule):
        mine = slice(*np.searchsorted(rule, [t, t + 1]))
        need = int(sizes.owner_least[instance.rules.owner[t]])
        need -= int(room[mine][~fresh[mine]].sum())
        largest = np.cumsum(np.sort(room[mine][fresh[mine]])[::-1])
        enough = int(np.searchsorted(largest, need)) + 1 if need > 0 else 0
        fewest[t] = max(enough, int(members[t] == 0))
    return fewest


def _used(
    instance: Instance, sizes: Sizes, pairs: Pairs, layer: Layer, x: VarBlock, places: Places
) -> RowBlock:
    sums = _cells(instance, pairs, layer)
    column = places.v.find(sums.rule, sums.place)
    kept = column >= 0
    number = np.cumsum(kept) - 1
    mine = kept[sums.cell]
    n = int(kept.sum())
    most = np.minimum(sums.slots, sizes.most[sums.role])
    return row_block(
        "preferred.used",
        np.concatenate([number[sums.cell[mine]], np.arange(n)]),
        np.concatenate([x.cols[sums.pair[mine]], column[kept]]),
        np.concatenate([np.ones(int(mine.sum()), dtype=np.int64), -most[kept]]),
        -np.inf,
        0.0,
        n,
        np.column_stack([sums.rule, sums.role, sums.place])[kept],
    )
