"""The search: claims one after the other, each request by its choices in order, with backtracking.

Complete until its steps are spent. What cannot matter is not tried twice: equal devices, equal
parts of a node that are in the same state, and states (up to equal parts) that failed before.
"""

from collections.abc import Iterator, Mapping, Sequence

from gangplan.models.claims import ALL, MOST_RESULTS
from gangplan.solvers.planners.greedy.allocator.asked import Asked, Way
from gangplan.solvers.planners.greedy.allocator.counts import Counts, Kinds
from gangplan.solvers.planners.greedy.allocator.supply import Supply

STEPS = 20_000
"""Devices tried for the claims of one node, after which the search gives up."""

Given = list[tuple[int, int]]
"""Devices of a claim: (choice b, device d)."""


class GaveUp(Exception):
    """The steps are spent, and nothing is known."""


class Search:
    """Serves claims from a supply.

    Parameters
    ----------
    claims : what each claim asks, the hardest first.
    barred : choices that the node may not use.
    ranks : the ranks of all choices taken may add up to this; None: to anything.
    counts : cuts off what cannot end well.
    """

    def __init__(
        self,
        supply: Supply,
        kinds: Kinds,
        claims: Sequence[Asked],
        barred: frozenset[int] = frozenset(),
        ranks: int | None = None,
        steps: int = STEPS,
        counts: Counts | None = None,
    ) -> None:
        self._supply, self._kinds, self._claims = supply, kinds, claims
        self._barred = barred
        self._ranks = -1 if ranks is None else ranks
        self._bounded = ranks is not None
        self.steps = steps
        self._used = 0
        self._left = list(supply.left)
        self._pots = [list(pots) for pots in supply.pots]
        self._part = [
            p for p, (begin, end, _) in enumerate(supply.parts) for _ in range(begin, end)
        ]
        self._mask = [(1 << end) - (1 << begin) for begin, end, _ in supply.parts]
        self._potted = [any(self._pots[begin:end]) for begin, end, _ in supply.parts]
        self._twins = _twins(supply)
        self._fits: dict[int, list[int]] = {}
        self._dead: set[object] = set()
        self._given: list[Given] = []
        self._counts = counts
        self._needs = counts.needs_from(claims) if counts else []

    def run(self) -> list[Given] | None:
        """Devices of every claim, or None where they do not all fit.

        Raises
        ------
        GaveUp : the steps are spent.
        """
        return self._given if self._next(0) else None

    def _next(self, at: int) -> bool:
        if at == len(self._claims):
            return True
        state = (at, self._ranks, self._state())
        if state in self._dead:
            return False
        if self._counts and self._counts.short(self._needs[at], self._used, self._left, self._pots):
            self._dead.add(state)
            return False
        asked = self._claims[at]
        claim = _Claim([-1] * asked.n_rules, [0] * asked.n_rules)
        self._given.append(claim.given)
        for _ in self._requests(asked, 0, claim):
            if self._next(at + 1):
                return True
        self._given.pop()
        self._dead.add(state)
        return False

    def _state(self) -> object:
        """Everything that later claims can see, up to equal parts."""
        state = []
        for p, (begin, end, number) in enumerate(self._supply.parts):
            used = (self._used & self._mask[p]) >> begin
            pots = tuple(map(tuple, self._pots[begin:end])) if self._potted[p] else ()
            state.append((number, used, pots))
        state.sort()
        return tuple(state)

    def _requests(self, asked: Asked, q: int, claim: "_Claim") -> Iterator[None]:
        """Serve requests q, q + 1, ... in every way; each way is in force while it is yielded."""
        if q == len(asked.requests):
            yield
            return
        for way in asked.requests[q]:
            if way.number in self._barred or (self._bounded and way.rank > self._ranks):
                continue
            self._ranks -= way.rank if self._bounded else 0
            for _ in (
                self._all(way, claim) if way.count == ALL else self._some(way, way.count, 0, claim)
            ):
                yield from self._requests(asked, q + 1, claim)
            self._ranks += way.rank if self._bounded else 0

    def _all(self, way: Way, claim: "_Claim") -> Iterator[None]:
        kinds = self._kinds
        asked = [d for d, kind in enumerate(self._supply.kind) if kind in kinds.asks[way.number]]
        if not asked or any(self._supply.kind[d] not in kinds.fits[way.number] for d in asked):
            return
        taken = 0
        for d in asked:
            if not self._take(d, way, claim):
                break
            taken += 1
        else:
            yield
        for d in reversed(asked[:taken]):
            self._drop(d, way, claim)

    def _some(self, way: Way, count: int, start: int, claim: "_Claim") -> Iterator[None]:
        """Give the choice ``count`` further devices, numbered ``start`` or higher."""
        if not count:
            yield
            return
        for d in self._fitting(way.number):
            if d < start or self._skipped(d, way, claim) or not self._take(d, way, claim):
                continue
            again = d if self._supply.multi[d] and not way.admin else d + 1
            yield from self._some(way, count - 1, again, claim)
            self._drop(d, way, claim)

    def _fitting(self, choice: int) -> list[int]:
        found = self._fits.get(choice)
        if found is None:
            kinds = self._kinds.fits[choice]
            found = [d for d, kind in enumerate(self._supply.kind) if kind in kinds]
            self._fits[choice] = found
        return found

    def _skipped(self, d: int, way: Way, claim: "_Claim") -> bool:
        """Tell whether a device with a lower number would do the very same."""
        touched = claim.own | claim.admin
        used = self._used
        for twin in self._twins[d]:
            if not (touched >> twin) & 1 and (used >> twin) & 1 == (used >> d) & 1:
                return True
        part = self._part[d]
        mask = self._mask[part]
        if not part or touched & mask:
            return False
        begin, _, number = self._supply.parts[part]
        mine = (used & mask) >> begin
        for other in range(part - 1, -1, -1):
            first, end, kind = self._supply.parts[other]
            if kind != number:
                return False  # equal parts stand side by side
            other_mask = self._mask[other]
            if touched & other_mask or (used & other_mask) >> first != mine:
                continue
            if (
                not self._potted[part]
                or self._pots[first:end] == self._pots[begin : begin + end - first]
            ):
                return True
        return False

    def _take(self, d: int, way: Way, claim: "_Claim") -> bool:
        """Give a device to a choice, or change nothing."""
        self.steps -= 1
        if self.steps < 0:
            raise GaveUp
        bit, supply = 1 << d, self._supply
        if claim.admin & bit or len(claim.given) >= MOST_RESULTS:
            return False
        if way.admin:
            if claim.own & bit:
                return False
        elif supply.multi[d]:
            uses = self._kinds.uses.get((way.number, supply.kind[d]), ())
            if any(self._pots[d][pot] < amount for pot, amount in uses):
                return False
        elif not supply.free[d] or self._used & bit:
            return False
        draws = () if way.admin or self._used & bit else supply.draws[d]
        if any(self._left[c] < amount for c, amount in draws) or not claim.agrees(
            way, supply.values[d]
        ):
            return False
        if way.admin:
            claim.admin |= bit
        else:
            for pot, amount in self._kinds.uses.get((way.number, supply.kind[d]), ()):
                self._pots[d][pot] -= amount
            for c, amount in draws:
                self._left[c] -= amount
            claim.saved.append((claim.own, self._used))
            claim.own |= bit
            self._used |= bit
        claim.given.append((way.number, d))
        return True

    def _drop(self, d: int, way: Way, claim: "_Claim") -> None:
        """Undo the last ``_take``."""
        claim.given.pop()
        claim.forget(way)
        if way.admin:
            claim.admin &= ~(1 << d)
            return
        claim.own, self._used = claim.saved.pop()
        for pot, amount in self._kinds.uses.get((way.number, self._supply.kind[d]), ()):
            self._pots[d][pot] += amount
        if not self._used >> d & 1:
            for c, amount in self._supply.draws[d]:
                self._left[c] += amount


