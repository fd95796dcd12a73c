import warnings
from dataclasses import replace
from fractions import Fraction
from math import ceil, gcd
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from gangplan.models.bound import dual_bound, evaluate, step
from gangplan.models.errors import FormulationError
from gangplan.models.milp import Milp


def milp(
    cost: list[int],
    matrix: list[Any],
    row_lower: list[float],
    row_upper: list[float],
    upper: list[int],
    offset: int = 0,
) -> Milp:
    n = len(cost)
    return Milp(
        cost=np.array(cost, dtype=float),
        lower=np.zeros(n),
        upper=np.array(upper, dtype=float),
        integer=np.ones(n, dtype=bool),
        matrix=sparse.csr_array(np.array(matrix, dtype=float).reshape(len(row_lower), n)),
        row_lower=np.array(row_lower, dtype=float),
        row_upper=np.array(row_upper, dtype=float),
        offset=offset,
    )


KNAPSACK = milp([-5, -4, -3], [[2, 3, 1]], [-np.inf], [5], [1, 1, 1])


def optimum(model: Milp) -> int:
    points = np.indices([int(u) + 1 for u in model.upper]).reshape(len(model.upper), -1).T
    ok = [p for p in points if not len(model.violated_rows(p))]
    return min(model.objective(p) for p in ok)


def test_the_right_dual_proves_the_linear_optimum_rounded_to_the_step() -> None:
    bound, y = dual_bound(KNAPSACK, np.array([-4 / 3]))
    assert bound == -10  # LP: -8 - 4 * 2/3 = -10.67
    assert evaluate(KNAPSACK, y) == bound
    assert bound <= optimum(KNAPSACK) == -9


@pytest.mark.parametrize("dual", [0.0, -1e9, 1e9, np.nan, np.inf, -0.123456789])
def test_any_multiplier_gives_a_valid_bound(dual: float) -> None:
    bound, _ = dual_bound(KNAPSACK, np.array([dual]))
    assert bound <= optimum(KNAPSACK)


def test_a_sign_that_needs_an_open_side_is_clipped_and_refused_when_stored() -> None:
    assert dual_bound(KNAPSACK, np.array([3.0]))[1][0] == 0
    with pytest.raises(FormulationError, match="open"):
        evaluate(KNAPSACK, np.array([5]))


def test_the_bound_keeps_the_offset_and_the_step() -> None:
    even = milp([-4, -6], [[1, 1]], [-np.inf], [1], [5, 5], offset=100)
    assert step(even.cost) == 2
    assert dual_bound(even, np.array([-5.5]))[0] <= 100 - 6
    assert dual_bound(even, np.array([-6.0]))[0] == 100 - 6


def test_numbers_beyond_64_bits_stay_exact() -> None:
    big = 2**40
    wide = milp([-1], [[big]], [-np.inf], [big], [2**20])
    assert dual_bound(wide, np.array([-1 / big]))[0] <= -1
    bound, y = dual_bound(wide, np.array([-1e6]))
    # d = -1 + 1e6 * 2^40 > 0, so x = 0 and the row pays -1e6 * 2^40, far beyond 2^63 when scaled.
    assert bound == -(10**6) * big
    assert evaluate(wide, y) == bound


def test_a_column_without_a_bound_is_refused_where_its_bound_is_needed() -> None:
    wide = replace(KNAPSACK, upper=np.array([np.inf, 1.0, 1.0]))
    with pytest.raises(FormulationError, match="a column without a bound"):
        evaluate(wide, np.array([0]))
    # Two and a half times the row take the first column its -5, and leave the third -1 / 2.
    assert evaluate(wide, np.array([-5 << 19])) == -13


@pytest.mark.parametrize("dual", [1e308, -1e308, 1e303])
def test_duals_near_the_end_of_float64_are_clipped_without_a_warning(dual: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bound, y = dual_bound(KNAPSACK, np.array([dual]))
    assert abs(int(y[0])) in (0, 2**40)
    assert bound <= optimum(KNAPSACK)


def slow_bound(model: Milp, multipliers: list[int]) -> int:
    """The module's formula again, term by term, in rational numbers."""
    y = [Fraction(v, 2**20) for v in multipliers]
    dense = [[int(a) for a in row] for row in model.matrix.toarray()]
    total = Fraction(0)
    for price, low, high in zip(y, model.row_lower, model.row_upper, strict=True):
        if price:
            total += price * int(low if price > 0 else high)
    for j, cost in enumerate(model.cost):
        rest = int(cost) - sum(price * row[j] for price, row in zip(y, dense, strict=True))
        if rest:
            total += rest * int(model.lower[j] if rest > 0 else model.upper[j])
    unit = gcd(*(int(c) for c in model.cost)) or 1
    return ceil(total / unit) * unit + model.offset


def test_bounds_equal_those_of_rational_numbers_whatever_the_size() -> None:
    rng = Random(4)

    def number(bits: int) -> int:
        return rng.choice([0, rng.randint(-9, 9), rng.choice([-1, 1]) << rng.randint(0, bits)])

    for _ in range(400):
        n, m = rng.randint(1, 4), rng.randint(0, 4)
        sides = [sorted((number(40), number(40))) for _ in range(m)]
        ends = [sorted((number(40), number(40))) for _ in range(n)]
        multiple = rng.choice([1, 6, 2**20])
        model = Milp(
            cost=np.array([multiple * number(20) for _ in range(n)], dtype=float),
            lower=np.array([low for low, _ in ends], dtype=float),
            upper=np.array([high for _, high in ends], dtype=float),
            integer=np.ones(n, dtype=bool),
            matrix=sparse.csr_array(
                np.array([[number(40) for _ in range(n)] for _ in range(m)], float).reshape(m, n)
            ),
            row_lower=np.array([low for low, _ in sides], dtype=float),
            row_upper=np.array([high for _, high in sides], dtype=float),
            offset=number(40),
        )
        y = [number(rng.choice([3, 40, 60])) for _ in range(m)]
        assert evaluate(model, np.array(y, dtype=np.int64)) == slow_bound(model, y)


def test_a_coefficient_that_is_not_integral_is_refused() -> None:
    with pytest.raises(FormulationError, match="integral"):
        step(np.array([0.5]))


@given(st.data())
def test_bounds_of_random_multipliers_never_pass_the_optimum(data: st.DataObject) -> None:
    n, m = data.draw(st.integers(1, 3)), data.draw(st.integers(0, 3))
    whole = st.integers(-4, 4)
    upper = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    model = milp(
        data.draw(st.lists(whole, min_size=n, max_size=n)),
        data.draw(st.lists(whole, min_size=n * m, max_size=n * m)),
        [-np.inf] * m,
        data.draw(st.lists(st.integers(0, 6), min_size=m, max_size=m)),
        upper,
    )
    dual = np.array(data.draw(st.lists(st.floats(-5, 1), min_size=m, max_size=m)))
    bound, stored = dual_bound(model, dual)
    assert bound <= optimum(model)  # x = 0 is always feasible here
    assert evaluate(model, stored) == bound
