"""Clearance: room for many gangs of one rank at once, who each have a cell.

All units that may fall do, then come back, the most costly for what they block first, as long as
every cell still has the slots that its gangs need (``chooser.py`` does so for one gang).
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Floats, Ints
from gangplan.models.tiers import Tier, worth_of
from gangplan.solvers.planners.greedy.book import Book
from gangplan.solvers.planners.greedy.cells import Cells
from gangplan.solvers.planners.greedy.orders import Unit
from gangplan.solvers.planners.greedy.outlook import Outlook, outlook
from gangplan.solvers.planners.greedy.preempt import Preemptor
from gangplan.solvers.planners.greedy.returns import bring_back
from gangplan.solvers.planners.greedy.room import Room
from gangplan.solvers.planners.greedy.roster import Contest, Slots, settled

SHAPES = 12
"""Shapes of pods, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class _Party:
    """Gangs whose required levels cut the same cells; ``roles``, one of each shape, heavy first."""

    units: list[Unit]
    cells: Cells
    roles: list[int]
    loads: list[Slots]


class Clearance:
    """Admits gangs together.

    Parameters
    ----------
    tiers : the objective. ``number``: of the attempt.
    """

    def __init__(self, preemptor: Preemptor, tiers: tuple[Tier, ...], number: int) -> None:
        self._number = number
        self._preemptor = preemptor
        self.book, self.room = preemptor.book, preemptor.room
        worths = [
            worth_of(self.book.instance, tier, self.book.needs).group
            for tier in tiers
            if tier.kind == "admitted"
        ]
        self._worth = np.array(worths, dtype=np.int64).reshape(-1, len(self.book.instance.groups))
        self.forest = preemptor.forest

    def admit(self, units: Iterable[Unit]) -> None:
        """Admit gangs of one rank; whoever finds no room here may try alone."""
        party = self._party([u for u in units if self._simple(u)])
        if party is None:
            return
        first = party.units[0]
        if any(self._clear(party, may) for may in self._preemptor.mays(first.number)):
            self.forest.placer.forget()
            self._preemptor.reprieve(first.rank)

    def _clear(self, party: _Party, may: Flags) -> bool:
        """Make room for a party where these may fall, and place it; or nothing."""
        seen = outlook(self.room, party.roles, may)
        homes = settled(self._contest(party, seen), self._number)
        mark, known = self.room.mark(), self.forest.placer.forget()
        fallen = self._chosen(party, homes, seen)
        self.room.evict(np.array(sorted(fallen), dtype=np.int64))
        if self._place(party, homes) and self._preemptor.allowed():
            return True
        self.room.undo(mark)
        self.forest.placer.remember(known)
        return False

    def _simple(self, unit: Unit) -> bool:
        """Tell whether counting slots of one role says where a gang fits."""
        if unit.kind != "gang" or not self._preemptor.evicts(unit.number):
            return False
        roles, g = self.book.roles(unit.number), unit.number
        plain = len(roles) == 1 and self.room.plain(roles[0]) and not self.book.sliced[g]
        return plain and int(self.book.needs.group[g]) > 0 and not self.forest.placed(g)

    def _party(self, units: list[Unit]) -> _Party | None:
        """Take the most gangs that the same levels bind; None where that is no crowd."""
        by_levels: dict[tuple[int, ...], list[Unit]] = {}
        for unit in units:
            levels = tuple(sorted(self.forest.placer.required_levels(unit.number)))
            by_levels.setdefault(levels, []).append(unit)
        if not by_levels:
            return None
        levels, mine = max(by_levels.items(), key=lambda pair: len(pair[1]))
        shapes: dict[int, int] = {}
        for unit in mine:
            role = self.book.roles(unit.number)[0]
            shapes.setdefault(int(self.book.shapes.of_role[role]), role)
        roles = sorted(shapes.values(), key=lambda k: self.book.heavy_first[k])
        cells = self.book.cells(set(levels))
        if len(mine) < 2 or len(roles) > SHAPES or not len(cells):
            return None
        at = {int(self.book.shapes.of_role[k]): j for j, k in enumerate(roles)}
        eats = self._eats(roles)
        loads = []
        for unit in mine:
            j = at[int(self.book.shapes.of_role[self.book.roles(unit.number)[0]])]
            need = int(self.book.needs.group[unit.number])
            loads.append(tuple(need * e if i >= j else 0 for i, e in enumerate(eats[j])))
        return _Party(mine, cells, roles, loads)

    def _eats(self, roles: list[int]) -> list[list[int]]:
        """Slots of each role that a pod of each role takes."""
        request = self.book.instance.roles.request[roles]
        parts = request[:, None, :] / np.maximum(request[None, :, :], 1)
        parts = np.where(request[None, :, :] > 0, parts, 0.0)
        eats: list[list[int]] = np.maximum(np.ceil(parts.max(axis=2)), 1).astype(int).tolist()
        return eats

    def _contest(self, party: _Party, seen: Outlook) -> Contest:
        columns = [party.cells.sums(seen.most[k]).tolist() for k in party.roles]
        most = list(zip(*columns, strict=True))
        last, falls = party.roles[-1], self.book.falls
        steps = []
        for q in sorted(set(falls.priority[seen.may].tolist()), reverse=True):
            lower = seen.may & (falls.priority < q)
            slots = outlook(self.room, [last], lower).most[last]
            steps.append(party.cells.sums(slots).tolist())
        worth = self._worth[:, [u.number for u in party.units]]
        worth = worth[worth.any(axis=1)] if worth.any() else np.ones_like(worth[:1])
        pays = list(map(tuple, worth.T.tolist()))
        return Contest(pays, party.loads, most, list(zip(*steps, strict=True)))

    def _chosen(self, party: _Party, homes: list[int], seen: Outlook) -> set[int]:
        """Units that fall for gangs in their homes."""
        book = self.book
        before = self.room.fallen
        extra = book.law.together(before, np.flatnonzero(seen.may), seen.may)
        units = np.array(sorted(extra), dtype=np.int64)
        counted = _Counted(book, self.room, party, homes, units)
        weight = self._preemptor.weight
        down = np.zeros(len(seen.may), dtype=np.bool_)
        fallen = set(before) | extra
        down[list(fallen)] = True
        over = book.costs.overdrawn(down)[units]
        ratio = weight[units] / np.maximum(self._blocked(party)[units], 1e-9)
        order = units[np.lexsort((-ratio, ~over, -book.falls.priority[units]))]
        bring_back(book.law, fallen, order.tolist(), counted)
        return fallen & extra

    def _blocked(self, party: _Party) -> Floats:
        """(V,) slots of the lightest shape that each unit blocks, about."""
        falls, last = self.book.falls, party.roles[-1]
        request = self.book.instance.roles.request[last]
        asked = np.flatnonzero(request)
        parts = (falls.pair_room[:, asked] / request[asked]).max(axis=1, initial=1e-9)
        blocked: Floats = np.zeros(len(falls.can))
        np.add.at(blocked, falls.pair_unit, parts)
        return blocked

    def _place(self, party: _Party, homes: list[int]) -> bool:
        """Place gangs in their homes, pods of the heavy shapes first; tell if any has room."""
        order = sorted(range(len(homes)), key=lambda i: (tuple(-a for a in party.loads[i]), i))
        order.sort(key=lambda i: sum(a == 0 for a in party.loads[i]))
        domain, done = self.book.instance.topology.domain, False
        for i in order:
            if homes[i] < 0:
                continue
            group, mark = party.units[i].number, self.room.mark()
            first = int(party.cells.first[homes[i]])
            for t in self.book.required[group]:
                if self.room.chosen[t] < 0:
                    self.room.choose(t, int(domain[self.book.level[t], first]))
            if self.forest.fits(group):
                done = True
            else:
                self.room.undo(mark)
        return done


