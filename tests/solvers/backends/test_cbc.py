import os
import signal
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gangplan.models.errors import SolverError
from gangplan.models.milp import INFINITY
from gangplan.solvers.backends.cbc import Cbc
from gangplan.solvers.backends.cbc_binary import NONE_HERE, VARIABLE, Binary, find_binary
from gangplan.solvers.backends.child import Watched
from gangplan.solvers.base import Limits, Stop
from tests.solvers.conformance import CASES, check, market_split, model

LIMITS = Limits(seconds=20)
KNAPSACK = CASES[0].make


def is_here() -> bool:
    try:
        find_binary()
    except SolverError:
        return False
    return True


needs_cbc = pytest.mark.skipif(not is_here(), reason="no cbc here: pip install gangplan[cbc]")

Stub = Callable[[str], Path]


@pytest.fixture
def stub(tmp_path: Path) -> Stub:
    """Make a program that takes cbc's arguments; ``$solution`` is the file it should write."""

    def make(script: str) -> Path:
        path = tmp_path / "cbc stub"
        last = 'for solution; do :; done\n[ "$1" = -version ] && { echo "Version: 3.0"; exit; }\n'
        path.write_text(f"#!/bin/sh\n{last}{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return make


def test_a_program_that_crashes_is_an_error_with_its_last_words(stub: Stub) -> None:
    path = stub("echo out of luck; exit 7")
    with pytest.raises(SolverError, match=r"exit code 7: out of luck"):
        Cbc(path=str(path)).solve(KNAPSACK(), LIMITS)


def test_a_program_that_is_killed_is_an_error(stub: Stub) -> None:
    with pytest.raises(SolverError, match="ended by signal 9"):
        Cbc(path=str(stub("kill -9 $$"))).solve(KNAPSACK(), LIMITS)


def test_exit_code_0_without_a_file_is_an_error_with_its_last_words(stub: Stub) -> None:
    with pytest.raises(SolverError, match=r"no solution file: \*\* Current model not valid"):
        Cbc(path=str(stub("echo '** Current model not valid'"))).solve(KNAPSACK(), LIMITS)


def test_an_unknown_status_is_an_error(stub: Stub) -> None:
    path = stub('echo "Fine - objective value 1" > "$solution"')
    outcome = Cbc(path=str(path)).solve(KNAPSACK(), LIMITS)
    assert (outcome.stop, outcome.x, outcome.message) == (Stop.ERROR, None, "Fine")


def test_an_optimum_with_fractions_is_a_relaxation_at_a_limit(stub: Stub) -> None:
    # cbcbox 2.935, stopped between the root relaxation and the search, writes this.
    path = stub('printf "Optimal - objective value -9\\n0 x0 0.5 0\\n" > "$solution"')
    outcome = Cbc(path=str(path)).solve(KNAPSACK(), LIMITS)
    assert (outcome.stop, outcome.limit, outcome.x) == (Stop.NONE_FOUND, "time", None)
    path = stub(
        'printf "Optimal - objective value -9\\n0 x0 0.5 0\\n" > "$solution"; echo "Result - "'
    )
    assert Cbc(path=str(path)).solve(KNAPSACK(), LIMITS).stop is Stop.ERROR


@pytest.mark.parametrize("said", ["Optimal", "Stopped on time"])
@pytest.mark.parametrize("value", [3, 9_000_000_000_000_000_000_000])
def test_a_point_that_breaks_the_model_is_never_called_optimal(
    stub: Stub, said: str, value: int
) -> None:
    milp = model([-1], [0], [5], [([2], -INFINITY, 5)])
    path = stub(f"echo '{said} - objective value -3\n 0 x0 {value} 0' > \"$solution\"")
    outcome = Cbc(path=str(path)).solve(milp, LIMITS)
    assert outcome.stop is (Stop.ERROR if said == "Optimal" else Stop.NONE_FOUND)
    assert outcome.bound is None
    assert "its point breaks" in outcome.message
    start = np.array([1])
    kept = Cbc(path=str(path)).solve(milp, LIMITS, start=start)
    assert said == "Optimal" or (kept.x is not None and kept.x.tolist() == [1])


def test_a_program_that_hangs_is_killed_and_the_start_is_kept(stub: Stub) -> None:
    path = stub("trap '' INT; while :; do sleep 0.05; done")
    begin = time.monotonic()
    outcome = Cbc(path=str(path)).solve(KNAPSACK(), Limits(seconds=0.3), start=np.array([1, 0, 0]))
    assert time.monotonic() - begin < 10
    assert (outcome.stop, outcome.limit) == (Stop.FEASIBLE, "time")
    assert outcome.x is not None
    assert np.array_equal(outcome.x, [1, 0, 0])


def test_a_full_disk_is_an_error(monkeypatch: pytest.MonkeyPatch, stub: Stub) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    monkeypatch.setattr("tempfile.NamedTemporaryFile", full)
    with pytest.raises(SolverError, match="cbc: No space left on device"):
        Cbc(path=str(stub(""))).solve(KNAPSACK(), LIMITS)


def test_a_row_that_holds_no_whole_number_needs_no_program() -> None:
    milp = model([1, 1], [0, 0], [5, 5], [([2, 2], 3, 3)])
    outcome = Cbc(path="/nowhere").solve(milp, LIMITS)
    assert outcome.stop is Stop.INFEASIBLE
    assert "row.k[0] holds no whole number" in outcome.message


def test_a_named_program_is_never_replaced_by_another(
    monkeypatch: pytest.MonkeyPatch, stub: Stub
) -> None:
    with pytest.raises(SolverError, match="/nowhere is no program"):
        find_binary("/nowhere")
    monkeypatch.setenv(VARIABLE, "/nowhere")
    with pytest.raises(SolverError, match="GANGPLAN_CBC: /nowhere is no program"):
        find_binary()
    path = stub("")
    monkeypatch.setenv(VARIABLE, str(path))
    assert find_binary() == Binary(str(path), "3.0")


def test_without_cbcbox_the_one_on_path_is_taken_and_without_that_one_is_told_how(
    monkeypatch: pytest.MonkeyPatch, stub: Stub
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr("gangplan.solvers.backends.cbc_binary.find_spec", lambda name: None)
    path = stub("")
    link = path.with_name("cbc")
    link.symlink_to(path)
    monkeypatch.setenv("PATH", f"{path.parent}:/bin:/usr/bin")
    assert find_binary() == Binary(str(link), "3.0")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SolverError, match="pip install 'gangplan"):
        find_binary()
    assert "system cbc" in NONE_HERE


def test_a_program_that_is_no_cbc_is_told() -> None:
    with pytest.raises(SolverError, match="is it a cbc"):
        find_binary("true")


def test_an_old_cbc_goes_without_its_preprocessing() -> None:
    assert Binary("", "2.10.8").preprocesses_wrongly
    assert not Binary("", "cbcbox 2.935").preprocesses_wrongly
    assert not Binary("", "devel (git:146ce89)").preprocesses_wrongly


@needs_cbc
def test_the_builds_of_cbcbox_are_chosen_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cbcbox")
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("CBCBOX_BUILD", "generic")
    assert Path(find_binary().path).parts[-3] == "cbc_dist"
    monkeypatch.setenv("CBCBOX_BUILD", "purple")
    with pytest.raises(SolverError, match="CBCBOX_BUILD = purple"):
        find_binary()


@needs_cbc
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_second_opinion_finds_the_written_optimum_too(case: object) -> None:
    assert Cbc().second() == Cbc(preprocess=False)
    check(Cbc().second(), case, LIMITS)  # type: ignore[arg-type]


@needs_cbc
def test_several_threads_give_the_same_point_twice() -> None:
    milp = model([-3] * 12, [0] * 12, [1] * 12, [([2, 3] * 6, -INFINITY, 14)])
    first, again = (Cbc().solve(milp, Limits(seconds=20, threads=2)) for _ in range(2))
    assert first.stop is again.stop is Stop.OPTIMAL
    assert first.x is not None
    assert again.x is not None
    assert np.array_equal(first.x, again.x)


@needs_cbc
def test_the_offset_stays_outside() -> None:
    milp = KNAPSACK()
    outcome = Cbc().solve(milp.with_cost(milp.cost, 1000), LIMITS)
    assert outcome.objective == pytest.approx(-9)


@needs_cbc
def test_a_second_of_limit_is_kept_with_a_point_and_a_bound() -> None:
    milp = market_split()
    outcome = Watched(Cbc()).solve(milp, Limits(seconds=1.5))
    assert (outcome.stop, outcome.limit) == (Stop.FEASIBLE, "time")
    assert outcome.overshoot < 1
    assert outcome.bound is not None
    assert outcome.bound <= 0


def grandchildren(name: str) -> list[int]:
    """Processes of this name, by /proc."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/comm"):
        try:
            if entry.read_text().strip() == name:
                found.append(int(entry.parent.name))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@needs_cbc
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="looks at /proc")
def test_a_killed_worker_takes_cbc_with_it() -> None:
    solver, said = Watched(Cbc()), []

    def solve() -> None:
        try:
            solver.solve(market_split(), Limits(seconds=50))
        except SolverError as error:
            said.append(str(error))

    thread = threading.Thread(target=solve)
    thread.start()
    deadline = time.monotonic() + 40
    mine: list[int] = []
    while not mine and time.monotonic() < deadline:
        time.sleep(0.05)
        mine = [pid for pid in grandchildren("cbc") if parent_of(parent_of(pid)) == os.getpid()]
    os.kill(parent_of(mine[0]), signal.SIGKILL)
    thread.join(30)
    assert not thread.is_alive()
    assert "SIGKILL" in said[0]
    while mine[0] in grandchildren("cbc") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert mine[0] not in grandchildren("cbc")
