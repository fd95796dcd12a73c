"""Roster: which of several gangs get in, and in which cell, by counts alone.

Simulated annealing (Kirkpatrick et al. 1983) of a multiple knapsack problem. Who is admitted counts
before who falls, so it is settled first, with the room that there is when everybody has fallen.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

MOVES = 1000
"""Moves a gang."""

MOST = 80_000
"""Moves in all."""

STARTS = 2
"""So often all begins anew, with a part of the moves each."""

HOT, COLD = 0.1, 0.05
"""First and last temperature; what an average gang pays is 1 in the first tier."""

SOFT = 0.5
"""A tier counts so much of the one before it while gangs move."""

LENIENT = 0.03
"""Weight of an average gang's slots where they cost victims; of the next lower ones, a tenth."""

BITS = 40
"""Of a field that holds a number of slots; the highest one tells that it has not run out."""

Slots = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Contest:
    """Gangs, and cells to put them in.

    Attributes
    ----------
    pays : n tuples, what each gang pays in each tier that counts it, first tier first.
    loads : n tuples, the slots of each shape that a gang takes; shapes are sorted, heavy ones
        first, and a gang takes none of those that are heavier than its own.
    most : C tuples, the slots of each shape that cells have.
    steps : C tuples, the slots of the last shape that cells have before units of each priority
        fall, the highest priority first; they descend.
    """

    pays: Sequence[Slots]
    loads: Sequence[Slots]
    most: Sequence[Slots]
    steps: Sequence[Slots]


