r"""Whose fall serves whom, and where (paper, eq. serving).

    ev[v, t, d] in {0, 1}                part of the fall of v that serves the owner of rule t in d
    ev[v, t, d]             <=  u[t, d]                                        (preemption.serves)
    sum_d ev[v, t, d]       <=  e[v]                                           (preemption.once)
    sum_k request x[k, n]   <=  free[n] u[t, d] + sum_v room[v, n] ev[v, t, d]   each n in d
                                                                               (preemption.room)
    x[k, n]                 <=  upper[k, n] u[t, d]    where nothing can run out on n
                                                                               (preemption.there)

t are whole required rules with two domains or more left, k the roles of the owner. Every plan keeps
these rows (ev = e u); they are here for the linear relaxation, which else lets a gang stand in
parts of many domains, and finds a part of a victim in each. Columns only where room is short for
the owner, and v makes some. Were they more than FEW, only those of units that make room in several
domains of the level are written, and e stands for the others. Part of the preemption family.
"""

from dataclasses import dataclass, replace

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.counts import fits
from gangplan.models.counts.fits import Back, Places
from gangplan.models.counts.indexed import Indexed, indexed, joined, numbered
from gangplan.models.counts.layers import layers
from gangplan.models.counts.pairs import Pairs
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block
from gangplan.models.victims import victims_of

FEW = 500
"""Columns ev up to which all are written: with many urgent gangs, the relaxation gains little by
those of units in one domain, and takes ten times as long."""


@dataclass(frozen=True, slots=True, eq=False)
class Serving:
    """The columns, and what their rows need.

    Attributes
    ----------
    ev : columns by (unit, rule, domain).
    e, u : (n,) the column of the unit, and that of the domain.
    places : where owners that units make room for have pairs, node by node and rule by rule.
    back : what units give back to the places.
    there : (B,) places where nothing can run out.
    """

    ev: Indexed
    e: Ints
    u: Ints
    places: Places
    back: Back
    there: Flags


def columns(
    instance: Instance, pairs: Pairs, u: Indexed, e: Indexed, back: Back, cols: Columns
) -> Serving:
    """ev[v, t, d] where room is short in d for the owner of t, and v makes some.

    Parameters
    ----------
    back : what units give back to nodes.
    """
    places, at = _places(instance, pairs, u, back)
    short = fits.demand_of(instance, pairs, places) > places.side
    place, entry = joined(places.node, back.place)
    useful = (short.T[place] & (back.amount[entry] > 0)).any(axis=1)
    place, entry = place[useful], entry[useful]
    key = np.column_stack([back.col[entry], at[place]])
    several = _in_several(instance, u, at[place], back, entry)
    if len(np.unique(key, axis=0)) <= FEW:
        several[:] = True
    index, number = np.unique(key[several], axis=0, return_inverse=True)
    index, number = index.reshape(-1, 2), number.reshape(-1)
    unit = e.index[np.searchsorted(e.cols, index[:, 0])]
    ev = indexed(cols, "ev", np.column_stack([unit, u.index[index[:, 1]]]), 1)
    col = back.col[entry]
    col[several] = ev.cols[number]
    served = np.zeros(len(instance.rules), dtype=np.bool_)
    served[u.index[at[place], 0]] = True
    mine = served[u.index[at, 0]]
    split = np.zeros(len(places.node), dtype=np.bool_)
    split[place[several]] = True
    order = np.lexsort((col, place))
    return Serving(
        ev,
        index[:, 0],
        u.cols[index[:, 1]],
        replace(places, wanted=short & mine & (split | (places.side > 0))),
        Back(place[order], col[order], back.amount[entry[order]]),
        mine & ~short.any(axis=0),
    )


def rows(instance: Instance, pairs: Pairs, x: VarBlock, serving: Serving) -> list[RowBlock]:
    """Write the rows."""
    ev, n, places = serving.ev, len(serving.ev), serving.places
    if not places.wanted.any():
        return []
    both = np.tile(np.arange(n), 2)
    part, number = np.unique(ev.index[:, :2], axis=0, return_inverse=True)
    number = number.reshape(-1)
    column = np.zeros(len(part), dtype=np.int64)
    column[number] = serving.e
    m = len(part)
    free = np.flatnonzero(serving.there[places.place])
    pair, given = places.pair[free], places.given[places.place[free]]
    f = len(pair)
    return [
        row_block(
            "preemption.serves", both, np.concatenate([ev.cols, serving.u]),
            np.repeat([1, -1], n), -np.inf, 0.0, n, ev.index,
        ),
        row_block(
            "preemption.once", np.concatenate([number, np.arange(m)]),
            np.concatenate([ev.cols, column]), np.repeat([1, -1], [n, m]), -np.inf, 0.0, m, part,
        ),
        fits.rows("preemption.room", instance, pairs, x, places, serving.back),
        row_block(
            "preemption.there", np.tile(np.arange(f), 2), np.concatenate([x.cols[pair], given]),
            np.concatenate([np.ones(f, dtype=np.int64), -pairs.upper[pair]]), -np.inf, 0.0, f,
            np.column_stack([pairs.role[pair], pairs.node[pair]]),
        ),
    ]  # fmt: skip


def encode(serving: Serving, point: Ints) -> None:
    """Fill ev from e and u, in place."""
    point[serving.ev.cols] = point[serving.e] * point[serving.u]


def _in_several(instance: Instance, u: Indexed, at: Ints, back: Back, entry: Ints) -> Flags:
    """(m,) entries of units that make room in several domains of the rule's level."""
    level = instance.rules.level[u.index[at, 0]]
    domain = instance.topology.domain
    least, most = np.zeros((2, len(domain), int(back.col.max(initial=0)) + 1), dtype=np.int64)
    least += instance.topology.n_domains
    most -= 1
    for number, row in enumerate(domain):
        here = row[back.place] >= 0
        np.minimum.at(least[number], back.col[here], row[back.place[here]])
        np.maximum.at(most[number], back.col[here], row[back.place[here]])
    col = back.col[entry]
    several: Flags = least[level, col] < most[level, col]
    return several


def _places(instance: Instance, pairs: Pairs, u: Indexed, back: Back) -> tuple[Places, Ints]:
    """Nodes as the owner of each rule with u sees them, and the position in ``u`` of each.

    Only rules below whose owner some group evicts; none where nobody makes room.
    """
    evicts = instance.owners_above(victims_of(instance).evicts)
    rule = np.unique(u.index[:, 0])
    rule = rule[evicts[instance.rules.owner[rule]]] if len(back.place) else rule[:0]
    width = max(len(instance.nodes), 1)
    pair, key = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for layer in layers(instance, rule):
        mine = np.flatnonzero(layer.rule[pairs.role] >= 0)
        node = pairs.node[mine]
        column = u.find(layer.rule[pairs.role[mine]], instance.topology.domain[layer.level, node])
        pair.append(mine)
        key.append(np.searchsorted(u.cols, column) * width + node)
    distinct, place = numbered(np.concatenate(key), max(len(u), 1) * width)
    at, node = distinct // width, distinct % width
    side = np.ascontiguousarray(instance.nodes.free.T[:, node])
    every = np.ones(side.shape, dtype=np.bool_)
    return Places(np.concatenate(pair), place, node, side, u.cols[at], every), at
