import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from gangplan.experiments.cells import Cell
from gangplan.experiments.executors import Processes, Serial
from gangplan.experiments.memory import PeakMemory
from gangplan.experiments.records import DONE, FAILED
from gangplan.experiments.sources import Generated
from gangplan.experiments.spec import PlannerSpec
from gangplan.models.instance import Instance
from gangplan.solvers.base import Limits

SMALL = Cell(
    "test",
    Generated("generator", "training", 16, 2),
    PlannerSpec("exact", "highs", "counts"),
    Limits(5.0, seed=1),
)


@dataclass(frozen=True)
class Deadly:
    """Ends the process that reads it, unless that is the one it was made in."""

    home: int
    label: str = "deadly"

    def instance(self, seed: int) -> Instance:
        if os.getpid() != self.home:
            sys.stderr.write("last words\n")
            sys.stderr.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        return SMALL.source.instance(seed)


@dataclass(frozen=True)
class Slow:
    """Takes for ever in any process but its own."""

    home: int
    label: str = "slow"

    def instance(self, seed: int) -> Instance:
        if os.getpid() != self.home:
            time.sleep(600)
        return SMALL.source.instance(seed)


def test_a_process_of_its_own_gives_what_this_one_gives() -> None:
    ((_, apart),) = Processes().run([SMALL])
    ((_, here),) = Serial().run([SMALL])
    assert (apart.key, apart.digest, apart.tiers) == (here.key, here.digest, here.tiers)
    assert apart.status == DONE
    assert here.peak_memory is None
    assert apart.peak_memory is not None
    # Its planner and its solver's process: two interpreters with numpy.
    assert 40 * 2**20 < apart.peak_memory < 2**30


def test_a_cell_whose_process_dies_is_failed_and_the_next_one_runs() -> None:
    deadly = replace(SMALL, source=Deadly(os.getpid()))
    found = [record for _, record in Processes().run([deadly, SMALL])]
    assert [record.status for record in found] == [FAILED, DONE]
    assert found[0].reason == "the cell's process was ended by SIGKILL: last words"
    assert found[0].digest == found[1].digest


def test_a_cell_that_never_ends_is_killed() -> None:
    slow = replace(SMALL, source=Slow(os.getpid()), limits=Limits(0.01))
    ((_, record),) = Processes(patience=2.0).run([slow])
    assert record.status == FAILED
    assert record.reason == "the cell's process was killed after 2.1 s"


def test_two_workers_run_every_cell() -> None:
    cells = [replace(SMALL, limits=Limits(5.0, seed=seed)) for seed in (1, 2, 3)]
    found = dict(Processes(workers=2).run(cells))
    assert {cell.limits.seed for cell in found} == {1, 2, 3}
    assert all(record.seed == cell.limits.seed for cell, record in found.items())


def test_what_still_runs_is_killed_when_the_caller_stops() -> None:
    slow = replace(SMALL, source=Slow(os.getpid()))
    running = Processes(workers=2).run([SMALL, slow])
    next(running)
    begin = time.monotonic()
    running.close()  # type: ignore[attr-defined]  # a generator
    assert time.monotonic() - begin < 10


def test_the_peak_counts_children_and_survives_them() -> None:
    hold = "import sys, time; b = bytearray(80 << 20); time.sleep(0.5)"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {hold!r}])"
    with (
        subprocess.Popen([sys.executable, "-c", code]) as child,
        PeakMemory(child.pid) as memory,
    ):
        child.wait()
    assert memory.peak is not None
    assert memory.peak > 80 << 20


def test_the_process_of_a_cell_ends_with_its_parent(tmp_path: Path) -> None:
    code = (
        "import os, subprocess, sys\n"
        "from tests.experiments.test_executors import SMALL, Slow\n"
        "from dataclasses import replace\n"
        "from gangplan.experiments import executors\n"
        "run = executors._Process(replace(SMALL, source=Slow(0)), 60)\n"
        "import threading; threading.Thread(target=run.record, daemon=True).start()\n"
        "import time\n"
        "while run._child is None: time.sleep(0.01)\n"
        "print(run._child.pid, os.path.dirname(run._child.args[-1]), flush=True)\n"
        "time.sleep(1.5); os._exit(0)\n"
    )
    root = Path(__file__).parents[2]
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True
    )
    pid, folder = ran.stdout.split()
    for _ in range(100):
        if Path(folder).exists():
            time.sleep(0.1)
            continue
        if not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text():
            return
        time.sleep(0.1)
    pytest.fail("the process of the cell, or its folder, is still there")


def test_a_cell_without_room_for_its_files_is_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    ((_, record),) = Processes().run([SMALL])
    assert record.status == FAILED
    assert record.reason == "cannot be run: No such file or directory"
