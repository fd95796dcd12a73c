r"""Few gangs, many domains: who falls in one falls for a gang that is there (paper, eq. serving).

    ev[v, d] in {0, 1}                   unit v makes room in domain d
    sum_p lambda[c, p]              <=  m_c sum_{j at d} t[j, d]   each class c of d
                                                                                 (patterns.called)
    sum_{p: v in E_p} lambda[c, p]  <=  m_c ev[v, d]               v on nodes of class c
                                                                                 (patterns.serves)
    ev[v, d]                        <=  e[v]                                     (patterns.part)
    sum_d ev[v, d]                  <=  n e[v]                                   (patterns.once)

Written where n, all groups that wait, are fewer than the domains d that they may be admitted to, no
pod is placed outside these, and none is inside another. Then a node whose pattern is taken has a
pod of a group in its domain, and no more than n domains have one. Every plan keeps these rows; they
are here for the linear relaxation, which else stands a part of a gang in every domain, on the nodes
that cost least there. ev only for units that make room in several domains.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block
from gangplan.models.patterns.leaving import Leaving
from gangplan.models.shapes.classes import Classes
from gangplan.models.shapes.tree import Tree
from gangplan.models.shapes.types import Loose, Type


@dataclass(frozen=True, slots=True, eq=False)
class Serving:
    """Where the rows are written, and the columns ev.

    Attributes
    ----------
    groups : n. domain : (C,) vertex d of each class; -1: no group may be admitted there.
    index : (K, 2) unit and domain of each column of ``ev``.
    made : (m, 3) class, place among its units, and column (its number in ``ev``).
    """

    groups: int
    domain: Ints
    index: Ints
    ev: VarBlock
    made: Ints


def columns(
    types: Sequence[Type], loose: Sequence[Loose], option: Ints, tree: Tree, nodes: Classes,
    cols: Columns,
) -> Serving | None:  # fmt: skip
    """Append ev; None where groups are not fewer than domains, or pods are outside these."""
    domains = set(option[:, 1].tolist())
    groups = sum(len(one.groups) for one in types if one.vertices)
    nested = any(domains.intersection(tree.path(d)[1:]) for d in domains)
    if loose or nested or not 0 < groups < len(domains):
        return None
    domain = np.array(
        [next((v for v in tree.path(at) if v in domains), -1) for at in nodes.vertex.tolist()],
        dtype=np.int64,
    )
    there = [
        (c, i, v, int(domain[c]))
        for c, units in enumerate(nodes.units)
        if domain[c] >= 0
        for i, v in enumerate(units.tolist())
    ]
    pairs = sorted({(v, d) for _, _, v, d in there})
    several = np.bincount([v for v, _ in pairs], minlength=1) > 1
    number = {pair: k for k, pair in enumerate(pair for pair in pairs if several[pair[0]])}
    ev = cols.add("ev", np.zeros(len(number), dtype=np.int64), np.ones(len(number), dtype=np.int64))
    made = [(c, i, number[v, d]) for c, i, v, d in there if (v, d) in number]
    return Serving(
        groups, domain, np.array(list(number), dtype=np.int64).reshape(len(number), 2), ev,
        np.array(made, dtype=np.int64).reshape(len(made), 3),
    )  # fmt: skip


def rows(
    serving: Serving, leaving: Leaving, option: Ints, t: VarBlock, nodes: Classes, start: Ints
) -> list[RowBlock]:
    """Write the rows."""
    unit = serving.index[:, 0]
    units, of = np.unique(unit, return_inverse=True)
    n, m, of = len(unit), len(units), of.reshape(-1)
    return [
        _called(serving, option, t, nodes, start),
        _serves(serving, nodes, start),
        row_block(
            "patterns.part", np.tile(np.arange(n), 2),
            np.concatenate([serving.ev.cols, leaving.column[unit]]), np.repeat([1, -1], n),
            -np.inf, 0.0, n, serving.index,
        ),
        row_block(
            "patterns.once", np.concatenate([of, np.arange(m)]),
            np.concatenate([serving.ev.cols, leaving.column[units]]),
            np.repeat([1, -serving.groups], [n, m]), -np.inf, 0.0, m, units[:, None],
        ),
    ]  # fmt: skip


def encode(serving: Serving | None, nodes: Classes, start: Ints, point: Ints) -> None:
    """Fill ev from lambda, in place."""
    for c, i, k in () if serving is None else serving.made.tolist():
        assert serving is not None
        mine = point[start[c] : start[c + 1]][nodes.gone[c][:, i]]
        if mine.any():
            point[serving.ev.cols[k]] = 1


def _called(serving: Serving, option: Ints, t: VarBlock, nodes: Classes, start: Ints) -> RowBlock:
    at: dict[int, list[int]] = {}
    for o, d in enumerate(option[:, 1].tolist()):
        at.setdefault(d, []).append(int(t.cols[o]))
    row: list[Ints] = []
    col: list[Ints] = []
    coef: list[Ints] = []
    about = np.flatnonzero(serving.domain >= 0)
    for number, c in enumerate(about.tolist()):
        mine = np.arange(start[c], start[c + 1])
        here = np.array(at[int(serving.domain[c])], dtype=np.int64)
        row.append(np.full(len(mine) + len(here), number))
        col += [mine, here]
        coef += [np.ones(len(mine), np.int64), np.full(len(here), -len(nodes.nodes[c]))]
    none = np.zeros(0, dtype=np.int64)
    return row_block(
        "patterns.called", np.concatenate([none, *row]), np.concatenate([none, *col]),
        np.concatenate([none, *coef]), -np.inf, 0.0, len(about), about[:, None],
    )  # fmt: skip


def _serves(serving: Serving, nodes: Classes, start: Ints) -> RowBlock:
    row: list[Ints] = []
    col: list[Ints] = []
    coef: list[Ints] = []
    for number, (c, i, k) in enumerate(serving.made.tolist()):
        mine = np.flatnonzero(nodes.gone[c][:, i])
        row.append(np.full(len(mine) + 1, number))
        col.append(np.append(start[c] + mine, serving.ev.cols[k]))
        coef.append(np.append(np.ones(len(mine), np.int64), -len(nodes.nodes[c])))
    none = np.zeros(0, dtype=np.int64)
    return row_block(
        "patterns.serves", np.concatenate([none, *row]), np.concatenate([none, *col]),
        np.concatenate([none, *coef]), -np.inf, 0.0, len(serving.made), serving.made[:, :2],
    )  # fmt: skip
