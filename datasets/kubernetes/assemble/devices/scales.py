"""Exact fractions of counters and capacities as integers: a unit for each name."""

from collections.abc import Iterable
from fractions import Fraction
from math import ceil, floor, lcm

from gangplan.datasets.kubernetes.assemble.room import MOST
from gangplan.datasets.units import counted_in


class Scale:
    """Units per base unit: 1 where all amounts are whole, else their common denominator.

    Where columns could not hold the largest amount in that unit, a coarser one is taken: what is
    asked is rounded up, what there is down, and `notes` tell of it.
    """

    def __init__(self) -> None:
        self._exact: dict[str, int] = {}
        self._most: dict[str, Fraction] = {}

    def meet(self, amounts: Iterable[tuple[str, Fraction]]) -> None:
        """Make the unit of each name divide an amount."""
        for name, amount in amounts:
            if amount.denominator != 1:
                self._exact[name] = lcm(self._exact.get(name, 1), amount.denominator)
            if amount > self._most.get(name, 0):
                self._most[name] = amount

    def name(self, name: str) -> str:
        """Give the name with its unit, once all amounts are met."""
        return counted_in(name, self._parts(name))

    def free(self, name: str, amount: Fraction) -> int:
        """Room in units: 0 at least, `MOST` at most."""
        return min(max(floor(amount * self._parts(name)), 0), MOST)

    def taken(self, name: str, amount: Fraction) -> int:
        """Give what is taken, in units; above all room where no column could hold it."""
        return min(ceil(amount * self._parts(name)), MOST + 1)

    def notes(self) -> list[str]:
        """Name what is not counted exactly."""
        return [
            f"amounts of {name} differ too much to be counted exactly: what is asked is rounded up"
            f" to 1/{self._parts(name)}"
            for name in self._exact
            if self._parts(name) != self._exact[name]
        ] + [
            f"amounts of {name} above 2^62 are not planned"
            for name, amount in self._most.items()
            if amount > MOST
        ]

    def _parts(self, name: str) -> int:
        parts, most = self._exact.get(name, 1), self._most.get(name, 0)
        if most * parts <= MOST:
            return parts
        parts = 1
        while most * parts * 10 <= MOST:
            parts *= 10
        return parts
