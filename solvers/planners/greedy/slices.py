"""Slices: whole slices of k pods, each in one domain; what is begun there is completed first."""

from math import lcm

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.solvers.planners.greedy.cells import Cells
from gangplan.solvers.planners.greedy.packing import Ask, Filling, ask_of, fill, pack, pack_hard
from gangplan.solvers.planners.greedy.placer import HARD_TRIES, TRIES, Placer


class Slicer:
    """Places groups that have slice rules; the other rules are the placer's."""

    def __init__(self, placer: Placer) -> None:
        self.placer = placer
        self.book = placer.book
        self.room = placer.room

    def minimum(self, group: int) -> bool:
        """Place the pods an admitted gang needs in whole slices, or nothing."""
        need = int(self.book.needs.group[group])
        ask = ask_of(self.book, self.room, group, need)
        if ask is None or not ask.total or self.book.blocked[group]:
            return False
        return self.placer.once(group, ask, lambda: self._anywhere(group, ask.total))

    def more(self, group: int) -> int:
        """Place as many further slices as fit; return the number of pods."""
        if self.book.blocked[group]:
            return 0
        before = self._placed(group)
        if before == 0 and not self._anywhere(group, 0):
            return 0
        cells = self.book.cells(self._levels(group))
        size = self._size(group)
        while self._slice(group, size, cells.order):
            pass
        return self._placed(group) - before

    def _anywhere(self, group: int, need: int) -> bool:
        """Settle the whole required rules by trying cells; complete, then add slices."""
        placer = self.placer
        cells = self.book.cells(placer.required_levels(group))
        fit = self._fit(group, cells)
        found = np.flatnonzero(placer.agreeing(group, cells) & (fit >= max(need, 1)))
        tight = cells.sums(self.room.fullness)[found]
        # With no pods asked for, the roomiest domain lets most slices in.
        order = np.argsort(tight if need else -fit[found], kind="stable")
        for cell in found[order][:TRIES].tolist():
            mark = self.room.mark()
            if self._inside(group, need, cells.nodes(cell)):
                placer.settle(group, int(cells.first[cell]))
                return True
            self.room.undo(mark)
        return False

    def _fit(self, group: int, cells: Cells) -> Ints:
        """(n,) pods that fit each cell at most: whole slices, and the ends of begun ones."""
        inner = self.book.cells(self._levels(group))
        wanted = self.book.instance.roles.wanted
        fit = np.zeros(len(inner), dtype=np.int64)
        for k in self.book.roles(group):
            fit += np.minimum(inner.sums(self.room.slots(k)), wanted[k])
        size = self._size(group)
        label = np.zeros(len(self.book.instance.nodes), dtype=np.int64)
        label[cells.order] = np.repeat(np.arange(len(cells)), np.diff(cells.start))
        whole = np.zeros(len(cells), dtype=np.int64)
        np.add.at(whole, label[inner.first], fit // size * size)
        begun = [sum(self._missing(group, t).values()) for t in self.book.sliced[group]]
        return whole + max(begun)

    def _inside(self, group: int, need: int, nodes: Ints) -> bool:
        """Complete begun slices, then place whole ones until ``need`` new pods are there."""
        if not self._complete(group, nodes):
            return False
        size = self._size(group)
        while self._placed(group) < need or (need == 0 and not self._placed(group)):
            if not self._slice(group, size, nodes):
                return False
        return self._whole(group) and self._owns(group)

    def _complete(self, group: int, nodes: Ints) -> bool:
        """Bring every domain with running members to whole slices, the narrowest level first."""
        topology = self.book.instance.topology
        level = self.book.level
        narrow = sorted(self.book.sliced[group], key=lambda t: -self.book.domains_at[level[t]])
        for t in narrow:
            of_node = topology.domain[level[t]]
            for domain, missing in self._missing(group, t).items():
                inside = nodes[of_node[nodes] == domain]
                inside = inside[np.isin(inside, self.book.cells(self._levels(group)).order)]
                if not self._some(group, missing, inside):
                    return False
        return True

    def _missing(self, group: int, rule: int) -> dict[int, int]:
        """Pods that each domain lacks to whole slices, running members and new pods counted."""
        instance = self.book.instance
        count = dict(instance.rules.members(rule))
        of_node = instance.topology.domain[self.book.level[rule]]
        for domain, pods in self.room.pods_by_domain(group, of_node).items():
            count[domain] = count.get(domain, 0) + pods
        k = int(instance.rules.slice[rule])
        return {domain: -pods % k for domain, pods in sorted(count.items()) if pods % k}

    def _some(self, group: int, pods: int, nodes: Ints) -> bool:
        """Place exactly so many pods of any role, roles that lack their own minimum first."""
        needs, wanted = self.book.needs, self.book.instance.roles.wanted
        roles = sorted(self.book.roles(group), key=lambda k: self.book.heavy_first[k])
        filling = Filling(self.placer.style)
        for lacking in (True, False):
            for k in roles:
                left = int(wanted[k]) - self.room.placed[k]
                if lacking:
                    left = min(left, int(needs.role[k]) - self.room.placed[k])
                pods -= fill(self.room, k, min(left, pods), nodes, filling)
        return pods == 0

    def _slice(self, group: int, size: int, nodes: Ints) -> bool:
        """Place one slice into one cell of all the group's levels, or nothing."""
        cells = self.book.cells(self._levels(group))
        inside = np.zeros(len(self.book.instance.nodes), dtype=np.bool_)
        inside[nodes] = True
        filling, mixes = Filling(self.placer.style), self._mixes(group, size)
        for attempt, tries in ((pack, TRIES), (pack_hard, HARD_TRIES)):
            for ask in mixes:
                found = self.placer.candidates(group, ask, cells)
                for cell in found[inside[cells.first[found]]][:tries].tolist():
                    if attempt(self.room, ask, cells.nodes(cell), filling):
                        return True
        return False

    def _mixes(self, group: int, size: int) -> list[Ask]:
        """Compositions of one slice: like the pods that wait, roles' own minima first, any."""
        needs, wanted = self.book.needs, self.book.instance.roles.wanted
        roles = sorted(self.book.roles(group), key=lambda k: self.book.heavy_first[k])
        left = [int(wanted[k]) - self.room.placed[k] for k in roles]
        total = sum(left)
        if total < size:
            return []
        even = [n * size // total for n in left]
        own = [max(int(needs.role[k]) - self.room.placed[k], 0) for k in roles]
        while sum(own) > size:
            own[int(np.argmax(own))] -= 1
        mixes = []
        for exact in (even, own, [0] * len(roles)):
            spare = tuple(n - a for n, a in zip(left, exact, strict=True))
            if min(spare) >= 0:
                mixes.append(Ask(tuple(roles), tuple(exact), spare, size - sum(exact)))
        return list(dict.fromkeys(mixes))

    def _levels(self, group: int) -> set[int]:
        """Levels of the whole required rules and of the slices."""
        own = {self.book.level[t] for t in self.book.sliced[group]}
        return self.placer.required_levels(group) | own

    def _size(self, group: int) -> int:
        """Pods of a slice that is whole under every slice rule."""
        return lcm(*(int(self.book.instance.rules.slice[t]) for t in self.book.sliced[group]))

    def _placed(self, group: int) -> int:
        return sum(self.room.placed[k] for k in self.book.roles(group))

    def _whole(self, group: int) -> bool:
        """Tell whether there are only whole slices now."""
        return not any(self._missing(group, t) for t in self.book.sliced[group])

    def _owns(self, group: int) -> bool:
        """Tell whether every role meets its own minimum."""
        lacks = [int(self.book.needs.role[k]) - self.room.placed[k] for k in self.book.roles(group)]
        return max(lacks, default=0) <= 0
