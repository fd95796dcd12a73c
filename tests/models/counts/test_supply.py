"""Rows of what runs out and comes back: scaled, lowered, and with the same integer points."""

from itertools import product

import numpy as np
import pytest

from gangplan.models.arrays import Ints
from gangplan.models.counts.supply import Left, Taken, limited
from gangplan.models.errors import FormulationError
from gangplan.models.milp import BIGGEST, RowBlock

X, Y, F, G = range(4)
"""Two columns that take, two that give back."""


def taken(*entries: tuple[int, int, int]) -> Taken:
    table = np.array(entries, dtype=np.int64).reshape(-1, 3)
    return Taken(*table.T)


def rows(take: Taken, back: Taken, *now: int, upper: tuple[int, int] = (3, 3)) -> RowBlock:
    left = Left(np.array(now, dtype=np.int64), back)
    return limited("claims.cell", take, np.array([*upper, 0, 0]), left, lambda i: f"thing {i}")


def points(block: RowBlock, upper: tuple[int, int]) -> set[tuple[int, ...]]:
    matrix = np.zeros((len(block.upper), 4), dtype=np.int64)
    np.add.at(matrix, (block.row, block.col), block.coef)
    grid = product(range(upper[0] + 1), range(upper[1] + 1), (0, 1), (0, 1))
    return {point for point in grid if (matrix @ np.array(point) <= block.upper).all()}


def as_said(take: Taken, back: Taken, now: Ints, upper: tuple[int, int]) -> set[tuple[int, ...]]:
    """The points that keep every sum, counted in plain Python."""
    found: set[tuple[int, ...]] = set()
    for point in product(range(upper[0] + 1), range(upper[1] + 1), (0, 1), (0, 1)):
        left = [int(n) for n in now]
        for sign, side in ((-1, take), (1, back)):
            for i, col, amount in zip(*(c.tolist() for c in (side.number, side.col, side.amount)),
                                      strict=True):  # fmt: skip
                left[i] += sign * amount * point[col]
        if min(left) >= 0:
            found.add(point)
    return found


def test_scaled_rows_keep_exactly_the_integer_points() -> None:
    random = np.random.default_rng(7)
    for _ in range(400):
        scale = int(random.choice([1, 2, 6, 2**30]))
        upper = tuple(random.integers(0, 4, 2).tolist())
        take = taken(*((i, c, scale * w) for i in (0, 1) for c in (X, Y)
                       if (w := int(random.integers(0, 5)))))  # fmt: skip
        back = taken(*((i, c, scale * w) for i in (0, 1) for c in (F, G, G)
                       if (w := int(random.integers(0, 9)))))  # fmt: skip
        now = scale * random.integers(0, 6, 2) + random.integers(0, scale, 2)
        block = rows(take, back, *now.tolist(), upper=upper)
        assert points(block, upper) == as_said(take, back, now, upper)


def test_both_sides_are_divided_and_what_comes_back_is_cut_to_what_can_be_taken() -> None:
    block = rows(taken((0, X, 6)), taken((0, F, 9), (0, G, 90)), 3)
    assert sorted(zip(block.col.tolist(), block.coef.tolist(), strict=True)) == [
        (X, 2), (F, -3), (G, -6),
    ]  # fmt: skip
    assert block.upper.tolist() == [1]


def test_a_row_that_cannot_bind_is_left_out_whatever_comes_back() -> None:
    assert len(rows(taken((0, X, 2)), taken((0, F, 1)), 7).upper) == 0
    assert len(rows(taken((0, X, 2)), taken((0, F, 1)), 5).upper) == 1


def test_nothing_comes_back_to_a_thing_that_nobody_takes() -> None:
    block = rows(taken((1, X, 2)), taken((0, F, 4), (2, F, 4)), 0, 1, 0)
    assert block.col.tolist() == [X]
    assert len(rows(taken(), taken((0, F, 4)), 0).upper) == 0


def test_a_holding_may_give_back_more_than_an_integer_holds() -> None:
    big = 2**62 + 2**61
    block = rows(taken((0, X, 2**50)), taken((0, F, big), (0, F, big), (0, G, 2**50)), 2**50)
    assert sorted(zip(block.col.tolist(), block.coef.tolist(), strict=True)) == [
        (X, 1), (F, -2), (G, -1),
    ]  # fmt: skip


def test_an_amount_that_cannot_be_scaled_is_refused_by_name() -> None:
    with pytest.raises(FormulationError, match=r"thing 0: a quantity above 2\^40"):
        rows(taken((0, X, 2 * BIGGEST)), taken((0, F, BIGGEST + 1)), 0)
