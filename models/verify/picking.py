"""The fewest members of a gang that keep its floors and slices, out of those that have room."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from gangplan.models.verify.budget import Budget
from gangplan.models.verify.parts import Cell
from gangplan.models.verify.slack import Item

ANY = -1
"""The floor of all members, of which one comes back at least."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Members that count alike: those of one gang, in the same floors and cells."""

    gang: int
    floors: tuple[int, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Gang:
    """A gang, some members of which come back.

    Attributes
    ----------
    kinds : members that could come back alone.
    floors : floor -> members that it lacks, one at least.
    cells : cell -> (slice size, remainder): returning members of the cell leave this remainder.
    """

    kinds: dict[Kind, list[Item]]
    floors: dict[int, int]
    cells: dict[Cell, tuple[int, int]]


def pick(gang: Gang, there: Mapping[Kind, Sequence[Item]], budget: Budget) -> list[int] | None:
    """Return units of a gang that come back, as few as may be; None where there is no way.

    Parameters
    ----------
    there : members that have room, all at once.
    """
    counts = _counts(gang, there, budget) if gang.cells else _nested(gang, there)
    if counts is None:
        return None
    return [item.unit for kind, n in counts.items() for item in there[kind][:n]]


def _nested(gang: Gang, there: Mapping[Kind, Sequence[Item]]) -> dict[Kind, int] | None:
    """Serve the smaller floors first: a role's floor lies within the group's."""
    within = Counter(f for kind, mine in gang.kinds.items() for f in kind.floors for _ in mine)
    counts = dict.fromkeys(there, 0)
    for f in sorted(gang.floors, key=lambda f: (within[f], f)):
        lacking = gang.floors[f] - sum(n * kind.floors.count(f) for kind, n in counts.items())
        for kind, mine in there.items():
            each = kind.floors.count(f)
            if each and lacking > 0:
                more = min(len(mine) - counts[kind], -(-lacking // each))
                counts[kind] += more
                lacking -= more * each
        if lacking > 0:
            return None
    return counts


State = tuple[tuple[int, ...], tuple[int, ...]]
"""Members of each floor, up to what it lacks, and the remainder of each cell."""


def _counts(
    gang: Gang, there: Mapping[Kind, Sequence[Item]], budget: Budget
) -> dict[Kind, int] | None:
    """Go through the kinds; of equal states keep the one with the fewest members."""
    kinds = sorted(there, key=lambda kind: (kind.cells, kind.floors))
    users = Counter(cell for kind in kinds for cell in set(kind.cells))
    last = {cell: i for i, kind in enumerate(kinds) for cell in kind.cells}
    if any(rest and cell not in last for cell, (_, rest) in gang.cells.items()):
        return None
    floors, cells = list(gang.floors), list(last)
    states: dict[State, tuple[int, ...]] = {((0,) * len(floors), (0,) * len(cells)): ()}
    for i, kind in enumerate(kinds):
        merged: dict[State, tuple[int, ...]] = {}
        closed = [(c, gang.cells[cell][1]) for c, cell in enumerate(cells) if last[cell] == i]
        for ((have, rests), before), n in product(
            states.items(), _numbers(gang, kind, len(there[kind]), users)
        ):
            budget.take()
            more = tuple(
                min(a + n * kind.floors.count(f), gang.floors[f])
                for a, f in zip(have, floors, strict=True)
            )
            left = tuple(
                (a + n * kind.cells.count(cell)) % gang.cells[cell][0]
                for a, cell in zip(rests, cells, strict=True)
            )
            if any(left[c] != rest for c, rest in closed):
                continue
            # Closed cells tell states apart no longer: their remainder is what it has to be.
            known = merged.get((more, left))
            if known is None or sum(known) > sum(before) + n:
                merged[more, left] = (*before, n)
        states = merged
    full = tuple(gang.floors[f] for f in floors)
    ways = [counts for (have, _), counts in states.items() if have == full]
    best = min(ways, key=sum, default=None)
    return None if best is None else dict(zip(kinds, best, strict=True))


def _numbers(gang: Gang, kind: Kind, most: int, users: Counter[Cell]) -> range:
    """How many of a kind may come back: whole slices, where no other kind is in its only cell."""
    if len(kind.cells) == 1 and users[kind.cells[0]] == 1:
        size, rest = gang.cells[kind.cells[0]]
        return range(rest, most + 1, size)
    return range(most + 1)
