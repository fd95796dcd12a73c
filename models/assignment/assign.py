r"""Every pod on one node at most (textbook assignment).

    x[p, n] in {0, 1}         for each pod p and node n that it may use
    sum_n x[p, n]  <=  1      for each pod p                                 (assign.once)

A pod may use a node that its selectors, affinity and tolerations admit, and that is no smaller than
the pod itself. Identical pods are told apart: the symmetry is the textbook's. Off: selectors,
affinity and taints are ignored.
"""

import numpy as np

from gangplan.models.assignment.pairs import Pairs
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block


def columns(pairs: Pairs, cols: Columns) -> VarBlock:
    """Columns x (E,): pod p on node n."""
    return cols.add("x", np.zeros(len(pairs), dtype=np.int64), 1)


def rows(pairs: Pairs, x: VarBlock) -> list[RowBlock]:
    """Write assign.once."""
    pods, row = np.unique(pairs.pod, return_inverse=True)
    return [row_block("assign.once", row, x.cols, 1, -np.inf, 1.0, len(pods), pods[:, None])]
