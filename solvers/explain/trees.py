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
        h = int(self.instance.groups.parent[g])
        while h >= 0 and not self.started[h]:
            h = int(self.instance.composites.parent[h])
        return h

    def root(self, g: int) -> int:
        """Return the root of the tree that group g is in; -1 for a group without a parent."""
        h = root = int(self.instance.groups.parent[g])
        while h >= 0:
            root, h = h, int(self.instance.composites.parent[h])
        return root

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
    n = len(instance.groups)
    below = [bool(placed[instance.groups_of(n + h)].any()) for h in range(len(instance.composites))]
    started = needs.composite_stands | np.array(below, dtype=np.bool_)
    if not len(instance.composites):
        return Trees(instance, needs, started, ~instance.groups.held, started)
    return Trees(instance, needs, started, *placeable(instance, needs, slots))
