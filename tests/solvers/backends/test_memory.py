import os
import subprocess
import sys

import numpy as np
import pytest

from gangplan.models.errors import SolverError
from gangplan.models.milp import Columns, Milp, build, row_block
from gangplan.models.verify.check import check
from gangplan.solvers.backends import memory
from gangplan.solvers.backends.child import Watched
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits, Stop
from gangplan.solvers.planners.exact import Exact
from tests.proofs import SEARCHED
from tests.solvers.backends.solvers_that_fail import Fails, FillsMemory, RunsAProgram
from tests.solvers.conformance import CASES

KNAPSACK = CASES[0].make()
MIB = 2**20


def assignments(columns: int) -> Milp:
    """Give each row of ten columns one unit: easy, and as large as one likes."""
    made = Columns()
    made.add("x", 0, np.ones(columns))
    each = np.arange(columns)
    rows = [
        row_block("row.k", each // 10, each, 1, 1, 1, columns // 10),
        row_block("column.k", each % 10, each, 1, 0, columns, 10),
    ]
    return build(made, rows).with_cost(each % 7)


def test_the_peak_is_that_of_the_solve_and_not_of_the_one_before() -> None:
    big = Watched(FillsMemory(200 * MIB)).solve(KNAPSACK, Limits(seconds=20))
    small = Watched(FillsMemory(1)).solve(KNAPSACK, Limits(seconds=20))
    assert big.message == small.message  # one process
    assert big.peak_memory is not None
    assert small.peak_memory is not None
    assert 180 * MIB < big.peak_memory - small.peak_memory < 220 * MIB


def test_the_peak_of_a_killed_solve_is_known() -> None:
    outcome = Watched(Fails("hang"), grace=0.1).solve(KNAPSACK, Limits(seconds=0.2))
    assert outcome.peak_memory is not None
    assert 10 * MIB < outcome.peak_memory < 2**33


def test_a_program_that_the_solver_ran_counts() -> None:
    fills = f"import time; held = bytearray({300 * MIB}); time.sleep(0.1)"
    outcome = Watched(RunsAProgram(fills)).solve(KNAPSACK, Limits(seconds=20))
    assert outcome.peak_memory is not None
    assert outcome.peak_memory > 300 * MIB


def test_a_program_that_the_solver_ran_counts_after_a_kill() -> None:
    hangs = f"import time; held = bytearray({300 * MIB}); time.sleep(100)"
    outcome = Watched(RunsAProgram(hangs), grace=0.1).solve(KNAPSACK, Limits(seconds=2))
    assert outcome.limit == "time"
    assert outcome.peak_memory is not None
    assert outcome.peak_memory > 300 * MIB


def test_a_solver_in_this_process_is_not_measured() -> None:
    assert Highs().solve(KNAPSACK, Limits(seconds=20)).peak_memory is None


def test_a_solver_that_fills_its_memory_is_a_solver_error() -> None:
    with pytest.raises(SolverError, match=r"fills memory: out of memory \(limit 600 MiB\)"):
        Watched(FillsMemory(2**40)).solve(KNAPSACK, Limits(seconds=20, memory=600 * MIB))
    # The limit is that of one solve.
    free = Watched(FillsMemory(700 * MIB)).solve(KNAPSACK, Limits(seconds=20))
    assert free.stop is Stop.NONE_FOUND


def test_highs_out_of_memory_is_a_solver_error() -> None:
    milp = assignments(400_000)
    free = Watched(Highs()).solve(milp, Limits(seconds=60))
    assert free.peak_memory is not None
    with pytest.raises(SolverError, match="highs: "):
        Watched(Highs()).solve(milp, Limits(seconds=60, memory=free.peak_memory // 2))


def test_a_limit_below_what_is_used_already_says_so() -> None:
    with pytest.raises(SolverError, match="memory limit of 1 MiB is below the"):
        Watched(Highs()).solve(KNAPSACK, Limits(memory=MIB))


def test_the_planner_keeps_the_greedy_plan_and_says_why() -> None:
    planner = Exact(solver=Watched(FillsMemory(2**40)))
    result = planner.plan(SEARCHED, Limits(seconds=20, memory=600 * MIB))
    assert not check(SEARCHED, result.plan)
    assert result.stop == "feasible"
    assert result.planner["memory"] == 600 * MIB
    assert any(
        "its last plan and bounds are kept: fills memory: out of memory" in warning
        for warning in result.warnings
    )


def test_the_group_of_a_process_is_measured_by_its_largest() -> None:
    fills = f"import time; held = bytearray({300 * MIB}); print(flush=True); time.sleep(100)"
    command = [sys.executable, "-c", fills]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as child:
        assert child.stdout is not None
        child.stdout.readline()
        peak = memory.peak_of_group(child.pid)
        child.kill()
    assert peak is not None
    assert peak > 300 * MIB
    assert memory.peak(os.getpid()) is not None
    assert memory.peak(2**22 + 1) is None  # above the largest process id
