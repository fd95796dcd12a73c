"""What is believed of a solver: never its word alone."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from gangplan.models.arrays import Floats, Ints
from gangplan.models.counts.decode import encode
from gangplan.models.counts.formulation import build
from gangplan.models.errors import SolverError
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.result import COUNTING, SEARCH, SEARCH_TWICE
from gangplan.models.tiers import Tier, tiers_of
from gangplan.solvers import writer
from gangplan.solvers.backends.child import Watched
from gangplan.solvers.backends.fixed import FixedSolver
from gangplan.solvers.backends.highs import Highs, stop_of
from gangplan.solvers.base import Limits, Outcome, Solver, Stop
from gangplan.solvers.registry import formulation
from gangplan.solvers.staged import Staged, solve_tiers
from tests.proofs import SEARCHED, UNEVEN
from tests.tiny import make_instance

LIMITS = Limits(seconds=20)

TWO = make_instance(
    nodes=[{"gpu": 8}, {"gpu": 8}],
    groups=[{"request": {"gpu": 8}}, {"request": {"gpu": 8}}],
)
"""Two nodes, two gangs that fill one each: counting alone proves two admitted."""


def plan(*node: int) -> Plan:
    none = np.zeros(0, dtype=np.int64)
    return Plan(np.array(node), none, none)


def point(instance: Instance, *node: int) -> Floats:
    return encode(build(instance), plan(*node)).astype(np.float64)


def admitted(instance: Instance) -> tuple[Tier, ...]:
    return tiers_of(instance)[:1]


def run(instance: Instance, solver: Solver, start: Plan | None = None) -> Staged:
    start = empty_plan(instance) if start is None else start
    return solve_tiers(instance, admitted(instance), start, solver, LIMITS)


def from_highs(word: str, x: Floats | None, bound: float | None = None) -> FixedSolver:
    stop, limit = stop_of(word, x is not None)
    return FixedSolver(Outcome(stop, x=x, bound=bound, limit=limit, message=word))


def test_an_optimal_point_is_taken_and_counting_proves_it() -> None:
    result = run(TWO, from_highs("kOptimal", point(TWO, 0, 1), -2.0))
    assert result.plan.node.tolist() == [0, 1]
    assert result.tiers[0].proven
    assert result.tiers[0].proof == COUNTING
    assert result.warnings == ()


def test_an_incumbent_at_a_limit_is_taken_but_never_called_optimal() -> None:
    result = run(TWO, from_highs("kTimeLimit", point(TWO, 0, -1), -2.0))
    assert result.plan.node.tolist() == [0, -1]
    assert not result.tiers[0].proven
    assert result.tiers[0].gap == 1.0


def test_no_point_at_a_limit_keeps_the_start() -> None:
    result = run(UNEVEN, from_highs("kTimeLimit", None), plan(0, 1, -1))
    assert result.plan.node.tolist() == [0, 1, -1]
    assert not result.tiers[0].proven
    assert result.tiers[0].bound == 3


@pytest.mark.parametrize("word", ["kSolveError", "kIterationLimit", "kOptimal"])
def test_a_point_that_breaks_a_row_fails_its_check_whatever_the_status(word: str) -> None:
    result = run(UNEVEN, from_highs(word, point(UNEVEN, 0, 0, 1), -3.0), plan(0, -1, -1))
    assert result.plan.node.tolist() == [0, -1, -1]
    assert any("failed its check" in text for text in result.warnings)
    assert not result.tiers[0].proven


def test_a_right_point_under_an_error_status_is_still_a_plan() -> None:
    result = run(UNEVEN, from_highs("kSolveError", point(UNEVEN, 0, 1, -1), -2.0))
    assert result.tiers[0].value == 2
    assert not result.tiers[0].proven
    assert any("failed: kSolveError" in text for text in result.warnings)


def test_a_fractional_point_fails_its_check() -> None:
    result = run(UNEVEN, from_highs("kTimeLimit", point(UNEVEN, 0, 1, -1) / 2))
    assert result.tiers[0].value == 0
    assert any("not integral" in text for text in result.warnings)


@pytest.mark.parametrize("wrong", [np.full(3, np.nan), np.full(2, 0.0)])
def test_a_vector_that_is_no_point_fails_its_check(wrong: Floats) -> None:
    result = run(UNEVEN, from_highs("kOptimal", wrong, -2.0))
    assert any("failed its check" in text for text in result.warnings)
    assert not result.tiers[0].proven


@pytest.mark.parametrize("word", ["kUnboundedOrInfeasible", "kUnbounded", "kSomethingNew"])
def test_an_ambiguous_status_is_an_error_and_proves_nothing(word: str) -> None:
    result = run(UNEVEN, from_highs(word, None), plan(0, 1, -1))
    assert result.tiers[0].value == 2
    assert result.tiers[0].bound == 3
    assert any(f"failed: {word}" in text for text in result.warnings)


def test_infeasible_contradicts_the_plan_in_hand() -> None:
    result = run(UNEVEN, from_highs("kInfeasible", None), plan(0, 1, -1))
    assert not result.tiers[0].proven
    assert result.tiers[0].bound == 3
    assert any("a verified plan says otherwise" in text for text in result.warnings)


def test_a_bound_below_a_verified_plan_is_set_aside() -> None:
    result = run(UNEVEN, from_highs("kOptimal", None, -1.0), plan(0, 1, -1))
    assert result.tiers[0].bound == 3
    assert not result.tiers[0].proven
    assert any("proved 1" in text for text in result.warnings)


def test_a_worse_point_never_replaces_the_start() -> None:
    result = run(UNEVEN, from_highs("kOptimal", point(UNEVEN, 0, -1, -1), -2.0), plan(0, 1, -1))
    assert result.plan.node.tolist() == [0, 1, -1]


def test_a_claimed_objective_is_compared_with_its_point() -> None:
    outcome = Outcome(Stop.FEASIBLE, x=point(UNEVEN, 0, 1, -1), objective=-3.0)
    result = run(UNEVEN, FixedSolver(outcome))
    assert result.tiers[0].value == 2
    assert any("claimed -3" in text for text in result.warnings)


def test_a_solver_that_crashes_costs_the_proof_not_the_plan() -> None:
    crash = SolverError("fixed: the solver's process was ended by SIGSEGV")
    result = run(UNEVEN, FixedSolver(crash, crash), plan(0, 1, -1))
    assert result.tiers[0].value == 2
    assert result.tiers[0].bound == 3
    assert all("SIGSEGV" in text for text in result.warnings)
    # Its relaxation, and its search.
    assert sum(text.startswith("the solver failed") for text in result.warnings) == 2


def test_a_search_proves_what_counting_and_relaxation_cannot() -> None:
    result = run(SEARCHED, Watched(Highs()))
    assert (result.tiers[0].value, result.tiers[0].bound) == (2, 2)
    assert result.tiers[0].proof == SEARCH
    assert result.tiers[0].proven


def test_a_second_opinion_that_agrees_is_named() -> None:
    start, tiers = empty_plan(SEARCHED), admitted(SEARCHED)
    result = solve_tiers(SEARCHED, tiers, start, Watched(Highs()), LIMITS, second=True)
    assert result.tiers[0].proof == SEARCH_TWICE
    assert result.tiers[0].proven


@dataclass(frozen=True, eq=False)
class Doubted:
    """Answers one thing first and another thing when asked for a second opinion."""

    first: FixedSolver
    other: FixedSolver
    name: str = "doubted"

    def second(self) -> Solver:
        return self.other

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        return self.first.solve(milp, limits, start=start)


def test_a_second_opinion_with_a_better_plan_breaks_the_proof() -> None:
    wrong = from_highs("kOptimal", point(UNEVEN, 0, -1, -1), -1.0)
    right = from_highs("kOptimal", point(UNEVEN, 0, 1, -1), -2.0)
    result = solve_tiers(
        UNEVEN,
        admitted(UNEVEN),
        empty_plan(UNEVEN),
        Doubted(wrong, right),
        LIMITS,
        second=True,
    )
    assert result.tiers[0].value == 2
    assert not result.tiers[0].proven
    assert any("second opinion found a better one" in text for text in result.warnings)


def test_a_second_opinion_that_cannot_be_had_leaves_one_search() -> None:
    first = from_highs("kOptimal", point(UNEVEN, 0, 1, -1), -2.0)
    crash = FixedSolver(SolverError("no luck"))
    result = solve_tiers(
        UNEVEN, admitted(UNEVEN), empty_plan(UNEVEN), Doubted(first, crash), LIMITS, second=True
    )
    assert result.tiers[0].proof == SEARCH
    assert any("no second opinion" in text for text in result.warnings)


def test_after_an_unproven_tier_bounds_are_given_and_nothing_is_proven() -> None:
    solver = from_highs("kTimeLimit", None)
    tiers = tiers_of(UNEVEN)
    result = solve_tiers(UNEVEN, tiers, plan(0, 1, -1), solver, LIMITS)
    first, *rest = result.tiers
    assert not first.proven
    assert not first.given
    assert all(tier.given and not tier.proven for tier in rest)
    assert all(tier.bound is not None for tier in result.tiers)


@dataclass(frozen=True, eq=False)
class Clocked:
    """Notes the seconds it was given; sleeps them away."""

    asked: list[tuple[bool, float]] = field(default_factory=list)
    name: str = "clocked"

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        self.asked.append((bool(milp.integer.any()), limits.seconds))
        return Outcome(Stop.NONE_FOUND, limit="time")


def test_an_open_tier_leaves_half_of_the_time_to_later_ones() -> None:
    solver = Clocked()
    solve_tiers(UNEVEN, tiers_of(UNEVEN), plan(0, 1, -1), solver, Limits(seconds=8))
    searches = [seconds for is_search, seconds in solver.asked if is_search]
    assert searches[0] == pytest.approx(4, abs=0.5)
    assert searches[-1] == pytest.approx(8, abs=0.5)


def test_a_gap_that_is_reached_ends_a_tier_without_a_search() -> None:
    solver = Clocked()
    solve_tiers(
        UNEVEN, admitted(UNEVEN), plan(0, 1, -1), solver, replace(LIMITS, gap=0.5, seconds=5)
    )
    assert not any(is_search for is_search, _ in solver.asked)


def test_where_counting_proves_everything_no_solver_is_asked() -> None:
    solver = Clocked()
    result = solve_tiers(TWO, admitted(TWO), plan(0, 1), solver, LIMITS)
    assert result.tiers[0].proven
    assert solver.asked == []


def test_a_model_too_big_to_search_is_relaxed_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SEARCH_CELLS", 1)
    solver = Clocked()
    result = solve_tiers(UNEVEN, admitted(UNEVEN), plan(0, 1, -1), solver, LIMITS)
    assert [is_search for is_search, _ in solver.asked] == [False]
    assert any("too many to search" in text for text in result.warnings)


def test_a_model_too_big_to_write_is_bounded_by_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SEARCH_CELLS", 1)
    monkeypatch.setattr(writer, "RELAX_CELLS", 1)
    solver = Clocked()
    result = solve_tiers(UNEVEN, admitted(UNEVEN), plan(0, 1, -1), solver, LIMITS)
    assert solver.asked == []
    assert result.tiers[0].bound == 3
    assert any("bounds by counting only" in text for text in result.warnings)


def test_a_kind_says_itself_how_large_its_model_is(monkeypatch: pytest.MonkeyPatch) -> None:
    # 4 pairs of role and node, 8 of pod and node; counting alone does not settle every tier.
    instance = make_instance(
        nodes=[{"gpu": 3, "cpu": 2}, {"gpu": 1, "cpu": 4}],
        groups=[{"minimum": 2, "wanted": 2, "request": {"gpu": 1, "cpu": 1}}] * 2,
    )
    limit = 5
    monkeypatch.setattr(writer, "SEARCH_CELLS", limit)
    monkeypatch.setattr(writer, "RELAX_CELLS", limit)
    nothing = plan(-1, -1, -1, -1)
    counts, assignment = (
        solve_tiers(
            instance, tiers_of(instance), nothing, Clocked(), LIMITS, kind=formulation(name)
        )
        for name in ("counts", "assignment")
    )
    assert not any("too many" in text for text in counts.warnings)
    assert "build" in counts.seconds
    assert "8 pairs of pod and node are too many to search (limit 5)" in assignment.warnings[0]
    assert "build" not in assignment.seconds


def test_a_very_short_limit_gives_the_start_and_bounds() -> None:
    result = solve_tiers(
        UNEVEN, tiers_of(UNEVEN), plan(0, 1, -1), Watched(Highs()), Limits(seconds=0.01)
    )
    assert result.tiers[0].value == 2
    assert all(tier.bound is not None for tier in result.tiers)
