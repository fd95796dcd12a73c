"""Dealer: answers about nodes and claims, each searched for once.

A *situation* is what a node has, up to names, and which claims of new pods it serves: devices are
dealt anew for every situation, so nothing that was handed out before stands in the way.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from gangplan.models.instance import Instance
from gangplan.solvers.planners.greedy.allocator.asked import Asked, Way, asked_of
from gangplan.solvers.planners.greedy.allocator.counts import PLENTY, Counts, Kinds, most_of
from gangplan.solvers.planners.greedy.allocator.search import STEPS, GaveUp, Given, Search
from gangplan.solvers.planners.greedy.allocator.separate import Separate, keeps_to_a_part
from gangplan.solvers.planners.greedy.allocator.supply import Key, Parts, Supply, Thing

MOST_RANKS = 64
"""Sums of ranks that are tried one by one, from 0 up, before any way is taken."""

MOST_TRIES = 200
"""Ways to choose for all claims of a node that are tried likewise."""

Specs = tuple[tuple[int, int], ...]
"""(spec, claims) pairs, sorted."""


@dataclass(frozen=True, slots=True)
class _Class:
    """Nodes with equal parts and barred choices."""

    key: Key
    supply: Supply
    barred: frozenset[int]
    counts: Counts


class Dealer:
    """Interns situations, and keeps what was found out about them."""

    def __init__(self, instance: Instance, steps: int = STEPS) -> None:
        self._steps = steps
        self.asked: list[Asked] = list(asked_of(instance.claims))
        self._keeps = [keeps_to_a_part(asked) for asked in self.asked]
        self._variants: dict[tuple[int, tuple[int, ...]], int] = {}
        self._spec_of: dict[int, int] = {}
        self._n_specs = len(self.asked)
        self.kind, self.kinds = kinds_of(instance)
        self._parts = Parts()
        self._separate = Separate(self._parts, self.kinds, self.asked, steps)
        self._class_number: dict[tuple[Key, frozenset[int]], int] = {}
        self._classes: list[_Class] = []
        self._number: dict[tuple[int, Specs], int] = {}
        self._situations: list[tuple[int, Specs]] = []
        self._after: dict[tuple[int, Specs, int], int] = {}
        self._fits: dict[int, bool] = {}
        self._most: dict[tuple[int, Specs], tuple[int, bool]] = {}
        self._dealt: dict[int, dict[int, list[Given]]] = {}
        self.gave_up: set[int] = set()

    def class_number(self, situation: int) -> int:
        """Return the class of nodes of a situation."""
        return self._situations[situation][0]

    def class_of(
        self, things: Sequence[Thing], left: Mapping[int, int], barred: frozenset[int]
    ) -> tuple[int, list[int]]:
        """Return the number of a node's class, and its devices i in the order of its supply."""
        key, devices = self._parts.key(things, left)
        number = self._class_number.setdefault((key, barred), len(self._classes))
        if number == len(self._classes):
            supply = self._parts.supply(key)
            counts = Counts(supply, self.kinds, self.asked[: self._n_specs], barred)
            self._classes.append(_Class(key, supply, barred, counts))
        return number, devices

    def situation(self, of: int, specs: Specs) -> int:
        """Return the number of a class of nodes with the claims that it serves."""
        number = self._number.setdefault((of, specs), len(self._situations))
        if number == len(self._situations):
            self._situations.append((of, specs))
        return number

    def after(self, situation: int, specs: Specs, times: int) -> int:
        """Return the situation with ``times`` as many further claims; fewer where negative."""
        key = (situation, specs, times)
        known = self._after.get(key)
        if known is None:
            of, before = self._situations[situation]
            self._after[key] = known = self.situation(of, _plus(before, specs, times))
        return known

    def specs(self, situation: int) -> Specs:
        """Return the claims of a situation."""
        return self._situations[situation][1]

    def cap(self, situation: int, specs: Specs) -> int:
        """How often the claims fit besides, at most: by counting, or what is known exactly."""
        most = self._most.get((situation, specs))
        if most is None:
            of, before = self._situations[situation]
            counts = self._classes[of].counts
            total = most_of(counts.have, _sum(counts, self, before), _sum(counts, self, specs))
            self._most[situation, specs] = most = total, total == 0
        return most[0]

    def slots(self, situation: int, specs: Specs, wanted: int) -> int:
        """How often the claims fit besides: exact, up to ``wanted``."""
        cap = self.cap(situation, specs)
        if self._most[situation, specs][1]:
            return min(cap, wanted)
        low, high = 0, min(cap, wanted)
        probe = high
        while low < high:
            if self.fits(self.after(situation, specs, probe)):
                low = probe
            else:
                high = probe - 1
            probe = (low + high + 1) // 2
        if low < min(cap, wanted) or low == cap:
            self._most[situation, specs] = low, True
        return low

    def fits(self, situation: int) -> bool:
        """Tell whether all claims of a situation can be served at once."""
        known = self._fits.get(situation)
        if known is None:
            try:
                known = self._serve(situation, self.specs(situation), self._steps) is not None
            except GaveUp:
                self.gave_up.add(situation)
                known = False
            self._fits[situation] = known
        return known

    def deal(self, situation: int) -> dict[int, list[Given]]:
        """Serve all claims of a situation, with small ranks: spec -> devices of each claim."""
        known = self._dealt.get(situation)
        if known is None:
            self._dealt[situation] = known = self._best(situation)
        return {spec: list(mine) for spec, mine in known.items()}

    def _best(self, situation: int) -> dict[int, list[Given]]:
        specs = self.specs(situation)
        worst = sum(self.asked[s].worst * n for s, n in specs)
        tries = 0
        for ranks in range(min(worst, MOST_RANKS)):
            for fixed in self._fixed(specs, ranks):
                tries += 1
                try:
                    found = self._serve(situation, fixed, self._steps)
                except GaveUp:
                    continue
                if found is not None:
                    return self._by_spec(found)
                if tries == MOST_TRIES:
                    break
        # Claims may have been taken away since it was found that they fit: any number of steps.
        found = self._serve(situation, specs, PLENTY)
        assert found is not None, "dealt only where the claims fit"
        return found

    def _fixed(self, specs: Specs, ranks: int) -> Iterator[Specs]:
        """Ways to give every claim its choices so that the ranks add up to ``ranks``."""
        if not specs:
            if not ranks:
                yield ()
            return
        (spec, count), others = specs[0], specs[1:]
        ways = [
            (sum(way.rank for way in chosen), self._variant(spec, chosen))
            for chosen in product(*self.asked[spec].requests)
        ]

        def split(at: int, left: int, cost: int) -> Iterator[list[tuple[int, int]]]:
            rank, variant = ways[at]
            for n in range(left, -1, -1) if at + 1 < len(ways) else (left,):
                if cost + n * rank > ranks:
                    continue
                mine = [(variant, n)] if n else []
                if at + 1 == len(ways):
                    yield mine
                else:
                    for more in split(at + 1, left - n, cost + n * rank):
                        yield [*mine, *more]

        price = {variant: rank for rank, variant in ways}
        for mine in split(0, count, 0):
            cost = sum(price[variant] * n for variant, n in mine)
            for rest in self._fixed(others, ranks - cost):
                yield tuple(sorted([*mine, *rest]))

    def _variant(self, spec: int, ways: tuple[Way, ...]) -> int:
        """Return the number of a spec whose choices are made."""
        key = (spec, tuple(way.number for way in ways))
        number = self._variants.get(key)
        if number is None:
            number = self._variants[key] = len(self.asked)
            self._spec_of[number] = spec
            fixed = Asked(tuple((way,) for way in ways), self.asked[spec].n_rules)
            self.asked.append(fixed)
            self._keeps.append(keeps_to_a_part(fixed))
        return number

    def _by_spec(self, served: dict[int, list[Given]]) -> dict[int, list[Given]]:
        merged: dict[int, list[Given]] = {}
        for variant, mine in served.items():
            merged.setdefault(self._spec_of[variant], []).extend(mine)
        return merged

    def _serve(self, situation: int, specs: Specs, steps: int) -> dict[int, list[Given]] | None:
        of = self._classes[self._situations[situation][0]]
        if len(of.key) > 1 and all(self._keeps[s] for s, _ in specs):
            numbers, need = tuple(s for s, _ in specs), tuple(n for _, n in specs)
            try:
                return self._separate.serve(of.key, of.barred, numbers, need, steps)
            except GaveUp:
                pass
        order = self._order(of, specs)
        claims = [self.asked[s] for s in order]
        search = Search(of.supply, self.kinds, claims, of.barred, steps=steps, counts=of.counts)
        found = search.run()
        if found is None:
            return None
        served: dict[int, list[Given]] = {}
        for spec, mine in zip(order, found, strict=True):
            served.setdefault(spec, []).append(mine)
        return served

    def _order(self, of: _Class, specs: Specs) -> list[int]:
        """Specs, one entry a claim: those that take the largest part of something lead."""

        def weight(spec: int) -> float:
            need = of.counts.need(self.asked[spec])
            parts = (n / max(h, 1) for n, h in zip(need, of.counts.have, strict=True))
            return max(parts, default=0.0)

        order = sorted((spec for spec, _ in specs), key=lambda spec: (-weight(spec), spec))
        times = dict(specs)
        return [spec for spec in order for _ in range(times[spec])]


