r"""Domains as a whole, where units make room: a knapsack of yes and no (paper, eq. domains).

    sum_t need[t, r] u[t, d]  <=  free[d, r] + sum_v room[v, d, r] e[v]          (preemption.domain)

for each domain d and resource r; need[t] = the least that the minimum of the gang of rule t asks.
free and room are added up over the nodes of d, each in whole w = the gcd of the requests of those
gangs: floor(free / w), and ceil(room / w), or what its fall adds where v is alone on the node. The
rows follow from those of the nodes; written out, a solver finds which gangs and victims fit a
domain, and which do not. Part of the preemption family.
"""

from math import gcd

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.counts.fits import Back
from gangplan.models.counts.indexed import Indexed, stacked
from gangplan.models.counts.sizes import Sizes
from gangplan.models.instance import Instance
from gangplan.models.milp import BIGGEST, RowBlock, row_block
from gangplan.models.needs import Needs, least_total


def rows(instance: Instance, needs: Needs, sizes: Sizes, u: Indexed, back: Back) -> list[RowBlock]:
    """Write the rows that can bind; none where nobody makes room.

    Parameters
    ----------
    back : what units give back to nodes.
    """
    if not len(back.place) or not len(u):
        return []
    blocks = [
        _of_level(instance, needs, sizes, u, back, level, r)
        for level in np.unique(instance.rules.level[u.index[:, 0]]).tolist()
        for r in range(instance.roles.request.shape[1])
    ]
    return [stacked("preemption.domain", blocks)]


def _of_level(
    instance: Instance, needs: Needs, sizes: Sizes, u: Indexed, back: Back, level: int, r: int
) -> RowBlock:
    n = instance.topology.n_domains
    rule, domain = u.index.T
    need, unit = _needs(instance, needs, sizes, u, level, r)
    mine = np.flatnonzero(need[rule] > 0)
    w = np.zeros(n, dtype=np.int64)
    np.gcd.at(w, domain[mine], unit[rule[mine]])
    where = instance.topology.domain[level]
    each = np.where(where >= 0, w[where], 0)
    free, room = _in_units(instance.nodes.free[:, r], back.place, back.amount[:, r], each)
    # Cut where no row could use more, so that sums stay exact.
    free, room = np.minimum(free, BIGGEST), np.minimum(room, BIGGEST)
    side = np.bincount(where[each > 0], weights=free[each > 0], minlength=n)
    asked = need[rule[mine]] // w[domain[mine]]
    total = np.bincount(domain[mine], weights=asked, minlength=n)
    binds = (total > side) & (total <= BIGGEST)
    number = np.cumsum(binds) - 1
    mine, asked = mine[binds[domain[mine]]], asked[binds[domain[mine]]]
    gives = np.flatnonzero((room > 0) & np.append(binds, False)[where[back.place]])
    at = where[back.place[gives]]
    return row_block(
        "",
        np.concatenate([number[domain[mine]], number[at]]),
        np.concatenate([u.cols[mine], back.col[gives]]),
        np.concatenate([asked, -room[gives]]),
        -np.inf,
        side[binds],
        int(binds.sum()),
        np.column_stack([np.flatnonzero(binds), np.full(int(binds.sum()), r)]),
    )


def _needs(
    instance: Instance, needs: Needs, sizes: Sizes, u: Indexed, level: int, r: int
) -> tuple[Ints, Ints]:
    """(T,) least that the gang of a rule of the level asks, 0 for others; gcd of its requests."""
    rules, request = instance.rules, instance.roles.request[:, r]
    need, unit = np.zeros((2, len(rules)), dtype=np.int64)
    for t in np.unique(u.index[:, 0]).tolist():
        g = int(rules.owner[t])
        if rules.level[t] != level or g >= len(instance.groups) or not sizes.decided[g]:
            continue
        least = least_total(instance, g, request, int(sizes.group_least[g]), sizes.least)
        if least <= BIGGEST:
            need[t], unit[t] = least, gcd(*request[instance.roles_of(g)].tolist())
    return need, unit


def _in_units(free: Ints, place: Ints, amount: Ints, each: Ints) -> tuple[Ints, Ints]:
    """(N,) floor(free / each), and (m,) what each entry adds to it at most; 0 where each is 0."""
    step = np.maximum(each, 1)
    base = np.where(each > 0, free // step, 0)
    alone = np.bincount(place, minlength=len(free))[place] == 1
    more = (free[place] + amount) // step[place] - base[place]
    room = np.where(alone, more, -(-amount // step[place]))
    return base, np.where(each[place] > 0, room, 0)
