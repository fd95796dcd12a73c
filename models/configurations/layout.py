"""Types, sizes, places and configurations of an instance, worked out once."""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.configurations.listing import Budget, maximal
from gangplan.models.configurations.places import Places, meeting, places_of
from gangplan.models.configurations.sizes import Sizes, sizes_of
from gangplan.models.instance import Instance
from gangplan.models.needs import needs_of
from gangplan.models.once import once
from gangplan.models.shapes.classes import classes_of
from gangplan.models.shapes.shapes import Shapes, shapes_of
from gangplan.models.shapes.tree import tree_of
from gangplan.models.shapes.types import Loose, Type, types_of


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """What every model of an instance is written on.

    Attributes
    ----------
    configurations : (Q, Z) of each class of places.
    """

    shapes: Shapes
    types: tuple[Type, ...]
    loose: tuple[Loose, ...]
    sizes: Sizes
    places: Places
    configurations: tuple[Ints, ...]


def layout_of(instance: Instance, *, elastic: bool) -> Layout:
    """Lay an instance out.

    Raises
    ------
    FormulationError : domains that overlap, or more of something than can be listed.
    """
    return _whole(instance) if elastic else _least(instance)


@once
def _whole(instance: Instance) -> Layout:
    return _layout(instance, elastic=True)


@once
def _least(instance: Instance) -> Layout:
    return _layout(instance, elastic=False)


def _layout(instance: Instance, *, elastic: bool) -> Layout:
    shapes, tree = shapes_of(instance), tree_of(instance)
    # Whether there is room is left to the configurations.
    room = np.broadcast_to(shapes.demand, (len(tree), len(shapes)))
    types, loose = types_of(instance, needs_of(instance), shapes, tree, room, elastic=elastic)
    sizes = sizes_of(types, loose, tree, len(shapes), elastic=elastic)
    meet = meeting(sizes, tree)
    classes = classes_of(instance, shapes, tree)
    places = places_of(sizes, tree, classes, meet, len(instance.nodes))
    budget = Budget()
    listed = [
        maximal(holds, sizes, mine, budget)
        for holds, mine in zip(places.holds, places.sizes, strict=True)
    ]
    return Layout(shapes, types, loose, sizes, places, tuple(listed))
