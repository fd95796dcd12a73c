"""Every available backend, through the watched process and in this one, on the shared suite."""

import numpy as np
import pytest

from gangplan.models.arrays import Floats
from gangplan.solvers.backends.child import Watched
from gangplan.solvers.base import Limits, Solver, Stop, Streams, relaxes
from gangplan.solvers.registry import BACKENDS, available, get
from tests.solvers.conformance import CASES, Case, check, market_split, model

SOLVERS = [info.name for info in available() if info.available and info.name in BACKENDS]
LIMITS = Limits(seconds=20)


def inside(name: str) -> Solver:
    """Return a solver of ours as it runs in its process."""
    watched = get(name)
    assert isinstance(watched, Watched)
    return watched.solver


@pytest.fixture(params=SOLVERS)
def solver(request: pytest.FixtureRequest) -> Solver:
    return get(request.param)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_written_optimum_is_found(solver: Solver, case: Case) -> None:
    milp = case.make()
    if milp.n_cols and not milp.integer.any() and not relaxes(solver):
        assert solver.solve(milp, LIMITS).stop is Stop.ERROR
        return
    check(solver, case, LIMITS)


def test_at_least_one_backend_is_here() -> None:
    assert "highs" in SOLVERS


def test_a_time_limit_never_yields_optimal_nor_an_invented_point(solver: Solver) -> None:
    milp = market_split()
    outcome = solver.solve(milp, Limits(seconds=0.01))
    assert outcome.stop in (Stop.FEASIBLE, Stop.NONE_FOUND)
    assert outcome.limit == "time"
    if outcome.stop is Stop.NONE_FOUND:
        assert outcome.x is None
        assert outcome.objective is None
    else:
        assert outcome.x is not None
        assert not len(milp.violated_rows(np.rint(outcome.x).astype(np.int64)))


def test_a_feasible_start_is_used_and_never_made_worse(solver: Solver) -> None:
    milp = market_split()
    start = np.zeros(milp.n_cols, dtype=np.int64)
    start[40:45] = milp.row_lower  # all the weight in the first slack columns
    solver.solve(CASES[0].make(), LIMITS)  # the import of a library is none of what 0.3 s is for
    outcome = solver.solve(milp, Limits(seconds=0.3), start=start)
    assert "start used" in outcome.message
    assert outcome.x is not None
    assert milp.objective(np.rint(outcome.x).astype(np.int64)) <= milp.objective(start)


@pytest.mark.parametrize(
    ("start", "why"),
    [([1, 1, 1], "breaks row.k[0]"), ([2, 0, 0], "breaks a bound"), ([1, 1], "no point")],
)
def test_a_bad_start_is_left_out_with_a_word(solver: Solver, start: list[int], why: str) -> None:
    milp = CASES[0].make()
    outcome = solver.solve(milp, LIMITS, start=np.array(start))
    assert why in outcome.message
    assert outcome.stop is Stop.OPTIMAL
    assert outcome.objective == pytest.approx(-9)


@pytest.mark.parametrize("name", [name for name in SOLVERS if isinstance(inside(name), Streams)])
def test_improving_points_are_streamed_with_bounds_that_are_none_or_hold(name: str) -> None:
    streaming = inside(name)
    assert isinstance(streaming, Streams)
    points: list[float] = []
    bounds: list[float] = []
    milp = market_split()

    def on_point(x: Floats, bound: float | None) -> None:
        assert not len(milp.violated_rows(np.rint(x).astype(np.int64)))
        points.append(float(milp.cost @ x))
        bounds.extend([] if bound is None else [bound])

    streaming.solve_streaming(milp, Limits(seconds=1), start=None, on_point=on_point)
    assert points
    assert points == sorted(points, reverse=True)
    assert max(bounds, default=0.0) <= points[-1] + 1e-6


def test_the_same_seed_gives_the_same_point(solver: Solver) -> None:
    milp = model([-3] * 12, [0] * 12, [1] * 12, [([2, 3] * 6, -np.inf, 14)])
    first, again = (solver.solve(milp, Limits(seconds=20, seed=5)) for _ in range(2))
    assert first.x is not None
    assert again.x is not None
    assert np.array_equal(first.x, again.x)


def test_a_relative_gap_ends_the_search_early_but_keeps_its_bound_valid(solver: Solver) -> None:
    milp = CASES[0].make()
    outcome = solver.solve(milp, Limits(seconds=20, gap=0.9))
    assert outcome.stop is Stop.OPTIMAL
    assert outcome.bound is not None
    assert outcome.bound <= -9 + 1e-6
