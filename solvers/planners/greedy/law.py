"""Law: which sets of units may fall together (docs/preemption.md, rules 3 and 4)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.instance import Instance
from gangplan.models.needs import needs_of

Counted = Mapping[int, int]
"""Unit -> pods."""

Places = dict[int, dict[int, int]]
"""Domain -> unit -> pods."""


class Law:
    """Which sets of units may fall: floors, slices, and children of trees (rules 3 and 4)."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        running = instance.running
        self._units: dict[int, dict[int, int]] = {}
        for unit, g in zip(running.pod_unit.tolist(), running.pod_group.tolist(), strict=True):
            if g >= 0:
                mine = self._units.setdefault(g, {})
                mine[unit] = mine.get(unit, 0) + 1
        self.groups: list[tuple[int, ...]] = [()] * len(running)
        for g, mine in self._units.items():
            for v in mine:
                self.groups[v] = (*self.groups[v], g)
        members = instance.groups.running
        self._complete = {g: sum(m.values()) == members[g] for g, m in self._units.items()}
        self._floors = self._all_floors()
        self._slices = self._all_slices()
        self._trees = _trees(instance)

    def _all_floors(self) -> dict[int, list[tuple[int, Counted]]]:
        running = self._instance.running
        spare = np.maximum(running.floor_running - running.floor_least, 0).tolist()
        pods: list[dict[int, int]] = [{} for _ in spare]
        units = running.pod_unit[running.member_pod].tolist()
        for f, v in zip(running.member_floor.tolist(), units, strict=True):
            pods[f][v] = pods[f].get(v, 0) + 1
        floors: dict[int, list[tuple[int, Counted]]] = {}
        for f, g in enumerate(running.floor_group.tolist()):
            floors.setdefault(g, []).append((spare[f], pods[f]))
        return floors

    def _all_slices(self) -> dict[int, list[tuple[int, Places]]]:
        """Group -> (k, domain -> unit -> pods) of each of its slice rules."""
        instance, running = self._instance, self._instance.running
        found: dict[int, list[tuple[int, Places]]] = {}
        for t in np.flatnonzero(instance.rules.slice > 0).tolist():
            g = int(instance.rules.owner[t])
            of_node = instance.topology.domain[instance.rules.level[t]]
            places: Places = {}
            for u in np.flatnonzero(running.pod_group == g).tolist():
                n, v = int(running.pod_node[u]), int(running.pod_unit[u])
                domain = int(of_node[n]) if n >= 0 else -1
                if domain >= 0:
                    mine = places.setdefault(domain, {})
                    mine[v] = mine.get(v, 0) + 1
            found.setdefault(g, []).append((int(instance.rules.slice[t]), places))
        return found

    def units_of(self, group: int) -> Counted:
        """Units of the group's running members, with their pods."""
        return self._units.get(group, {})

    def free(self, unit: int) -> bool:
        """Tell whether the unit may come and go by itself."""
        return all(
            len(self._units[g]) == 1 and not self._trees.get(g, ()) and self._complete.get(g, False)
            for g in self.groups[unit]
        )

    def broken(self, fallen: set[int], groups: Iterable[int]) -> bool:
        """Tell whether some group, or a tree above it, may not lose just these units."""
        return any(self._group_broken(g, fallen) or self._tree_broken(g, fallen) for g in groups)

    def torn(self, fallen: set[int], groups: Iterable[int]) -> bool:
        """Tell whether some group, whatever trees say, may not lose just these units."""
        return any(self._group_broken(g, fallen) for g in groups)

    def whole(self, g: int, fallen: set[int]) -> bool:
        """Tell whether all running members of a group fall."""
        return self._complete.get(g, False) and all(v in fallen for v in self._units[g])

    def _group_broken(self, g: int, fallen: set[int]) -> bool:
        if not any(v in fallen for v in self._units[g]) or self.whole(g, fallen):
            return False
        if any(_pods(fallen, pods) > spare for spare, pods in self._floors.get(g, ())):
            return True
        return any(
            _pods(fallen, pods) % k
            for k, places in self._slices.get(g, ())
            for pods in places.values()
        )

    def _tree_broken(self, g: int, fallen: set[int]) -> bool:
        return any(tree.broken(self, fallen) for tree in self._trees.get(g, ()))

    def closed(self, fallen: set[int], extra: set[int], may: Flags) -> set[int] | None:
        """Return ``extra`` with what has to fall beside it, or None where that may not fall.

        Parameters
        ----------
        fallen : units that have fallen already.
        may : (V,) units that may fall now.
        """
        extra = set(extra)
        for _ in range(2 * len(self._units) + 2):
            groups = sorted({g for v in extra for g in self.groups[v]})
            now = fallen | extra
            more: set[int] = set()
            for g in groups:
                if self._group_broken(g, now):
                    more |= self._mended(g, now, may)
                for tree in self._trees.get(g, ()):
                    if tree.broken(self, now):
                        more |= tree.units(self)
            more -= now
            if not more:
                return None if self.broken(now, groups) else extra
            if not all(may[v] for v in more):
                return None
            extra |= more
        return None

    def together(self, fallen: set[int], units: Ints, may: Flags) -> set[int]:
        """Units (n,) that may fall beside ``fallen``, and what falls with them: as many as can.

        ``may`` (V,) says who can fall at all.
        """
        alone = {v for v in units.tolist() if self.free(v)}
        bound = [v for v in units.tolist() if v not in alone]
        if not bound:
            return alone
        all_of_them = self.closed(fallen, set(bound), may)
        if all_of_them is not None:
            return alone | all_of_them
        found: set[int] = set()
        for v in bound:
            if v not in found:
                found |= self.closed(fallen | found, {v}, may) or set()
        return alone | found

    def _mended(self, g: int, now: set[int], may: Flags) -> set[int]:
        """Whole slices where that is enough, else the whole group."""
        more: set[int] = set()
        for k, places in self._slices.get(g, ()):
            for pods in places.values():
                lacks = -_pods(now | more, pods) % k
                others = [v for v in sorted(pods) if may[v] and v not in now | more]
                more |= set(others[:lacks])
        return set(self._units[g]) if self._group_broken(g, now | more) else more

    def parts(self, unit: int, fallen: set[int]) -> list[list[int]]:
        """Return sets of fallen units that may come back together, each with the unit in front.

        The unit alone, its group, the trees above it: the smallest that could be lawful first.
        """
        found = [[unit]]
        for g in self.groups[unit]:
            sets = [set(self._units[g]), *(tree.units(self) for tree in self._trees.get(g, ()))]
            for units in sets:
                others = sorted(v for v in units if v in fallen and v != unit)
                if len(others) + 1 > len(found[-1]):
                    found.append([unit, *others])
        return found

    def surplus(self, fallen: set[int], back: list[int]) -> list[int]:
        """Return units among those that come back that leave no whole slices behind."""
        out: list[int] = []
        for g in sorted({g for v in back for g in self.groups[v]}):
            for k, places in self._slices.get(g, ()):
                for pods in places.values():
                    gone = fallen.difference(back).union(out)
                    lacks = -_pods(gone, pods) % k
                    mine = [v for v in reversed(back) if v in pods and v not in out]
                    out += mine[:lacks]
        return out


