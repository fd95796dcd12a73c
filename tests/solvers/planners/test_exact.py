"""The exact planner end to end, against brute force, and with solvers that fail."""

import json
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib import metadata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.arrays import Ints
from gangplan.models.counts.kind import COUNTS
from gangplan.models.errors import SolverError
from gangplan.models.formulation import WHOLE
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.models.plan import empty_plan
from gangplan.models.result import COUNTING
from gangplan.models.tiers import OBJECTIVES, tiers_of, values
from gangplan.models.verify.check import check
from gangplan.solvers import search
from gangplan.solvers.backends import workers
from gangplan.solvers.backends.fixed import FixedSolver
from gangplan.solvers.base import Interrupted, Limits, Outcome, Stop
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.staged import INTERRUPTED, solve_tiers
from tests.brute import best
from tests.proofs import SEARCHED
from tests.strategies import instances
from tests.tiny import make_instance

LIMITS = Limits(seconds=20)


@settings(max_examples=40, deadline=None)
@given(instances(), st.sampled_from(["groups", "gpus", "age"]))
def test_every_proven_tier_is_the_brute_force_optimum(instance: Instance, objective: str) -> None:
    tiers = tiers_of(instance, objective)
    result = Exact(objective=objective).plan(instance, LIMITS)
    assert result.warnings == ()
    assert not check(instance, result.plan)
    assert tuple(report.value for report in result.tiers) == values(instance, result.plan, tiers)
    assert result.stop == "optimal"
    assert tuple(report.value for report in result.tiers) == best(instance, tiers)


NODES = [{"gpu": 3 + n % 4, "cpu": 9 + n % 3, "rack": f"r{n % 3}"} for n in range(9)]

GROUPS = [
    {
        "priority": g % 2,
        "request": {"gpu": 1 + g % 3, "cpu": 4 - g % 3},
        "wanted": 3 + g % 2,
        "minimum": 3,
        "rules": [[("rack", "required")], [("rack", "preferred")], []][g % 3],
    }
    for g in range(7)
]


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_nodes_and_groups_changes_no_proven_tier(seed: int) -> None:
    chance = random.Random(seed)
    nodes, groups = NODES.copy(), GROUPS.copy()
    chance.shuffle(nodes)
    chance.shuffle(groups)
    results = [
        Exact().plan(make_instance(nodes=n, groups=g), LIMITS)
        for n, g in ((NODES, GROUPS), (nodes, groups))
    ]
    assert [result.stop for result in results] == ["optimal", "optimal"]
    ours, others = ([(t.name, t.value, t.proven) for t in result.tiers] for result in results)
    assert ours == others


def test_the_result_names_what_took_part() -> None:
    result = Exact(objective="gpus").plan(SEARCHED, Limits(seconds=9, seed=4))
    assert result.stop == "optimal"
    assert json.dumps(result.planner)
    assert result.planner["name"] == "exact"
    assert result.planner["solver"] == "highs"
    assert result.planner["objective"] == "gpus"
    assert result.planner["seed"] == 4
    assert result.planner["seconds"] == 9
    assert result.planner["formulation"]["gang"] is True  # type: ignore[index]  # JSON-able
    assert set(result.versions) == {"gangplan", "numpy", "scipy", "highs", "python"}
    assert set(result.seconds) >= {"greedy", "build", "solve", "verify"}
    assert all(seconds >= 0 for seconds in result.seconds.values())
    assert result.reasons


def test_the_versions_are_those_of_every_backend_that_took_part() -> None:
    result = Exact(second_opinion=True).plan(SEARCHED, LIMITS)
    searched = {one for found in result.certificates for one in found.solvers}
    assert {one.name: one.version for one in searched}.items() <= result.versions.items()
    assert result.versions["highs"] == metadata.version("highspy")


def test_progress_hears_of_every_phase() -> None:
    phases: list[str] = []
    clock: list[float] = []

    def hear(phase: str, seconds: float) -> None:
        phases.append(phase)
        clock.append(seconds)

    Exact().plan(SEARCHED, LIMITS, hear)
    assert phases[0] == "greedy"
    assert phases[-1] == "verify"
    assert {"counting", "model", "bound admitted(0)", "search admitted(0)"} <= set(phases)
    assert clock == sorted(clock)


