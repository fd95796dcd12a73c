"""Groups and trees that counting proves can never be placed are held.

No plan places any of their pods (``shortage.cannot_be_placed``: with every unit gone that can
fall), so holding them takes no plan away. Only roots: a child that is held changes what its tree's
minimum asks for.
"""

from dataclasses import replace

import numpy as np

from gangplan.models.arrays import Flags
from gangplan.models.counting import placeable
from gangplan.models.instance import Instance
from gangplan.models.needs import needs_of
from gangplan.models.reduce.reduced import Reduced, same, unchanged
from gangplan.models.slots import slots_of

WHY = "it cannot be placed, by counting"
"""Why a group is held in the smaller instance."""


def shrink(instance: Instance) -> Reduced:
    """Hold every root that cannot be placed."""
    needs, groups, composites = needs_of(instance), instance.groups, instance.composites
    able, able_trees = placeable(instance, needs, slots_of(instance))
    waits = instance.per_group(instance.roles.wanted) > 0
    none = waits & ~able & ~needs.stands & ~groups.held & (groups.parent < 0)
    no_tree = ~able_trees & ~needs.composite_stands & ~composites.held & (composites.parent < 0)
    count = int(none.sum() + no_tree.sum())
    if not count:
        return unchanged(instance)
    smaller = replace(
        instance,
        groups=replace(groups, held=groups.held | none),
        composites=replace(composites, held=composites.held | no_tree),
        names=replace(
            instance.names,
            held=_said(instance.names.held, none),
            held_composites=_said(instance.names.held_composites, no_tree),
        ),
    )
    what = "1 group or tree" if count == 1 else f"{count} groups and trees"
    return Reduced(smaller, same, f"{what} cannot be placed")


def _said(reasons: tuple[str, ...], more: Flags) -> tuple[str, ...]:
    found = list(reasons)
    for number in np.flatnonzero(more).tolist():
        found[number] = WHY
    return tuple(found)
