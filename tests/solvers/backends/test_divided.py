"""Rows made smaller: the same points, and duals that say the same."""

import numpy as np

from gangplan.models.milp import INFINITY, Milp
from gangplan.solvers.backends.divided import LARGEST, divided, halved
from tests.solvers.conformance import CASES, model

WIDE = [case for case in CASES if case.name.startswith("wide")]


def points(milp: Milp) -> np.ndarray:
    """Every point of the box."""
    ranges = [np.arange(low, high + 1) for low, high in zip(milp.lower, milp.upper, strict=True)]
    return np.stack(np.meshgrid(*ranges, indexing="ij"), -1).reshape(-1, milp.n_cols)


def kept(milp: Milp, rows: np.ndarray) -> np.ndarray:
    """Which of the points keep every row; all sums here are exact in float64."""
    sums = rows @ milp.matrix.toarray().T
    good: np.ndarray = ((sums >= milp.row_lower) & (sums <= milp.row_upper)).all(axis=1)
    return good


def test_smaller_rows_have_the_same_points() -> None:
    for case in WIDE:
        milp = case.make()
        box = points(milp)
        smaller, factors = halved(milp)
        assert abs(smaller.matrix).max() <= LARGEST
        assert (factors < 1).any()
        for made in (smaller, divided(milp)):
            assert np.array_equal(kept(made, box), kept(milp, box))


def test_factors_are_powers_of_two_so_that_nothing_is_rounded() -> None:
    smaller, factors = halved(WIDE[0].make())
    assert (np.frexp(factors)[0] == 0.5).all()
    back = smaller.matrix.toarray() / factors[:, None]
    assert np.array_equal(back, WIDE[0].make().matrix.toarray())


def test_small_rows_and_models_without_rows_or_entries_stay_as_they_are() -> None:
    small = model([1], [0], [9], [([2**20], 1, INFINITY)])
    for milp in (small, model([], [], [], []), model([1], [0], [1], [([0], -1, 1)])):
        same, factors = halved(milp)
        assert same is milp
        assert factors.tolist() == [1.0] * milp.n_rows
