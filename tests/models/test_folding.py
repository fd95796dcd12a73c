"""Folded models: whatever is declared alike, they leave out no point and price each the same."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gangplan.models.arrays import Ints
from gangplan.models.folding import Folded, folded
from gangplan.models.milp import Columns, Milp, RowBlock, build, row_block

INF = np.inf


def model(*rows: tuple[str, list[list[int]], list[float], list[float]], n: int) -> Milp:
    """Columns 0..2; blocks of dense rows with their sides."""
    cols = Columns()
    cols.add("x", np.zeros(n, dtype=np.int64), np.full(n, 2))
    return build(cols, [dense(*row) for row in rows])


def dense(name: str, coefs: list[list[int]], lower: list[float], upper: list[float]) -> RowBlock:
    row, col = np.nonzero(np.array(coefs))
    return row_block(name, row, col, np.array(coefs)[row, col], lower, upper, len(coefs))


def fold(milp: Milp, number: list[int], kept: list[bool] | None = None) -> Milp | None:
    flags = np.ones(milp.n_rows, dtype=np.bool_) if kept is None else np.array(kept, dtype=np.bool_)
    return folded(milp, np.array(number), flags)


@st.composite
def folds(draw: st.DrawFn) -> tuple[Milp, list[int], list[bool]]:
    n, small = 4, st.integers(-2, 2)
    classes = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    number = np.unique(classes, return_inverse=True)[1].reshape(-1).tolist()
    pattern = draw(st.lists(small, min_size=n, max_size=n))
    whole = [pattern[c] for c in number]
    torn = [[draw(small) if j == i else 0 for j in range(n)] for i in range(n)]
    same = draw(small)
    diagonal = [[same if j == i else 0 for j in range(n)] for i in range(n)]
    choice = draw(st.sampled_from((diagonal, torn)))
    sides = [float(draw(small)) for _ in range(n + 1)]
    lower = [side if draw(st.booleans()) else -INF for side in sides]
    upper = [max(side, 0) + 2 if draw(st.booleans()) else INF for side in sides]
    rows = [
        ("each", choice, lower[:n], upper[:n]),
        ("all", [whole], lower[n:], upper[n:]),
    ]
    cost = [draw(small)] * n if draw(st.booleans()) else [pattern[c] for c in number]
    kept = draw(st.lists(st.booleans(), min_size=n + 1, max_size=n + 1))
    return model(*rows, n=n).with_cost(cost, draw(small)), number, kept


@given(folds())
def test_every_point_is_a_point_of_the_folded_model_and_costs_the_same(
    drawn: tuple[Milp, list[int], list[bool]],
) -> None:
    milp, number, kept = drawn
    smaller = fold(milp, number, kept)
    if smaller is None:
        return
    there = Folded(smaller, np.array(number), lambda values: values)
    for values in product(range(3), repeat=milp.n_cols):
        point = np.array(values, dtype=np.int64)
        if not len(milp.violated_rows(point)):
            gathered = there.gathered(point)
            assert not len(smaller.violated_rows(gathered))
            assert (gathered <= smaller.upper).all()
            assert smaller.objective(gathered) == milp.objective(point)


def test_rows_that_speak_of_one_of_them_each_are_added_up() -> None:
    milp = model(("one", [[1, 0, -1], [0, 1, -1]], [-INF, 0], [0, 1]), n=3)
    smaller = fold(milp, [0, 0, 1])
    assert smaller is not None
    assert smaller.matrix.toarray().tolist() == [[1, -2]]
    assert (smaller.row_lower.tolist(), smaller.row_upper.tolist()) == ([-INF], [1])
    assert smaller.upper.tolist() == [4, 2]


def test_rows_of_two_blocks_are_never_added_up() -> None:
    one, other = ("one", [[1, 0]], [-INF], [1.0]), ("other", [[0, 1]], [-INF], [1.0])
    assert fold(model(one, other, n=2), [0, 0]) is None


def test_a_row_that_tells_columns_apart_and_a_cost_that_does_end_the_folding() -> None:
    milp = model(("one", [[1, 2]], [-INF], [3.0]), n=2)
    assert fold(milp, [0, 0]) is None
    assert fold(milp, [0, 0], [False]) is not None
    alike = model(("one", [[2, 2]], [-INF], [3.0]), n=2)
    assert fold(alike, [0, 0]) is not None
    assert fold(alike.with_cost([1, 2]), [0, 0]) is None


def test_what_is_left_alone_stays_as_it_is() -> None:
    milp = model(("one", [[1, 2], [0, 1]], [0, 0], [3, INF]), n=2).with_cost([1, 5], 7)
    smaller = fold(milp, [0, 1])
    assert smaller is not None
    assert smaller.digest() == milp.digest()


def as_ints(*values: int) -> Ints:
    return np.array(values, dtype=np.int64)


def test_a_point_is_added_up_class_by_class() -> None:
    milp = model(("one", [[1, 1, 1]], [0], [3]), n=3)
    smaller = fold(milp, [0, 1, 0])
    assert smaller is not None
    there = Folded(smaller, as_ints(0, 1, 0), lambda values: values)
    assert there.gathered(as_ints(2, 1, 1)).tolist() == [3, 1]
