"""Slots below a vertex, each shape counted by itself: a bound that no plan can beat."""

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.shapes.classes import Classes
from gangplan.models.shapes.shapes import Shapes
from gangplan.models.shapes.tree import Tree


def slots_below(shapes: Shapes, tree: Tree, classes: Classes) -> Ints:
    """(V, S) most pods of one shape that the nodes at and below each vertex hold."""
    slots = np.zeros((len(tree), len(shapes)), dtype=np.int64)
    for vertex, nodes, patterns in zip(
        classes.vertex.tolist(), classes.nodes, classes.patterns, strict=True
    ):
        slots[vertex] += patterns.max(axis=0) * len(nodes)
    for v in range(len(tree) - 1, 0, -1):
        slots[tree.parent[v]] += slots[v]
    return np.minimum(slots, shapes.demand[None, :])
