r"""Pods beyond the minimum: a freedom, so that its rows take it away (paper, eq. elastic).

On, a gang may grow up to what it wants: nothing to write, gang.role and assign.wanted bound it.
Off, an admitted gang gets exactly its need, and a standing one nothing:

    sum_{k in g, n} x[k, n]  <=  q_g y[g]      for each gang g that does not stand  (elastic.none)
    x[k, n]  =  0                              for each role k of a standing gang

q_g = pods that the minimum of g still misses; gang.minimum is the other side. The second is said
by leaving the pairs out; bare pods and pods of basic groups are each a gang of one and never
elastic. A gang whose roles are all exact needs no row.
"""

import numpy as np

from gangplan.models.counts.indexed import Indexed
from gangplan.models.counts.pairs import Pairs
from gangplan.models.counts.sizes import Sizes
from gangplan.models.instance import Instance
from gangplan.models.milp import RowBlock, VarBlock, row_block


def rows(instance: Instance, sizes: Sizes, pairs: Pairs, x: VarBlock, y: Indexed) -> list[RowBlock]:
    """Write elastic.none; called when the family is off."""
    group = instance.roles.group
    free_role = sizes.least < sizes.most
    varies = np.zeros(len(instance.groups), dtype=np.bool_)
    varies[group[free_role]] = True
    varies &= sizes.decided & ~pairs.closed
    index = np.flatnonzero(varies)
    number = np.cumsum(varies) - 1
    mine = np.flatnonzero(varies[group[pairs.role]])
    return [
        row_block(
            "elastic.none",
            np.concatenate([number[group[pairs.role[mine]]], np.arange(len(index))]),
            np.concatenate([x.cols[mine], y.spread(len(instance.groups))[index]]),
            np.concatenate([np.ones(len(mine), dtype=np.int64), -sizes.group_most[index]]),
            -np.inf,
            0.0,
            len(index),
            index[:, None],
        )
    ]
