"""Classes of equal nodes, and the patterns of each: maximal multisets of shapes that one can hold.

Patterns are listed once for each distinct free room and set of shapes (Valerio de Carvalho 2002
calls them maximal cutting patterns). What a node may hold is closed under taking pods away, so a
pattern to which a pod can be added is never needed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import le

import numpy as np

from gangplan.models.arrays import MOST as LARGEST
from gangplan.models.arrays import Flags, Ints
from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.shapes.falls import pairs, units_here
from gangplan.models.shapes.listing import multisets
from gangplan.models.shapes.local import Holds, local_of
from gangplan.models.shapes.shapes import Shapes
from gangplan.models.shapes.tree import Tree

MOST = 400_000
"""Patterns of all kinds of nodes together; more would have to be priced, not listed."""

STEPS = 4_000_000
"""Multisets looked at while they are listed, over all kinds of nodes; some seconds."""

DONE = -1
"""Instead of how often: no more often."""

LOOKED = 16
"""Shapes that are looked at in vain in one step."""

ASKED = 20
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
    search = _Search(
        usable,
        shapes.request[usable].tolist(),
        shapes.demand[usable].tolist(),
        [0] * len(shapes),
        budget,
        holds,
    )
    search.run(free.tolist())
    patterns = np.array(search.found, dtype=np.int64).reshape(len(search.found), len(shapes))
    return patterns[patterns.any(axis=1)]


@dataclass(slots=True)
class _Search:
    """A search in depth: shape after shape, as often as it fits or less.

    Attributes
    ----------
    usable : shapes in the order of the search. request, demand : of each of them.
    counts : (S,) how often each shape is taken now.
    frames : where the search is: place in the order, how often to take it next, what is left. A
        stack of our own, as there can be more shapes than calls within calls.
    """

    usable: list[int]
    request: list[list[int]]
    demand: list[int]
    counts: list[int]
    budget: Budget
    holds: Holds | None
    frames: list[tuple[int, int, list[int]]] = field(default_factory=list)
    found: list[list[int]] = field(default_factory=list)

    def run(self, free: list[int]) -> None:
        """List what fits in the order in which more of the earlier shapes comes first."""
        last, after = len(self.usable) - 1, self._asked_after()
        self._descend(0, free)
        while self.frames:
            i, times, left = self.frames.pop()
            self.counts[self.usable[i]] = 0
            if times < 0 or not self._goes(i, times):
                if times > 0:
                    self.frames.append((i, times - 1, left))
                continue
            self.counts[self.usable[i]] = times
            rest = [a - times * b for a, b in zip(left, self.request[i], strict=True)]
            if times:
                # With less of it there would be room for more of it, whatever comes after.
                enough = i == last or self._spare(i, times - 1, left, after[i + 1])
                self.frames.append((i, DONE if enough else times - 1, left))
            self._descend(i + 1, rest)

    def _descend(self, i: int, left: list[int]) -> None:
        """Go on with the next shape that fits; without one, keep what is maximal."""
        first = i
        while i < len(self.usable):
            times = self._fits(i, left)
            if times:
                self.budget.spend(0, 1 + (i - first) // LOOKED)
                self.frames.append((i, times, left))
                return
            i += 1
        self.budget.spend(0, 1 + (i - first) // LOOKED)
        if self._is_maximal(left):
            self.budget.spend(1, 0)
            self.found.append(self.counts.copy())

    def _fits(self, i: int, left: list[int]) -> int:
        times = self.demand[i]
        for have, ask in zip(left, self.request[i], strict=True):
            if ask:
                times = min(times, have // ask)
        return times

    def _goes(self, i: int, times: int) -> bool:
        """Tell whether shape i goes ``times`` with those that are taken."""
        if self.holds is None or not times:
            return True
        self.budget.spend(0, ASKED + len(self.counts) // LOOKED)
        before = self.counts[self.usable[i]]
        self.counts[self.usable[i]] = times
        fine = self.holds(self.counts)
        self.counts[self.usable[i]] = before
        return fine

    def _is_maximal(self, left: list[int]) -> bool:
        # The smallest first: where there is room at all, it is for one of them.
        for i in range(len(self.usable) - 1, -1, -1):
            times = self.counts[self.usable[i]]
            if times < self.demand[i] and all(map(le, self.request[i], left)):
                self.budget.spend(0, (len(self.usable) - i) // LOOKED)
                if self._goes(i, times + 1):
                    return False
        self.budget.spend(0, len(self.usable) // LOOKED)
        return True

    def _asked_after(self) -> list[list[int]]:
        """Return what all pods of the shapes from each place on ask together."""
        total = [[0] * len(self.request[0])] if self.usable else [[]]
        for ask, times in zip(self.request[::-1], self.demand[::-1], strict=True):
            total.append([a + times * b for a, b in zip(total[-1], ask, strict=True)])
        return total[::-1]

    def _spare(self, i: int, times: int, left: list[int], after: list[int]) -> bool:
        """Tell whether one more than ``times`` fits even with all that could come after."""
        return self.holds is None and all(
            have - times * ask - later >= ask
            for have, ask, later in zip(left, self.request[i], after, strict=True)
            if ask
        )
