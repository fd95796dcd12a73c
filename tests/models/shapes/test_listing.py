"""Patterns of one node: all maximal multisets, each once, beside a search over everything."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.shapes.listing import CAP, multisets


def free_of_charge(patterns: int, steps: int) -> None:
    """Let everything be looked at."""


def by_hand(free: list[int], request: list[list[int]], demand: list[int]) -> list[list[int]]:
    def fits(counts: tuple[int, ...]) -> bool:
        asked = np.array(counts, dtype=object) @ np.array(request, dtype=object)
        return bool((asked <= np.array(free, dtype=object)).all())

    def grows(counts: tuple[int, ...]) -> bool:
        more = [(*counts[:i], c + 1, *counts[i + 1 :]) for i, c in enumerate(counts)]
        return any(c < most and fits(m) for c, most, m in zip(counts, demand, more, strict=True))

    every = product(*(range(most, -1, -1) for most in demand))
    return [list(counts) for counts in every if fits(counts) and not grows(counts)]


@settings(max_examples=200)
@given(st.data())
def test_all_maximal_multisets_are_listed_in_order(data: st.DataObject) -> None:
    shapes, resources = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3))
    amounts = st.lists(st.integers(0, 4), min_size=resources, max_size=resources)
    request = data.draw(st.lists(amounts, min_size=shapes, max_size=shapes))
    demand = data.draw(st.lists(st.integers(1, 3), min_size=shapes, max_size=shapes))
    free = data.draw(st.lists(st.integers(0, 12), min_size=resources, max_size=resources))
    found = multisets(np.array(free), np.array(request), np.array(demand), free_of_charge)
    assert found.tolist() == by_hand(free, request, demand)


def test_amounts_near_the_end_of_int64() -> None:
    request, demand = np.array([[CAP // 2, 1], [CAP // 3, 0]]), np.array([9, 9])
    found = multisets(np.array([CAP, 5]), request, demand, free_of_charge)
    assert found.tolist() == by_hand([CAP, 5], request.tolist(), demand.tolist())
