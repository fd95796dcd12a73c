r"""Composite pod groups: enough children, or nothing below.

    w[h] in {0, 1}                                   does anything below composite h get a new pod?
    y[c], w[c]  <=  w[h]                             for each child c of h        (hierarchy.child)
    sum_c (y[c] + w[c])  >=  w[h]                    over all children c          (hierarchy.some)
    sum_c (y[c] + w[c])  >=  q_h w[h]                h that does not stand, children c that do
                                                     not either                   (hierarchy.needed)

q_h = children that h still lacks. A composite with fewer children than that has w[h] = 0. Off: no
hierarchy.needed; one pod below h is enough.
"""

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.assignment.links import at_most, sums
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock
from gangplan.models.needs import Needs


def columns(instance: Instance, needs: Needs, cols: Columns, *, on: bool) -> VarBlock:
    """Columns w (H,), fixed at 0 where too few children are left."""
    able = np.ones(len(instance.composites), dtype=np.bool_)
    if on:
        parent, stands = _parents(instance), _standing(needs)
        left = np.bincount(parent[(parent >= 0) & ~stands], minlength=len(able))
        able = needs.composite <= left
    return cols.add("w", np.zeros(len(able), dtype=np.int64), able)


def rows(
    instance: Instance, needs: Needs, y: VarBlock, w: VarBlock, able: Flags, *, on: bool
) -> list[RowBlock]:
    """Write the hierarchy rows; ``able`` (H,): composites whose w is not fixed at 0."""
    parent = _parents(instance)
    child = np.concatenate([y.cols, w.cols])
    below = np.flatnonzero(parent >= 0)
    every = np.arange(len(w.cols))
    blocks = [
        at_most("hierarchy.child", child[below], w.cols[parent[below]], below[:, None]),
        sums("hierarchy.some", parent, child, np.ones_like(every), w.cols, ">=", every[:, None]),
    ]
    if on:
        asks = able & ~needs.composite_stands
        index = np.flatnonzero(asks)
        number = np.append(np.where(asks, np.cumsum(asks) - 1, -1), -1)
        row = np.where(_standing(needs), -1, number[parent])
        column = w.cols[index]
        blocks.append(
            sums(
                "hierarchy.needed", row, child, needs.composite[index], column, ">=", index[:, None]
            )
        )
    return blocks


def _parents(instance: Instance) -> Ints:
    """(G + H,) composite above each group and composite; -1 above a root."""
    return np.concatenate([instance.groups.parent, instance.composites.parent])


def _standing(needs: Needs) -> Flags:
    """(G + H,) groups and composites that stand already."""
    return np.concatenate([needs.stands, needs.composite_stands])
