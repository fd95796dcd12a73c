from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangplan.models.certificate import LARGEST, dense, sparse
from gangplan.models.errors import FormulationError


@given(st.lists(st.integers(-LARGEST, LARGEST), max_size=20))
def test_sparse_multipliers_come_back_whole(numbers: list[int]) -> None:
    full = np.array(numbers, dtype=np.int64)
    rows, values = sparse(full)
    assert 0 not in values
    assert dense(rows, values, len(full)).tolist() == numbers


@pytest.mark.parametrize("odd", [True, 1.5, float("nan"), "1", None])
def test_multipliers_that_are_no_integers_are_refused(odd: Any) -> None:
    for rows, values in (((odd,), (1,)), ((0,), (odd,))):
        with pytest.raises(FormulationError, match="no integer"):
            dense(rows, values, 3)


@pytest.mark.parametrize(
    ("rows", "values"),
    [((3,), (1,)), ((-1,), (1,)), ((0, 0), (1, 2)), ((0, 1), (1,)), ((0,), (LARGEST + 1,))],
)
def test_multipliers_that_fit_no_rows_are_refused(
    rows: tuple[int, ...], values: tuple[int, ...]
) -> None:
    with pytest.raises(FormulationError):
        dense(rows, values, 3)