def kinds_of(instance: Instance) -> tuple[list[int], Kinds]:
    """Return the kind of each device, (I,), and what kinds mean to choices."""
    claims, devices = instance.claims, instance.devices
    uses: dict[int, list[tuple[int, int, int]]] = {}
    first = np.searchsorted(devices.pot_device, devices.pot_device)
    for b, m, amount in zip(
        claims.use_choice.tolist(), claims.use_pot.tolist(), claims.use_amount.tolist(), strict=True
    ):
        if amount:
            uses.setdefault(int(devices.pot_device[m]), []).append((b, m - int(first[m]), amount))
    bits = np.packbits(np.concatenate([claims.fits, claims.asks]), axis=0).T
    _, row, column = np.unique(bits, axis=0, return_index=True, return_inverse=True)
    number: dict[tuple[int, tuple[tuple[int, int, int], ...]], int] = {}
    kind = [
        number.setdefault((c, tuple(uses.get(i, ()))), len(number))
        for i, c in enumerate(column.reshape(-1).tolist())
    ]
    fits, asks = ({b: set[int]() for b in range(len(claims.fits))} for _ in range(2))
    amounts: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for (c, mine), k in number.items():
        for b in np.flatnonzero(claims.fits[:, row[c]]).tolist():
            fits[b].add(k)
        for b in np.flatnonzero(claims.asks[:, row[c]]).tolist():
            asks[b].add(k)
        for b, pot, amount in mine:
            amounts.setdefault((b, k), []).append((pot, amount))
    return kind, Kinds(
        {b: frozenset(mine) for b, mine in fits.items()},
        {b: frozenset(mine) for b, mine in asks.items()},
        {key: tuple(mine) for key, mine in amounts.items()},
    )


def specs_of(specs: Iterable[int]) -> Specs:
    """Count specs."""
    return tuple(sorted(Counter(specs).items()))


def _plus(specs: Specs, more: Specs, times: int) -> Specs:
    total = dict(specs)
    for spec, n in more:
        total[spec] = total.get(spec, 0) + n * times
    return tuple(sorted((spec, n) for spec, n in total.items() if n))


def _sum(counts: Counts, dealer: Dealer, specs: Specs) -> list[int]:
    total = [0] * len(counts.have)
    for spec, n in specs:
        for at, each in enumerate(counts.need(dealer.asked[spec])):
            total[at] += n * each
    return total
