import sys
from typing import Any

import pytest

from gangplan.datasets.generate import generate
from gangplan.models.counts.formulation import build as counts
from gangplan.models.counts.formulation import tier_cost
from gangplan.models.errors import FormulationError, SolverError
from gangplan.models.milp import INFINITY, Columns, build, row_block
from gangplan.models.tiers import tiers_of
from gangplan.solvers.backends.cbc_binary import find_binary
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.backends.pulp import to_pulp
from gangplan.solvers.base import Limits
from tests.solvers.conformance import CASES, model

pulp: Any = pytest.importorskip("pulp", reason="no PuLP here: pip install gangplan[cbc]")


def solved(problem: Any) -> tuple[int, Any]:
    """Run PuLP's own way to CBC."""
    try:
        path = find_binary().path
    except SolverError as error:
        pytest.skip(str(error))
    options = ["preprocess off"]  # 2.10's is wrong on a case of two columns
    status = problem.solve(pulp.COIN_CMD(path=path, msg=False, options=options, gapRel=0))
    return status, problem.objective.valueOrDefault()


def test_pulp_finds_the_written_optimum() -> None:
    for case in CASES:
        milp = case.make()
        # The undivided row of "big numbers" is too fine for a tolerance.
        if case.name == "big numbers" or not milp.n_cols or not milp.matrix.nnz:
            continue
        status, value = solved(to_pulp(milp.with_cost(milp.cost, 7)))
        if case.optimum is None:
            assert status != pulp.LpStatusOptimal, case.name
        else:
            assert (status, value) == (1, pytest.approx(case.optimum + 7)), case.name


def test_names_kinds_and_bounds_are_those_of_the_model() -> None:
    columns = Columns()
    columns.add("x", [0, -4], [1, 4])
    rows = [
        row_block("gang.least", [0, 0], [0, 1], [1, -3], [-5], [7], 1),
        row_block("open.row", [0], [0], [1], -INFINITY, INFINITY, 1),
        row_block("one.side", [0], [1], [2], -INFINITY, 6, 1),
        row_block("both.same", [0], [1], [2], 4, 4, 1),
    ]
    problem = to_pulp(build(columns, rows).with_cost([0, 3], 2))
    assert [v.name for v in problem.variables()] == ["x(0)", "x(1)"]
    assert [(v.lowBound, v.upBound, v.cat) for v in problem.variables()] == [
        (0, 1, "Integer"),
        (-4, 4, "Integer"),
    ]
    names = ["gang.least(0).low", "gang.least(0).high", "one.side(0)", "both.same(0)"]
    assert [problem.get_constraint_by_name(name).sense for name in names] == [1, -1, -1, 0]
    assert problem.numConstraints() == 4
    assert all(v.cat == "Continuous" for v in to_pulp(CASES[16].make()).variables())


def test_a_researcher_can_add_a_row() -> None:
    problem = to_pulp(model([-1, -1], [0, 0], [3, 3], [([1, 1], -INFINITY, 5)]))
    x = problem.variablesDict()
    problem += x["x(0)"] + 2 * x["x(1)"] <= 4, "mine"
    assert solved(problem)[1] == pytest.approx(-3)


def test_a_real_model_has_the_same_optimum_in_pulp() -> None:
    instance = generate("training", nodes=16, groups=6, seed=1)
    made = counts(instance)
    milp = made.milp.with_cost(*tier_cost(made, tiers_of(instance)[0]))
    outcome = Highs().solve(milp, Limits(seconds=20))
    assert outcome.objective is not None
    assert solved(to_pulp(milp))[1] == pytest.approx(outcome.objective + milp.offset)


def test_sides_that_cross_are_refused() -> None:
    with pytest.raises(FormulationError, match=r"row.k\[0\]"):
        to_pulp(model([1], [0], [1], [([1], 2, 1)]))


def test_without_pulp_one_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pulp", None)
    with pytest.raises(SolverError, match="pip install 'gangplan"):
        to_pulp(CASES[0].make())
