from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from gangplan.models.errors import FormulationError
from gangplan.models.milp import BIGGEST, Columns, Milp, RowBlock, build, row_block

INFINITY = float("inf")


def small() -> Milp:
    """x in 0..3 (two columns), y in 0..1; x0 + x1 - 3 y <= 0, x0 + 2 x1 >= 1."""
    columns = Columns()
    x = columns.add("x", 0, np.array([3, 3]))
    y = columns.add("y", 0, [1])
    on = row_block("gang.on", [0, 0, 0], [*x.cols, *y.cols], [1, 1, -3], -INFINITY, 0, 1)
    least = row_block("gang.min", [0, 0], x.cols, [1, 2], 1, INFINITY, 1)
    return build(columns, [on, least])


def test_blocks_are_numbered_in_order() -> None:
    milp = small()
    assert (milp.n_cols, milp.n_rows) == (3, 2)
    assert milp.col_blocks == {"x": (0, 2), "y": (2, 3)}
    assert milp.row_blocks == {"gang.on": (0, 1), "gang.min": (1, 2)}
    assert milp.matrix.toarray().tolist() == [[1, 1, -3], [1, 2, 0]]
    assert milp.row_name(1) == "gang.min[0]"
    assert milp.integer.all()
    with pytest.raises(FormulationError, match="no row 2"):
        milp.row_name(2)


def test_broken_rows_and_the_objective_are_exact() -> None:
    milp = small().with_cost([-1, -2, 5], offset=7)
    assert milp.violated_rows(np.array([1, 1, 0])).tolist() == [0]
    assert milp.violated_rows(np.array([0, 0, 1])).tolist() == [1]
    assert milp.violated_rows(np.array([1, 1, 1])).tolist() == []
    assert milp.objective(np.array([1, 1, 1])) == 7 - 1 - 2 + 5


def test_a_row_more_leaves_the_old_model_alone() -> None:
    milp = small()
    more = milp.with_rows(row_block("hold", [0], [2], [1], 1, 1, 1))
    assert (milp.n_rows, more.n_rows) == (2, 3)
    assert more.row_blocks["hold"] == (2, 3)
    assert more.violated_rows(np.array([1, 0, 0])).tolist() == [0, 2]


def test_the_relaxation_has_no_integers() -> None:
    assert not small().relaxed().integer.any()


def test_entries_of_one_place_add_up() -> None:
    columns = Columns()
    columns.add("x", 0, [5])
    milp = build(columns, [row_block("r", [0, 0], [0, 0], [2, 3], -INFINITY, 10, 1)])
    assert milp.matrix.toarray().tolist() == [[5]]


def test_a_model_without_rows_or_columns_can_be_built() -> None:
    milp = build(Columns(), [])
    assert (milp.n_cols, milp.n_rows) == (0, 0)
    assert milp.objective(np.zeros(0, dtype=np.int64)) == 0


def test_two_blocks_of_one_name_are_refused() -> None:
    columns = Columns()
    columns.add("x", 0, [1])
    with pytest.raises(FormulationError, match="column block 'x' written twice"):
        columns.add("x", 0, [1])
    row = row_block("r", [0], [0], 1, 0, 1, 1)
    with pytest.raises(FormulationError, match="row block 'r' written twice"):
        build(columns, [row, row])


def test_a_lower_bound_above_its_upper_bound_is_refused() -> None:
    with pytest.raises(FormulationError, match="above its upper bound"):
        Columns().add("x", [0, 2], 1)


@pytest.mark.parametrize(
    "block",
    [
        row_block("big", [0], [0], [BIGGEST + 1], 0, 1, 1),
        row_block("big", [0], [0], [1], 0, BIGGEST + 1, 1),
    ],
)
def test_numbers_that_floating_point_cannot_hold_are_refused_by_name(block: RowBlock) -> None:
    columns = Columns()
    columns.add("x", 0, [1])
    with pytest.raises(FormulationError, match="big: a number above 2"):
        build(columns, [block])


def test_a_side_that_is_not_integral_is_refused() -> None:
    columns = Columns()
    columns.add("x", 0, [1])
    with pytest.raises(FormulationError, match="not integral"):
        build(columns, [row_block("half", [0], [0], [1], 0, 0.5, 1)])


def test_equal_models_have_equal_digests_whatever_their_blocks_are_called() -> None:
    milp = small().with_cost([-1, -2, 5], offset=7)
    assert milp.digest() == small().with_cost([-1, -2, 5], offset=7).digest()
    same = replace(milp, row_blocks={}, col_blocks={})
    # Entries in another order, one in two halves, a zero written out, and a negative zero.
    entries = [(1, 1, 1.0), (1, 1, 1.0), (1, 0, 1.0), (0, 2, -3.0), (0, 1, 1.0), (0, 0, 1.0)]
    row, col, coef = zip(*entries, (1, 2, 0.0), strict=True)
    same = replace(same, matrix=sparse.csr_array((coef, (row, col)), shape=(2, 3)))
    same = replace(same, lower=np.array([-0.0, 0.0, 0.0]))
    assert same.digest() == milp.digest()


def test_whatever_changes_a_model_changes_its_digest() -> None:
    milp = small().with_cost([-1, -2, 5], offset=7)
    changed = [
        milp.with_cost([-1, -2, 6], offset=7),
        milp.with_cost([-1, -2, 5], offset=8),
        milp.relaxed(),
        milp.with_rows(row_block("hold", [0], [2], [1], 1, 1, 1)),
        replace(milp, upper=milp.upper + 1),
        replace(milp, lower=milp.lower - 1),
        replace(milp, row_upper=milp.row_upper + 1),
        replace(milp, row_lower=milp.row_lower - 1),
        replace(milp, matrix=milp.matrix * 2),
    ]
    assert len({milp.digest(), *(other.digest() for other in changed)}) == len(changed) + 1
