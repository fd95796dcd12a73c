r"""Pods of a role on the nodes it may use (paper, eq. assign).

    x[k, n] in {0, ..., upper[k, n]}      for each eligible pair (k, n)
    sum_n x[k, n]  <=  most_k             for each role k of a group without y[g]
                                          that has more slots than most_k          (assign.wanted)

Identical pods are never told apart. Groups with topology.inside need no assign.wanted. Off:
selectors, affinity and taints are ignored, so a pair exists wherever a pod fits.
"""

import numpy as np

from gangplan.models.arrays import Flags
from gangplan.models.counts.pairs import Pairs
from gangplan.models.counts.sizes import Sizes
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block


def columns(pairs: Pairs, cols: Columns) -> VarBlock:
    """Columns x (E,): pods of role k on node n."""
    return cols.add("x", np.zeros(len(pairs), dtype=np.int64), pairs.upper)


def rows(
    instance: Instance, sizes: Sizes, pairs: Pairs, x: VarBlock, covered: Flags
) -> list[RowBlock]:
    """Write assign.wanted, without the roles of groups (G,) ``covered``: other rows bound them."""
    loose = (
        ~sizes.decided[instance.roles.group]
        & (pairs.slots > sizes.most)
        & ~covered[instance.roles.group]
    )
    mine = loose[pairs.role]
    number = np.cumsum(loose) - 1
    return [
        row_block(
            "assign.wanted",
            number[pairs.role[mine]],
            x.cols[mine],
            1,
            -np.inf,
            sizes.most[loose],
            int(loose.sum()),
            np.flatnonzero(loose)[:, None],
        )
    ]
