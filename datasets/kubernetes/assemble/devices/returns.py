"""Holdings as the columns say them: what the fall of all users of a claim gives back."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gangplan.datasets.devices import Offer
from gangplan.datasets.kubernetes.assemble.devices.freed import Freed
from gangplan.datasets.kubernetes.assemble.devices.offers import Stock
from gangplan.datasets.running import Hold


@dataclass(frozen=True, slots=True, eq=False)
class Returning:
    """Numbers what comes back.

    Attributes
    ----------
    kept : devices of the inventory that the instance has, in its order. offers : likewise.
    counters : what is left of each counter, by name in the order of the instance.
    """

    freed: Freed
    stock: Stock
    kept: Sequence[int]
    offers: Sequence[Offer]
    counters: Mapping[str, int]

    def holds(self, users: Mapping[str, Sequence[str]], shared: Sequence[str]) -> list[Hold]:
        """Write the holdings that give back something.

        Parameters
        ----------
        users : claim -> the names of its users. shared : names of the shared claims, by number.
        """
        number = {name: c for c, name in enumerate(shared)}
        devices, counters, pots = self._devices(), self._counters(), self._pots()
        return [
            Hold(
                tuple(mine),
                number.get(claim, -1),
                tuple(devices.get(claim, ())),
                counters.get(claim, {}),
                pots.get(claim, {}),
            )
            for claim, mine in users.items()
            if any(claim in part for part in (devices, counters, pots))
        ]

    def _devices(self) -> dict[str, list[int]]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for number, i in enumerate(self.kept):
            if i in self.freed.whole:
                found[self.freed.whole[i]].append(number)
        return found

    def _counters(self) -> dict[str, dict[int, int]]:
        """Add up what the devices of each claim draw; what a counter is short of comes first."""
        number = {name: c for c, name in enumerate(self.counters)}
        scale = self.stock.counters
        tight = {
            full
            for i in np.flatnonzero(self.freed.tight).tolist()
            for full, _ in self.stock.drawn(i)
        }
        total: defaultdict[str, dict[str, Fraction]] = defaultdict(dict)
        for i, claim in self.freed.whole.items():
            for full, amount in self.stock.drawn(i):
                if full not in tight and scale.name(full) in number:
                    total[claim][full] = total[claim].get(full, Fraction(0)) + amount
        short = self.stock.short({i for i in self.freed.whole} if total else set())
        found: defaultdict[str, dict[int, int]] = defaultdict(dict)
        for claim, drawn in total.items():
            for full, amount in drawn.items():
                if back := scale.free(full, amount - short.get(full, 0)):
                    found[claim][number[scale.name(full)]] = back
        return found

    def _pots(self) -> dict[str, dict[int, int]]:
        scale, found = self.stock.pots, defaultdict[str, dict[int, int]](dict)
        pot = 0
        for i, offer in zip(self.kept, self.offers, strict=True):
            number = {name: pot + p for p, name in enumerate(offer.pots)}
            pot += len(offer.pots)
            for name, each in self.freed.shares.get(i, {}).items():
                for claim, amount in each.items():
                    if back := scale.free(name, amount):
                        found[claim][number[scale.name(name)]] = back
        return found
