"""Why a group below a composite waits: its tree could not start, or has all it asks for."""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.counting import placeable
from gangplan.models.instance import Instance
from gangplan.models.needs import Needs
from gangplan.models.slots import Slots


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """The composites of an instance under one plan.

    Attributes
    ----------
    started : (H,) standing, or with new pods below.
    able_groups, able : (G,), (H,) not ruled out by counting.
    """

    instance: Instance
    needs: Needs
    started: Flags
    able_groups: Flags
    able: Flags

    def parent_that_started(self, g: int) -> int:
        """Return the lowest composite above group g that started; -1 where none did."""
        return next((h for h in self.instance.ancestors(g) if self.started[h]), -1)

    def root(self, g: int) -> int:
        """Return the root of the tree that group g is in; -1 for a group without a parent."""
        return [-1, *self.instance.ancestors(g)][-1]

    def further(self, h: int) -> str:
        """Say that composite h has what it asks for."""
        minimum = int(self.instance.composites.minimum[h])
        children = "child" if minimum == 1 else "children"
        return (
            f"{self.instance.names.composites[h]} has the {minimum} {children} it asks for; "
            "further ones come after all admissions"
        )

    def asks(self, h: int) -> str:
        """Say how many children composite h lacks."""
        minimum, missing = int(self.instance.composites.minimum[h]), int(self.needs.composite[h])
        children = "child" if minimum == 1 else "children"
        run = f", {minimum - missing} of them running" if missing < minimum else ""
        return (
            f"waits with {self.instance.names.composites[h]}, which needs {minimum} {children}{run}"
        )

    def too_few(self, h: int) -> str:
        """Say by counting that composite h or one below it cannot start; empty where it may."""
        if self.able[h]:
            return ""
        inner = np.flatnonzero(self.instance.composites.parent == h)
        leaves = self.instance.groups.parent == h
        down = int((leaves & ~self.needs.stands & self.able_groups).sum())
        down += int((~self.needs.composite_stands[inner] & self.able[inner]).sum())
        missing = int(self.needs.composite[h])
        return f"cannot start: {missing} more must be placed, at most {down} can (proven: counting)"


def trees_of(instance: Instance, needs: Needs, slots: Slots, placed: Ints) -> Trees:
    """Look at the composites of an instance; ``placed`` (G,) new pods of each group."""
    below = instance.owners_above(placed > 0)[len(instance.groups) :]
    started = needs.composite_stands | below
    if not len(instance.composites):
        return Trees(instance, needs, started, ~instance.groups.held, started)
    return Trees(instance, needs, started, *placeable(instance, needs, slots))
