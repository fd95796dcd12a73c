"""Pyomo: the model that researchers extend, statuses, and every engine that is here."""

import math

import numpy as np
import pytest

from gangplan.models.errors import SolverError
from gangplan.models.milp import Columns, Milp, build, row_block
from gangplan.solvers.base import Limits, Stop
from tests.solvers.conformance import CASES, Case, check, market_split, model

pyo = pytest.importorskip("pyomo.environ", reason="pyomo is not installed")

from gangplan.solvers.backends.pyomo import (  # noqa: E402 (skipped first)
    ORDER,
    PyomoSolver,
    outcome_of,
    to_pyomo,
)
from gangplan.solvers.backends.pyomo_engines import Answer, is_here  # noqa: E402
from gangplan.solvers.backends.pyomo_model import columns_of, rows_of  # noqa: E402

ENGINES = [engine for engine in ORDER if is_here(engine)]
KNAPSACK = CASES[0].make()
UNTIDY = {"cbc": ("free row",)}
"""Pyomo's reader of cbc's solution file loses the point of a model without rows."""


def two_blocks() -> Milp:
    columns = Columns()
    columns.add("x", [0, 1], [5, 1])
    columns.add("name", np.zeros((1, 1)), 9)
    rows = [
        row_block("capacity.gpu", [0, 0], [0, 1], [2, 3], -np.inf, 7, 1),
        row_block("capacity-gpu", [0, 1], [0, 2], 1, [-np.inf, 4], [np.inf, 4], 2),
    ]
    return build(columns, rows).with_cost([-1, 0, 2], 10)


def test_blocks_and_rows_keep_their_names() -> None:
    m = to_pyomo(two_blocks())
    assert m.gangplan_columns == ("x", "name_2")  # a model has a name already
    assert m.gangplan_rows == ("capacity_gpu", "capacity_gpu_2")
    assert (m.x[0].lb, m.x[0].ub, m.x[1].ub) == (0, 5, 1)
    assert m.x[0].is_integer()
    assert str(m.capacity_gpu[0].body) == "2.0*x[0] + 3.0*x[1]"
    assert m.capacity_gpu[0].upper == 7
    assert m.capacity_gpu_2[1].equality
    assert str(m.objective.expr) == "10 - x[0] + 2.0*name_2[0]"


def test_components_come_in_the_order_of_the_model() -> None:
    milp = two_blocks()
    m = to_pyomo(milp)
    assert [str(c) for c in columns_of(m)] == ["x[0]", "x[1]", "name_2[0]"]
    assert [r if r is None else str(r) for r in rows_of(m, milp)] == [
        "capacity_gpu[0]",
        None,
        "capacity_gpu_2[1]",
    ]


def test_columns_without_a_block_are_written_too() -> None:
    plain = Milp(
        np.ones(2),
        np.zeros(2),
        np.ones(2),
        np.array([True, False]),
        KNAPSACK.matrix[:, :2],
        KNAPSACK.row_lower,
        KNAPSACK.row_upper,
    )
    m = to_pyomo(plain)
    assert m.col[0].is_integer()
    assert m.col[1].is_continuous()
    assert m.row[0].upper == 7


def test_a_researcher_can_add_a_rule() -> None:
    m = to_pyomo(KNAPSACK)
    m.not_both = pyo.Constraint(expr=m.x[0] + m.x[1] <= 1)
    # HiGHS cannot change its number of threads within a process.
    pyo.SolverFactory("appsi_highs").solve(m, options={"threads": 1})
    assert pyo.value(m.objective) == pytest.approx(-6)


@pytest.mark.parametrize("values", [[0.5, 1.0, 0.0], [1.0, 1.0, 1.0], [math.nan, 0.0, 0.0], None])
def test_what_is_no_point_is_never_handed_on(values: list[float] | None) -> None:
    x = None if values is None else np.array(values)
    limit = Answer("maxTimeLimit", x, -7.0, -12.0, None, 1.0, False)
    outcome = outcome_of(KNAPSACK, limit, "")
    assert (outcome.stop, outcome.x, outcome.objective) == (Stop.NONE_FOUND, None, None)
    assert outcome.bound == -12.0
    claim = Answer("optimal", x, -7.0, -7.0, None, 1.0, False)
    assert outcome_of(KNAPSACK, claim, "").stop is Stop.ERROR
    assert outcome_of(KNAPSACK, claim, "").bound is None


def test_a_limit_whose_bound_is_its_incumbent_has_no_bound() -> None:
    x = np.array([0.0, 0.0, 1.0])
    outcome = outcome_of(KNAPSACK, Answer("maxTimeLimit", x, -6.0, -6.0, None, 1.0, False), "")
    assert outcome.stop is Stop.FEASIBLE
    assert outcome.bound is None


def test_a_proof_without_a_bound_is_worth_its_gap() -> None:
    claim = Answer("optimal", np.array([1.0, 1.0, 0.0]), None, None, None, 1.0, False)
    assert outcome_of(KNAPSACK, claim, "", 0.5).bound == -9.5
    assert outcome_of(KNAPSACK, claim, "").bound is None


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_engine_finds_the_written_optimum(engine: str, case: Case) -> None:
    milp = case.make()
    if case.name in UNTIDY.get(engine, ()):
        assert PyomoSolver(engine).solve(milp, Limits(seconds=20)).stop is Stop.ERROR
    elif milp.integer.any() or engine in ("appsi_highs", "highs"):
        check(PyomoSolver(engine), case, Limits(seconds=20))
    else:  # other engines' duals of linear programs are weak or missing
        stop = PyomoSolver(engine).solve(milp, Limits(seconds=20)).stop
        assert stop is (Stop.INFEASIBLE if case.optimum is None else Stop.OPTIMAL)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_stops_at_its_limit(engine: str) -> None:
    outcome = PyomoSolver(engine).solve(market_split(), Limits(seconds=0.5))
    assert outcome.stop in (Stop.FEASIBLE, Stop.NONE_FOUND)
    assert outcome.limit == "time"
    assert outcome.overshoot < 1


@pytest.mark.parametrize("engine", ENGINES)
def test_no_engine_ends_with_worse_than_the_start(engine: str) -> None:
    milp = market_split()
    start = np.zeros(milp.n_cols, dtype=np.int64)
    start[40:45] = milp.row_lower
    outcome = PyomoSolver(engine).solve(milp, Limits(seconds=0.3), start=start)
    assert outcome.x is not None
    assert milp.objective(np.rint(outcome.x).astype(np.int64)) <= milp.objective(start)
    assert "start" in outcome.message


def test_a_side_that_no_multiple_reaches_is_infeasible() -> None:
    milp = model([1, 1], [0, 0], [5, 5], [([2, 4], 3, 3)])
    assert PyomoSolver().solve(milp, Limits()).stop is Stop.INFEASIBLE


def test_an_engine_that_is_not_here_is_named() -> None:
    with pytest.raises(SolverError, match="no engine here: looked for glpk_of_nowhere"):
        PyomoSolver("glpk_of_nowhere").solve(KNAPSACK, Limits())


def test_the_engine_is_told() -> None:
    outcome = PyomoSolver().solve(KNAPSACK, Limits())
    assert outcome.message == f"{ENGINES[0]} optimal"
    assert PyomoSolver().name == "pyomo"
    assert PyomoSolver("cbc").name == "pyomo:cbc"
    assert outcome.handover_seconds > 0
