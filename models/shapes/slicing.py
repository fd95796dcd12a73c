"""Rules of slices: in which vertices the pods of a group take slots, and what they must add up to.

A rule with slices of k binds every domain of its level: running members and new pods of the group
together are a multiple of k, as soon as the group places a pod. So pods of such a group take slots
at *places*: the vertices of the narrowest level that a rule of it names.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.instance import Instance
from gangplan.models.shapes.tree import Tree

NOWHERE = -1
"""Vertex of a domain without nodes."""


@dataclass(frozen=True, slots=True, order=True)
class Sliced:
    """A rule of slices: k pods each, in a domain of the level.

    Attributes
    ----------
    left : (vertex, running members modulo k) of every domain where that is not 0.
    """

    size: int
    level: int
    left: tuple[tuple[int, int], ...]

    def left_at(self, vertex: int) -> int:
        """Return the running members of the unfinished slice in a domain."""
        return dict(self.left).get(vertex, 0)


def slices_of(instance: Instance, tree: Tree) -> dict[int, tuple[Sliced, ...]]:
    """Rules of slices of each group that has some."""
    rules = instance.rules
    found: dict[int, set[Sliced]] = {}
    for t in np.flatnonzero(rules.slice > 0).tolist():
        k = int(rules.slice[t])
        left = sorted(
            (int(tree.of_domain[d]), count % k)
            for d, count in rules.members(t).items()
            if count % k
        )
        one = Sliced(k, int(rules.level[t]), tuple(left))
        found.setdefault(int(rules.owner[t]), set()).add(one)
    return {g: tuple(sorted(mine)) for g, mine in found.items()}


def vertices_at(instance: Instance, tree: Tree, level: int) -> frozenset[int]:
    """Vertices of the domains of a level that have nodes."""
    return frozenset(tree.of_domain[instance.topology.domains_of(level)].tolist()) - {NOWHERE}


def places_of(
    instance: Instance, tree: Tree, sliced: tuple[Sliced, ...], vertex: int
) -> tuple[int, ...]:
    """Vertices where pods of a group that is admitted at ``vertex`` may take slots.

    Empty where a domain has an unfinished slice that no place can finish.
    """
    levels = {one.level: vertices_at(instance, tree, one.level) for one in sliced}
    narrow = max(levels, key=lambda level: int(tree.depth[level]))
    inner = [v for v in sorted(levels[narrow]) if vertex in tree.path(v)]
    # A vertex below the narrowest level is one place; that of the level itself is found above.
    places = inner or [vertex]
    places = [v for v in places if all(not w.isdisjoint(tree.path(v)) for w in levels.values())]
    reached = {w for v in places for w in tree.path(v)}
    unfinished = {w for one in sliced for w, _ in one.left}
    return tuple(places) if unfinished <= reached else ()
