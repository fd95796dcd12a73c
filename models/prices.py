"""Prices: an upper bound on what can be paid for under several budgets at once, in integers.

For any prices of the budgets, at least 0, all room at its price plus what every item is worth
above its cost is at least what any choice of items is worth (weak duality; Geoffrion 1974). The
prices are found one budget after the other, the scarcest first, each by the fractional knapsack
that the others leave it (Dantzig 1957); whatever they are, the bound holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

SCALE = 2**20
"""Prices are multiples of 1 / SCALE."""

SWEEPS = 6


@dataclass(frozen=True, slots=True)
class Item:
    """Something that may be had ``copies`` times, or in part: it takes ``need`` of budget l."""

    worth: int
    copies: int
    need: tuple[tuple[int, int], ...]


def priced(items: Sequence[Item], room: Sequence[int]) -> int:
    """Return a bound on the worth of all items that fit the budgets ``room`` together."""
    users: list[list[tuple[Item, int]]] = [[] for _ in room]
    for item in items:
        for budget, amount in item.need:
            if amount:
                users[budget].append((item, amount))
    asked = [sum(amount * item.copies for item, amount in mine) for mine in users]
    short = [budget for budget, have in enumerate(room) if asked[budget] > have]
    # A budget that is asked for most often over is priced before those that it relieves.
    short.sort(key=lambda budget: Fraction(room[budget], asked[budget]))
    price = [0] * len(room)
    best = _bound(items, room, price)
    for _ in range(SWEEPS):
        before = list(price)
        for budget in short:
            price[budget] = 0
            gains = [
                (SCALE * item.worth - _cost(item, price), amount, item)
                for item, amount in users[budget]
            ]
            price[budget] = _cut(gains, room[budget])
        best = min(best, _bound(items, room, price))
        if price == before:
            break
    return best


def _cost(item: Item, price: Sequence[int]) -> int:
    return sum(price[budget] * amount for budget, amount in item.need)


def _cut(gains: Sequence[tuple[int, int, Item]], room: int) -> int:
    """Gain for each unit of what is cut when a budget is filled, best ratio first; 0 for none."""
    paying = [entry for entry in gains if entry[0] > 0]
    for gain, amount, item in sorted(paying, key=lambda entry: Fraction(-entry[0], entry[1])):
        room -= amount * item.copies
        if room < 0:
            return gain // amount
    return 0


def _bound(items: Sequence[Item], room: Sequence[int], price: Sequence[int]) -> int:
    total = sum(p * have for p, have in zip(price, room, strict=True))
    for item in items:
        total += item.copies * max(SCALE * item.worth - _cost(item, price), 0)
    return total // SCALE
