"""Trees: root units of every kind, composites by their children, all or nothing."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Floats
from gangplan.models.columns import GANG
from gangplan.solvers.planners.greedy.cells import Cells
from gangplan.solvers.planners.greedy.placer import TRIES, Placer
from gangplan.solvers.planners.greedy.sites import Sites
from gangplan.solvers.planners.greedy.slices import Slicer

ANYWHERE = 0
"""The cell of trees that no rule of their own binds."""


@dataclass(frozen=True, slots=True, eq=False)
class Homes:
    """Where a tree could go: open rules, and cells that settle them, the tightest first."""

    rules: tuple[int, ...]
    cells: Cells
    found: list[int]


class Forest:
    """Admits groups and composites, and adds elastic pods below what is admitted.

    Attributes
    ----------
    last_resort : asked for gangs that find no room; None: they wait.
    """

    def __init__(self, placer: Placer) -> None:
        self.placer = placer
        self.last_resort: Callable[[int], bool] | None = None
        self.slicer = Slicer(placer)
        self.sites = Sites(placer)
        self.book = placer.book
        self.room = placer.room
        self._leaves: dict[int, list[int]] = {}
        for g, h in enumerate(self.book.instance.groups.parent.tolist()):
            self._leaves.setdefault(h, []).append(g)
        self._inner: dict[int, list[int]] = {}
        for c, h in enumerate(self.book.instance.composites.parent.tolist()):
            self._inner.setdefault(h, []).append(c)

    def gang(self, group: int) -> bool:
        """Admit a gang that does not stand: place its minimum, or nothing."""
        return self.fits(group) or (self.last_resort is not None and self.last_resort(group))

    def fits(self, group: int) -> bool:
        """Admit a gang where there is room for it."""
        if self.book.needs.stands[group] or self.placed(group):
            return False
        planner = self.slicer if self.book.sliced[group] else self.placer
        need = int(self.book.needs.group[group])
        return self.sites.within(group, need, lambda: planner.minimum(group))

    def more(self, group: int) -> int:
        """Place as many further pods of a group as fit."""
        planner = self.slicer if self.book.sliced[group] else self.placer
        placed = planner.more(group)
        if self.room.dealt and self.room.dealt.open_claims(self.book.roles(group)):
            before = self._pods(group)
            self.sites.within(group, 1, lambda: planner.more(group) > 0)
            placed += self._pods(group) - before
        return placed

    def _pods(self, group: int) -> int:
        return sum(self.room.placed[k] for k in self.book.roles(group))

    def placed(self, group: int) -> bool:
        """Tell whether the group has new pods."""
        return any(self.room.placed[k] for k in self.book.roles(group))

    def tree(self, composite: int) -> bool:
        """Admit a composite that does not stand, with the fewest children, or nothing."""
        homes = self.homes(composite, self.room.devices, self.room.fullness)
        return homes is not None and any(
            self.enter(composite, homes, cell) for cell in homes.found[:TRIES]
        )

    def homes(self, composite: int, devices: Floats, fullness: Floats) -> "Homes | None":
        """Where a tree that does not stand could go, given what nodes (N,) have."""
        instance, needs = self.book.instance, self.book.needs
        if needs.composite_stands[composite] or instance.composites.held[composite]:
            return None
        owners = [composite, *self.book.ancestors[composite]]
        rules = self._whole_rules(owners)
        free = tuple(t for t in rules if self.room.chosen[t] < 0)
        cells = self.book.cells({self.book.level[t] for t in rules})
        if not free:
            return Homes((), cells, [ANYWHERE])
        domain = instance.topology.domain
        fine = np.ones(len(cells), dtype=np.bool_)
        for t in rules:
            if self.room.chosen[t] >= 0:
                fine &= domain[self.book.level[t]][cells.first] == self.room.chosen[t]
        if not instance.claims and self.last_resort is None:
            room = cells.sums(devices) * instance.device_unit
            fine &= room >= int(needs.composite_devices[composite])
        found = np.flatnonzero(fine)
        order = np.argsort(cells.sums(fullness)[found], kind="stable")
        return Homes(free, cells, found[order].tolist())

    def enter(self, composite: int, homes: "Homes", cell: int) -> bool:
        """Admit a tree in a cell, or nothing."""
        mark, domain = self.room.mark(), self.book.instance.topology.domain
        for t in homes.rules:
            self.room.choose(t, int(domain[self.book.level[t], homes.cells.first[cell]]))
        if self._children(composite):
            return True
        self.room.undo(mark)
        return False

    def _whole_rules(self, composites: list[int]) -> list[int]:
        rules = self.book.instance.rules
        owners = [len(self.book.instance.groups) + h for h in composites]
        whole = rules.is_whole() & np.isin(rules.owner, owners)
        found: list[int] = np.flatnonzero(whole).tolist()
        return found

    def _children(self, composite: int) -> bool:
        """Admit as many children as are missing: of the smallest ones, the largest first."""
        needs, mark = self.book.needs, self.room.mark()
        missing = int(needs.composite[composite])
        leaves = [g for g in self._leaves.get(composite, []) if not needs.stands[g]]
        inner = [c for c in self._inner.get(composite, []) if not needs.composite_stands[c]]
        units: list[tuple[int, Callable[[int], bool], int]] = [
            (int(needs.group[g]), self.gang, g) for g in leaves
        ]
        units += [(int(needs.composite_pods[c]), self.tree, c) for c in inner]
        if len(units) < missing:
            return False
        units.sort(key=lambda unit: unit[0])
        first, others = units[:missing][::-1], units[missing:]
        for _, admit, child in [*first, *others]:
            if missing and admit(child):
                missing -= 1
        if missing:
            self.room.undo(mark)
        return not missing

    def extend(self, priority: int) -> None:
        """Add pods of one priority to all that stands or is admitted, small pods first."""
        groups = self.book.instance.groups
        for group in self._by_size(priority):
            if groups.kind[group] != GANG or not self._open(self.book.above(group)):
                continue
            up = bool(self.book.needs.stands[group]) or self.placed(group)
            # Root gangs had their turn; a child may still join an admitted tree.
            if up or (groups.parent[group] >= 0 and self.gang(group)):
                self.more(group)
        for composite in self._joining(priority):
            if self.tree(composite):
                for group in self._below(composite):
                    if self.placed(group):
                        self.more(group)

    def _by_size(self, priority: int) -> list[int]:
        groups = np.flatnonzero(self.book.instance.groups.priority == priority).tolist()
        size = self.book.size
        return sorted(
            groups, key=lambda g: min((float(size[k]) for k in self.book.roles(g)), default=0.0)
        )

    def _joining(self, priority: int) -> Iterator[int]:
        """Composites without new pods whose parents stand or are admitted."""
        composites = self.book.instance.composites
        for h in np.flatnonzero((composites.priority == priority) & (composites.parent >= 0)):
            composite = int(h)
            if not self._up(composite) and self._open(self.book.ancestors[composite]):
                yield composite

    def _open(self, composites: tuple[int, ...]) -> bool:
        return all(self._up(h) for h in composites)

    def _up(self, composite: int) -> bool:
        """Tell whether the composite stands, or enough of its children have new pods."""
        if self.book.needs.composite_stands[composite]:
            return True
        leaves = self._leaves.get(composite, [])
        inner = self._inner.get(composite, [])
        needs = self.book.needs
        admitted = sum(self.placed(g) and not needs.stands[g] for g in leaves)
        admitted += sum(self._up(c) and not needs.composite_stands[c] for c in inner)
        return admitted >= int(needs.composite[composite])

    def _below(self, composite: int) -> list[int]:
        below: list[int] = self.book.instance.groups_of(
            len(self.book.instance.groups) + composite
        ).tolist()
        return below
