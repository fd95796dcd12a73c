import numpy as np
import pytest

from gangplan.models.bound import dual_bound
from gangplan.models.errors import SolverError
from gangplan.solvers.backends.scip import Scip
from gangplan.solvers.base import Limits
from tests.solvers.conformance import CASES, Case

pyscipopt = pytest.importorskip("pyscipopt", reason="pyscipopt is not installed")


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.name.startswith("linear") and case.optimum is not None]
)
def test_duals_of_a_linear_program_prove_its_optimum(case: Case) -> None:
    milp = case.make()
    outcome = Scip().solve(milp, Limits())
    assert outcome.row_dual is not None
    assert dual_bound(milp, outcome.row_dual)[0] == case.optimum


def test_exact_mode_works_or_says_why_not() -> None:
    said = ""
    try:
        said = str(Scip(exact=True).solve(CASES[0].make(), Limits()).objective)
    except SolverError as error:
        said = str(error)
    assert said == "-9.0" or said.startswith("scip: this build has no exact mode")


def test_the_second_opinion_goes_without_presolve() -> None:
    other = Scip().second()
    assert other == Scip(presolve=False)
    assert other.solve(CASES[0].make(), Limits()).objective == -9


def test_another_seed_is_another_search_with_the_same_answer() -> None:
    milp = CASES[0].make()
    for seed in (1, 2**31 + 5):
        outcome = Scip().solve(milp, Limits(seed=seed))
        assert outcome.x is not None
        assert np.array_equal(np.rint(outcome.x), [1, 1, 0])
