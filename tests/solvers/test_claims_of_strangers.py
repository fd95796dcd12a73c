"""Solvers from outside: whatever they answer or raise, the plan in hand stays and is checked."""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest

from gangplan.models.arrays import Ints
from gangplan.models.counts.formulation import Formulation
from gangplan.models.milp import Milp
from gangplan.models.plan import Plan
from gangplan.models.tiers import tiers_of
from gangplan.models.verify import check, check_tiers
from gangplan.solvers.backends.fixed import FixedSolver
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits, Outcome, Solver, Stop
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.staged import solve_tiers
from tests.proofs import SEARCHED, UNEVEN
from tests.tiny import make_instance


@dataclass(frozen=True)
class Raises:
    """Raises what is no SolverError."""

    error: Exception
    name: str = "raises"

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        raise self.error


@dataclass(frozen=True)
class Huge:
    """Answers with a point that no integer type holds."""

    name: str = "huge"

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        return Outcome(Stop.OPTIMAL, x=np.full(milp.n_cols, 1e300), bound=-2.0)


@dataclass(frozen=True)
class DoubtRaises:
    """HiGHS, with a second opinion that raises."""

    name: str = "doubt raises"

    def second(self) -> Solver:
        return Raises(ZeroDivisionError("no wonder"))

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        return Highs().solve(milp, limits, start=start)


@pytest.mark.parametrize("error", [ValueError("bad"), MemoryError(), RuntimeError("licence")])
def test_a_solver_that_raises_anything_costs_the_proof_and_not_the_plan(error: Exception) -> None:
    result = Exact(solver=Raises(error)).plan(UNEVEN, Limits(seconds=5))
    assert (result.plan.node >= 0).sum() == 2
    assert result.stop == "feasible"
    assert any(type(error).__name__ in text for text in result.warnings)
    assert check(UNEVEN, result.plan) == ()
    assert check_tiers(UNEVEN, result.plan, result.tiers) == ()


def test_a_second_opinion_that_raises_anything_leaves_the_first() -> None:
    result = Exact(solver=DoubtRaises(), second_opinion=True).plan(SEARCHED, Limits(seconds=5))
    assert any("ZeroDivisionError" in text for text in result.warnings)
    assert result.tiers[0].proof == "search"


def test_a_bound_that_is_not_a_number_is_no_bound() -> None:
    solver = FixedSolver(Outcome(Stop.OPTIMAL, bound=float("nan")))
    result = Exact(solver=solver).plan(UNEVEN, Limits(seconds=5))
    assert not result.tiers[0].proven
    assert result.tiers[0].bound == 3


def test_a_point_beyond_int64_fails_its_check_quietly() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = Exact(solver=Huge()).plan(UNEVEN, Limits(seconds=5))
    assert any("outside its bounds" in text for text in result.warnings)
    assert not result.tiers[0].proven


def test_a_formulation_without_elastic_pods_proves_nothing_about_plans_with_them() -> None:
    # One slice of two fills a rack, and the group needs one: without elastic pods it cannot start.
    inst = make_instance(
        nodes=[{"gpu": 2, "rack": "r0"}],
        groups=[
            {
                "minimum": 1,
                "wanted": 2,
                "request": {"gpu": 1},
                "rules": [("rack", "required", 2)],
            }
        ],
    )
    nothing = Plan(np.full(2, -1), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    tiers = tiers_of(inst)
    off = Formulation(elastic=False)
    result = solve_tiers(inst, tiers, nothing, Highs(), Limits(seconds=5), off)
    assert result.tiers[0].value == 0
    assert result.tiers[0].bound == 1
    assert not result.tiers[0].proven
    assert any("elastic" in text for text in result.warnings)
