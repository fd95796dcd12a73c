import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gangplan.models.errors import SolverError
from gangplan.solvers.backends import workers
from gangplan.solvers.backends.child import Watched
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits, Stop
from tests.solvers.backends.solvers_that_fail import Fails, StreamsThenHangs
from tests.solvers.conformance import CASES

KNAPSACK = CASES[0].make()
LIMITS = Limits(seconds=20)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("segfault", r"SIGSEGV: .*working on 3 columns"),
        ("exit", r"exit code 7: .*working on 3 columns"),
        ("memory", r"fails: out of memory"),
        ("bug", r"fails: ZeroDivisionError: no wonder"),
    ],
)
def test_a_failure_is_a_solver_error_that_says_how(how: str, says: str) -> None:
    with pytest.raises(SolverError, match=rf"(?s){says}"):
        Watched(Fails(how)).solve(KNAPSACK, LIMITS)
    # The next solve gets a process that works.
    assert Watched(Highs()).solve(KNAPSACK, LIMITS).objective == pytest.approx(-9)


@pytest.mark.parametrize("how", ["hang", "hang holding the interpreter"])
def test_a_solver_that_hangs_is_killed_at_limit_plus_grace(how: str) -> None:
    begin = time.monotonic()
    outcome = Watched(Fails(how), grace=0.2).solve(KNAPSACK, Limits(seconds=0.2))
    assert time.monotonic() - begin < 10
    assert outcome.stop is Stop.NONE_FOUND
    assert outcome.limit == "time"
    assert outcome.x is None
    assert outcome.overshoot >= 0.2


def test_a_killed_solver_leaves_its_last_streamed_point() -> None:
    solver = Watched(StreamsThenHangs((1.0, 1.0, 0.0)), grace=0.1)
    outcome = solver.solve(KNAPSACK, Limits(seconds=0.5))
    assert outcome.stop is Stop.FEASIBLE
    assert outcome.x is not None
    assert np.array_equal(outcome.x, [1, 1, 0])
    assert outcome.objective == -9
    assert outcome.bound == -20


def test_a_worker_is_used_again_and_replaced_after_a_kill() -> None:
    noisy = Watched(Fails("print"), grace=0.1)
    first, second = (noisy.solve(KNAPSACK, LIMITS).message for _ in range(2))
    assert first == second
    Watched(Fails("hang"), grace=0.1).solve(KNAPSACK, Limits(seconds=0.1))
    assert noisy.solve(KNAPSACK, LIMITS).message != first


def test_a_worker_that_died_while_idle_is_replaced() -> None:
    worker = workers.take(1)
    worker.wait_ready()
    workers.keep(worker)
    os.kill(worker.pid, signal.SIGKILL)
    os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT)
    assert Watched(Highs()).solve(KNAPSACK, LIMITS).stop is Stop.OPTIMAL


def test_numbers_of_threads_never_mix_in_one_process() -> None:
    one = Watched(Fails("print")).solve(KNAPSACK, Limits(threads=1)).message
    two = Watched(Fails("print")).solve(KNAPSACK, Limits(threads=2)).message
    assert one != two
    for threads in (1, 2, 1):
        outcome = Watched(Highs()).solve(KNAPSACK, Limits(seconds=20, threads=threads))
        assert outcome.objective == pytest.approx(-9)


def test_a_solver_that_cannot_be_pickled_is_refused_by_name() -> None:
    class Local(Fails):
        pass

    with pytest.raises(SolverError, match="fails cannot be sent to a worker"):
        Watched(Local("print")).solve(KNAPSACK, LIMITS)


SCRIPT = """
import os, sys
from gangplan.solvers.backends import workers
from gangplan.solvers.backends.child import Watched
from gangplan.solvers.base import Limits
from tests.solvers.conformance import CASES, market_split
from gangplan.solvers.backends.highs import Highs
outcome = Watched(Highs()).solve(CASES[0].make(), Limits(seconds=20))
idle = workers._idle[0]
print(round(outcome.objective), idle.pid, flush=True)
if {hard}:
    Watched(Highs()).solve(market_split(), Limits(seconds=120))
"""


@pytest.mark.parametrize("how", ["-c", "stdin", "file"])
def test_the_parent_may_be_any_kind_of_script(how: str, tmp_path: Path) -> None:
    script = SCRIPT.format(hard=False)
    (tmp_path / "plain_script.py").write_text(script)
    (command, text) = {
        "-c": (["-c", script], None),
        "stdin": (["-"], script),
        "file": ([str(tmp_path / "plain_script.py")], None),
    }[how]
    run = subprocess.run(
        [sys.executable, *command],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split()[0] == "-9"
    assert run.stderr == ""
    assert _gone(int(run.stdout.split()[1]))


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_child_in_the_middle_of_a_solve_does_not_outlive_its_parent(sign: signal.Signals) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(hard=True)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    with parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline().split()[1])
        time.sleep(0.3)
        assert not _gone(child, seconds=0)
        parent.send_signal(sign)
        parent.wait(20)
    assert _gone(child)


def test_an_interrupt_in_the_parent_kills_the_child() -> None:
    worker = workers.take(1)
    worker.wait_ready()
    pid = worker.pid
    workers.keep(worker)
    signal.signal(signal.SIGALRM, _interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    with pytest.raises(KeyboardInterrupt):
        Watched(Fails("hang")).solve(KNAPSACK, LIMITS)
    assert _gone(pid)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _gone(pid: int, seconds: float = 10.0) -> bool:
    return _within(seconds, lambda: not _runs(pid))


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _within(seconds: float, what: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while not (done := what()) and time.monotonic() < end:
        time.sleep(0.02)
    return done
