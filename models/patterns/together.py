r"""Which groups fit one domain together, once everybody there has fallen (paper, eq. together).

    mu[D, q] in Z+     domains of kind D in which no more groups are admitted than in multiset q
    sum_{v in D} t[j, v]  <=  sum_q q_j mu[D, q]      each type j of D          (patterns.together)
    sum_q mu[D, q]        <=  m_D                                                (patterns.domains)

Every plan keeps these rows; they are here for the linear relaxation, which else fills a domain to
the last node with parts of gangs. Where nobody can fall, ``models.configurations`` does this and
more, and the rows are left out.

A multiset q of types is one of a domain where, for each of some weights of the shapes, the least
pods of its groups weigh no more than all nodes at and below the vertex hold: each shape by itself,
and what a pod asks of each resource. That much is necessary, so no multiset that fits is missing;
only those to which no group can be added are listed. Domains are of one kind where the same types
may be admitted, and the nodes hold as much by each weight. Kinds with more multisets than MOST, or
STEPS to find them, have no rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import gcd

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.errors import FormulationError, PlanError
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block
from gangplan.models.shapes.classes import Budget, Classes
from gangplan.models.shapes.listing import multisets
from gangplan.models.shapes.shapes import Shapes
from gangplan.models.shapes.tree import Tree
from gangplan.models.shapes.types import Type
from gangplan.models.tier import EXACT

MOST = 5_000
"""Multisets of all kinds of domains together."""

STEPS = 200_000
"""Multisets looked at while they are listed."""


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """Domains of one kind.

    Attributes
    ----------
    vertices : (m,) the domains. types : (J,) types that may be admitted there.
    sets : (Q, J) multisets of them, maximal. cols : (Q,) columns mu.
    """

    vertices: Ints
    types: Ints
    sets: Ints
    cols: Ints


def columns(
    types: Sequence[Type], option: Ints, shapes: Shapes, tree: Tree, nodes: Classes, cols: Columns
) -> tuple[Kind, ...]:
    """List the multisets of each kind of domain, and append mu."""
    weights = _weights(shapes)
    least = _least(types, weights)
    holds = _holds(nodes, tree, weights)
    alike: dict[tuple[bytes, bytes], list[int]] = {}
    heavy = option[least[option[:, 0]].any(axis=1)]
    for v in np.unique(heavy[:, 1]).tolist():
        here = np.sort(heavy[heavy[:, 1] == v, 0])
        alike.setdefault((here.tobytes(), holds[v].tobytes()), []).append(v)
    demand = np.array([len(one.groups) for one in types], dtype=np.int64)
    found: list[Kind] = []
    left = Budget(MOST, STEPS)
    # The most numerous kinds first: they are worth most.
    for (here_bytes, _), vertices in sorted(alike.items(), key=lambda kind: -len(kind[1])):
        here = np.frombuffer(here_bytes, dtype=np.int64)
        mine = Budget(left.patterns, left.steps)
        try:
            sets = multisets(holds[vertices[0]], least[here], demand[here], mine.spend)
        except FormulationError:
            continue
        left = mine
        block = cols.add(
            f"mu{len(found)}", np.zeros(len(sets), dtype=np.int64),
            np.full(len(sets), len(vertices)),
        )  # fmt: skip
        found.append(Kind(np.array(vertices, dtype=np.int64), here, sets, block.cols))
    return tuple(found)


def rows(kinds: Sequence[Kind], option: Ints, t: VarBlock) -> list[RowBlock]:
    """Write the rows."""
    row: list[Ints] = []
    col: list[Ints] = []
    coef: list[Ints] = []
    about: list[tuple[int, int]] = []
    for d, kind in enumerate(kinds):
        inside = np.isin(option[:, 1], kind.vertices)
        for i, j in enumerate(kind.types.tolist()):
            places = t.cols[inside & (option[:, 0] == j)]
            with_it = np.flatnonzero(kind.sets[:, i])
            row.append(np.full(len(places) + len(with_it), len(about)))
            col += [places, kind.cols[with_it]]
            coef += [np.ones(len(places), dtype=np.int64), -kind.sets[with_it, i]]
            about.append((d, j))
    none = np.zeros(0, dtype=np.int64)
    count = np.array([len(kind.cols) for kind in kinds], dtype=np.int64)
    return [
        row_block(
            "patterns.together", np.concatenate([none, *row]), np.concatenate([none, *col]),
            np.concatenate([none, *coef]), -np.inf, 0.0, len(about),
            np.array(about, dtype=np.int64).reshape(len(about), 2),
        ),
        row_block(
            "patterns.domains", np.repeat(np.arange(len(kinds)), count),
            np.concatenate([none, *(kind.cols for kind in kinds)]), 1, -np.inf,
            np.array([len(kind.vertices) for kind in kinds], dtype=np.int64), len(kinds),
            np.arange(len(kinds))[:, None],
        ),
    ]  # fmt: skip


def encode(kinds: Sequence[Kind], option: Ints, t: VarBlock, point: Ints) -> None:
    """Fill mu from t, in place.

    Raises
    ------
    PlanError : groups in a domain that do not fit it together.
    """
    of = {tuple(key): int(c) for key, c in zip(option.tolist(), t.cols.tolist(), strict=True)}
    for kind in kinds:
        for v in kind.vertices.tolist():
            there = np.array([point[of[j, v]] for j in kind.types.tolist()], dtype=np.int64)
            if not there.any():
                continue
            fits = np.flatnonzero((kind.sets >= there).all(axis=1))
            if not len(fits):
                raise PlanError("a plan has more groups in a domain than fit it together")
            point[kind.cols[fits[0]]] += 1


def _weights(shapes: Shapes) -> Ints:
    """(Q, S) weights of the shapes: one of each, and requests, in units that divide them all.

    Left out where sums would not be exact.
    """
    found = [np.eye(len(shapes), dtype=np.int64)]
    for asked in shapes.request.T:
        unit = reduce(gcd, asked.tolist(), 0)
        if unit and sum(a // unit * d for a, d in zip(asked.tolist(), shapes.demand.tolist(),
                                                      strict=True)) < EXACT:  # fmt: skip
            found.append((asked // unit)[None, :])
    return np.unique(np.concatenate(found), axis=0)


def _least(types: Sequence[Type], weights: Ints) -> Ints:
    """(J, Q) what the least pods of one group of each type weigh."""
    least = np.zeros((len(types), len(weights)), dtype=np.int64)
    for j, one in enumerate(types):
        for s, pods in zip(one.shape, one.least, strict=True):
            least[j] += weights[:, s] * pods
    return least


def _holds(nodes: Classes, tree: Tree, weights: Ints) -> Ints:
    """(V, Q) most that the nodes at and below each vertex hold, by each weight."""
    holds = np.zeros((len(tree), len(weights)), dtype=np.int64)
    known: dict[int, Ints] = {}
    for vertex, members, patterns in zip(
        nodes.vertex.tolist(), nodes.nodes, nodes.patterns, strict=True
    ):
        if id(patterns) not in known:
            known[id(patterns)] = (patterns @ weights.T).max(axis=0, initial=0)
        holds[vertex] += known[id(patterns)] * len(members)
    for v in range(len(tree) - 1, 0, -1):
        holds[tree.parent[v]] += holds[v]
    return holds
