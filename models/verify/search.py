"""Search for the smallest part of a scope that could come back, within a budget of steps."""

from dataclasses import dataclass

from gangplan.models.arrays import Flags
from gangplan.models.verify.budget import Budget, Spent
from gangplan.models.verify.packing import pack, uses
from gangplan.models.verify.parts import Parts
from gangplan.models.verify.picking import ANY, Gang, Kind
from gangplan.models.verify.slack import Item, Slack

STEPS = 100_000
"""Of the search for one part; where they do not suffice, no part is said to come back."""

Some = tuple[tuple[int, ...], int]
"""Owners, and how many of them come back."""

Tasks = tuple["int | Some", "Tasks | None"]
"""Owners that are still to come back, one after the other."""


@dataclass(frozen=True, slots=True, eq=False)
class Leaves:
    """What comes back: units as a whole, gangs in part, and what they all use (kind, number)."""

    whole: tuple[Item, ...] = ()
    gangs: tuple[Gang, ...] = ()
    uses: frozenset[tuple[str, int]] = frozenset()

    def and_(self, other: "Leaves") -> "Leaves":
        """Return both together."""
        return Leaves(self.whole + other.whole, self.gangs + other.gangs, self.uses | other.uses)


class Search:
    """Search among fallen units.

    Parameters
    ----------
    slack : the room that they find.
    alone : (V,) units that have room alone, whether or not they may come back alone.
    """

    def __init__(self, parts: Parts, slack: Slack, alone: Flags) -> None:
        self.parts, self.slack, self.alone = parts, slack, alone
        self.leaves: dict[int, Leaves | None] = {}

    def part(self, scope: int) -> tuple[int, ...]:
        """Return the units that come back, sorted; empty where no part of the scope does."""
        try:
            units = self._part(scope, Budget(STEPS))
        except Spent:
            return ()
        return tuple(sorted(units)) if units and self.parts.lawful(units) else ()

    def _part(self, scope: int, budget: Budget) -> list[int] | None:
        todo: list[tuple[Tasks | None, Leaves]] = [((scope, None), Leaves())]
        while todo:
            budget.take()
            tasks, leaves = todo.pop()
            if tasks is None:
                units = pack(self.slack, leaves.whole, leaves.gangs, budget)
                if units is not None:
                    return units
                continue
            task, rest = tasks
            if isinstance(task, tuple):
                todo += [(way, leaves) for way in _ways(task, rest)]
            elif task >= self.parts.n and len(self.parts.below[task]) > 1:
                todo.append(((self._children(task), rest), leaves))
            else:
                more = self._beside(leaves, task, budget)
                if more is not None:
                    todo.append((rest, more))
        return None

    def _children(self, composite: int) -> Some:
        """Return the children of a composite taken whole, and how many come back with it."""
        down = [c for c in self.parts.children[composite] if self.parts.below.get(c)]
        standing = [c for c in down if self.parts.stands[c]]
        if not standing:
            return tuple(down), 1
        # Those of few units first: the fewest pods, where there is a choice.
        standing.sort(key=lambda c: (len(self.parts.below[c]), c))
        return tuple(standing), self.parts.fewest(composite)

    def _beside(self, leaves: Leaves, owner: int, budget: Budget) -> Leaves | None:
        """Add a group, or an owner that is one unit; None where it has no room beside the rest."""
        if owner not in self.leaves:
            leaf = self._leaf(owner)
            if leaf and pack(self.slack, leaf.whole, leaf.gangs, budget) is None:
                leaf = None
            self.leaves[owner] = leaf
        mine = self.leaves[owner]
        if mine is None:
            return None
        both = leaves.and_(mine)
        if mine.uses & leaves.uses and pack(self.slack, both.whole, both.gangs, budget) is None:
            return None
        return both

    def _leaf(self, owner: int) -> Leaves | None:
        units = sorted(self.parts.below[owner])
        items = [self.slack.item(v) for v in units if self.alone[v]]
        used = frozenset(key for item in items for key in uses(self.slack, item))
        if len(units) == 1:
            return Leaves(whole=tuple(items), uses=used) if items else None
        kinds: dict[Kind, list[Item]] = {}
        for item in items:
            pods = [u for u in self.parts.pods([item.unit]) if self.parts.group[u] == owner]
            floors = (f for u in pods for f in self.parts.floors.get(u, ()))
            cells = (cell for u in pods for cell in self.parts.cells.get(u, ()))
            kinds.setdefault(Kind(owner, (*floors, ANY), tuple(cells)), []).append(item)
        lacking = {f: n for f, n in self.parts.lacking(owner).items() if n} or {ANY: 1}
        sizes = {cell: self.parts.slice[cell[0]] for cell in sorted(self.parts.cells_of[owner])}
        sliced = {cell: (k, self.parts.lost_cell[cell] % k) for cell, k in sizes.items()}
        return Leaves(gangs=(Gang(kinds, lacking, sliced),), uses=used)


def _ways(some: Some, rest: Tasks | None) -> list[Tasks | None]:
    """Leave the first owner out, or (tried first) let it come back."""
    owners, need = some
    if need == 0:
        return [rest]
    if len(owners) < need:
        return []
    return [((owners[1:], need), rest), (owners[0], ((owners[1:], need - 1), rest))]
