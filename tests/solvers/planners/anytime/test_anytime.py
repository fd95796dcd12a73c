"""The anytime planner end to end: against brute force, and with jobs that fail or do not end."""

import time
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.datasets.generate import generate
from gangplan.models.arrays import Ints
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.models.plan import empty_plan
from gangplan.models.result import Result
from gangplan.models.tiers import OBJECTIVES, Tier, better, tiers_of, values
from gangplan.models.verify.check import check
from gangplan.models.verify.results import check_result
from gangplan.solvers.base import Limits, Outcome
from gangplan.solvers.planners.anytime import Anytime
from gangplan.solvers.planners.anytime.yesterday import named
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.planners.greedy import Greedy
from gangplan.solvers.recheck import CONFIRMED, recheck
from gangplan.solvers.staged import INTERRUPTED
from tests.brute import best
from tests.proofs import SEARCHED
from tests.strategies import anything, instances
from tests.strategies_preemption import preempting
from tests.tiny import Row, make_instance

LIMITS = Limits(seconds=20)

RACKS = generate("vectors", nodes=64, seed=3)
"""Too hard to be proven in a second."""


def beyond(tier: Tier, value: int, bound: int | None) -> bool:
    """Tell whether a value is better than its bound."""
    return bound is not None and (value > bound if tier.maximise else value < bound)


def sound(instance: Instance, result: Result, tiers: tuple[Tier, ...]) -> None:
    """Check what every result has to keep."""
    assert not check(instance, result.plan)
    assert not check_result(instance, result)
    assert tuple(report.value for report in result.tiers) == values(instance, result.plan, tiers)
    first, last = result.trace[0], result.trace[-1]
    assert last.values == tuple(report.value for report in result.tiers)
    assert last.bounds == tuple(report.bound for report in result.tiers)
    assert not better(tiers, first.values, last.values)
    for before, after in pairwise(result.trace):
        assert before.seconds <= after.seconds
        assert not better(tiers, before.values, after.values)


@settings(max_examples=25)
@given(instances(), st.sampled_from(["groups", "gpus", "age"]))
def test_every_tier_that_is_proven_is_the_brute_force_optimum(
    instance: Instance, objective: str
) -> None:
    tiers = tiers_of(instance, objective)
    result = Anytime(objective=objective).plan(instance, LIMITS)
    sound(instance, result, tiers)
    assert result.warnings == ()
    assert result.stop == "optimal"
    assert tuple(report.value for report in result.tiers) == best(instance, tiers)


@settings(max_examples=15)
@given(anything())
def test_it_is_never_worse_than_greedy_and_as_good_as_exact(instance: Instance) -> None:
    tiers = tiers_of(instance)
    greedy = Greedy().plan(instance, LIMITS)
    exact, result = (kind().plan(instance, LIMITS) for kind in (Exact, Anytime))
    sound(instance, result, tiers)
    worth = values(instance, result.plan, tiers)
    assert not better(tiers, values(instance, greedy.plan, tiers), worth)
    for ours, theirs in zip(result.tiers, exact.tiers, strict=True):
        if not (ours.proven and theirs.proven):
            break
        assert ours.value == theirs.value


@settings(max_examples=15)
@given(preempting())
def test_evictions_are_planned_as_exact_does(instance: Instance) -> None:
    tiers = tiers_of(instance)
    exact, result = (kind().plan(instance, LIMITS) for kind in (Exact, Anytime))
    sound(instance, result, tiers)
    for ours, theirs in zip(result.tiers, exact.tiers, strict=True):
        if not (ours.proven and theirs.proven):
            break
        assert ours.value == theirs.value


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_bounds_hold_and_are_confirmed_when_time_runs_out(objective: str) -> None:
    result = Anytime(objective=objective).plan(RACKS, Limits(seconds=3))
    tiers = tiers_of(RACKS, objective)
    sound(RACKS, result, tiers)
    for tier, report in zip(tiers, result.tiers, strict=True):
        assert not beyond(tier, report.value, report.bound)
    searched = [report.name for report in result.tiers if report.proof.startswith("search")]
    for said in recheck(RACKS, result, limits=Limits(seconds=5)):
        assert said.verdict == CONFIRMED or said.tier in searched


def test_the_deadline_is_kept_and_there_is_a_plan() -> None:
    begin = time.monotonic()
    result = Anytime(objective="weighted-gpus").plan(RACKS, Limits(seconds=2))
    assert time.monotonic() - begin < 4
    assert result.tiers[0].value > 0
    assert not check(RACKS, result.plan)


@dataclass(frozen=True)
class Hangs:
    """A solver that never comes back."""

    name: str = "hangs"

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        time.sleep(60)
        raise AssertionError


def test_a_solver_that_hangs_is_killed_at_the_deadline() -> None:
    begin = time.monotonic()
    result = Anytime(Hangs()).plan(SEARCHED, Limits(seconds=2))
    assert time.monotonic() - begin < 4
    assert result.tiers[0].value == 2
    assert not result.tiers[0].proven


@dataclass(frozen=True)
class Dies:
    """A solver that takes its process with it."""

    name: str = "dies"

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        import os
        import signal

        os.kill(os.getpid(), signal.SIGSEGV)
        raise AssertionError


