"""Configurations of a place: multisets of sizes that it holds, and to which nothing can be added.

What a place holds is closed under taking groups away, so the maximal ones are enough: a place of a
size that nobody takes stays empty.
"""

from dataclasses import dataclass, field

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.configurations.sizes import Sizes
from gangplan.models.errors import FormulationError

MOST = 100_000
"""Configurations of all classes of places together."""

STEPS = 500_000
"""Multisets looked at while they are listed, over all classes; some seconds."""

Rows = list[tuple[int, ...]]


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
    order : sizes that fit at all. takes, most : of each of them, in that order.
    larger : places in the order of what each can grow to, and the pods that this takes.
    start : the rows that may be filled.
    """

    order: list[int]
    takes: list[tuple[int, ...]]
    most: list[int]
    larger: list[list[tuple[int, tuple[int, ...]]]]
    start: Rows
    budget: Budget
    found: list[Taken] = field(default_factory=list)

    @classmethod
    def of(cls, holds: Ints, sizes: Sizes, fits: list[int], budget: Budget) -> "_Search":
        """Lay the search out."""
        shapes = np.flatnonzero(sizes.takes[fits].any(axis=0)).tolist()
        part = sizes.takes / np.maximum(holds.max(axis=0), 1)
        # The largest first: few of them fit, so the search stays narrow.
        order = sorted(fits, key=lambda z: (-float(part[z].max()), z))
        at = {z: i for i, z in enumerate(order)}
        takes = [tuple(sizes.takes[z, shapes].tolist()) for z in order]
        larger = [
            [
                (at[to], tuple((sizes.takes[to, shapes] - sizes.takes[z, shapes]).tolist()))
                for to, _ in sizes.larger[z]
                if to in at
            ]
            for z in order
        ]
        most = [int(sizes.most[z]) for z in order]
        start = [tuple(row) for row in holds[:, shapes].tolist()]
        return cls(order, takes, most, larger, start, budget)

    def run(self) -> None:
        """Look at all multisets that fit; a stack of our own, since they can be long."""
        stack: list[tuple[int, Rows, Taken]] = [(0, self.start, {})]
        while stack:
            first, rows, taken = stack.pop()
            if self._is_maximal(rows, taken):
                self.budget.spend(1, 0)
                self.found.append(taken)
            for i in range(first, len(self.order)):
                takes = self.takes[i]
                most = min(self.most[i], max(_times(row, takes) for row in rows))
                self.budget.spend(0, 1 + most)
                # The last as often as it fits: with less it could be added.
                least = most if i == len(self.order) - 1 else 1
                for times in range(max(least, 1), most + 1):
                    left = [_without(row, takes, times) for row in rows]
                    left = [row for row in left if min(row) >= 0]
                    stack.append((i + 1, left, taken | {i: times}))

    def _is_maximal(self, rows: Rows, taken: Taken) -> bool:
        for i in range(len(self.order) - 1, -1, -1):
            if taken.get(i, 0) < self.most[i] and _any_holds(rows, self.takes[i]):
                return False
        return not any(
            taken.get(to, 0) < self.most[to] and _any_holds(rows, more)
            for i in taken
            for to, more in self.larger[i]
        )


def _times(row: tuple[int, ...], takes: tuple[int, ...]) -> int:
    return min(have // ask for have, ask in zip(row, takes, strict=True) if ask)


def _without(row: tuple[int, ...], takes: tuple[int, ...], times: int) -> tuple[int, ...]:
    return tuple(have - times * ask for have, ask in zip(row, takes, strict=True))


def _any_holds(rows: Rows, takes: tuple[int, ...]) -> bool:
    return any(all(h >= a for h, a in zip(row, takes, strict=True)) for row in rows)
