r"""Preferred levels: a cost of 1 for each domain used beyond the first.

    v[t, d] in {0, 1}          for each preferred rule t and domain d; a node without the label is a
                               domain of its own
    x[p, n]  <=  v[t, d(n)]    for each pod p of the owner and node n            (preferred.used)
    a[t]     <=  v[t, d]       where running members of the owner stand in d     (preferred.members)

    cost of t  =  sum_d v[t, d] - a[t]

a[t] = y[g] or w[h] of the owner of t: does it get new pods? Written pair by pair. Off: no columns,
no cost.
"""

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.assignment.links import at_most
from gangplan.models.assignment.pairs import Pairs
from gangplan.models.assignment.places import Places
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock


def columns(places: Places, cols: Columns) -> VarBlock:
    """Columns v (m,): does rule t use d."""
    return cols.add("v", np.zeros(len(places), dtype=np.int64), 1)


def rows(
    instance: Instance, pairs: Pairs, places: Places, x: VarBlock, v: VarBlock, a: Ints
) -> list[RowBlock]:
    """Write preferred.used and preferred.members; ``a`` (G + H,) the yes/no columns of owners."""
    pair, at = places.pair, places.at
    about = np.column_stack([places.rule[at], pairs.pod[pair], pairs.node[pair]])
    held = np.flatnonzero(places.members)
    owner = instance.rules.owner[places.rule[held]]
    index = np.column_stack([places.rule[held], places.domain[held]])
    return [
        at_most("preferred.used", x.cols[pair], v.cols[at], about),
        at_most("preferred.members", a[owner], v.cols[held], index),
    ]
