"""The race: who gets which job, and what becomes of the answers."""

import signal
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from gangplan.datasets.generate import generate
from gangplan.models.verify.check import check
from gangplan.solvers.base import Limits
from gangplan.solvers.crew.crew import Crew
from gangplan.solvers.planners.anytime import Anytime, race
from gangplan.solvers.planners.anytime import run as one_run
from gangplan.solvers.staged import INTERRUPTED
from tests.proofs import SEARCHED

HARD = generate("vectors", nodes=256, seed=5)


@dataclass
class Watch:
    """What is under way, and every pair of neighbourhoods that was so at the same time."""

    flying: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    pairs: int = 0
    names: list[str] = field(default_factory=list)


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    seen = Watch()
    give, hear = Crew.give, Crew.hear

    def given(crew: Crew, job: Any, *arguments: Any, kill_at: float) -> int:
        number = give(crew, job, *arguments, kill_at=kill_at)
        seen.names.append(job.__name__)
        if job.__name__ == "near":
            nodes, groups = arguments[1:3]
            plan = arguments[0].best.plan
            instance = next(one for one in (HARD, SEARCHED) if one.n_pods == len(plan.node))
            placed = plan.placed_per_group(instance) > 0
            for others, theirs in seen.flying.values():
                seen.pairs += 1
                assert not np.intersect1d(nodes, others).size
                # Who waits may be asked for by both.
                assert not placed[np.intersect1d(groups, theirs)].any()
            seen.flying[number] = (nodes, groups)
        return number

    def heard(crew: Crew, until: float) -> Any:
        words = hear(crew, until)
        for word in words:
            if word.last:
                seen.flying.pop(word.job, None)
        return words

    monkeypatch.setattr(Crew, "give", given)
    monkeypatch.setattr(Crew, "hear", heard)
    return seen


def test_neighbourhoods_at_the_same_time_share_no_node_and_nobody_placed(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(race.Race, "_finish", lambda *_: False)  # or a process is taken for it
    monkeypatch.setattr(one_run, "processes", lambda: 2)
    Anytime(objective="weighted-gpus").plan(HARD, Limits(seconds=6))
    assert watch.pairs > 0


def test_one_process_counts_bounds_and_improves_in_turn(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_run, "processes", lambda: 1)
    result = Anytime(objective="weighted-gpus").plan(HARD, Limits(seconds=6))
    assert watch.names[:2] == ["count", "relax"]
    assert {"near", "finish"} & set(watch.names)
    assert watch.pairs == 0
    assert result.tiers[0].bound is not None


def test_ctrl_c_while_jobs_run_ends_the_search_and_keeps_the_plan() -> None:
    def press(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, press)
    begin = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 4)
        result = Anytime(objective="weighted-gpus").plan(HARD, Limits(seconds=60))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - begin < 20
    assert INTERRUPTED in result.warnings
    assert not check(HARD, result.plan)


def test_solvers_are_asked_for_one_thread_whatever_the_limits_say() -> None:
    result = Anytime(kind="counts").plan(SEARCHED, Limits(seconds=20, threads=2))
    searched = [who.options for one in result.certificates for who in one.solvers]
    assert searched
    assert all("threads=1" in options for options in searched)


def test_what_is_proven_needs_no_more_jobs(watch: Watch) -> None:
    begin = time.monotonic()
    result = Anytime().plan(SEARCHED, Limits(seconds=60))
    assert result.stop == "optimal"
    assert time.monotonic() - begin < 30
