"""Counts: what claims need of a node at least, and what it has; a bound, cheap to look at.

One line for every set of devices that some request is confined to, one for all counters of one size
together (memory slices, multiprocessors), and one for the pots of a set that is shared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gangplan.solvers.planners.greedy.allocator.asked import Asked, Way
from gangplan.solvers.planners.greedy.allocator.supply import Supply

PLENTY = 2**40


@dataclass(frozen=True, slots=True)
class Kinds:
    """What kinds of devices mean to choices.

    Attributes
    ----------
    fits, asks : choice b -> kinds.
    uses : (choice, kind) -> (position of the pot in the device, amount).
    """

    fits: Mapping[int, frozenset[int]]
    asks: Mapping[int, frozenset[int]]
    uses: Mapping[tuple[int, int], tuple[tuple[int, int], ...]]


class Counts:
    """Lines of a supply; ``need`` of a spec and what is left are tuples, one entry a line.

    Attributes
    ----------
    have : what the supply has of each line.
    spare : size of counters -> what all of that size have left; a counter's size is the largest
        draw on it.
    """

    def __init__(
        self, supply: Supply, kinds: Kinds, asked: Sequence[Asked], barred: frozenset[int]
    ) -> None:
        self._supply, self._kinds, self._barred = supply, kinds, barred
        self._open = _bits(supply.free)
        self._fits: dict[int, int] = {}
        unions = {
            self._union(ways) for spec in asked for ways in spec.requests if not ways[0].admin
        }
        shared = _bits(supply.multi)
        self._sets = sorted(union for union in unions if not union & shared)
        self._pools = sorted(union for union in unions if union and union & shared == union)
        sizes = [0] * len(supply.left)
        for draws in supply.draws:
            for c, amount in draws:
                sizes[c] = max(sizes[c], amount)
        self._groups = [
            [c for c, each in enumerate(sizes) if each == size] for size in sorted(set(sizes))
        ]
        self._sizes = sorted(set(sizes))
        self.spare = {
            size: sum(supply.left[c] for c in group)
            for size, group in zip(self._sizes, self._groups, strict=True)
        }
        self._group_of = {c: g for g, group in enumerate(self._groups) for c in group}
        self._need: dict[Asked, tuple[int, ...]] = {}
        self.have = self._have(0, supply.left, supply.pots)

    def need(self, asked: Asked) -> tuple[int, ...]:
        """Return what one claim of a spec needs at least."""
        known = self._need.get(asked)
        if known is None:
            self._need[asked] = known = self._needed(asked)
        return known

    def draws(self, asked: Asked) -> dict[int, int]:
        """Return what a claim draws at least from all counters of each size together."""
        first = len(self._sets)
        return dict(zip(self._sizes, self.need(asked)[first:], strict=False))

    def needs_from(self, claims: Sequence[Asked]) -> list[tuple[int, ...]]:
        """Return what claims ``at``, ``at`` + 1, ... need together, for every ``at``."""
        total = (0,) * len(self.have)
        needs = [total]
        for asked in reversed(claims):
            total = tuple(a + b for a, b in zip(total, self.need(asked), strict=True))
            needs.append(total)
        return needs[::-1]

    def short(
        self, need: Sequence[int], used: int, left: Sequence[int], pots: Sequence[Sequence[int]]
    ) -> bool:
        """Tell whether more is needed than is left."""
        return any(a > b for a, b in zip(need, self._have(used, left, pots), strict=True))

    def _have(
        self, used: int, left: Sequence[int], pots: Sequence[Sequence[int]]
    ) -> tuple[int, ...]:
        spare = self._open & ~used
        return (
            *((spare & union).bit_count() for union in self._sets),
            *(sum(left[c] for c in group) for group in self._groups),
            *(
                sum(pots[d][0] if pots[d] else PLENTY for d in _places(union))
                for union in self._pools
            ),
        )

    def _needed(self, asked: Asked) -> tuple[int, ...]:
        sets, groups = [0] * len(self._sets), [0] * len(self._groups)
        pools = [0] * len(self._pools)
        for ways in asked.requests:
            if ways[0].admin:
                continue
            union = self._union(ways)
            if not union:
                # No choice can be served here at all.
                return (PLENTY * PLENTY,) * len(self.have)
            fewest = min(max(way.count, 1) for way in ways)
            for i, each in enumerate(self._sets):
                sets[i] += fewest if union & ~each == 0 else 0
            for g, amount in enumerate(self._least_draws(union)):
                groups[g] += amount * fewest
            for i, each in enumerate(self._pools):
                if union & ~each == 0:
                    pools[i] += fewest * self._least_use(ways)
        return (*sets, *groups, *pools)

    def _least_draws(self, union: int) -> list[int]:
        least: list[int] = []
        for d in _places(union):
            mine = [0] * len(self._groups)
            if not self._supply.multi[d]:
                for c, amount in self._supply.draws[d]:
                    mine[self._group_of[c]] += amount
            least = [min(a, b) for a, b in zip(least, mine, strict=True)] if least else mine
        return least

    def _least_use(self, ways: Sequence[Way]) -> int:
        """Return what a choice takes at least of the first pot of a device."""
        amounts = []
        for way in ways:
            for d in _places(self._bits_of(way)):
                uses = dict(self._kinds.uses.get((way.number, self._supply.kind[d]), ()))
                amounts.append(uses.get(0, 0))
        return min(amounts, default=0)

    def _union(self, ways: Sequence[Way]) -> int:
        union = 0
        for way in ways:
            union |= self._bits_of(way)
        return union

    def _bits_of(self, way: Way) -> int:
        """Devices that the choice may take, unless others have them; 0 where it is barred."""
        known = self._fits.get(way.number)
        if known is None:
            kinds = self._kinds.fits[way.number]
            known = _bits([kind in kinds for kind in self._supply.kind])
            known &= self._open | _bits(self._supply.multi)
            self._fits[way.number] = known = 0 if way.number in self._barred else known
        return known


def most_of(have: Sequence[int], taken: Sequence[int], need: Sequence[int]) -> int:
    """How often ``need`` goes into what ``taken`` leaves; PLENTY where it needs nothing."""
    return min(
        (max(a - b, 0) // n for a, b, n in zip(have, taken, need, strict=True) if n),
        default=PLENTY,
    )


def _bits(flags: Sequence[bool]) -> int:
    return sum(1 << d for d, flag in enumerate(flags) if flag)


def _places(bits: int) -> list[int]:
    found = []
    while bits:
        low = bits & -bits
        found.append(low.bit_length() - 1)
        bits ^= low
    return found