def test_jobs_that_crash_cost_their_work_and_are_told_once_a_kind() -> None:
    result = Anytime(Dies()).plan(SEARCHED, LIMITS)
    assert not check(SEARCHED, result.plan)
    assert result.tiers[0].value == 2
    told = [text for text in result.warnings if "SIGSEGV" in text]
    assert 1 <= len(told) <= 3
    assert len({text.partition(",")[0] for text in told}) == len(told)


def test_ctrl_c_keeps_the_plan_in_hand() -> None:
    phases: list[str] = []

    def press(phase: str, seconds: float) -> None:
        phases.append(phase)
        if phase.startswith("search"):
            raise KeyboardInterrupt

    result = Anytime().plan(SEARCHED, LIMITS, press)
    assert result.warnings == (INTERRUPTED,)
    assert not check(SEARCHED, result.plan)
    assert result.stop == "feasible"
    assert phases == ["greedy", "search admitted(0)"]


def test_ctrl_c_during_greedy_is_raised() -> None:
    def press(phase: str, seconds: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Anytime().plan(SEARCHED, LIMITS, press)


def test_it_ends_at_the_gap_that_is_asked_for() -> None:
    begin = time.monotonic()
    result = Anytime(objective="weighted-gpus").plan(RACKS, Limits(seconds=60, gap=0.5))
    assert time.monotonic() - begin < 30
    gap = result.tiers[0].gap
    assert gap is not None
    assert gap <= 0.5


def test_a_previous_plan_is_taken_where_it_is_better_and_left_where_it_is_broken() -> None:
    best_plan = Exact().plan(SEARCHED, LIMITS).plan
    nothing = empty_plan(SEARCHED)
    everything = type(nothing)(
        np.zeros(SEARCHED.n_pods, dtype=np.int64), nothing.device_pod, nothing.device
    )
    for previous in (best_plan, nothing, everything):
        result = Anytime(previous=previous).plan(SEARCHED, LIMITS)
        assert result.stop == "optimal"
        assert not check(SEARCHED, result.plan)


def test_the_plan_of_another_day_is_where_the_search_starts() -> None:
    before = Exact().plan(SEARCHED, LIMITS).plan
    known = named(SEARCHED, before)
    gone = replace(known, node={**known.node, "test/no-such-pod": "n0"})
    for yesterday in (known, gone):
        result = Anytime(previous=yesterday).plan(SEARCHED, LIMITS)
        assert result.stop == "optimal"
        assert result.planner["previous"] is True


def test_a_previous_plan_of_which_nothing_can_be_kept_is_told() -> None:
    known = named(SEARCHED, Exact().plan(SEARCHED, LIMITS).plan)
    other = replace(known, node={f"elsewhere/{pod}": node for pod, node in known.node.items()})
    said = f"nothing of the previous plan ({len(known.node)} pods placed) could be kept"
    for yesterday, told in ((known, False), (other, True)):
        result = Anytime(previous=yesterday).plan(SEARCHED, LIMITS)
        assert any(said in warning for warning in result.warnings) is told


def test_counts_stands_in_for_a_named_formulation_that_refuses_the_instance() -> None:
    pair: Row = {"request": {"gpu": 1, "cpu": 5}, "wanted": 2, "minimum": 2}
    sliced = make_instance(
        nodes=[{"gpu": 4, "cpu": 7, "rack": "a"}, {"gpu": 4, "cpu": 7, "rack": "a"}],
        groups=[
            {"request": {"gpu": 4, "cpu": 1}},
            pair,
            {**pair, "rules": [("rack", "required", 2)]},
            {"request": {"gpu": 2, "cpu": 2}},
        ],
    )
    for instance, told in ((SEARCHED, False), (sliced, True)):
        result = Anytime(kind="configurations").plan(instance, LIMITS)
        assert result.stop == "optimal"
        said = [text for text in result.warnings if text.startswith("configurations refused")]
        assert bool(said) is told


def test_a_very_short_limit_still_gives_a_checked_plan() -> None:
    result = Anytime().plan(SEARCHED, Limits(seconds=0.01))
    assert not check(SEARCHED, result.plan)
    assert result.stop == "feasible"


def test_the_result_names_what_took_part_and_how_it_came() -> None:
    result = Anytime(objective="gpus").plan(SEARCHED, Limits(seconds=9, seed=4))
    assert result.stop == "optimal"
    assert result.planner["name"] == "anytime"
    assert result.planner["objective"] == "gpus"
    assert result.planner["seed"] == 4
    assert set(result.versions) == {"gangplan", "numpy", "scipy", "highs", "python"}
    assert set(result.seconds) >= {"greedy", "build", "solve", "verify"}
    assert len(result.trace) >= 2


def test_a_second_opinion_is_asked_for_by_an_option() -> None:
    result = Anytime(kind="counts", second_opinion=True).plan(SEARCHED, LIMITS)
    assert result.tiers[0].proof == "search x2"


def test_one_formulation_may_be_named() -> None:
    result = Anytime(kind="counts").plan(SEARCHED, LIMITS)
    assert result.stop == "optimal"
    assert {one.formulation for one in result.certificates} <= {"counts", ""}
