"""Devices given to the claims of several pods of one node: exact, state by state.

A state is what is left of cells, counters and pots. Equal pieces can be exchanged, so that states
count up to the order of equal pieces.
"""

from collections.abc import Sequence

from gangplan.models.errors import FormulationError
from gangplan.models.shapes.stock import Piece
from gangplan.models.shapes.takings import Taking

MOST_STATES = 20_000
"""States of one node after the same claims, and MOST_STEPS between them; more are refused."""

MOST_STEPS = 300_000

State = tuple[int, ...]


class Giving:
    """What claims a node can serve together.

    Parameters
    ----------
    pieces : of the node. takings : of each part of a claim, in the order that counts have.
    """

    def __init__(self, pieces: Sequence[Piece], takings: Sequence[Sequence[Taking]]) -> None:
        self.takings = [tuple(mine) for mine in takings]
        start, self.cuts = 0, list[tuple[object, int, int]]()
        for piece in pieces:
            self.cuts.append((piece.mark, start, start + len(piece.left)))
            start += len(piece.left)
        self.full: State = tuple(n for piece in pieces for n in piece.left)
        marks = [mark for mark, _, _ in self.cuts]
        self.alike = len(set(marks)) < len(marks)
        # Parts that may take the same are not told apart.
        same: dict[object, int] = {}
        self.same = [
            same.setdefault(frozenset(one.amounts for one in mine), p)
            for p, mine in enumerate(self.takings)
        ]
        self.known: dict[tuple[int, ...], frozenset[State]] = {}
        self.steps = 0

    def plain(self, state: State) -> State:
        """Return the state that stands for all that differ in the order of equal pieces."""
        if not self.alike:
            return state
        found: list[int] = []
        at = 0
        while at < len(self.cuts):
            last = at
            while last < len(self.cuts) and self.cuts[last][0] == self.cuts[at][0]:
                last += 1
            for part in sorted(state[a:b] for _, a, b in self.cuts[at:last]):
                found += part
            at = last
        return tuple(found)

    def serves(self, counts: Sequence[int]) -> bool:
        """Tell whether so many claims of each part are served together.

        Raises
        ------
        FormulationError : MOST_STATES, or MOST_STEPS.
        """
        states = frozenset([self.plain(self.full)])
        total = [0] * len(self.takings)
        for p, n in zip(self.same, counts, strict=True):
            total[p] += n
        for p, n in enumerate(total):
            for i in range(1, n + 1):
                key = (*total[:p], i)
                if key not in self.known:
                    self.known[key] = self._after(states, p)
                states = self.known[key]
                if not states:
                    return False
        return True

    def _after(self, states: frozenset[State], part: int) -> frozenset[State]:
        found: set[State] = set()
        for state in states:
            for taking in self.takings[part]:
                self.steps += 1
                left = taken(state, taking)
                if left is not None:
                    found.add(self.plain(left))
            if len(found) > MOST_STATES or self.steps > MOST_STEPS:
                raise FormulationError(
                    "more ways to give the devices of a node than can be tried "
                    f"({MOST_STATES:,} states, {MOST_STEPS:,} steps); counts can"
                )
        return frozenset(found)

    def given(self, parts: Sequence[int]) -> list[Taking] | None:
        """Return a taking for each part, the lower ranks first; None where there is no way."""
        failed: set[tuple[int, State]] = set()
        chosen: list[Taking] = []

        def give(at: int, state: State) -> bool:
            if at == len(parts):
                return True
            key = (at, self.plain(state))
            if key in failed:
                return False
            for taking in self.takings[parts[at]]:
                left = taken(state, taking)
                if left is None:
                    continue
                chosen.append(taking)
                if give(at + 1, left):
                    return True
                chosen.pop()
            failed.add(key)
            return False

        return chosen if give(0, self.full) else None


def taken(state: State, taking: Taking) -> State | None:
    """Return what is left then; None where it is too much."""
    left = list(state)
    for what, amount in taking.amounts:
        left[what] -= amount
        if left[what] < 0:
            return None
    return tuple(left)