class _Claim:
    """A claim that is being served.

    Attributes
    ----------
    own, admin : bits of the devices that it has.
    """

    def __init__(self, common: list[int], seen: list[int]) -> None:
        self.given: Given = []
        self.own = 0
        self.admin = 0
        self.saved: list[tuple[int, int]] = []
        self._common, self._seen = common, seen
        self._rules: list[list[tuple[int, int, int]]] = []

    def agrees(self, way: Way, values: Mapping[int, int]) -> bool:
        """Check the rules for one more device and, where they hold, remember it."""
        for at, attribute, distinct in way.rules:
            mine = values.get(attribute, 0)
            if not mine or (self._seen[at] & mine if distinct else not self._common[at] & mine):
                return False
        self._rules.append([(at, self._common[at], self._seen[at]) for at, _, _ in way.rules])
        for at, attribute, distinct in way.rules:
            if distinct:
                self._seen[at] |= values[attribute]
            else:
                self._common[at] &= values[attribute]
        return True

    def forget(self, way: Way) -> None:
        """Undo the last ``agrees``."""
        for at, common, seen in self._rules.pop():
            self._common[at], self._seen[at] = common, seen


def _twins(supply: Supply) -> list[list[int]]:
    """For each device, lower numbered ones of its part that nothing tells apart from it."""
    twins: list[list[int]] = []
    for begin, end, _ in supply.parts:
        alike: dict[object, list[int]] = {}
        for d in range(begin, end):
            twins.append([])
            if not supply.multi[d]:
                values = tuple(sorted(supply.values[d].items()))
                same = alike.setdefault(
                    (supply.kind[d], supply.free[d], tuple(sorted(supply.draws[d])), values), []
                )
                twins[d] = list(same)
                same.append(d)
    return twins
