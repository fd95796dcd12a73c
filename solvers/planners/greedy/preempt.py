"""Preempt: room is made for gangs, trees and single pods that find none, at little harm.

A domain after the other is priced roughly; where the price is low, units are chosen exactly; they
fall, the group is placed, and who still finds room at its old place comes back.
"""

from collections.abc import Callable, Collection, Iterator

import numpy as np

from gangplan.models.arrays import Flags
from gangplan.models.victims import victims_of
from gangplan.solvers.planners.greedy.chooser import choose
from gangplan.solvers.planners.greedy.entry import Entry
from gangplan.solvers.planners.greedy.outlook import Prices, outlook
from gangplan.solvers.planners.greedy.packing import ask_of
from gangplan.solvers.planners.greedy.returns import Standing, bring_back
from gangplan.solvers.planners.greedy.trees import Forest, Homes

LOOKED = 3
"""Domains in which units are chosen, before the cheapest is taken, at least."""

LOOKS = 48
"""So many for all groups that may evict together, if that is more."""

TRIES = 12
"""Domains that are tried where that fails."""


class Preemptor:
    """Makes room in the forest's room.

    Parameters
    ----------
    tight : domains are chosen for what fills them, and not for the price.

    Attributes
    ----------
    weight : (V,) what each unit costs, about.
    """

    def __init__(self, forest: Forest, tight: bool = False) -> None:
        self.forest = forest
        self.book = forest.book
        self.room = forest.room
        self._tight = tight
        self._victims = victims_of(self.book.instance)
        self._prices = Prices(self.book)
        self._looked = max(LOOKS // max(int(self._victims.evicts.sum()), 1), LOOKED)
        self.weight = self.book.falls.weight
        self._hopeless: set[tuple[object, ...]] = set()
        falls = self.book.falls
        self._roots = set(falls.root[falls.can].tolist())
        order = np.lexsort((-falls.weight, -falls.priority))
        self._place: list[int] = np.argsort(order).tolist()

    def admit(self, group: int) -> bool:
        """Admit a gang, where there is room or where others make some."""
        return self.forest.fits(group) or self.gang(group)

    def evicts(self, group: int) -> bool:
        """Tell whether others may make room for a group."""
        return bool(self._victims.evicts[group])

    def allowed(self) -> bool:
        """Tell whether no hard budget is overdrawn."""
        return self.book.costs.allowed(self._down())

    def cost(self) -> tuple[int, ...]:
        """Values of the ``lost`` tiers, in their order."""
        return self.book.costs.of(self._down())

    def gang(self, group: int) -> bool:
        """Admit a gang for which others make room, or nothing."""
        ask = ask_of(self.book, self.room, group, int(self.book.needs.group[group]))
        if ask is None or not ask.total or not self._victims.evicts[group]:
            return False
        root = int(self._victims.root[group])
        key: tuple[object, ...] = (
            int(self._victims.rank[group]),
            root if root in self._roots else -1,
            self.forest.placer.twin(group, ask),
        )
        inside = self.book.instance.groups.parent[group] >= 0
        if not inside and key in self._hopeless:
            return False
        heavy = ask.roles[0]
        single = len(ask.roles) == 1 and not self.book.sliced[group] and self.room.plain(heavy)
        done = self._enter(group, heavy, ask.total, single, lambda: self.forest.fits(group))
        if not done and not inside:
            self._hopeless.add(key)
        return done

    def loose(self, group: int) -> None:
        """Admit as many single pods of a basic or bare group as others make room for."""
        wanted, room = self.book.instance.roles.wanted, self.room
        if not self._victims.evicts[group]:
            return
        for role in sorted(self.book.roles(group), key=lambda k: self.book.heavy_first[k]):
            single = not self.book.sliced[group] and self.room.plain(role)
            need = int(wanted[role]) - room.placed[role]
            while need > 0:
                before = sum(room.placed[k] for k in self.book.roles(group))

                def more(placed: int = before) -> bool:
                    self.forest.more(group)
                    return sum(room.placed[k] for k in self.book.roles(group)) > placed

                if not self._enter(group, role, need, single, more):
                    need //= 2
                need = min(need, int(wanted[role]) - room.placed[role])

    def _enter(
        self, group: int, role: int, need: int, single: bool, attempt: Callable[[], bool]
    ) -> bool:
        """Make room for ``need`` pods in the cheapest of a few cells, and place them."""
        enter = self._count if single else self._probe
        for may in self.mays(group):
            entry, found = self._entry(group, role, need, may, attempt)
            if found and enter(entry, found):
                return True
        return False

    def mays(self, group: int) -> Iterator[Flags]:
        """(V,) units that may fall for a group; then some that no hard budget bars together."""
        may = self.may(group)
        if not may.any():
            return
        yield may
        if self.book.costs.hard:
            for order in (np.argsort(-self.book.falls.size), np.argsort(self.weight)):
                some = self.book.costs.within(self._down(), may, order)
                if some.any() and (some != may).any():
                    yield some

    def _entry(
        self, group: int, role: int, need: int, may: Flags, attempt: Callable[[], bool]
    ) -> tuple[Entry, list[int]]:
        """Price the cells; return those that could hold the pods, the cheapest first."""
        seen = outlook(self.room, self.book.roles(group), may)
        cells = self.book.cells(self.forest.placer.required_levels(group))
        fit = np.sum([cells.sums(most) for most in seen.most.values()], axis=0)
        found = np.flatnonzero(self.forest.placer.agreeing(group, cells) & (fit >= need))
        bill = self._prices.bill(cells, seen, role, need, self.weight)
        order = cells.sums(seen.fullness) if self._tight else bill.cost
        found = found[np.argsort(order[found], kind="stable")]
        entry = Entry(group, role, need, cells, seen.may, bill, attempt)
        return entry, found[: max(TRIES, self._looked)].tolist()

    def may(self, group: int) -> Flags:
        """(V,) units that may fall for a group now."""
        if self.room.evictions is None:
            return np.zeros(0, dtype=np.bool_)
        rank, root = int(self._victims.rank[group]), int(self._victims.root[group])
        if self.room.evictions.loses(self.book.first_role[group]):
            return np.zeros(len(self.book.falls.can), dtype=np.bool_)
        may = self.room.evictions.available(rank, root)
        return may & ~self.book.costs.barred(self._down()) if may.any() else may

    def _down(self, more: Collection[int] = ()) -> Flags:
        """(V,) units that have fallen, and some more."""
        down = self.room.evictions.down if self.room.evictions else np.zeros(0, dtype=np.bool_)
        if more:
            down = down.copy()
            down[list(more)] = True
        return down

    def _fallen(self) -> set[int]:
        return self.room.evictions.fallen if self.room.evictions else set()

    def _count(self, entry: Entry, found: list[int]) -> bool:
        """Choose units in a few cells by counting, and enter the cheapest one."""
        looked = 1 if self._tight else self._looked
        for part in (found[:looked], *([cell] for cell in found[looked:])):
            chosen: list[tuple[tuple[int, ...], int, set[int]]] = []
            for at, cell in enumerate(part):
                units = choose(
                    self.book,
                    self.room,
                    (entry.role, entry.need),
                    (entry.nodes(cell), entry.bill.gain),
                    entry.may,
                    self.weight,
                )
                if units is not None:
                    chosen.append((self.book.costs.of(self._down(units)), at, units))
            for _, at, units in sorted(chosen, key=lambda one: one[:2]):
                if self._go(entry, part[at], units):
                    return True
        return False

    def _probe(self, entry: Entry, found: list[int]) -> bool:
        """Enter a few cells, one after the other, and then the cheapest one again."""
        costs: list[tuple[tuple[int, ...], int, int]] = []
        for cell in found:
            mark = self.room.mark()
            for n, units in enumerate(self._widening(entry, cell)):
                if self._go(entry, cell, units):
                    costs.append((self.cost(), cell, n))
                    break
            self.room.undo(mark)
            if len(costs) == (1 if self._tight else LOOKED):
                break
        if not costs:
            return False
        _, cell, n = min(costs, key=lambda one: one[0])
        return self._go(entry, cell, list(self._widening(entry, cell))[n])

    def _widening(self, entry: Entry, cell: int) -> Iterator[set[int]]:
        """Units on the nodes of a cell with the cheapest slots; on more and more of them."""
        nodes, falls, law = entry.nodes(cell), self.book.falls, self.book.law
        nodes = nodes[entry.bill.gain[nodes] > 0]
        lacks = entry.need - int(self.room.slots(entry.role)[entry.nodes(cell)].sum())
        most = int(np.searchsorted(np.cumsum(entry.bill.gain[nodes]), lacks)) + 1
        fallen = self._fallen()
        while len(nodes):
            near = np.zeros(len(self.room.free), dtype=np.bool_)
            near[nodes[:most]] = True
            hit = near[falls.pair_node] & entry.may[falls.pair_unit]
            yield law.together(fallen, np.unique(falls.pair_unit[hit]), entry.may)
            if most >= len(nodes):
                break
            most *= 2

    def _go(self, entry: Entry, cell: int, units: set[int]) -> bool:
        """Let units fall, place the group in the cell, let those come back that can; or nothing."""
        mark, known = self.room.mark(), self.forest.placer.forget()
        self.room.evict(np.array(sorted(units), dtype=np.int64))
        domain, first = self.book.instance.topology.domain, int(entry.cells.first[cell])
        for t in self.book.required[entry.group]:
            if self.room.chosen[t] < 0:
                self.room.choose(t, int(domain[self.book.level[t], first]))
        if entry.attempt():
            self._bring_back(units)
            if self.allowed():
                return True
        self.room.undo(mark)
        self.forest.placer.remember(known)
        return False

    def _bring_back(self, units: Collection[int]) -> None:
        order = sorted(units, key=self._place.__getitem__)
        fallen = set(self._fallen())
        bring_back(self.book.law, fallen, order, Standing(self.room, fallen))

    def forget(self) -> None:
        """Forget which gangs nobody could make room for: gangs were taken out."""
        self._hopeless.clear()

    def reprieve(self, least: int | None = None) -> None:
        """Let units of at least this priority come back where nobody stands in their place."""
        priority, fallen = self.book.falls.priority, np.flatnonzero(self._down())
        if least is not None:
            fallen = fallen[priority[fallen] >= least]
        if len(fallen):
            self._bring_back(set(fallen.tolist()))
            self.forest.placer.forget()

    def tree(self, composite: int) -> bool:
        """Admit a tree, gang by gang, in the cheapest of a few cells of its rules; or nothing."""
        groups = self.book.instance.groups_of(len(self.book.instance.groups) + composite)
        able = groups[self._victims.evicts[groups]]
        if self.room.evictions is None or not len(able):
            return False
        self.forest.last_resort = self.gang
        seen = outlook(self.room, range(0), self.may(int(able[0])))
        homes = self.forest.homes(composite, seen.fullness, seen.fullness)
        self.forest.last_resort = None
        costs: list[tuple[tuple[int, ...], int]] = []
        for cell in homes.found[:TRIES] if homes else ():
            mark = self.room.mark()
            if homes and self._inside(composite, homes, cell):
                costs.append((self.cost(), cell))
            self.room.undo(mark)
            if len(costs) == LOOKED:
                break
        return homes is not None and bool(costs) and self._inside(composite, homes, min(costs)[1])

    def _inside(self, composite: int, homes: Homes, cell: int) -> bool:
        mark, known = self.room.mark(), self.forest.placer.forget()
        self.forest.last_resort = self.gang
        fallen = set(self._fallen())
        entered = self.forest.enter(composite, homes, cell)
        self.forest.last_resort = None
        if entered:
            self._bring_back(set(self._fallen()) - fallen)
            return True
        self.room.undo(mark)
        self.forest.placer.remember(known)
        return False
