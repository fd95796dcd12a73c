r"""Whole device nodes that a plan opens.

    o[n] in {0, 1}           for each intact node n that pods with devices may use
    x[p, n]  <=  o[n]        for each pod p with devices                  (fragmentation.open)

Written pair by pair. Off: no columns, no cost.
"""

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.assignment.links import at_most
from gangplan.models.assignment.pairs import Pairs
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock


def opening(instance: Instance, pairs: Pairs) -> Ints:
    """Return the pairs that open an intact node."""
    return np.flatnonzero(
        instance.nodes.intact[pairs.node] & (instance.roles.devices[pairs.role] > 0)
    )


def columns(pairs: Pairs, opening: Ints, cols: Columns) -> tuple[VarBlock, Ints]:
    """Columns o, and the node n of each."""
    nodes = np.unique(pairs.node[opening])
    return cols.add("o", np.zeros(len(nodes), dtype=np.int64), 1), nodes


def rows(pairs: Pairs, opening: Ints, x: VarBlock, o: VarBlock, nodes: Ints) -> list[RowBlock]:
    """Write fragmentation.open."""
    column = o.cols[np.searchsorted(nodes, pairs.node[opening])]
    about = np.column_stack([pairs.pod[opening], pairs.node[opening]])
    return [at_most("fragmentation.open", x.cols[opening], column, about)]
