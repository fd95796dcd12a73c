"""What of the fallen units may lawfully come back (docs/preemption.md, rules 3, 4 and 9).

A unit whose return keeps every rule comes back alone. Else its gang was taken whole, or loses
slices: so many members come back that floors and slices are kept; or its tree was taken whole, from
some composite down: so many standing children of the composite come back.
"""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from gangplan.models.arrays import Flags
from gangplan.models.instance import Instance
from gangplan.models.verify.members import standing

Cell = tuple[int, int]
"""(rule with slices, domain)."""


class Parts:
    """Lookups over the pods that fall, (U,) ``falls``; owners are groups g and composites G + h."""

    def __init__(self, instance: Instance, falls: Flags) -> None:
        self.instance, self.n = instance, len(instance.groups)
        running, composites = instance.running, instance.composites
        self.fallen = np.flatnonzero(falls).tolist()
        self.group: list[int] = running.pod_group.tolist()
        self.unit: list[int] = running.pod_unit.tolist()
        self.spare = np.maximum(running.floor_running - running.floor_least, 0).tolist()
        self.floors = self._floors(falls)
        self.cells = self._cells()
        self.slice: list[int] = instance.rules.slice.tolist()
        self.lost_floor = Counter(f for mine in self.floors.values() for f in mine)
        self.lost_cell = Counter(cell for mine in self.cells.values() for cell in mine)
        self.floors_of: dict[int, set[int]] = {}
        self.cells_of: dict[int, set[Cell]] = {}
        for u in self.fallen:
            self.floors_of.setdefault(self.group[u], set()).update(self.floors.get(u, ()))
            self.cells_of.setdefault(self.group[u], set()).update(self.cells.get(u, ()))
        self.parent = [
            self.n + h if h >= 0 else -1
            for h in [*instance.groups.parent.tolist(), *composites.parent.tolist()]
        ]
        self.children: dict[int, list[int]] = {}
        for owner, above in enumerate(self.parent):
            self.children.setdefault(above, []).append(owner)
        self.below: dict[int, set[int]] = {}
        self.whole, self.stands = self._whole(), self._stands()

    def pods(self, units: Iterable[int]) -> list[int]:
        """Pods of these units."""
        return [u for v in units for u in self.instance.running.pods_of(v)]

    def lawful(self, units: Iterable[int]) -> bool:
        """Tell whether rules 3 and 4 are kept once these units are back."""
        pods = self.pods(units)
        floors = Counter(f for u in pods for f in self.floors.get(u, ()))
        cells = Counter(cell for u in pods for cell in self.cells.get(u, ()))
        touched = {self.group[u] for u in pods} - {-1}
        for g in touched:
            if any(self.lost_floor[f] - floors[f] > self.spare[f] for f in self.floors_of[g]):
                return False
            if any((self.lost_cell[c] - cells[c]) % self.slice[c[0]] for c in self.cells_of[g]):
                return False
        owners = {above for g in touched for above in (g, *self.above(g))}
        return all(
            sum(self.stands[c] for c in self.children[owner] if c in owners) >= self.fewest(owner)
            for owner in owners
            if owner >= self.n and self.whole[owner]
        )

    def above(self, owner: int) -> list[int]:
        """Composites above an owner, nearest first."""
        chain = []
        while self.parent[owner] >= 0:
            owner = self.parent[owner]
            chain.append(owner)
        return chain

    def fewest(self, owner: int) -> int:
        """Count the standing children of a composite taken whole that come back, if any does."""
        standing_children = sum(self.stands[c] for c in self.children[owner])
        return min(standing_children, int(self.instance.composites.minimum[owner - self.n]))

    def scope(self, unit: int) -> int:
        """Return the owner within which a unit's smallest part lies.

        The topmost composite above it that was taken whole, else its group.
        """
        g = self.group[self.instance.running.pods_of(unit)[0]]
        return next((h for h in reversed(self.above(g)) if self.whole[h]), g)

    def lacking(self, group: int) -> dict[int, int]:
        """Floor -> members that come back at least, if one of the group does."""
        return {f: max(self.lost_floor[f] - self.spare[f], 0) for f in self.floors_of[group]}

    def _floors(self, falls: Flags) -> dict[int, tuple[int, ...]]:
        running = self.instance.running
        rows = np.flatnonzero(falls[running.member_pod])
        floors: dict[int, tuple[int, ...]] = {}
        pairs = zip(
            running.member_floor[rows].tolist(), running.member_pod[rows].tolist(), strict=True
        )
        for f, u in pairs:
            floors[u] = (*floors.get(u, ()), f)
        return floors

    def _cells(self) -> dict[int, tuple[Cell, ...]]:
        """Pod -> domains that it is counted in by rules with slices."""
        rules, running = self.instance.rules, self.instance.running
        sliced: dict[int, list[int]] = {}
        for t in np.flatnonzero(rules.slice > 0).tolist():
            sliced.setdefault(int(rules.owner[t]), []).append(t)
        cells: dict[int, tuple[Cell, ...]] = {}
        for u in self.fallen if sliced else ():
            n = int(running.pod_node[u])
            for t in sliced.get(self.group[u], ()) if n >= 0 else ():
                d = int(self.instance.topology.domain[rules.level[t], n])
                if d >= 0:
                    cells[u] = (*cells.get(u, ()), (t, d))
        return cells

    def _whole(self) -> list[bool]:
        """Owners whose running members all fall; notes the units below each owner."""
        runs = self.instance.groups.running.tolist() + [0] * len(self.instance.composites)
        lost = [0] * len(runs)
        for u in self.fallen:
            g = self.group[u]
            if g >= 0:
                lost[g] += 1
                self.below.setdefault(g, set()).add(self.unit[u])
        for owner in self._upwards():
            above = self.parent[owner]
            if above >= 0:
                runs[above] += runs[owner]
                lost[above] += lost[owner]
                self.below.setdefault(above, set()).update(self.below.get(owner, ()))
        return [0 < a == b for a, b in zip(runs, lost, strict=True)]

    def _stands(self) -> list[bool]:
        stands: list[bool] = standing(self.instance).tolist() + [False] * len(
            self.instance.composites
        )
        for owner in self._upwards():
            if owner >= self.n:
                up = sum(stands[c] for c in self.children.get(owner, ()))
                stands[owner] = up >= int(self.instance.composites.minimum[owner - self.n])
        return stands

    def _upwards(self) -> list[int]:
        """Owners, children before their parents."""
        return [*range(self.n), *range(len(self.parent) - 1, self.n - 1, -1)]
