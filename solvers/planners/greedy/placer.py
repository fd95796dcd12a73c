"""Placer: one group, all its rules. Whatever it leaves in the room keeps every rule.

Required levels are settled by trying cells, the tightest first; preferred levels by asking for one
domain of all of them, then of all but the narrowest, and so on; at last domains are filled one
after the other, so that few are used.
"""

from collections.abc import Callable

import numpy as np

from gangplan.models.arrays import Flags, Floats, Ints
from gangplan.solvers.planners.greedy.book import Book
from gangplan.solvers.planners.greedy.cells import Cells
from gangplan.solvers.planners.greedy.packing import Ask, Filling, ask_of, fill, pack, pack_hard
from gangplan.solvers.planners.greedy.room import Room
from gangplan.solvers.planners.greedy.style import Style

TRIES = 48
"""Cells tried for one ask before it is given up."""

HARD_TRIES = 6
"""Cells tried with other role orders."""


class Placer:
    """Places gangs and single pods into a room in one style."""

    def __init__(self, book: Book, room: Room, style: Style) -> None:
        self.book = book
        self.room = room
        self.style = style
        self._hopeless: set[tuple[object, ...]] = set()

    def minimum(self, group: int) -> bool:
        """Place the pods that an admitted gang still needs, or nothing."""
        ask = ask_of(self.book, self.room, group, int(self.book.needs.group[group]))
        if ask is None or not ask.total or self.book.blocked[group]:
            return False
        return self.once(group, ask, lambda: self.place(group, ask))

    def once(self, group: int, ask: Ask, attempt: Callable[[], bool]) -> bool:
        """Make an attempt, unless it has failed for a twin of the group already.

        Room only shrinks between root units: what did not fit once will not fit later. Below a
        composite it may grow again, when the tree is taken back.
        """
        if self.book.instance.groups.parent[group] >= 0:
            return attempt()
        key = self.twin(group, ask)
        if key in self._hopeless:
            return False
        if attempt():
            return True
        self._hopeless.add(key)
        return False

    def forget(self) -> set[tuple[object, ...]]:
        """Forget what failed: room has grown. Return it, should it shrink back."""
        known, self._hopeless = self._hopeless, set()
        return known

    def remember(self, known: set[tuple[object, ...]]) -> None:
        """Take back that room has grown."""
        self._hopeless = known

    def twin(self, group: int, ask: Ask) -> tuple[object, ...]:
        """Equal for groups whose required rules and pods are alike."""
        rule = self.book.instance.rules
        begun = [
            (self.book.level[t], int(rule.slice[t]), tuple(rule.members(t).items()))
            for t in self.book.sliced[group]
        ]
        shapes = tuple(int(self.book.shapes.of_role[k]) for k in ask.roles)
        rules = {(self.book.level[t], self.room.chosen[t]) for t in self.book.required[group]}
        bound = self.room.terms.signature[group]
        key = shapes, ask.own, ask.spare, ask.rest, frozenset(rules), frozenset(begun), bound
        return (*key, self.room.dealt.sited(ask.roles)) if self.room.dealt else key

    def place(self, group: int, ask: Ask) -> bool:
        """Place an ask under the group's whole required rules and preferred rules, or nothing."""
        required = self.required_levels(group)
        tried: set[tuple[int, ...]] = set()
        for levels in self._wishes(group):
            cells = self.book.cells(required | levels)
            if cells.levels in tried:
                continue
            tried.add(cells.levels)
            if self._into_one(group, ask, cells, spread=not levels):
                return True
        return False

    def required_levels(self, group: int) -> set[int]:
        """Levels of the group's whole required rules, settled ones included."""
        return {self.book.level[t] for t in self.book.required[group]}

    def _wishes(self, group: int) -> list[set[int]]:
        """List sets of preferred levels to ask one domain of; at last the empty set."""
        if not self.style.near or not self.book.preferred[group]:
            return [set()]
        wanted = {self.book.level[t] for t in self.book.preferred[group]}
        narrow_last = sorted(wanted, key=lambda level: self.book.domains_at[level])
        return [set(narrow_last[:n]) for n in range(len(narrow_last), -1, -1)]

    def _into_one(self, group: int, ask: Ask, cells: Cells, spread: bool) -> bool:
        found = self.candidates(group, ask, cells)
        if not len(found):
            return False
        near = self.nearness(group, ask.roles[0]) if spread else ()
        filling = Filling(self.style, near)
        for cell in found[:TRIES].tolist():
            if pack(self.room, ask, cells.nodes(cell), filling):
                self.settle(group, int(cells.first[cell]))
                return True
        if len(ask.roles) > 1:
            for cell in found[:HARD_TRIES].tolist():
                if pack_hard(self.room, ask, cells.nodes(cell), filling):
                    self.settle(group, int(cells.first[cell]))
                    return True
        return False

    def candidates(self, group: int, ask: Ask, cells: Cells) -> Ints:
        """Cells that may hold the ask, role by role, the best first."""
        possible = self.agreeing(group, cells)
        if not possible.any():
            return np.flatnonzero(possible)
        rest = np.zeros(len(cells), dtype=np.int64)
        for k, own, spare in zip(ask.roles, ask.own, ask.spare, strict=True):
            if own or spare:
                fit = cells.sums(self.room.slots(k))
                possible &= fit >= own
                if ask.rest:
                    rest += np.clip(fit - own, 0, spare)
        possible &= rest >= ask.rest
        found = np.flatnonzero(possible)
        if len(found) < 2:
            return found
        return found[
            np.lexsort((self._tightness(ask, cells, found), self._apart(group, cells, found)))
        ]

    def agreeing(self, group: int, cells: Cells) -> Flags:
        """(n,) cells that lie in the domains settled so far."""
        fine = np.ones(len(cells), dtype=np.bool_)
        for t in self.book.required[group]:
            if self.room.chosen[t] >= 0:
                domain = self.book.instance.topology.domain[self.book.level[t]]
                fine &= domain[cells.first] == self.room.chosen[t]
        return fine

    def _tightness(self, ask: Ask, cells: Cells, found: Ints) -> Floats:
        free: Floats = cells.sums(self.room.fullness)[found]
        if self.style.domain == "snug":
            fit = cells.sums(self.room.slots(ask.roles[0]))[found]
            free = fit + free / (1.0 + float(free.max(initial=0.0)))
        if self.style.domain == "ample":
            wanted = self.book.instance.roles.wanted
            left = {k: int(wanted[k]) - self.room.placed[k] for k in ask.roles}
            fit = sum(np.minimum(cells.sums(self.room.slots(k)), n) for k, n in left.items())
            free = free + (float(free.max(initial=0.0)) + 1.0) * (sum(left.values()) - fit)[found]
        return free

    def _apart(self, group: int, cells: Cells, found: Ints) -> Ints:
        """How many preferred rules a cell would open another domain for."""
        apart = np.zeros(len(found), dtype=np.int64)
        if not self.style.near:
            return apart
        for t in self.book.preferred[group]:
            used = self.used(t)
            if used and self.book.level[t] in cells.levels:
                domain = self.book.instance.topology.domain[self.book.level[t]]
                apart += ~np.isin(domain[cells.first[found]], sorted(used))
        return apart

    def used(self, rule: int) -> set[int]:
        """Domains that the rule's owner has pods in: running members and new pods."""
        instance = self.book.instance
        used = set(instance.rules.members(rule))
        domain = instance.topology.domain[self.book.level[rule]]
        for g in instance.groups_of(int(instance.rules.owner[rule])).tolist():
            used |= self.room.pods_by_domain(g, domain).keys()
        return used

    def nearness(self, group: int, role: int) -> tuple[Ints, ...]:
        """Node ranks that make a group fill few domains: used ones first, then the roomiest."""
        if not self.style.near or not self.book.preferred[group]:
            return ()
        topology = self.book.instance.topology
        slots, ranks = self.room.slots(role), []
        for t in self.book.preferred[group]:
            domain = topology.domain[self.book.level[t]]
            room = np.bincount(domain + 1, weights=slots, minlength=topology.n_domains + 1)
            room[[d + 1 for d in self.used(t)]] = np.inf
            room[0] = -1.0
            rank = np.empty(len(room), dtype=np.int64)
            rank[np.argsort(-room, kind="stable")] = np.arange(len(room))
            ranks.append((self.book.domains_at[self.book.level[t]], rank[domain + 1]))
        return tuple(rank for _, rank in sorted(ranks, key=lambda pair: pair[0]))

    def settle(self, group: int, node: int) -> None:
        """Choose the node's domains for the group's open required rules."""
        for t in self.book.required[group]:
            if self.room.chosen[t] < 0:
                domain = self.book.instance.topology.domain[self.book.level[t], node]
                self.room.choose(t, int(domain))

    def more(self, group: int) -> int:
        """Place as many of the group's remaining pods as fit; return how many."""
        roles = sorted(self.book.roles(group), key=lambda k: self.book.size[k])
        wanted = self.book.instance.roles.wanted
        left = {k: int(wanted[k]) - self.room.placed[k] for k in roles}
        if self.book.blocked[group] or not sum(left.values()):
            return 0
        cells = self.book.cells(self.required_levels(group))
        fit = sum(np.minimum(cells.sums(self.room.slots(k)), n) for k, n in left.items())
        gain = np.where(self.agreeing(group, cells), fit, 0)
        if not gain.any():
            return 0
        found = np.flatnonzero(gain == gain.max())
        tight = cells.sums(self.room.fullness)[found]
        cell = int(found[np.lexsort((tight, self._apart(group, cells, found)))[0]])
        near = self.nearness(group, roles[0])
        placed = sum(
            fill(self.room, k, n, cells.nodes(cell), Filling(self.style, near))
            for k, n in left.items()
        )
        if placed:
            self.settle(group, int(cells.first[cell]))
        return placed
