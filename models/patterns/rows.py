"""Rows of the patterns formulation; the equations are in formulation.py."""

from collections.abc import Sequence

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.milp import RowBlock, row_block
from gangplan.models.patterns.blocks import Blocks
from gangplan.models.patterns.slices import Slices
from gangplan.models.shapes.classes import Classes
from gangplan.models.shapes.tree import Tree
from gangplan.models.shapes.types import Loose, Type


def classes(nodes: Classes, start: Ints) -> RowBlock:
    """Write patterns.class: no more patterns than nodes."""
    count = np.diff(start)
    row = np.repeat(np.arange(len(nodes)), count)
    return row_block(
        "patterns.class", row, np.arange(int(start[-1])), 1, -np.inf, nodes.size, len(nodes),
        nodes.vertex[:, None],
    )  # fmt: skip


def supply(
    tree: Tree,
    nodes: Classes,
    types_: Sequence[Type],
    loose: Sequence[Loose],
    blocks: Blocks,
    slices: Slices,
) -> RowBlock:
    """Write patterns.supply: slots that a vertex gives are its nodes' and its children's."""
    named = [s for one in types_ for s in one.shape] + [pods.shape for pods in loose]
    n_shapes = int(nodes.patterns[0].shape[1]) if len(nodes) else 1 + max(named, default=0)
    flow = blocks.flow
    below, ones = flow[:, 0] * n_shapes + flow[:, 1], np.ones(len(flow), dtype=np.int64)
    above = tree.parent[flow[:, 0]] * n_shapes + flow[:, 1]
    taken = _taken(types_, loose, blocks, slices, n_shapes)
    entries = np.vstack(
        [
            _given(nodes, blocks.start, n_shapes),
            np.column_stack([below, blocks.f.cols, ones]),
            np.column_stack([above, blocks.f.cols, -ones]),
            taken,
        ]
    )
    # Slots that nobody takes need no row.
    keys = np.unique(np.concatenate([taken[:, 0], below]))
    at_row = np.searchsorted(keys, entries[:, 0])
    mine = at_row < len(keys)
    mine[mine] = keys[at_row[mine]] == entries[mine, 0]
    return row_block(
        "patterns.supply", at_row[mine], entries[mine, 1], entries[mine, 2],
        -np.inf, 0.0, len(keys), np.column_stack([keys // n_shapes, keys % n_shapes]),
    )  # fmt: skip


def _given(nodes: Classes, start: Ints, n_shapes: int) -> Ints:
    """Slots of patterns: (E, 3) key of vertex and shape, column, coefficient."""
    found = [np.zeros((0, 3), dtype=np.int64)]
    for c, patterns in enumerate(nodes.patterns):
        p, s = np.nonzero(patterns)
        found.append(
            np.column_stack([nodes.vertex[c] * n_shapes + s, start[c] + p, -patterns[p, s]])
        )
    return np.vstack(found)


def _taken(
    types_: Sequence[Type],
    loose: Sequence[Loose],
    blocks: Blocks,
    slices: Slices,
    n_shapes: int,
) -> Ints:
    """Slots that pods take: (E, 3) as ``_given``."""
    option = blocks.option
    fixed = [
        [(one.shape[i], one.most[i]) for i in range(len(one.shape)) if one.follows(i)]
        for one in types_
    ]
    used = [
        (v * n_shapes + shape, column, most)
        for (j, v), column in zip(option.tolist(), blocks.t.cols.tolist(), strict=True)
        for shape, most in fixed[j]
    ]
    for q, (o, i) in enumerate(blocks.part.tolist()):
        j, v = option[o].tolist()
        used.append((v * n_shapes + types_[j].shape[i], int(blocks.x.cols[q]), 1))
    for at, pods in enumerate(loose):
        used.append((pods.vertex * n_shapes + pods.shape, int(blocks.z.cols[at]), 1))
    table = np.array(used, dtype=np.int64).reshape(len(used), 3)
    return np.vstack([table, slices.used(types_, option, n_shapes)])


def types(all_types: Sequence[Type], blocks: Blocks, *, elastic: bool) -> list[RowBlock]:
    """Write patterns.type, patterns.least, patterns.most and patterns.minimum."""
    option, part, t, x = blocks.option, blocks.part, blocks.t, blocks.x
    count = np.bincount(option[:, 0], minlength=len(all_types))
    several = np.flatnonzero(count > 1)
    mine = np.flatnonzero(np.isin(option[:, 0], several))
    size = np.array([len(all_types[j].groups) for j in several.tolist()], dtype=np.int64)
    found = [
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
        found.append(
            row_block(
                name,
                np.concatenate([rows[some], rows[some]]),
                np.concatenate([x.cols[number[some]], t.cols[part[some, 0]]]),
                np.concatenate([np.ones(int(some.sum()), dtype=np.int64), -side[some]]),
                low, high, int(some.sum()), part[some],
            )
        )  # fmt: skip
    return [*found, _minimum(all_types, blocks, elastic=elastic)]


def _minimum(all_types: Sequence[Type], blocks: Blocks, *, elastic: bool) -> RowBlock:
    """Row of each option whose roles do not imply the need of its groups."""
    option, part, t, x = blocks.option, blocks.part, blocks.t, blocks.x
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
