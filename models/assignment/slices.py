r"""Whole slices of a few pods in every domain of a level; part of the topology family.

    q[t, d] in Z+            slices of rule t in domain d, running members included
    sum_{p, n in d} x[p, n] + r[t, d] y[g]  =  s_t q[t, d]   for each domain d    (topology.slices)

s_t = pods of a slice, r[t, d] = running members of the group in d, modulo s_t: whole slices of
members cancel out.
"""

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.assignment.places import Places
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block


def left_over(instance: Instance, places: Places) -> Ints:
    """(m,) running members of a place beyond its whole slices."""
    return places.members % np.maximum(instance.rules.slice[places.rule], 1)


def columns(instance: Instance, places: Places, cols: Columns) -> VarBlock:
    """Columns q (m,)."""
    pods = np.bincount(places.at, minlength=len(places)) + left_over(instance, places)
    upper = pods // np.maximum(instance.rules.slice[places.rule], 1)
    return cols.add("q", np.zeros(len(places), dtype=np.int64), upper)


def rows(
    instance: Instance, places: Places, x: VarBlock, y: VarBlock, q: VarBlock
) -> list[RowBlock]:
    """Write topology.slices; slices belong to groups, never to composites."""
    rest = left_over(instance, places)
    broken = np.flatnonzero(rest)
    owner = instance.rules.owner[places.rule]
    return [
        row_block(
            "topology.slices",
            np.concatenate([places.at, np.arange(len(places)), broken]),
            np.concatenate([x.cols[places.pair], q.cols, y.cols[owner[broken]]]),
            np.concatenate(
                [
                    np.ones(len(places.pair), dtype=np.int64),
                    -instance.rules.slice[places.rule],
                    rest[broken],
                ]
            ),
            0.0,
            0.0,
            len(places),
            np.column_stack([places.rule, places.domain]),
        )
    ]
