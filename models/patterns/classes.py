"""Classes of equal nodes, and the patterns of each: maximal multisets of shapes that one can hold.

Patterns are listed once for each distinct free room and set of shapes (Valerio de Carvalho 2002
calls them maximal cutting patterns). What a node may hold is closed under taking pods away, so a
pattern to which a pod can be added is never needed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from gangplan.models.arrays import MOST as LARGEST
from gangplan.models.arrays import Flags, Ints
from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.patterns.falls import pairs, units_here
from gangplan.models.patterns.listing import multisets
from gangplan.models.patterns.local import Holds, local_of
from gangplan.models.patterns.shapes import Shapes
from gangplan.models.patterns.tree import Tree

MOST = 400_000
"""Patterns of all kinds of nodes together; more would have to be priced, not listed."""

STEPS = 4_000_000
"""Multisets looked at while they are listed, over all kinds of nodes; some seconds."""

ASKED = 10
"""Steps that a question about more than room counts for."""


@dataclass(slots=True)
class Budget:
    """What is left of MOST and STEPS."""

    patterns: int
    steps: int

    def spend(self, patterns: int, steps: int) -> None:
        """Take off what was used.

        Raises
        ------
        FormulationError : more than there is.
        """
        self.patterns -= patterns
        self.steps -= steps
        if self.patterns < 0 or self.steps < 0:
            raise FormulationError(
                f"more patterns than can be listed (limits {MOST:,} and {STEPS:,} steps)"
            )


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Classes c of nodes that can hold something.

    Attributes
    ----------
    vertex : (C,) where its nodes are.
    nodes : C arrays of node numbers, ascending.
    patterns : C arrays (P_c, S); equal classes share one.
    units : C arrays (k_c,) of units on each of its nodes whose fall makes room.
    gone : C arrays (P_c, k_c): which of them have to fall for a pattern.
    """

    vertex: Ints
    nodes: tuple[Ints, ...]
    patterns: tuple[Ints, ...]
    units: tuple[Ints, ...]
    gone: tuple[Flags, ...]

    def __len__(self) -> int:
        """Return the number of classes C."""
        return len(self.vertex)

    @property
    def size(self) -> Ints:
        """(C,) nodes of each class."""
        return np.array([len(nodes) for nodes in self.nodes], dtype=np.int64)

    def only(self, chosen: Sequence[Ints]) -> "Classes":
        """Return the classes with some of the patterns of each, by number."""
        return replace(
            self,
            patterns=tuple(p[at] for p, at in zip(self.patterns, chosen, strict=True)),
            gone=tuple(f[at] for f, at in zip(self.gone, chosen, strict=True)),
        )


def classes_of(instance: Instance, shapes: Shapes, tree: Tree) -> Classes:
    """Group the nodes, and list the patterns of each kind.

    Raises
    ------
    FormulationError : more than MOST patterns, or STEPS to find them.
    """
    may, total = shapes.eligible[:, instance.nodes.node_class].T, _total(shapes)
    free, here = np.minimum(instance.nodes.free, total), units_here(instance, total)
    local = local_of(instance, shapes, may)
    key = np.column_stack([tree.of_node, free, may.astype(np.int64), local.key, here.at])
    _, first, of = np.unique(key, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(of.reshape(-1), kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(of.reshape(-1), minlength=len(first)))[:-1])
    known: dict[bytes, tuple[Ints, Flags]] = {}
    budget = Budget(MOST, STEPS)
    kept: list[tuple[int, Ints, Ints, Ints, Flags]] = []
    for n, nodes in zip(first.tolist(), groups, strict=True):
        rooms = here.rooms[here.at[n]]
        kind = free[n].tobytes() + may[n].tobytes() + local.key[n].tobytes() + rooms.tobytes()
        if kind not in known:
            listing = partial(maximal, budget=budget, holds=local.holds(n))
            known[kind] = pairs(free[n], rooms, shapes, may[n], total, listing)
        if len(known[kind][0]):
            mine = (nodes.astype(np.int64), known[kind][0], here.units[here.at[n]])
            kept.append((int(tree.of_node[n]), *mine, known[kind][1]))
    return Classes(
        np.array([vertex for vertex, *_ in kept], dtype=np.int64),
        tuple(nodes for _, nodes, *_ in kept),
        tuple(patterns for *_, patterns, _, _ in kept),
        tuple(units for *_, units, _ in kept),
        tuple(gone for *_, gone in kept),
    )


def _total(shapes: Shapes) -> Ints:
    """(R,) what all pods that wait ask together; cut to 2^62."""
    total = (shapes.request.astype(object) * shapes.demand[:, None].astype(object)).sum(axis=0)
    return np.array([min(int(t), LARGEST) for t in np.atleast_1d(total)], dtype=np.int64)


def maximal(
    free: Ints, shapes: Shapes, may: Flags, budget: Budget, holds: Holds | None = None
) -> Ints:
    """(P, S) maximal multisets of the shapes flagged in ``may`` (S,) within ``free`` (R,).

    No shape is taken more often than pods of it wait. The empty multiset is left out.

    Parameters
    ----------
    holds : what else has to hold of a multiset; None: nothing.
    """
    usable = [s for s in np.flatnonzero(may).tolist() if (shapes.request[s] <= free).all()]
    # The largest first: few of them fit, so the search stays narrow.
    part = shapes.request / np.maximum(free, 1)
    usable.sort(key=lambda s: -float(part[s].max(initial=0)))
    if holds is None:
        found = multisets(free, shapes.request[usable], shapes.demand[usable], budget.spend)
        listed = np.zeros((len(found), len(shapes)), dtype=np.int64)
        listed[:, usable] = found
        return listed[listed.any(axis=1)]
    request = [shapes.request[s].tolist() for s in usable]
    demand = [int(shapes.demand[s]) for s in usable]
    found: list[list[int]] = []
    taken = [0] * len(usable)
    counts = [0] * len(shapes)

    def goes(i: int, times: int) -> bool:
        """Tell whether shape i goes ``times`` with those before it."""
        if holds is None or not times:
            return True
        budget.spend(0, ASKED)
        counts[usable[i]] = times
        fine = holds(counts)
        counts[usable[i]] = taken[i]
        return fine

    def fits(i: int, left: list[int]) -> int:
        times = demand[i]
        for have, ask in zip(left, request[i], strict=True):
            if ask:
                times = min(times, have // ask)
        return times

    def search(i: int, left: list[int]) -> None:
        budget.spend(0, 1)
        if i == len(usable):
            for s, ask in enumerate(request):
                more = taken[s] < demand[s] and all(a <= b for a, b in zip(ask, left, strict=True))
                if more and goes(s, taken[s] + 1):
                    return
            budget.spend(1, 0)
            found.append(taken.copy())
            return
        for times in range(fits(i, left), -1, -1):
            if not goes(i, times):
                continue
            taken[i] = counts[usable[i]] = times
            search(i + 1, [a - times * b for a, b in zip(left, request[i], strict=True)])
        taken[i] = counts[usable[i]] = 0

    search(0, free.tolist())
    patterns = np.zeros((len(found), len(shapes)), dtype=np.int64)
    if usable:
        patterns[:, usable] = np.array(found, dtype=np.int64).reshape(len(found), len(usable))
    return patterns[patterns.any(axis=1)]
