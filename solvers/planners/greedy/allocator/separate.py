"""Part by part: where every claim is served by one part of the node, parts are filled in turn.

Which claims one part can serve together is searched for once, for all parts like it. A part is
given as many of the remaining claims as it can serve: serving fewer never helps the others. So a
node with 8 partitioned GPUs costs little more than one GPU.
"""

from collections.abc import Sequence
from operator import add, le, mul

from gangplan.solvers.planners.greedy.allocator.alike import Alike
from gangplan.solvers.planners.greedy.allocator.asked import Asked
from gangplan.solvers.planners.greedy.allocator.counts import Counts, Kinds
from gangplan.solvers.planners.greedy.allocator.search import GaveUp, Given, Search
from gangplan.solvers.planners.greedy.allocator.supply import Key, Parts

Vector = tuple[int, ...]
"""Claims of each spec."""

MOST_MIXES = 4096
"""Mixes of claims that one part is asked about; beyond, the node is searched as a whole."""

FEW = 8
"""Claims of a spec that a part is asked about at once; where more are wanted, twice as many."""


def keeps_to_a_part(asked: Asked) -> bool:
    """Tell whether a claim of the spec always has all its devices in one part."""
    ways = [way for request in asked.requests for way in request]
    if any(way.admin or way.count < 1 for way in ways):
        return False
    if len(asked.requests) == 1 and all(way.count == 1 for way in ways):
        return True
    matches = [{at for at, _, distinct in way.rules if not distinct} for way in ways]
    return bool(set.intersection(*matches))


