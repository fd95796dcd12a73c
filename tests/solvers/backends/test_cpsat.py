import pytest

from gangplan.models.errors import SolverError
from gangplan.solvers.backends.child import Watched
from gangplan.solvers.backends.cpsat import CpSat, bound_of, check_reach
from gangplan.solvers.base import Limits, Stop, relaxes
from tests.solvers.conformance import CASES, model

cmh = pytest.importorskip("ortools.sat.python.cp_model_helper", reason="ortools is not installed")


def test_it_solves_no_relaxation_and_says_so() -> None:
    assert not relaxes(CpSat())
    assert not relaxes(Watched(CpSat()))
    outcome = CpSat().solve(CASES[0].make().relaxed(), Limits())
    assert outcome.stop is Stop.ERROR
    assert outcome.row_dual is None
    assert "integer programs only" in outcome.message


def test_a_sum_that_int64_cannot_hold_is_refused_by_name() -> None:
    milp = model([1] * 9, [0] * 9, [2**21] * 9, [([2**39] * 9, 0, 2**40), ([1] * 9, 0, 9)])
    with pytest.raises(SolverError, match=r"row\.k\[0\] could pass 2\^62"):
        CpSat().solve(milp, Limits())
    with pytest.raises(SolverError, match="objective or a column"):
        check_reach(model([2**45], [0], [2**20], [([1], 0, 9)]))
    check_reach(model([2**40], [0], [2**20], [([2**40], 0, 2**40)]))


@pytest.mark.parametrize(
    ("cost", "stop", "claimed", "bound"),
    [
        (-1, Stop.NONE_FOUND, 0.0, None),  # ended before it had a bound
        (-1, Stop.FEASIBLE, 0.0, None),
        (-1, Stop.OPTIMAL, 0.0, 0.0),
        (1, Stop.NONE_FOUND, 0.0, 0.0),
        (-1, Stop.NONE_FOUND, -7.0, -7.0),
        (-1, Stop.FEASIBLE, -(2.0**63), None),
    ],
)
def test_a_bound_that_was_never_set_is_no_bound(
    cost: int, stop: Stop, claimed: float, bound: float | None
) -> None:
    milp = model([cost], [0], [9], [([1], 0, 9)])
    assert bound_of(milp, stop, claimed) == bound


def test_the_second_opinion_goes_without_presolve() -> None:
    other = CpSat().second()
    assert other == CpSat(presolve=False)
    assert other.solve(CASES[0].make(), Limits()).objective == -9


def test_two_threads_agree() -> None:
    assert CpSat().solve(CASES[0].make(), Limits(threads=2)).objective == -9
