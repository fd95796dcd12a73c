"""Exact fractions of counters and capacities as integers: a unit for each name."""

from collections.abc import Iterable
from fractions import Fraction
from math import floor, lcm

from gangplan.datasets.kubernetes.assemble.room import MOST
from gangplan.datasets.units import counted_in


class Scale:
    """Units per base unit: 1 where all amounts are whole, else their common denominator."""

    def __init__(self) -> None:
        self._units: dict[str, int] = {}

    def meet(self, amounts: Iterable[tuple[str, Fraction]]) -> None:
        """Make the unit of each name divide an amount."""
        for name, amount in amounts:
            if amount.denominator != 1:
                self._units[name] = lcm(self._units.get(name, 1), amount.denominator)

    def name(self, name: str) -> str:
        """Give the name with its unit, once all amounts are met."""
        return counted_in(name, self._units.get(name, 1))

    def free(self, name: str, amount: Fraction) -> int:
        """Room in units: 0 at least, `MOST` at most."""
        return min(max(floor(amount * self._units.get(name, 1)), 0), MOST)

    def taken(self, name: str, amount: Fraction) -> int:
        """Give what is taken, in units; above all room where no column could hold it."""
        return min(int(amount * self._units.get(name, 1)), MOST + 1)
