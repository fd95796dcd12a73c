"""Configurations of a place: multisets of sizes that it holds, and to which nothing can be added.

What a place holds is closed under taking groups away, so the maximal ones are enough: a place of a
size that nobody takes stays empty.
"""

from dataclasses import dataclass, field

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.configurations.sizes import Sizes
from gangplan.models.errors import FormulationError

MOST = 100_000
"""Configurations of all classes of places together."""

STEPS = 200_000
"""Multisets looked at while they are listed, over all classes; some seconds."""

LOOKED = 1_000
"""Rows and sizes that one step looks at."""


BLOCK = 4_000_000
"""Numbers that are compared at once."""


@dataclass(slots=True)
class Budget:
    """What is left of MOST and STEPS."""

    configurations: int = field(default_factory=lambda: MOST)
    steps: int = field(default_factory=lambda: STEPS)

    def spend(self, configurations: int, steps: int) -> None:
        """Count what was found and looked at.

        Raises
        ------
        FormulationError : nothing is left.
        """
        self.configurations -= configurations
        self.steps -= steps
        if self.configurations < 0 or self.steps < 0:
            raise FormulationError(
                f"more configurations than can be listed (limits {MOST:,} and {STEPS:,} steps)"
            )


def maximal(holds: Ints, sizes: Sizes, mine: Ints, budget: Budget) -> Ints:
    """(Q, Z) maximal multisets of the sizes ``mine`` within one of the rows ``holds`` (W, S).

    No size is taken more often than there are groups for it. The empty one is left out.

    Raises
    ------
    FormulationError : more than MOST, or STEPS to find them.
    """
    fits = [z for z in mine.tolist() if (holds >= sizes.takes[z]).all(axis=1).any()]
    if not fits:
        return np.zeros((0, len(sizes)), dtype=np.int64)
    everything = np.zeros((1, len(sizes)), dtype=np.int64)
    everything[0, fits] = sizes.most[fits]
    if (holds >= everything[0] @ sizes.takes).all(axis=1).any():
        return everything
    search = _Search.of(holds, sizes, fits, budget)
    search.run()
    table = np.zeros((len(search.found), len(sizes)), dtype=np.int64)
    for row, found in zip(table, search.found, strict=True):
        for i, times in found.items():
            row[search.order[i]] = times
    return table


Taken = dict[int, int]
"""Place in the order of sizes -> how often; sizes that are not taken have none."""


@dataclass(slots=True)
class _Search:
    """A search in depth: size after size, the largest first, as often as it fits or less.

    Attributes
    ----------
    order : sizes that fit at all.
    takes : (I, S) pods that each of them takes, in that order. most : how often it may be taken.
    larger : places in the order of what each can grow to, and the pods (S,) that this takes.
    start : (W, S) what may be filled.
    """

    order: list[int]
    takes: Ints
    most: Ints
    larger: list[list[tuple[int, Ints]]]
    start: Ints
    budget: Budget
    found: list[Taken] = field(default_factory=list)

    @classmethod
    def of(cls, holds: Ints, sizes: Sizes, fits: list[int], budget: Budget) -> "_Search":
        """Lay the search out."""
        shapes = np.flatnonzero(sizes.takes[fits].any(axis=0))
        part = sizes.takes / np.maximum(holds.max(axis=0), 1)
        # The largest first: few of them fit, so the search stays narrow.
        order = sorted(fits, key=lambda z: (-float(part[z].max()), z))
        at = {z: i for i, z in enumerate(order)}
        larger = [
            [
                (at[to], (sizes.takes[to] - sizes.takes[z])[shapes])
                for to, _ in sizes.larger[z]
                if to in at
            ]
            for z in order
        ]
        takes = sizes.takes[order][:, shapes]
        return cls(order, takes, sizes.most[order], larger, holds[:, shapes], budget)

    def run(self) -> None:
        """Look at all multisets that fit; a stack of our own, since they can be long."""
        used = [np.flatnonzero(takes) for takes in self.takes]
        stack: list[tuple[int, Ints, Taken]] = [(0, self.start, {})]
        while stack:
            first, rows, taken = stack.pop()
            self.budget.spend(0, 1 + len(rows) * len(self.order) // LOOKED)
            room = self._room(rows)
            if self._is_maximal(rows, taken, room):
                self.budget.spend(1, 0)
                self.found.append(taken)
            for i in np.flatnonzero(room[first:]).tolist():
                i += first
                takes, mine = self.takes[i], used[i]
                fits = int((rows[:, mine] // takes[mine]).min(axis=1).max())
                most = min(int(self.most[i]), fits)
                self.budget.spend(0, most * (1 + len(rows) // LOOKED))
                # The last as often as it fits: with less it could be added.
                least = most if i == len(self.order) - 1 else 1
                for times in range(max(least, 1), most + 1):
                    left = rows - times * takes
                    stack.append((i + 1, left[(left >= 0).all(axis=1)], taken | {i: times}))

    def _room(self, rows: Ints) -> Flags:
        """(I,) sizes that there is room for."""
        at_once = max(1, BLOCK // max(rows.size, 1))
        room = np.zeros(len(self.order), dtype=np.bool_)
        for i in range(0, len(room), at_once):
            fits = rows[:, None, :] >= self.takes[None, i : i + at_once, :]
            room[i : i + at_once] = fits.all(axis=2).any(axis=0)
        return room

    def _is_maximal(self, rows: Ints, taken: Taken, room: Flags) -> bool:
        """Tell whether nothing can be added, and nothing that is taken can grow."""
        for i in np.flatnonzero(room).tolist():
            if taken.get(i, 0) < self.most[i]:
                return False
        return not any(
            taken.get(to, 0) < self.most[to] and bool((rows >= more).all(axis=1).any())
            for i in taken
            for to, more in self.larger[i]
        )
