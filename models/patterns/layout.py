"""Shapes, tree and classes of an instance, worked out once: listing patterns is most of a build."""

from dataclasses import dataclass

from gangplan.models.instance import Instance
from gangplan.models.once import once
from gangplan.models.shapes.classes import Classes, classes_of
from gangplan.models.shapes.shapes import Shapes, shapes_of
from gangplan.models.shapes.tree import Tree, tree_of


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """What every model of an instance is written on."""

    shapes: Shapes
    tree: Tree
    classes: Classes


@once
def layout_of(instance: Instance) -> Layout:
    """Lay an instance out.

    Raises
    ------
    FormulationError : levels that cross, or more patterns than can be listed.
    """
    shapes, tree = shapes_of(instance), tree_of(instance)
    return Layout(shapes, tree, classes_of(instance, shapes, tree))
