r"""Composite pod groups: enough children, or nothing below (paper, eq. hierarchy).

    w[h] in {0, 1}                     for each composite h that does not stand
    y[c], w[c]      <=  w[h]           for each c that hangs on h               (hierarchy.child)
    sum_n x[k, n]   <=  most_k w[h]    for each role k of a group without y[g]
                                       that hangs on h                          (hierarchy.open)
    sum_c (y[c] + w[c])  >=  q_h w[h]  over the children c of h that do not stand
                                                                                (hierarchy.needed)

q_h = children that are still missing; c hangs on the next composite above it that does not stand.
Where all the children that can be admitted are needed, hierarchy.child is an equality and
hierarchy.needed falls away. Off: one pod below h is enough, over all c and k that hang on h,

    sum_c (y[c] + w[c]) + sum_{k, n} x[k, n]  >=  w[h]                          (hierarchy.needed)

with the roles k of hierarchy.open.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.counts.indexed import Indexed, indexed
from gangplan.models.counts.pairs import Pairs
from gangplan.models.counts.sizes import Sizes
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block
from gangplan.models.needs import Needs


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """The composites that are decided, and what hangs on them.

    Attributes
    ----------
    gate, tree_gate : (G,) and (H,) the next composite above that is decided; -1 where none is.
    missing : (H,) children that must be admitted, and
    able : (H,) children that can be: decided, not closed.
    """

    gate: Ints
    tree_gate: Ints
    missing: Ints
    able: Ints


def tree_of(instance: Instance, needs: Needs, sizes: Sizes, pairs: Pairs, *, on: bool) -> Tree:
    """Find the gates and count the children; ``on`` False: one child is enough."""
    composites, n = instance.composites, len(instance.composites)
    up = np.full(n + 1, -1, dtype=np.int64)
    for h in range(n):
        up[h] = h if sizes.tree_decided[h] else up[composites.parent[h]]
    missing = needs.composite if on else np.minimum(needs.composite, 1)
    able = np.zeros(n + 1, dtype=np.int64)
    np.add.at(able, instance.groups.parent, sizes.decided & ~pairs.closed)
    for h in range(n - 1, -1, -1):
        if sizes.tree_decided[h] and able[h] >= missing[h]:
            able[composites.parent[h]] += 1
    return Tree(up[instance.groups.parent], up[composites.parent], missing, able[:n])


def columns(sizes: Sizes, tree: Tree, cols: Columns, *, on: bool) -> Indexed:
    """w[h]: is the composite admitted; fixed at 0 where too few of its children can be."""
    mine = np.flatnonzero(sizes.tree_decided)
    can = (tree.able >= tree.missing)[mine] if on else np.ones(len(mine), dtype=np.bool_)
    return indexed(cols, "w", mine[:, None], can.astype(np.int64))


def rows(
    instance: Instance, sizes: Sizes, pairs: Pairs, tree: Tree, x: VarBlock, y: Indexed,
    w: Indexed, *, on: bool,
) -> list[RowBlock]:  # fmt: skip
    """Write the hierarchy rows; ``on`` False writes the relaxed hierarchy.needed."""
    composites, groups = instance.composites, instance.groups
    if not len(w):
        return []
    admitted = w.spread(len(composites))
    gate = np.concatenate([tree.gate[y.index[:, 0]], tree.tree_gate[w.index[:, 0]]])
    parent = np.concatenate([groups.parent[y.index[:, 0]], composites.parent[w.index[:, 0]]])
    child = np.concatenate([y.cols, w.cols])
    hangs = gate >= 0
    gate, parent, child = gate[hangs], parent[hangs], child[hangs]
    all_of_them = (tree.able == tree.missing)[gate] & (gate == parent) if on else gate < 0
    able = _able(pairs, tree, y, w, on=on)[hangs]
    both = np.tile(np.arange(len(gate)), 2)
    ties = row_block(
        "hierarchy.child", both, np.concatenate([child, admitted[gate]]),
        np.repeat([1, -1], len(gate)), np.where(all_of_them & able, 0.0, -np.inf), 0.0,
        len(gate), np.column_stack([gate, parent]),
    )  # fmt: skip
    opened, standing = _open(instance, sizes, pairs, tree, x, admitted)
    direct = (gate == parent) if on else np.ones(len(gate), dtype=np.bool_)
    row, col = [gate[direct], w.index[:, 0]], [child[direct], w.cols]
    coef = [np.ones(int(direct.sum()), dtype=np.int64), -tree.missing[w.index[:, 0]]]
    if not on:
        row.append(tree.gate[instance.roles.group[pairs.role[standing]]])
        col.append(x.cols[standing])
        coef.append(np.ones(len(standing), dtype=np.int64))
    written = sizes.tree_decided & ((tree.able != tree.missing) if on else True)
    return [ties, opened, _needed(written, row, col, coef)]


def _able(pairs: Pairs, tree: Tree, y: Indexed, w: Indexed, *, on: bool) -> Flags:
    """Which y and w columns are not fixed at 0."""
    can = (tree.able >= tree.missing) if on else np.ones(len(tree.able), dtype=np.bool_)
    return np.concatenate([~pairs.closed[y.index[:, 0]], can[w.index[:, 0]]])


def _open(
    instance: Instance, sizes: Sizes, pairs: Pairs, tree: Tree, x: VarBlock, admitted: Ints
) -> tuple[RowBlock, Ints]:
    """hierarchy.open, and the pairs it speaks of."""
    group = instance.roles.group
    role = (tree.gate[group] >= 0) & ~sizes.decided[group] & (pairs.slots > 0)
    mine = np.flatnonzero(role[pairs.role])
    index = np.flatnonzero(role)
    number = np.cumsum(role) - 1
    opened = row_block(
        "hierarchy.open",
        np.concatenate([number[pairs.role[mine]], np.arange(len(index))]),
        np.concatenate([x.cols[mine], admitted[tree.gate[group[index]]]]),
        np.concatenate([np.ones(len(mine), dtype=np.int64), -sizes.most[index]]),
        -np.inf,
        0.0,
        len(index),
        index[:, None],
    )
    return opened, mine


def _needed(written: Flags, row: list[Ints], col: list[Ints], coef: list[Ints]) -> RowBlock:
    """hierarchy.needed from entries whose rows are composite numbers."""
    r, c, v = np.concatenate(row), np.concatenate(col), np.concatenate(coef)
    mine = written[r]
    number = np.cumsum(written) - 1
    index = np.flatnonzero(written)
    return row_block(
        "hierarchy.needed", number[r[mine]], c[mine], v[mine], 0.0, np.inf,
        len(index), index[:, None],
    )  # fmt: skip
