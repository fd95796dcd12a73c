r"""Required levels: all new pods of a group or composite in one domain (textbook).

    u[t, d] in {0, 1}             for each whole required rule t and domain d of its level
    sum_d u[t, d]  <=  1          for each rule t                                 (topology.choose)
    x[p, n]  <=  u[t, d(n)]       for each pod p of the owner and node n          (topology.inside)
    x[p, n]   =  0                where n has no label of the level, or lies outside the domain
                                  that running members fix (the pair is left out)

topology.inside is written pair by pair, as in facility location. Rules are not compared with one
another. Slices have rows of their own. Off: no columns, no rows, and no pair is cut.
"""

import numpy as np

from gangplan.models.assignment.links import at_most
from gangplan.models.assignment.pairs import Pairs
from gangplan.models.assignment.places import Places
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block


def columns(places: Places, cols: Columns) -> VarBlock:
    """Columns u (m,): is d the domain of rule t."""
    return cols.add("u", np.zeros(len(places), dtype=np.int64), 1)


def rows(pairs: Pairs, places: Places, x: VarBlock, u: VarBlock) -> list[RowBlock]:
    """Write topology.choose and topology.inside."""
    rule, row = np.unique(places.rule, return_inverse=True)
    pair = places.pair
    about = np.column_stack([places.rule[places.at], pairs.pod[pair], pairs.node[pair]])
    return [
        row_block("topology.choose", row, u.cols, 1, -np.inf, 1.0, len(rule), rule[:, None]),
        at_most("topology.inside", x.cols[pair], u.cols[places.at], about),
    ]