class _Counted:
    """Slots that cells have beside their gangs, while units come back."""

    def __init__(
        self, book: Book, room: Room, party: _Party, homes: list[int], units: Ints
    ) -> None:
        falls, roles, cells = book.falls, book.instance.roles, party.cells
        cell = np.full(len(room.free), -1, dtype=np.int64)
        cell[cells.order] = np.repeat(np.arange(len(cells)), np.diff(cells.start))
        node_class = book.instance.nodes.node_class
        self._able = [roles.eligible[k][node_class].tolist() for k in party.roles]
        asked = np.flatnonzero(roles.request[party.roles].any(axis=0))
        self._each = [
            [(r, int(e)) for r, e in enumerate(roles.request[k, asked].tolist()) if e]
            for k in party.roles
        ]
        free = room.free[:, asked].copy()
        pairs = falls.pairs(units)
        at, amount = falls.pair_node[pairs], falls.pair_room[pairs][:, asked]
        np.add.at(free, at, amount)
        self._free: list[list[int]] = free.tolist()
        self._rooms: dict[int, list[tuple[int, list[int]]]] = {}
        owner = falls.pair_unit[pairs].tolist()
        for v, n, room_of in zip(owner, at.tolist(), amount.tolist(), strict=True):
            self._rooms.setdefault(v, []).append((n, room_of))
        self._cells: list[int] = cell.tolist()
        self._slots = [self._count(n, mine) for n, mine in enumerate(self._free)]
        spare = np.stack([cells.sums(column) for column in np.array(self._slots).T], axis=1)
        for load, c in zip(party.loads, homes, strict=True):
            if c >= 0:
                spare[c] -= np.array(load)
        self._spare: list[list[int]] = spare.tolist()

    def _count(self, node: int, free: list[int]) -> list[int]:
        return [
            max(min(free[r] // e for r, e in each), 0) if able[node] and each else 0
            for each, able in zip(self._each, self._able, strict=True)
        ]

    def take(self, unit: int) -> bool:
        """Let a unit come back if all cells have enough slots then."""
        if self._move(unit, -1):
            return True
        self._move(unit, 1)
        return False

    def drop(self, unit: int) -> None:
        """Let it fall again."""
        self._move(unit, 1)

    def _move(self, unit: int, sign: int) -> bool:
        fine = True
        for n, room in self._rooms.get(unit, ()):
            free = self._free[n] = [f + sign * r for f, r in zip(self._free[n], room, strict=True)]
            c = self._cells[n]
            if c >= 0:
                slots, spare = self._count(n, free), self._spare[c]
                for j, (now, then) in enumerate(zip(self._slots[n], slots, strict=True)):
                    spare[j] += then - now
                    fine &= spare[j] >= 0 or then >= now
                self._slots[n] = slots
        return fine
