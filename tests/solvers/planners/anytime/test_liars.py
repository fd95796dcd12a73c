"""Solvers that lie under the anytime planner: it costs work, never a plan or a bound."""

import time
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pytest

from gangplan.datasets.generate import generate
from gangplan.models.arrays import Ints
from gangplan.models.milp import Milp
from gangplan.models.result import COUNTING, LP_DUAL
from gangplan.models.tiers import OBJECTIVES, tiers_of
from gangplan.models.verify import check, check_result
from gangplan.solvers.asking import Asking
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits, Outcome, Stop
from gangplan.solvers.generation import bound_by_generation
from gangplan.solvers.held import priced
from gangplan.solvers.planners.anytime import Anytime
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.recheck import CONFIRMED, recheck
from gangplan.solvers.registry import formulation

SMALL = generate("training", nodes=32, groups=24, seed=2)
"""Proven in a second by an honest solver."""


@dataclass(frozen=True)
class Liar:
    """HiGHS, whose answers are spoilt in one way."""

    way: str
    name: str = "liar"

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        if self.way == "nothing":
            return cast(Outcome, None)
        if self.way == "infeasible":
            return Outcome(Stop.INFEASIBLE)
        true = Highs().solve(milp, limits, start=start)
        return replace(true, **self._spoilt(true, milp))

    def _spoilt(self, true: Outcome, milp: Milp) -> dict[str, Any]:
        random = np.random.default_rng(milp.n_rows)
        ways: dict[str, dict[str, Any]] = {
            "duals at random": {"row_dual": 1e3 * random.normal(size=milp.n_rows)},
            "duals that are no numbers": {"row_dual": np.full(milp.n_rows, np.nan)},
            "endless duals": {"row_dual": np.full(milp.n_rows, -1e300)},
            "too few duals": {"row_dual": np.zeros(3)},
            "a point of ones": {"x": np.ones(milp.n_cols)},
            "a point at its bounds": {"x": milp.upper.copy()},
            "half a point": {"x": np.full(milp.n_cols, 0.5)},
            "a short point": {"x": np.zeros(2)},
            "a bound that is no number": {"bound": float("nan")},
            "an endless bound": {"bound": float("inf")},
            "a wrong objective": {"objective": -1e9},
            "an error": {"stop": Stop.ERROR, "message": "no"},
        }
        return ways[self.way]


WAYS = (
    "nothing", "infeasible", "duals at random", "duals that are no numbers", "endless duals",
    "too few duals", "a point of ones", "a point at its bounds", "half a point", "a short point",
    "a bound that is no number", "an endless bound", "a wrong objective", "an error",
)  # fmt: skip


@pytest.fixture(scope="module")
def truth() -> dict[str, tuple[int, ...]]:
    found = {}
    for objective in OBJECTIVES:
        result = Exact("highs", objective=objective).plan(SMALL, Limits(seconds=30))
        assert result.tiers[0].proven
        found[objective] = tuple(report.value for report in result.tiers)
    return found


@pytest.mark.parametrize("way", WAYS)
def test_a_liar_costs_no_plan_and_no_bound_by_duals(
    way: str, truth: dict[str, tuple[int, ...]]
) -> None:
    objective = OBJECTIVES[WAYS.index(way) % len(OBJECTIVES)]
    kind = ("patterns", "counts")[WAYS.index(way) // 2 % 2]
    began = time.monotonic()
    result = Anytime(Liar(way), kind=kind, objective=objective).plan(SMALL, Limits(seconds=1.5))
    assert time.monotonic() - began < 6
    assert check(SMALL, result.plan) == ()
    assert check_result(SMALL, result) == ()
    first = result.tiers[0]
    assert first.value <= truth[objective][0]
    if first.proof in (COUNTING, LP_DUAL):
        assert first.bound is not None
        assert first.bound >= truth[objective][0]
    sure = [report.name for report in result.tiers if report.proof in (COUNTING, LP_DUAL)]
    for said in recheck(SMALL, result, Highs(), Limits(seconds=1)):
        assert said.verdict == CONFIRMED or said.tier not in sure


@pytest.mark.parametrize("way", WAYS)
def test_a_liar_generates_no_bound_that_is_not_one(
    way: str, truth: dict[str, tuple[int, ...]]
) -> None:
    tiers = tiers_of(SMALL, "weighted-gpus")
    model = formulation("patterns").unlisted(SMALL)
    milp = priced(model, tiers, 0, ())
    asking = Asking(Liar(way), Limits(seconds=5))
    heard: list[tuple[int, Ints]] = []
    bound_by_generation(
        model.frame, milp, asking, time.monotonic() + 2, 1 << 60, None,
        lambda value, multipliers: heard.append((value, multipliers)),
    )  # fmt: skip
    for value, multipliers in heard:
        assert value <= -truth["weighted-gpus"][0]
        assert model.least(milp, multipliers) == value
