r"""All-or-nothing admission of a gang (textbook: one yes/no a group).

    y[g] in {0, 1}                                  does group g get a new pod?
    sum_n x[p, n]            <=  y[g]               for each pod p of g             (gang.pod)
    sum_{p in g, n} x[p, n]  >=  max(q_g, 1) y[g]   for each group g                (gang.minimum)
    sum_{p in k, n} x[p, n]  >=  q_k y[g]           for each role k with q_k > 0    (gang.role)

q = new pods that the minimum of the group (of the role) still lacks; 0 for basic and bare groups
and for a gang that stands. gang.pod is written pod by pod, summed over the nodes, as a textbook
does where an assignment is optional: it implies x[p, n] <= y[g]. A group for which too few pods can
be placed at all has y[g] = 0 and no minimum rows. Off: every q is 0, so that a gang may be partial.
"""

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.assignment.links import sums
from gangplan.models.assignment.pairs import Pairs
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock
from gangplan.models.needs import Needs


def columns(instance: Instance, needs: Needs, pairs: Pairs, cols: Columns, *, on: bool) -> VarBlock:
    """Columns y (G,), fixed at 0 where fewer pods than the minimum have a node."""
    able = instance.per_group(pairs.pods) >= _need(needs, on=on)
    if on:
        able[instance.roles.group[pairs.pods < needs.role]] = False
    return cols.add("y", np.zeros(len(able), dtype=np.int64), able)


def rows(
    instance: Instance, needs: Needs, pairs: Pairs, x: VarBlock, y: VarBlock, able: Flags, *,
    on: bool,
) -> list[RowBlock]:  # fmt: skip
    """Write the gang rows.

    Parameters
    ----------
    able : (G,) groups whose y is not fixed at 0.
    """
    pods, row = np.unique(pairs.pod, return_inverse=True)
    group = instance.roles.group[instance.pod_role[pods]]
    one = np.ones(len(pods), dtype=np.int64)
    each = sums(
        "gang.pod", row.reshape(-1), x.cols, one, y.cols[group], "<=", np.column_stack([pods])
    )
    blocks = [each, _least("gang.minimum", pairs.group, x, y.cols, _need(needs, on=on), able)]
    if on:
        own = able[instance.roles.group] & (needs.role > 0)
        column = y.cols[instance.roles.group]
        blocks.append(_least("gang.role", pairs.role, x, column, needs.role, own))
    return blocks


def _need(needs: Needs, *, on: bool) -> Ints:
    """(G,) new pods below which a group gets none."""
    return np.maximum(needs.group, 1) if on else np.ones_like(needs.group)


def _least(name: str, of_pair: Ints, x: VarBlock, column: Ints, need: Ints, on: Flags) -> RowBlock:
    """``sum of x over the pairs of i >= need_i column_i`` for the flagged i."""
    index = np.flatnonzero(on)
    number = np.where(on, np.cumsum(on) - 1, -1)
    return sums(name, number[of_pair], x.cols, need[index], column[index], ">=", index[:, None])
