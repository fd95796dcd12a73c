import subprocess
import sys

import numpy as np
import pytest

from gangplan.models.errors import SolverError
from gangplan.models.milp import Columns, build, row_block
from gangplan.solvers.backends.child import Watched
from gangplan.solvers.backends.highs import Highs, check_version
from gangplan.solvers.base import Limits, Stop
from gangplan.solvers.claims import fault
from tests.solvers.conformance import CASES, model


def test_the_version_with_wrong_optima_is_refused() -> None:
    with pytest.raises(SolverError, match=r"1\.14\.0 is refused: its presolve"):
        check_version((1, 14, 0))
    check_version((1, 15, 1))


def test_options_are_checked() -> None:
    with pytest.raises(ValueError, match="lp_method"):
        Highs(lp_method="magic")
    with pytest.raises(ValueError, match="heuristics"):
        Highs(heuristics=2)


@pytest.mark.parametrize("method", ["simplex", "ipm"])
def test_a_linear_program_gives_duals_by_both_methods(method: str) -> None:
    milp = next(case for case in CASES if case.name == "linear program").make()
    outcome = Watched(Highs(lp_method=method)).solve(milp, Limits(seconds=20))
    assert outcome.stop is Stop.OPTIMAL
    assert outcome.bound is None
    assert outcome.row_dual is not None
    assert np.allclose(outcome.row_dual, [-2, 0], atol=1e-5)


def test_the_second_opinion_goes_without_presolve() -> None:
    assert Highs(heuristics=0.2).second() == Highs(presolve=False, heuristics=0.2)
    outcome = Watched(Highs()).second()
    assert outcome == Watched(Highs(presolve=False))


def test_a_point_other_than_the_one_that_is_claimed_is_never_called_optimal() -> None:
    # min x0 + 2 x1 - x2, 2 x2 <= 3 x0 - 2, 3 x2 <= x0 + 3: HiGHS 1.16.0 says 1 for (2, 4, 1), which
    # is the start and worth 9; presolve had mapped it onto an optimum.
    columns = Columns()
    columns.add("x", np.zeros(3), [3, 4, 3])
    rows = row_block("r", [0, 0, 1, 1], [0, 2, 0, 2], [-3, 2, -1, 3], -np.inf, [-2, 3], 2)
    milp = build(columns, [rows]).with_cost([1, 2, -1])
    outcome = Highs().solve(milp, Limits(), start=np.array([2, 4, 1]))
    assert outcome.x is not None
    assert outcome.objective == pytest.approx(1)
    if float(milp.cost @ outcome.x) != pytest.approx(1):
        assert outcome.stop is Stop.ERROR
        assert outcome.bound is None
        assert "not the one whose objective it claims" in outcome.message
        assert fault(milp, outcome, known=9)
    second = Highs().second().solve(milp, Limits())
    assert second.stop is Stop.OPTIMAL
    assert second.objective == pytest.approx(1)


def test_two_numbers_of_threads_never_meet_in_one_process() -> None:
    script = (
        "from tests.solvers.conformance import CASES\n"
        "from gangplan.solvers.backends.highs import Highs\n"
        "from gangplan.solvers.base import Limits\n"
        "m = CASES[0].make()\n"
        "Highs().solve(m, Limits(threads=1))\n"
        "Highs().solve(m, Limits(threads=2))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert "cannot change to 2" in run.stderr


def test_importing_the_module_leaves_highspy_out() -> None:
    script = (
        "import sys, gangplan.solvers.backends.highs, gangplan.solvers.registry\n"
        "gangplan.solvers.registry.available()\n"
        "sys.exit('highspy' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_linear_program_without_columns_has_a_dual_for_each_row() -> None:
    for rows in (0, 2):
        sides: list[tuple[list[int], float, float]] = [([], -1.0, 1.0)] * rows
        outcome = Highs().solve(model([], [], [], sides, relaxed=True), Limits())
        assert outcome.stop is Stop.OPTIMAL
        assert outcome.objective == 0
        assert outcome.row_dual is not None
        assert outcome.row_dual.shape == (rows,)
    assert Highs().solve(model([], [], [], [([], 1.0, 2.0)]), Limits()).stop is Stop.INFEASIBLE
