"""Texts of CBC, read without CBC."""

import io

import numpy as np
import pytest

from gangplan.models.errors import SolverError
from gangplan.solvers.backends.cbc_answer import read_answer, read_bound, read_status
from gangplan.solvers.base import Stop


@pytest.mark.parametrize(
    ("line", "stop", "limit", "objective"),
    [
        ("Optimal - objective value 91.00000000", Stop.OPTIMAL, "", 91),
        ("Optimal (within gap tolerance) - objective value -5.5", Stop.OPTIMAL, "", -5.5),
        ("Infeasible - objective value 4.00000000", Stop.INFEASIBLE, "", 4),
        ("Integer infeasible - objective value 7.00000000", Stop.INFEASIBLE, "", 7),
        ("Stopped on time - objective value 1", Stop.FEASIBLE, "time", 1),
        ("Stopped on nodes - objective value 1", Stop.FEASIBLE, "nodes", 1),
        ("Stopped on iterations - objective value 2", Stop.FEASIBLE, "iterations", 2),
        ("Stopped on ctrl-c - objective value 2", Stop.FEASIBLE, "interrupt", 2),
        ("Unbounded - objective value 0.00000000", Stop.ERROR, "", 0),
        ("Stopped on difficulties - objective value 3", Stop.ERROR, "", 3),
        ("Status unknown - objective value 0.00000000", Stop.ERROR, "", 0),
        ("Stopped on time (no integer solution - continuous used)", Stop.NONE_FOUND, "time", None),
        (
            "Stopped on time (no integer solution - continuous used) - objective value 0.5",
            Stop.NONE_FOUND,
            "time",
            None,
        ),
        (
            "Stopped on time (LP relaxation not completed - no integer solution)"
            " - objective value 0.00000000",
            Stop.NONE_FOUND,
            "time",
            None,
        ),
        (
            "Optimal (no integer solution - continuous used) - objective value 1",
            Stop.ERROR,
            "",
            None,
        ),
        ("Optimal (or nearly) - objective value 1", Stop.ERROR, "", 1),
        ("Stopped on a whim - objective value 1", Stop.ERROR, "", 1),
        ("Optimal - objective value many", Stop.ERROR, "", None),
    ],
)
def test_the_first_line_is_read_whole(
    line: str, stop: Stop, limit: str, objective: float | None
) -> None:
    found = read_status(line + "\n")
    assert (found[0], found[1], found[3]) == (stop, limit, objective)


def test_values_that_are_not_written_are_zero_and_multipliers_are_of_rows() -> None:
    text = (
        "Optimal - objective value 14.00000000\n"
        "      1 r1                   5                       4\n"
        "      0 x0                   3                       0\n"
        "**    2 x2                   2.5                    -3\n"
    )
    answer = read_answer(io.StringIO(text), 3, 2)
    assert answer is not None
    assert answer.x is not None
    assert np.array_equal(answer.x, [3, 0, 2.5])
    assert np.array_equal(answer.row_dual, [0, 4])
    assert answer.flagged == 1


def test_a_relaxation_is_never_a_point() -> None:
    text = "Stopped on time (no integer solution - continuous used)\n 0 x0 0.5 0\n"
    answer = read_answer(io.StringIO(text), 1, 0)
    assert answer is not None
    assert (answer.stop, answer.x, answer.objective) == (Stop.NONE_FOUND, None, None)


def test_an_empty_file_is_no_answer() -> None:
    assert read_answer(io.StringIO(""), 1, 1) is None


@pytest.mark.parametrize("line", [" 0 x0 1", " 0 x9 1 0", " 0 y0 1 0", " 0 x0 one 0"])
def test_a_line_that_cannot_be_read_is_an_error(line: str) -> None:
    with pytest.raises(SolverError, match="cannot be read"):
        read_answer(io.StringIO(f"Optimal - objective value 1\n{line}\n"), 1, 1)


def test_a_value_that_is_no_number_is_an_error() -> None:
    with pytest.raises(SolverError, match="no number"):
        read_answer(io.StringIO("Optimal - objective value nan\n 0 x0 nan 0\n"), 1, 1)


@pytest.mark.parametrize(
    ("log", "bound"),
    [
        ("Lower bound:                    -541.000\n", -541.0),
        ("Lower bound:  1\nmore\nLower bound:  2\n", 2.0),
        ("Lower bound:                    -1.3924e+10\n", -1.3924e10 - 5e-6 * 1.3924e10),
        ("Lower bound:                    inf\n", None),
        ("Lower bound:                    -1e+50\n", None),
        ("Lower bound:                    open\n", None),
        ("nothing of the kind\n", None),
    ],
)
def test_a_bound_is_loosened_by_what_printing_cut_off(log: str, bound: float | None) -> None:
    assert read_bound(log) == bound