class Separate:
    """Serves claims that keep to a part each.

    Parameters
    ----------
    asked : specs by number; more may be added behind.
    """

    def __init__(self, parts: Parts, kinds: Kinds, asked: Sequence[Asked], steps: int) -> None:
        self._parts, self._kinds, self._asked = parts, kinds, asked
        self._steps = steps
        self._given: dict[object, list[Given] | None] = {}
        self._mixes: dict[object, list[Vector]] = {}
        self._grown: dict[object, list[Vector]] = {}
        self._most: dict[object, int] = {}
        self._counts: dict[object, Counts] = {}
        self._alike = Alike(kinds, asked)

    def serve(
        self, key: Key, barred: frozenset[int], specs: Vector, need: Vector, steps: int
    ) -> dict[int, list[Given]] | None:
        """Devices d of every claim, by spec; None where they do not all fit.

        Raises
        ------
        GaveUp : the steps are spent.
        """
        like = [self._alike.first(spec, barred) for spec in specs]
        total = dict.fromkeys(sorted(like), 0)
        for kind, n in zip(like, need, strict=True):
            total[kind] += n
        found = self._serve_all(key, barred, tuple(total), tuple(total.values()), steps)
        if found is None:
            return None
        served: dict[int, list[Given]] = {}
        for spec, kind, n in zip(specs, like, need, strict=True):
            mine, found[kind] = found[kind][:n], found[kind][n:]
            names = self._alike.names(kind, spec)
            served[spec] = [[(names[b], d) for b, d in given] for given in mine]
        return served

    def _serve_all(
        self, key: Key, barred: frozenset[int], specs: Vector, need: Vector, steps: int
    ) -> dict[int, list[Given]] | None:
        mixes = self._fill(key, barred, specs, need, steps)
        if mixes is None:
            return None
        served: dict[int, list[Given]] = {spec: [] for spec in specs}
        begin = 0
        for part, mix in zip(key, mixes, strict=True):
            given = self._serve(part, barred, specs, mix) if any(mix) else []
            assert given is not None, "mixes are what a part serves"
            order = [spec for spec, n in zip(specs, mix, strict=True) for _ in range(n)]
            for spec, mine in zip(order, given, strict=True):
                served[spec].append([(b, begin + d) for b, d in mine])
            begin += self._parts.size(part)
        return served

    def _fill(
        self, key: Key, barred: frozenset[int], specs: Vector, need: Vector, steps: int
    ) -> list[Vector] | None:
        most = [
            [self._alone(part, barred, s, n) for s, n in zip(specs, need, strict=True)]
            for part in key
        ]
        lines = _lines([self._counted(part, barred) for part in key])
        each = [self._least(key, barred, s, lines[0]) for s in specs]
        chosen: list[Vector] = []
        dead: set[tuple[int, Vector]] = set()

        def go(at: int, rest: Vector) -> bool:
            nonlocal steps
            if not any(rest):
                chosen.extend([(0,) * len(rest)] * (len(key) - at))
                return True
            if at == len(key) or (at, rest) in dead:
                return False
            steps -= 1
            if steps < 0:
                raise GaveUp
            if _reachable(rest, most[at:], each, lines[1][at]):
                cap = tuple(map(min, rest, most[at]))
                for mix in self._largest(key[at], barred, specs, cap):
                    chosen.append(mix)
                    if go(at + 1, tuple(a - b for a, b in zip(rest, mix, strict=True))):
                        return True
                    chosen.pop()
            dead.add((at, rest))
            return False

        return chosen if go(0, need) else None

    def _largest(
        self, part: int, barred: frozenset[int], specs: Vector, cap: Vector
    ) -> list[Vector]:
        """Mixes up to ``cap`` that a part serves and that cannot be added to, the fullest first."""
        key = (part, barred, specs, cap)
        known = self._mixes.get(key)
        if known is None:
            # What a part serves stays served without some of it, so larger mixes are cut to size.
            cut = {tuple(map(min, mix, cap)) for mix in self._full(part, barred, specs, cap)}
            found: list[Vector] = []
            for mix in sorted(cut, key=lambda mix: (-sum(mix), mix)):
                if not any(all(map(le, mix, other)) for other in found):
                    found.append(mix)
            weight = self._weights(part, barred, specs)
            found.sort(key=lambda mix: -sum(map(mul, weight, mix)))
            self._mixes[key] = known = found
        return known

    def _full(self, part: int, barred: frozenset[int], specs: Vector, cap: Vector) -> list[Vector]:
        """Mixes that cannot be added to, up to a limit that most ``cap`` have in common."""
        limit = tuple(
            self._alone(part, barred, s, max(FEW, 1 << (n - 1).bit_length()) if n else 0)
            for s, n in zip(specs, cap, strict=True)
        )
        key = (part, barred, specs, limit)
        known = self._grown.get(key)
        if known is None:
            self._grown[key] = known = self._grow(part, barred, specs, limit)
        return known

    def _grow(
        self, part: int, barred: frozenset[int], specs: Vector, limit: Vector
    ) -> list[Vector]:
        """Add claim after claim to nothing, in every order, until nothing can be added."""
        nothing = (0,) * len(specs)
        counts = self._counted(part, barred)
        needs = [counts.need(self._asked[s]) for s in specs]
        served: dict[Vector, bool] = {nothing: True}
        rest: list[tuple[Vector, Vector]] = [(nothing, (0,) * len(counts.have))]
        full = []
        while rest:
            mix, taken = rest.pop()
            grows = False
            for at, most in enumerate(limit):
                if mix[at] == most:
                    continue
                more = (*mix[:at], mix[at] + 1, *mix[at + 1 :])
                fits = served.get(more)
                if fits is None:
                    if len(served) == MOST_MIXES:
                        raise GaveUp
                    total = tuple(map(add, taken, needs[at]))
                    fits = all(map(le, total, counts.have))
                    fits = fits and self._serve(part, barred, specs, more) is not None
                    served[more] = fits
                    if fits:
                        rest.append((more, total))
                grows |= fits
            if not grows:
                full.append(mix)
        return full

    def _serve(
        self, part: int, barred: frozenset[int], specs: Vector, mix: Vector
    ) -> list[Given] | None:
        """Devices of each claim of a mix, spec by spec, from one part."""
        pairs = tuple((s, n) for s, n in zip(specs, mix, strict=True) if n)
        key = (part, barred, pairs)
        if key not in self._given:
            counts = self._counted(part, barred)
            total = [0] * len(counts.have)
            for s, n in pairs:
                total = [a + n * b for a, b in zip(total, counts.need(self._asked[s]), strict=True)]
            if any(a > b for a, b in zip(total, counts.have, strict=True)):
                self._given[key] = None
                return None
            weight = dict(zip(specs, self._weights(part, barred, specs), strict=True))
            order = sorted(pairs, key=lambda pair: (-weight[pair[0]], pair[0]))
            claims = [self._asked[s] for s, n in order for _ in range(n)]
            search = Search(
                self._parts.supply((part,)),
                self._kinds,
                claims,
                barred,
                steps=self._steps,
                counts=counts,
            )
            found = search.run()
            if found is not None:
                spec_of = [s for s, n in order for _ in range(n)]
                found = [
                    given
                    for _, given in sorted(zip(spec_of, found, strict=True), key=lambda p: p[0])
                ]
            self._given[key] = found
        return self._given[key]

    def _alone(self, part: int, barred: frozenset[int], spec: int, wanted: int) -> int:
        """How many claims of one spec a part serves, up to ``wanted``."""
        key = (part, barred, spec)
        known = self._most.get(key, 0)
        while known < wanted and self._serve(part, barred, (spec,), (known + 1,)) is not None:
            known += 1
        self._most[key] = known
        return min(known, wanted)

    def _weights(self, part: int, barred: frozenset[int], specs: Vector) -> list[float]:
        counts = self._counted(part, barred)
        return [
            max(
                (
                    n / max(h, 1)
                    for n, h in zip(counts.need(self._asked[s]), counts.have, strict=True)
                ),
                default=0.0,
            )
            for s in specs
        ]

    def _counted(self, part: int, barred: frozenset[int]) -> Counts:
        key = (part, barred)
        if key not in self._counts:
            supply = self._parts.supply((part,))
            self._counts[key] = Counts(supply, self._kinds, self._asked, barred)
        return self._counts[key]

    def _least(self, key: Key, barred: frozenset[int], spec: int, sizes: list[int]) -> list[int]:
        """Return what a claim draws at least of each size of counters, whichever part serves it."""
        least: list[int] | None = None
        for part in set(key):
            if self._alone(part, barred, spec, 1):
                draws = self._counted(part, barred).draws(self._asked[spec])
                mine = [draws.get(size, 0) for size in sizes]
                least = mine if least is None else list(map(min, least, mine))
        return least or [0] * len(sizes)


def _lines(counts: Sequence[Counts]) -> tuple[list[int], list[list[int]]]:
    """Sizes of counters, and what parts ``at``, ``at`` + 1, ... have left of each."""
    sizes = sorted({size for each in counts for size in each.spare})
    total = [0] * len(sizes)
    left = []
    for each in reversed(counts):
        total = [a + each.spare.get(size, 0) for a, size in zip(total, sizes, strict=True)]
        left.append(total)
    return sizes, left[::-1]


def _reachable(
    rest: Vector, most: Sequence[Sequence[int]], each: Sequence[Sequence[int]], left: Sequence[int]
) -> bool:
    """Tell whether counting leaves a chance to serve the rest from the parts that are left."""
    if any(n > sum(mine) for n, mine in zip(rest, zip(*most, strict=True), strict=True)):
        return False
    return all(
        sum(n * draws[at] for n, draws in zip(rest, each, strict=True)) <= have
        for at, have in enumerate(left)
    )
