"""What is the same for every library: clocks, models without entries, and the start at a limit."""

from types import SimpleNamespace

import numpy as np
import pytest

from gangplan.models.arrays import Ints
from gangplan.solvers.backends import course
from gangplan.solvers.backends.course import LEAST, Clock, run
from gangplan.solvers.base import Limits, Outcome, Stop
from tests.solvers.conformance import CASES, model

KNAPSACK = CASES[0].make()
PAYS_9 = np.array([1, 1, 0])
PAYS_6 = np.array([0, 0, 1])


def nothing(start: Ints | None, said: str, clock: Clock) -> Outcome:
    return Outcome(Stop.NONE_FOUND, limit="time", message=said)


def test_hand_over_and_solve_are_timed_apart_and_the_rest_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ticks = iter([100.0, 103.0, 107.0])
    monkeypatch.setattr(course, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))

    def ask(start: Ints | None, said: str, clock: Clock) -> Outcome:
        assert clock.handed_over() == 2.0
        clock.done()
        return nothing(start, said, clock)

    outcome = run(KNAPSACK, Limits(seconds=5), None, ask)
    assert (outcome.handover_seconds, outcome.solve_seconds, outcome.overshoot) == (3, 4, 2)


def test_no_time_left_is_never_no_limit() -> None:
    clock = Clock(1e-9)
    assert clock.handed_over() == LEAST
    assert clock.on(Outcome(Stop.NONE_FOUND)).overshoot > 0


def test_a_library_is_not_asked_about_a_model_without_entries() -> None:
    def never(start: Ints | None, said: str, clock: Clock) -> Outcome:
        raise AssertionError("asked")

    outcome = run(model([1, -1], [0, 0], [3, 3], []), Limits(), None, never)
    assert (outcome.stop, outcome.objective) == (Stop.OPTIMAL, -3)


def test_only_a_start_that_is_a_point_is_passed_and_stands_in_at_a_limit() -> None:
    passed: list[Ints | None] = []

    def worse(start: Ints | None, said: str, clock: Clock) -> Outcome:
        passed.append(start)
        x = PAYS_6.astype(float)
        return Outcome(Stop.FEASIBLE, x=x, objective=-6.0, limit="time", message=said)

    outcome = run(KNAPSACK, Limits(), PAYS_9, worse)
    assert passed[0] is PAYS_9
    assert (outcome.objective, outcome.message.split(";")[0]) == (-9, "start used")
    outcome = run(KNAPSACK, Limits(), np.array([1, 1, 1]), worse)
    assert passed[1] is None
    assert outcome.objective == -6
    assert outcome.message.startswith("start not used: it breaks row.k[0]")
    assert run(KNAPSACK, Limits(), PAYS_9, nothing).objective == -9
