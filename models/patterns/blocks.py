"""Columns of the patterns formulation that every instance has, and what they stand for."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.milp import Columns, VarBlock
from gangplan.models.shapes.classes import Classes
from gangplan.models.shapes.tree import Tree
from gangplan.models.shapes.types import Loose, Type


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The columns lambda, t, x, z and f.

    Attributes
    ----------
    start : (C+1,) columns lambda of class c are numbered start[c] .. start[c + 1] - 1.
    option : (O, 2) type and vertex of each column of ``t``.
    part : (Q, 2) option and role (its place in the type) of each column of ``x``.
    flow : (F, 2) vertex and shape of each column of ``f``.
    """

    start: Ints
    option: Ints
    part: Ints
    flow: Ints
    t: VarBlock
    x: VarBlock
    z: VarBlock
    f: VarBlock


def columns(
    classes: Classes,
    types: Sequence[Type],
    loose: Sequence[Loose],
    tree: Tree,
    slots: Ints,
    cols: Columns,
) -> Blocks:
    """Write them; ``slots``: (V, S) slots below each vertex."""
    option = _pairs([(j, v) for j, one in enumerate(types) for v in one.vertices])
    part = _pairs(
        [
            (o, i)
            for o, j in enumerate(option[:, 0].tolist())
            for i in range(len(types[j].shape))
            if types[j].open(i)
        ]
    )
    flow = _flows(types, loose, tree, slots)
    count = np.array([len(patterns) for patterns in classes.patterns], dtype=np.int64)
    start = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    sizes = np.array([len(one.groups) for one in types], dtype=np.int64)
    most = [
        len(types[j].groups) * types[j].most[i]
        for j, i in zip(option[part[:, 0], 0].tolist(), part[:, 1].tolist(), strict=True)
    ]

    def add(name: str, upper: Ints) -> VarBlock:
        return cols.add(name, np.zeros(len(upper), dtype=np.int64), upper)

    add("lambda", np.repeat(classes.size, count))
    return Blocks(
        start,
        option,
        part,
        flow,
        add("t", sizes[option[:, 0]]),
        add("x", np.array(most, dtype=np.int64)),
        add("z", np.array([one.most for one in loose], dtype=np.int64)),
        add("f", slots[flow[:, 0], flow[:, 1]]),
    )


def _flows(types: Sequence[Type], loose: Sequence[Loose], tree: Tree, slots: Ints) -> Ints:
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


def _pairs(pairs: list[tuple[int, int]]) -> Ints:
    return np.array(pairs, dtype=np.int64).reshape(len(pairs), 2)
