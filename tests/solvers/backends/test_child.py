import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gangplan.models.errors import SolverError
from gangplan.solvers.backends import workers
from gangplan.solvers.backends.child import Watched
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Interrupted, Limits, Stop
from tests.solvers.backends.solvers_that_fail import (
    Fails,
    RunsAProgram,
    StreamsThenHangs,
    TellsItsLimit,
    TellsItsLimitAndStreams,
)
from tests.solvers.conformance import CASES, model

KNAPSACK = CASES[0].make()
LIMITS = Limits(seconds=20)
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("segfault", r"SIGSEGV: .*working on 3 columns"),
        ("exit", r"exit code 7: .*working on 3 columns"),
        ("memory", r"fails: out of memory"),
        ("bug", r"fails: ZeroDivisionError: no wonder"),
        ("sys.exit", r"fails: SystemExit: no licence"),
        ("panic", r"fails: BaseException: attempt to add"),
        ("unreadable", r"fails: a message of the solver's process cannot be read: ZeroDivision"),
        ("closes the line", r"exit code 1"),
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


def test_a_killed_solver_that_had_reported_nothing_leaves_the_start() -> None:
    hangs = Watched(Fails("hang"), grace=0.1)
    kept = hangs.solve(KNAPSACK, Limits(seconds=0.2), start=np.array([1, 0, 0]))
    assert kept.stop is Stop.FEASIBLE
    assert kept.x is not None
    assert np.array_equal(kept.x, [1, 0, 0])
    assert kept.objective == -4
    broken = hangs.solve(KNAPSACK, Limits(seconds=0.2), start=np.array([1, 1, 1]))
    assert broken.stop is Stop.NONE_FOUND
    assert broken.x is None


def test_a_solver_is_told_to_stop_before_the_kill() -> None:
    linear = next(case for case in CASES if case.name == "linear program").make()
    for milp, seconds, told in (
        (KNAPSACK, 20, 19),
        (KNAPSACK, 1, 0.9),
        (linear, 20, 19),
    ):
        message = Watched(TellsItsLimit()).solve(milp, Limits(seconds=seconds)).message
        assert told - 0.5 * seconds < float(message) <= told
    searched = Watched(TellsItsLimitAndStreams()).solve(KNAPSACK, Limits(seconds=20)).message
    assert 19 < float(searched) <= 19.5


def test_ctrl_c_carries_the_last_streamed_point() -> None:
    worker = workers.take(1)
    worker.wait_ready()
    workers.keep(worker)
    signal.signal(signal.SIGALRM, _interrupt)
    signal.setitimer(signal.ITIMER_REAL, 2)
    with pytest.raises(Interrupted) as stop:
        Watched(StreamsThenHangs((1.0, 1.0, 0.0))).solve(KNAPSACK, LIMITS)
    outcome = stop.value.outcome
    assert outcome.stop is Stop.FEASIBLE
    assert outcome.x is not None
    assert np.array_equal(outcome.x, [1, 1, 0])
    assert outcome.limit == "interrupt"


def test_a_child_killed_from_outside_in_the_middle_of_a_solve_is_a_solver_error() -> None:
    worker = workers.take(1)
    worker.wait_ready()
    workers.keep(worker)
    timer = threading.Timer(0.5, os.kill, (worker.pid, signal.SIGKILL))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(
        SolverError, match=r"(?s)SIGKILL \(out of memory\?\): .*working on 3 columns"
    ):
        Watched(Fails("hang")).solve(KNAPSACK, LIMITS)
    assert time.monotonic() - begin < 10
    assert Watched(Highs()).solve(KNAPSACK, LIMITS).stop is Stop.OPTIMAL


