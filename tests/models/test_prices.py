"""Prices: never below what can be had, and as good as it where budgets are apart."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from gangplan.models.prices import Item, priced

ITEMS = st.builds(
    Item,
    worth=st.integers(1, 20),
    copies=st.integers(0, 3),
    need=st.lists(st.integers(0, 9), min_size=3, max_size=3).map(lambda n: tuple(enumerate(n))),
)


@given(st.lists(ITEMS, max_size=5), st.lists(st.integers(0, 20), min_size=3, max_size=3))
def test_nothing_that_fits_is_worth_more(items: list[Item], room: list[int]) -> None:
    best = 0
    for counts in product(*(range(item.copies + 1) for item in items)):
        used = [0] * len(room)
        for n, item in zip(counts, items, strict=True):
            for budget, amount in item.need:
                used[budget] += n * amount
        if all(a <= b for a, b in zip(used, room, strict=True)):
            best = max(best, sum(n * i.worth for n, i in zip(counts, items, strict=True)))
    assert priced(items, room) >= best


def test_budgets_that_nobody_shares_are_all_cut() -> None:
    items = [Item(2, 5, ((budget, 1),)) for budget in range(3)]
    assert priced(items, [3, 2, 9]) == 2 * (3 + 2 + 5)


def test_the_last_item_is_cut_and_rounded_down() -> None:
    assert priced([Item(7, 1, ((0, 3),)), Item(6, 1, ((0, 3),))], [5]) == 7 + 4


def test_a_budget_that_another_one_relieves_costs_nothing() -> None:
    # Both budgets are short, but once the first is full the second is not: 10 + 10 of 24 places.
    items = [Item(1, 20, ((0, 1), (1, 1))), Item(1, 10, ((1, 1),))]
    assert priced(items, [10, 24]) == 20


def test_what_needs_nothing_is_had() -> None:
    assert priced([Item(4, 2, ())], []) == 8
