"""Places: the domains where groups meet, and the nodes outside them, each by itself.

Groups with more than one pod name the domains; these must not overlap. A pod that is alone may go
to any place within the domains that it may be in. Places that hold the same are one class.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.configurations.filling import Filling, Steps, fill
from gangplan.models.configurations.sizes import Sizes
from gangplan.models.errors import FormulationError
from gangplan.models.shapes.classes import Classes
from gangplan.models.shapes.tree import Tree

OUTSIDE = -1
"""Not in a domain where groups meet."""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """One place: its nodes in the order of its filling's turns."""

    nodes: Ints
    filling: Filling


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Classes of equal places.

    Attributes
    ----------
    members : the places of each class.
    holds : (W, S) of each class; see ``Filling.holds``.
    sizes : numbers of the sizes that may be in a place of the class.
    of_node : (N, 2) class and place (its number in the class) of each node; -1 where it is in none.
    """

    members: tuple[tuple[Place, ...], ...]
    holds: tuple[Ints, ...]
    sizes: tuple[Ints, ...]
    of_node: Ints

    def __len__(self) -> int:
        """Return the number of classes."""
        return len(self.members)


def meeting(sizes: Sizes, tree: Tree) -> Flags:
    """(V,) vertices where groups of more than one pod meet.

    Raises
    ------
    FormulationError : somebody may be in one of them, and somebody in a part of it.
    """
    named = np.zeros(len(tree), dtype=np.bool_)
    meet = named.copy()
    for vertices, takes in zip(sizes.vertices, sizes.takes, strict=True):
        named[list(vertices)] = True
        meet[list(vertices)] |= bool(takes.sum() > 1)
    for v in np.flatnonzero(named).tolist():
        if meet[tree.path(v)[1:]].any():
            raise FormulationError(
                "configurations need domains that do not overlap: some groups meet in a domain, "
                "or anywhere, and others in a part of it; patterns and counts carry that"
            )
    return meet


def places_of(sizes: Sizes, tree: Tree, classes: Classes, meet: Flags, n_nodes: int) -> Places:
    """Find the places, and which are equal.

    Raises
    ------
    FormulationError : see ``fill``.
    """
    allowed = _Allowed(sizes, tree)
    known: dict[tuple[tuple[tuple[int, int], ...], bytes], Filling] = {}
    steps = Steps()
    found: dict[tuple[bytes, bytes], list[Place]] = {}
    holds: dict[tuple[bytes, bytes], Ints] = {}
    may_be: dict[tuple[bytes, bytes], Ints] = {}
    for vertex, kinds in _split(tree, classes, meet):
        mine = allowed.at(vertex)
        if not len(mine):
            continue
        key = tuple((id(classes.patterns[c]), len(nodes)) for c, nodes in kinds), mine.tobytes()
        if key not in known:
            patterns = [(classes.patterns[c], len(nodes)) for c, nodes in kinds]
            known[key] = fill(patterns, _most(sizes, mine), steps)
        filling = known[key]
        nodes = np.concatenate([nodes for _, nodes in kinds])
        alike = filling.holds.tobytes(), mine.tobytes()
        found.setdefault(alike, []).append(Place(nodes, filling))
        holds[alike], may_be[alike] = filling.holds, mine
    of_node = np.full((n_nodes, 2), -1, dtype=np.int64)
    for c, members in enumerate(found.values()):
        for i, place in enumerate(members):
            of_node[place.nodes] = c, i
    return Places(
        tuple(tuple(members) for members in found.values()),
        tuple(holds[alike] for alike in found),
        tuple(may_be[alike] for alike in found),
        of_node,
    )


def _split(tree: Tree, classes: Classes, meet: Flags) -> list[tuple[int, list[tuple[int, Ints]]]]:
    """Cut the nodes into places: the vertex of each, and its nodes by class."""
    inside: dict[int, list[tuple[int, Ints]]] = {}
    alone: list[tuple[int, list[tuple[int, Ints]]]] = []
    for c, vertex in enumerate(classes.vertex.tolist()):
        above = [v for v in tree.path(vertex) if meet[v]]
        if above:
            inside.setdefault(above[0], []).append((c, classes.nodes[c]))
        else:
            alone += [(vertex, [(c, node)]) for node in classes.nodes[c][:, None]]
    return [*inside.items(), *alone]


@dataclass(slots=True)
class _Allowed:
    """Sizes that may be at a vertex, worked out once a vertex."""

    by_vertex: dict[int, list[int]]
    tree: Tree
    known: dict[int, Ints]

    def __init__(self, sizes: Sizes, tree: Tree) -> None:
        self.tree, self.known, self.by_vertex = tree, {}, {}
        for z, vertices in enumerate(sizes.vertices):
            for v in vertices:
                self.by_vertex.setdefault(v, []).append(z)

    def at(self, vertex: int) -> Ints:
        """Return the numbers of the sizes, ascending."""
        if vertex not in self.known:
            found = {z for v in self.tree.path(vertex) for z in self.by_vertex.get(v, ())}
            self.known[vertex] = np.array(sorted(found), dtype=np.int64)
        return self.known[vertex]


def _most(sizes: Sizes, mine: Ints) -> Ints:
    """(S,) most pods of each shape that the sizes could ask of one place."""
    most: Ints = sizes.most[mine] @ sizes.takes[mine]
    return most