def test_a_child_that_dies_while_a_big_model_is_written_to_it_is_a_solver_error() -> None:
    worker = workers.take(1)
    worker.wait_ready()
    os.kill(worker.pid, signal.SIGSTOP)  # reads nothing: the writer has to wait
    workers.keep(worker)
    timer = threading.Timer(0.5, os.kill, (worker.pid, signal.SIGKILL))
    timer.start()
    wide = model([1] * 500_000, [0] * 500_000, [1] * 500_000, [])
    with pytest.raises(SolverError, match="SIGKILL"):
        Watched(Highs()).solve(wide, LIMITS)


def test_a_child_that_reads_nothing_is_killed_at_limit_plus_grace() -> None:
    worker = workers.take(1)
    worker.wait_ready()
    os.kill(worker.pid, signal.SIGSTOP)
    workers.keep(worker)
    wide = model([1] * 500_000, [0] * 500_000, [1] * 500_000, [])
    outcome = Watched(Highs(), grace=0.1).solve(wide, Limits(seconds=0.5))
    assert outcome.stop is Stop.NONE_FOUND
    assert outcome.overshoot < 5


@pytest.mark.parametrize("python", ["", "/nowhere/python"])
def test_without_a_python_there_is_no_worker(python: str, monkeypatch: pytest.MonkeyPatch) -> None:
    workers.close_workers()
    monkeypatch.setattr(sys, "executable", python)
    Watched(Highs()).prestart()
    with pytest.raises(SolverError, match=r"no Python executable|no worker process"):
        Watched(Highs()).solve(KNAPSACK, LIMITS)


def test_a_worker_that_cannot_import_us_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    workers.close_workers()
    monkeypatch.setattr(workers, "_environment", lambda: {"PYTHONPATH": "/nowhere"})
    monkeypatch.setattr(sys, "executable", sys._base_executable)  # type: ignore[attr-defined]
    with pytest.raises(SolverError, match=r"(?s)ended with exit code 1: .*No module named"):
        Watched(Highs()).solve(KNAPSACK, LIMITS)


def test_a_program_that_the_solver_ran_is_killed_with_it(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    runs = RunsAProgram("import time; time.sleep(300)", str(told))
    outcome = Watched(runs, grace=0.1).solve(KNAPSACK, Limits(seconds=1))
    assert outcome.limit == "time"
    assert _gone(int(told.read_text()))


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM])
def test_a_program_that_the_solver_ran_does_not_outlive_the_parent(
    sign: signal.Signals, tmp_path: Path
) -> None:
    told = tmp_path / "pid"
    script = (
        "from gangplan.solvers.backends.child import Watched\n"
        "from gangplan.solvers.base import Limits\n"
        "from tests.solvers.conformance import CASES\n"
        "from tests.solvers.backends.solvers_that_fail import RunsAProgram\n"
        f"runs = RunsAProgram('import time; time.sleep(300)', {str(told)!r})\n"
        "Watched(runs).solve(CASES[0].make(), Limits(seconds=200))\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], env=ENVIRONMENT) as parent:
        assert _within(20, lambda: told.exists() and told.read_text() != "")
        assert _runs(int(told.read_text()))
        parent.send_signal(sign)
    assert _gone(int(told.read_text()))


def test_a_solver_that_holds_the_interpreter_does_not_outlive_a_killed_parent(
    tmp_path: Path,
) -> None:
    told = tmp_path / "pid"
    script = (
        "from gangplan.solvers.backends.child import Watched\n"
        "from gangplan.solvers.base import Limits\n"
        "from tests.solvers.conformance import CASES\n"
        "from tests.solvers.backends.solvers_that_fail import HoldsTheInterpreter\n"
        f"holds = HoldsTheInterpreter({str(told)!r})\n"
        "Watched(holds).solve(CASES[0].make(), Limits(seconds=200))\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], env=ENVIRONMENT) as parent:
        assert _within(20, lambda: told.exists() and told.read_text() != "")
        parent.kill()
    assert _gone(int(told.read_text()))


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


# A job that a shell runs behind it ignores Ctrl-C, and so would its children.
SCRIPT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
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
        env=ENVIRONMENT,
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
        env=ENVIRONMENT,
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
