"""Rows of the patterns formulation; the equations are in formulation.py."""

from collections.abc import Sequence

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.milp import RowBlock, VarBlock, row_block
from gangplan.models.patterns.slices import Slices
from gangplan.models.shapes.classes import Classes
from gangplan.models.shapes.tree import Tree
from gangplan.models.shapes.types import Loose, Type


def flows(types: Sequence[Type], loose: Sequence[Loose], tree: Tree, slots: Ints) -> Ints:
    """(F, 2) vertex and shape of slots that somebody above may want; children after parents."""
    wanted = np.zeros(slots.shape, dtype=np.bool_)
    for one in types:
        vertices = np.array(list(one.taking()), dtype=np.int64)
        wanted[np.ix_(vertices, np.array(one.shape, dtype=np.int64))] = True
    for pods in loose:
        wanted[pods.vertex, pods.shape] = True
    above = np.zeros_like(wanted)
    for v in range(1, len(tree)):
        above[v] = above[tree.parent[v]] | wanted[tree.parent[v]]
    return np.argwhere(above & (slots > 0)).astype(np.int64)


def classes(nodes: Classes, start: Ints) -> RowBlock:
    """Write patterns.class: no more patterns than nodes."""
    count = np.diff(start)
    row = np.repeat(np.arange(len(nodes)), count)
    return row_block(
        "patterns.class", row, np.arange(int(start[-1])), 1, -np.inf, nodes.size, len(nodes),
        nodes.vertex[:, None],
    )  # fmt: skip


def supply(
    tree: Tree, nodes: Classes, types_: Sequence[Type], loose: Sequence[Loose], start: Ints,
    option: Ints, part: Ints, flow: Ints, t: VarBlock, x: VarBlock, z: VarBlock, f: VarBlock,
    slices: Slices,
) -> RowBlock:  # fmt: skip
    """Write patterns.supply: slots that a vertex gives are its nodes' and its children's."""
    named = [s for one in types_ for s in one.shape] + [pods.shape for pods in loose]
    n_shapes = int(nodes.patterns[0].shape[1]) if len(nodes) else 1 + max(named, default=0)
    row: list[Ints] = []
    col: list[Ints] = []
    coef: list[Ints] = []

    def add(key: Ints, columns: Ints, weight: Ints) -> None:
        row.append(key)
        col.append(columns)
        coef.append(weight)

    for c, patterns in enumerate(nodes.patterns):
        p, s = np.nonzero(patterns)
        add(nodes.vertex[c] * n_shapes + s, start[c] + p, -patterns[p, s])
    ones = np.ones(len(flow), dtype=np.int64)
    add(flow[:, 0] * n_shapes + flow[:, 1], f.cols, ones)
    add(tree.parent[flow[:, 0]] * n_shapes + flow[:, 1], f.cols, -ones)
    fixed = [
        [(one.shape[i], one.most[i]) for i in range(len(one.shape)) if one.follows(i)]
        for one in types_
    ]
    used = [
        (v * n_shapes + shape, column, most)
        for (j, v), column in zip(option.tolist(), t.cols.tolist(), strict=True)
        for shape, most in fixed[j]
    ]
    for q, (o, i) in enumerate(part.tolist()):
        j, v = option[o].tolist()
        used.append((v * n_shapes + types_[j].shape[i], int(x.cols[q]), 1))
    for at, pods in enumerate(loose):
        used.append((pods.vertex * n_shapes + pods.shape, int(z.cols[at]), 1))
    table = np.array(used, dtype=np.int64).reshape(len(used), 3)
    table = np.vstack([table, slices.used(types_, option, n_shapes)])
    add(table[:, 0], table[:, 1], table[:, 2])
    keys = np.concatenate(row)
    # Slots that nobody takes need no row.
    taken = np.unique(np.concatenate([table[:, 0], flow[:, 0] * n_shapes + flow[:, 1]]))
    at_row = np.searchsorted(taken, keys)
    mine = at_row < len(taken)
    mine[mine] = taken[at_row[mine]] == keys[mine]
    return row_block(
        "patterns.supply", at_row[mine], np.concatenate(col)[mine], np.concatenate(coef)[mine],
        -np.inf, 0.0, len(taken), np.column_stack([taken // n_shapes, taken % n_shapes]),
    )  # fmt: skip


def types(
    all_types: Sequence[Type], option: Ints, part: Ints, t: VarBlock, x: VarBlock, *, elastic: bool
) -> list[RowBlock]:
    """Write patterns.type, patterns.least, patterns.most and patterns.minimum."""
    count = np.bincount(option[:, 0], minlength=len(all_types))
    several = np.flatnonzero(count > 1)
    mine = np.flatnonzero(np.isin(option[:, 0], several))
    size = np.array([len(all_types[j].groups) for j in several.tolist()], dtype=np.int64)
    blocks = [
        row_block(
            "patterns.type", np.searchsorted(several, option[mine, 0]), t.cols[mine], 1, -np.inf,
            size, len(several), several[:, None],
        )
    ]  # fmt: skip
    bounds = [
        (all_types[int(option[o, 0])].least[i], all_types[int(option[o, 0])].most[i])
        for o, i in part.tolist()
    ]
    table = np.array(bounds, dtype=np.int64).reshape(len(bounds), 2)
    number = np.arange(len(part))
    for name, side, low, high in (
        ("patterns.least", table[:, 0], 0.0, np.inf),
        ("patterns.most", table[:, 1], -np.inf, 0.0),
    ):
        some = side > 0
        rows = np.cumsum(some) - 1
        blocks.append(
            row_block(
                name,
                np.concatenate([rows[some], rows[some]]),
                np.concatenate([x.cols[number[some]], t.cols[part[some, 0]]]),
                np.concatenate([np.ones(int(some.sum()), dtype=np.int64), -side[some]]),
                low, high, int(some.sum()), part[some],
            )
        )  # fmt: skip
    return [*blocks, _minimum(all_types, option, part, t, x, elastic=elastic)]


def _minimum(
    all_types: Sequence[Type], option: Ints, part: Ints, t: VarBlock, x: VarBlock, *, elastic: bool
) -> RowBlock:
    """Row of each option whose roles do not imply the need of its groups."""
    row: list[int] = []
    col: list[int] = []
    coef: list[int] = []
    about: list[int] = []
    first = np.searchsorted(part[:, 0], np.arange(len(option) + 1))
    for o, j in enumerate(option[:, 0].tolist()):
        one, mine = all_types[j], range(int(first[o]), int(first[o + 1]))
        fixed = sum(m for lo, m in zip(one.least, one.most, strict=True) if lo == m)
        implied = sum(one.least) >= one.need and elastic
        if not mine or implied or not one.need:
            continue
        row += [len(about)] * (len(mine) + 1)
        col += [*(int(x.cols[q]) for q in mine), int(t.cols[o])]
        coef += [*([1] * len(mine)), fixed - one.need]
        about.append(o)
    index = np.array(about, dtype=np.int64)
    return row_block(
        "patterns.minimum", np.array(row, dtype=np.int64), np.array(col, dtype=np.int64),
        np.array(coef, dtype=np.int64), 0.0, np.inf if elastic else 0.0, len(about),
        index[:, None],
    )  # fmt: skip