def test_a_solver_that_fails_leaves_the_greedy_plan_with_a_warning() -> None:
    crash = SolverError("fixed: the solver's process was ended by SIGSEGV")
    result = Exact(FixedSolver(crash, crash)).plan(SEARCHED, LIMITS)
    assert result.stop == "feasible"
    assert result.tiers[0].value == 2
    assert any("SIGSEGV" in text for text in result.warnings)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_very_short_limit_still_gives_a_checked_plan_and_bounds(objective: str) -> None:
    instance = make_instance(
        nodes=[{"gpu": 8, "cpu": 40, "rack": f"r{n % 2}"} for n in range(8)],
        groups=[
            {
                "priority": 1 + g % 2,
                "request": {"gpu": 1 + g % 5, "cpu": 7},
                "wanted": 4,
                "minimum": 3,
            }
            for g in range(9)
        ],
    )
    result = Exact(objective=objective).plan(instance, Limits(seconds=0.01))
    assert not check(instance, result.plan)
    assert all(report.bound is not None for report in result.tiers)


def test_two_runs_of_one_seed_agree() -> None:
    first, again = (Exact().plan(SEARCHED, LIMITS).plan for _ in range(2))
    assert np.array_equal(first.node, again.node)


def test_a_second_opinion_is_asked_for_by_an_option() -> None:
    result = Exact(second_opinion=True).plan(SEARCHED, LIMITS)
    assert result.tiers[0].proof == "search x2"


def test_a_thousand_pods_are_proven_by_counting_without_a_child_process() -> None:
    workers.close_workers()
    instance = make_instance(
        nodes=[{"gpu": 8} for _ in range(200)],
        groups=[{"request": {"gpu": 1}, "wanted": 1000, "minimum": 1000}],
    )
    begin = time.perf_counter()
    result = Exact(objective="weighted-gpus", weights={0: 1}).plan(instance, LIMITS)
    assert time.perf_counter() - begin < 1
    assert result.stop == "optimal"
    assert result.tiers[0].value == 1000
    assert result.tiers[0].proof == COUNTING
    assert workers._idle == []


def test_importing_the_planner_is_light() -> None:
    script = (
        "import sys, gangplan.solvers.planners.exact\n"
        "sys.exit(' '.join({'highspy', 'pulp', 'pandas', 'rich', 'yaml'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert run.stderr.strip() == ""


@dataclass(frozen=True)
class InterruptedSolver:
    """Ctrl-C is pressed during the search; the relaxation says nothing."""

    outcome: Outcome | None
    name: str = "interrupted"

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        if not milp.integer.any():
            return Outcome(Stop.NONE_FOUND)
        raise KeyboardInterrupt if self.outcome is None else Interrupted(self.outcome)


def test_ctrl_c_keeps_the_point_that_the_solver_had() -> None:
    tiers = tiers_of(SEARCHED, "groups")
    nothing = empty_plan(SEARCHED)
    model = COUNTS.write(SEARCHED, WHOLE)
    best_plan = Exact().plan(SEARCHED, LIMITS).plan
    point = model.encode(best_plan).astype(np.float64)
    had = Outcome(Stop.FEASIBLE, x=point, limit="interrupt")
    staged = solve_tiers(SEARCHED, tiers, nothing, InterruptedSolver(had), LIMITS)
    assert staged.interrupted
    assert staged.tiers[0].value == 2
    assert not staged.tiers[0].proven
    assert staged.warnings == (INTERRUPTED,)


def test_ctrl_c_keeps_the_plan_in_hand() -> None:
    phases: list[str] = []
    planner = Exact(InterruptedSolver(None))
    result = planner.plan(SEARCHED, LIMITS, lambda phase, seconds: phases.append(phase))
    assert not check(SEARCHED, result.plan)
    assert result.stop == "feasible"
    assert result.tiers[0].value == 2
    assert result.warnings == (INTERRUPTED,)
    # No further phase is announced: a command line's progress raises an interrupt once more.
    assert phases[-1] == "search admitted(0)"


@pytest.mark.parametrize("at", ["counting", "model", "bound admitted(0)", "search admitted(0)"])
def test_ctrl_c_in_any_phase_after_greedy_keeps_its_plan(at: str) -> None:
    def press(phase: str, seconds: float) -> None:
        if phase == at:
            raise KeyboardInterrupt

    result = Exact().plan(SEARCHED, LIMITS, press)
    assert result.warnings == (INTERRUPTED,)
    assert not check(SEARCHED, result.plan)


def test_a_second_ctrl_c_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*anything: object) -> None:
        raise KeyboardInterrupt

    point = np.zeros(COUNTS.write(SEARCHED, WHOLE).milp.n_cols)
    had = Outcome(Stop.FEASIBLE, x=point, limit="interrupt")
    monkeypatch.setattr(search, "checked_point", pressed)
    with pytest.raises(KeyboardInterrupt):
        Exact(InterruptedSolver(had)).plan(SEARCHED, LIMITS)


def test_ctrl_c_during_greedy_is_raised() -> None:
    def press(phase: str, seconds: float) -> None:
        if phase == "greedy":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Exact().plan(SEARCHED, LIMITS, press)