def settled(contest: Contest, number: int = 1) -> list[int]:
    """Return the cell of each gang, -1 for those that wait.

    Parameters
    ----------
    number : of the attempt, from 1; each one has draws of its own, twice as many as the last one.
    """
    moves = min(MOVES * len(contest.pays), MOST) << number - 1
    found = []
    for draws in np.random.default_rng(number).spawn(STARTS):
        search = _Search(contest)
        search.begin()
        search.run(draws, moves // STARTS)
        found.append(search)
    return max(found, key=lambda search: search.worth).best


def _packed(slots: Sequence[int]) -> int:
    """Write numbers into the fields of one, so that one subtraction subtracts them all."""
    packed = 0
    for a in slots:
        packed = packed << BITS | a
    return packed


class _Search:
    """A state, and the best one so far."""

    def __init__(self, contest: Contest) -> None:
        n, shapes = len(contest.pays), len(contest.most[0])
        pays = np.array(contest.pays, dtype=np.float64).reshape(n, -1)
        mean = np.maximum(pays.mean(axis=0), 1e-9)
        self._soft: list[float] = ((pays / mean) @ SOFT ** np.arange(pays.shape[1])).tolist()
        # One number for all tiers: a tier outweighs the sum of the next ones.
        scale = [sum(column) + 1 for column in zip(*contest.pays, strict=True)]
        self._pays = [0] * n
        for tier, more in enumerate(scale):
            self._pays = [
                a * more + mine[tier] for a, mine in zip(self._pays, contest.pays, strict=True)
            ]
        self._full = _packed([1 << BITS - 1] * shapes)
        cut = 1 << BITS - 2
        self._load = [_packed([min(a, cut) for a in load]) for load in contest.loads]
        self._left = [
            self._full + _packed([min(a, cut - 1) for a in most]) for most in contest.most
        ]
        sums = [min(sum(column), cut - 1) for column in zip(*contest.most, strict=True)]
        self._whole = self._full + _packed(sums)
        self._top = [min(most[-1], cut - 1) for most in contest.most]
        self._steps = contest.steps
        light = max(float(np.mean([load[-1] for load in contest.loads])), 1.0)
        levels = len(contest.steps[0]) if contest.steps else 0
        self._dear = [LENIENT * 0.1**q / light for q in range(levels)]
        self._home = [-1] * n
        self._inside: list[list[int]] = [[] for _ in contest.most]
        self._known: list[dict[int, float]] = [{} for _ in contest.most]
        self.best = list(self._home)
        self.worth: tuple[int, float] = (0, 0.0)

    def begin(self) -> None:
        """Let the lightest gangs for what they pay in, as many as all cells together could hold.

        The heaviest of them choose first, each where the least is left then; others follow.
        """
        field, full, load = (1 << BITS - 1) - 1, self._full, self._load
        price = np.array([a & field for a in load]) / np.maximum(self._soft, 1e-9)
        light = np.argsort(price, kind="stable").tolist()
        left, first = self._whole, []
        for i in light:
            if left - load[i] & full == full:
                left -= load[i]
                first.append(i)
        for i in [*sorted(first, key=lambda i: -load[i]), *light]:
            fits = [c for c, left in enumerate(self._left) if left - load[i] & full == full]
            if fits and self._home[i] < 0:
                self._go(i, min(fits, key=lambda c: self._left[c] & field))
        self.best = list(self._home)

    def run(self, draws: np.random.Generator, moves: int) -> None:
        """Move gangs about, at a falling temperature; remember the best state."""
        home, pays, load, full = self._home, self._pays, self._load, self._full
        paid = sum(pays[i] for i, c in enumerate(home) if c >= 0)
        harm = sum(map(self._harm, range(len(self._left)), self._left))
        self.worth = paid, -harm
        for i, c, other, pick, bar in self._draws(draws, moves):
            if home[i] == c:
                continue
            out = to = -1
            if self._left[c] - load[i] & full != full:
                out = self._leaving(i, c, pick)
                if out < 0:
                    continue
                to = self._refuge(out, i, c, other)
            more = self._change(i, c, out, to)
            gain = self._soft[i] if home[i] < 0 else 0.0
            if out >= 0 > to:
                gain -= self._soft[out]
            if more - gain > bar:
                continue
            paid += pays[i] if home[i] < 0 else 0
            if out >= 0:
                paid -= pays[out] if to < 0 else 0
                self._go(out, to)
            self._go(i, c)
            harm += more
            if (paid, -harm) > self.worth:
                self.worth, self.best = (paid, -harm), list(home)

    def _draws(
        self, draws: np.random.Generator, moves: int
    ) -> Iterator[tuple[int, int, int, float, float]]:
        """Draw a gang, a cell, another one, somebody there, and what a move may cost."""
        n, cells = len(self._home), len(self._left)
        heat = HOT * (COLD / HOT) ** np.linspace(0.0, 1.0, moves)
        return zip(
            draws.integers(n, size=moves).tolist(),
            draws.integers(cells, size=moves).tolist(),
            draws.integers(cells, size=moves).tolist(),
            draws.random(moves).tolist(),
            (heat * draws.exponential(size=moves)).tolist(),
            strict=True,
        )

    def _leaving(self, i: int, c: int, pick: float) -> int:
        """Who leaves a cell for a gang; -1 where that would not do."""
        inside, load = self._inside[c], self._load
        if not inside:
            return -1
        out = inside[int(pick * len(inside))]
        if load[out] == load[i] and self._soft[out] == self._soft[i]:
            return -1
        fits = self._left[c] + load[out] - load[i] & self._full == self._full
        return out if fits else -1

    def _refuge(self, out: int, i: int, c: int, other: int) -> int:
        """Where that gang goes: to the cell that was left for it, another one, or none."""
        old, left, full = self._home[i], self._left, self._full
        if old >= 0 and left[old] + self._load[i] - self._load[out] & full == full:
            return old
        if other not in (c, old) and left[other] - self._load[out] & full == full:
            return other
        return -1

    def _change(self, i: int, c: int, out: int, to: int) -> float:
        """How much more harm there is once a gang is in a cell and another one has left it."""
        left, load, old = self._left, self._load, self._home[i]
        goes = load[out] if out >= 0 else 0
        more = self._harm(c, left[c] - load[i] + goes) - self._harm(c, left[c])
        if old >= 0:
            then = left[old] + load[i] - (goes if to == old else 0)
            more += self._harm(old, then) - self._harm(old, left[old])
        if to >= 0 and to != old:
            more += self._harm(to, left[to] - goes) - self._harm(to, left[to])
        return more

    def _harm(self, c: int, left: int) -> float:
        """Weigh the slots of a cell that cost victims."""
        known = self._known[c].get(left)
        if known is None:
            used = self._top[c] - (left & ((1 << BITS - 1) - 1))
            costs = zip(self._dear, self._steps[c], strict=True)
            known = sum(dear * max(used - step, 0) for dear, step in costs)
            self._known[c][left] = known
        return known

    def _go(self, i: int, c: int) -> None:
        """Put a gang in a cell, or let it wait."""
        old = self._home[i]
        if old >= 0:
            self._left[old] += self._load[i]
            self._inside[old].remove(i)
        if c >= 0:
            self._left[c] -= self._load[i]
            self._inside[c].append(i)
        self._home[i] = c
