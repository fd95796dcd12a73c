"""What a worker says that is no answer, and workers after a fork."""

import os
import subprocess
import sys

import pytest

from gangplan.models.errors import SolverError
from gangplan.solvers.backends.cbc import Cbc
from gangplan.solvers.backends.child import Watched
from gangplan.solvers.base import Limits
from tests.solvers.backends.solvers_that_fail import Fails, StreamsThenHangs
from tests.solvers.conformance import CASES

KNAPSACK = CASES[0].make()


@pytest.mark.parametrize("point", [(1.0,), ("a", "b", "c"), (1.0, 0.0, 0.0, 0.0)])
def test_what_is_streamed_and_is_no_point_is_a_solver_error(point: tuple[float | str, ...]) -> None:
    with pytest.raises(SolverError, match="streamed what is no point of 3 columns"):
        Watched(StreamsThenHangs(point)).solve(KNAPSACK, Limits(seconds=20))


def test_a_worker_from_before_a_change_of_the_program_is_not_used_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solver = Watched(Fails("id"))
    first = solver.solve(KNAPSACK, Limits(seconds=20)).message
    assert solver.solve(KNAPSACK, Limits(seconds=20)).message == first
    monkeypatch.setenv("GANGPLAN_CBC", "/nowhere/cbc")
    with pytest.raises(SolverError, match=r"^cbc: GANGPLAN_CBC: /nowhere/cbc is no program$"):
        Watched(Cbc()).solve(KNAPSACK, Limits(seconds=20))


def run(script: str) -> subprocess.CompletedProcess[str]:
    head = (
        "import os, sys, threading, time, warnings\n"
        "warnings.simplefilter('ignore', DeprecationWarning)\n"
        "from gangplan.solvers.backends import workers\n"
        "from gangplan.solvers.backends.child import Watched\n"
        "from gangplan.solvers.backends.highs import Highs\n"
        "from gangplan.solvers.base import Limits\n"
        "from tests.solvers.backends.solvers_that_fail import Fails\n"
        "from tests.solvers.conformance import CASES\n"
        "m = CASES[0].make()\n"
    )
    path = os.pathsep.join(sys.path)
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", head + script],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )


def test_a_fork_while_another_thread_takes_a_worker_solves_with_one_of_its_own() -> None:
    done = run(
        "Watched(Highs()).solve(m, Limits())\n"
        "with workers._lock:\n"  # as another thread would hold it
        "    child = os.fork()\n"
        "    if not child:\n"
        "        sys.exit(Watched(Highs()).solve(m, Limits()).objective != -9)\n"
        "code = os.waitpid(child, 0)[1]\n"
        # The parent's own worker is still there, and works.
        "idle = workers._idle[0].pid\n"
        "Watched(Highs()).solve(m, Limits())\n"
        "sys.exit(code or workers._idle[0].pid != idle)\n"
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_fork_keeps_no_busy_worker_alive_after_its_parent() -> None:
    done = run(
        "def solve():\n"
        "    Watched(Fails('hang')).solve(m, Limits(seconds=50))\n"
        "threading.Thread(target=solve, daemon=True).start()\n"
        "while not (busy := [w for w in list(workers._all) if w._ready]): time.sleep(0.01)\n"
        "time.sleep(0.3)\n"
        "if os.fork():\n"
        "    os.kill(os.getpid(), 9)\n"
        "for n in range(100):\n"
        "    time.sleep(0.1)\n"
        "    try:\n"
        "        os.kill(busy[0].pid, 0)\n"
        "        state = open(f'/proc/{busy[0].pid}/stat').read().rpartition(')')[2].split()[0]\n"
        "    except OSError:\n"
        "        state = 'gone'\n"
        "    if state in ('gone', 'Z'): break\n"
        "print(state)\n"
    )
    assert done.stdout.strip() in ("gone", "Z")
