"""Alike: specs that ask the same of a node, whatever their choices are called.

"2g.10gb, or else 1g.10gb" with its first choice made is "2g.10gb"; what is known of one is known of
the other.
"""

from collections.abc import Sequence

from gangplan.solvers.planners.greedy.allocator.asked import Asked
from gangplan.solvers.planners.greedy.allocator.counts import Kinds


class Alike:
    """Numbers of specs that stand for all like them.

    Parameters
    ----------
    asked : specs by number; more may be added behind.
    """

    def __init__(self, kinds: Kinds, asked: Sequence[Asked]) -> None:
        self._kinds, self._asked = kinds, asked
        self._known: dict[tuple[int, frozenset[int]], int] = {}
        self._first: dict[object, int] = {}

    def first(self, spec: int, barred: frozenset[int]) -> int:
        """Return the first spec that asks the same where the choices ``barred`` may not be used."""
        known = self._known.get((spec, barred))
        if known is None:
            requests = tuple(
                tuple(
                    (way.count, way.admin, way.rules, way.number in barred, self._kind(way.number))
                    for way in ways
                )
                for ways in self._asked[spec].requests
            )
            known = self._first.setdefault((barred, requests), spec)
            self._known[spec, barred] = known
        return known

    def names(self, spec: int, other: int) -> dict[int, int]:
        """Choices of a spec -> those of another one that asks the same."""
        pairs = zip(self._asked[spec].requests, self._asked[other].requests, strict=True)
        return {a.number: b.number for one, two in pairs for a, b in zip(one, two, strict=True)}

    def _kind(self, choice: int) -> object:
        """Devices that a choice may have, and what it uses of them."""
        kinds = self._kinds
        fits = kinds.fits[choice]
        uses = tuple((kind, kinds.uses.get((choice, kind), ())) for kind in sorted(fits))
        return kinds.asks[choice], uses