@dataclass(frozen=True, slots=True, eq=False)
class _Tree:
    """A composite: all groups with running members below it, and those of each standing child."""

    spare: int
    groups: tuple[int, ...]
    standing: tuple[tuple[int, ...], ...]

    def broken(self, law: Law, fallen: set[int]) -> bool:
        """Tell whether more children are taken than are spare, and not everything."""
        taken = sum(all(law.whole(g, fallen) for g in child) for child in self.standing)
        return taken > self.spare and not all(law.whole(g, fallen) for g in self.groups)

    def units(self, law: Law) -> set[int]:
        """All units below."""
        return {v for g in self.groups for v in law.units_of(g)}


def _trees(instance: Instance) -> dict[int, list[_Tree]]:
    """Group -> the composites above it, the nearest first."""
    needs, n = needs_of(instance), len(instance.groups)
    members, parent = instance.groups.running, instance.composites.parent

    def below(owner: int) -> tuple[int, ...]:
        return tuple(g for g in instance.groups_of(owner).tolist() if members[g])

    trees = []
    for h, minimum in enumerate(instance.composites.minimum.tolist()):
        leaves = np.flatnonzero((instance.groups.parent == h) & needs.stands)
        inner = n + np.flatnonzero((parent == h) & needs.composite_stands)
        standing = tuple(below(owner) for owner in [*leaves.tolist(), *inner.tolist()])
        trees.append(_Tree(max(len(standing) - minimum, 0), below(n + h), standing))
    return {
        g: [trees[h] for h in instance.ancestors(g)]
        for g in np.flatnonzero((instance.groups.parent >= 0) & (members > 0)).tolist()
    }


def _pods(fallen: set[int], pods: Counted) -> int:
    """Count the pods of units that have fallen."""
    return sum(n for v, n in pods.items() if v in fallen)
