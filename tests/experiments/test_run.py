from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from gangplan.datasets.io import write_instance
from gangplan.experiments import records
from gangplan.experiments.cells import Cell, blank, cells, key
from gangplan.experiments.executors import Serial
from gangplan.experiments.measure import measure
from gangplan.experiments.records import DONE, FAILED, SKIPPED, Record
from gangplan.experiments.run import run
from gangplan.experiments.sources import File, Generated
from gangplan.experiments.spec import Experiment, PlannerSpec
from gangplan.experiments.spec_tables import Block
from gangplan.models.errors import InputError
from gangplan.models.instance import Instance
from gangplan.solvers.base import Limits

BLOCK = Block(
    (Generated("generator", "training", 16, 2),),
    (PlannerSpec("greedy"),),
    (Limits(5.0),),
    (1, 2),
)
SMALL = Experiment("small", (BLOCK,))


def changed(**parts: Any) -> Experiment:
    """Return SMALL with other parts of its block."""
    return Experiment("small", (replace(BLOCK, **parts),))


class Counting:
    """Runs cells in this process and remembers which."""

    def __init__(self, crash: bool = False) -> None:
        self.ran: list[Cell] = []
        self.crash = crash

    def run(self, cells: Iterable[Cell]) -> Iterator[tuple[Cell, Record]]:
        for cell in cells:
            self.ran.append(cell)
            record = measure(cell)
            yield cell, replace(record, status=FAILED) if self.crash else record


def test_every_cell_leaves_a_record_and_is_not_run_again(tmp_path: Path) -> None:
    first, again = Counting(), Counting()
    ran = run(SMALL, tmp_path, first)
    assert [record.status for record in ran.records] == [DONE, DONE]
    assert (len(first.ran), ran.known) == (2, 0)
    assert records.load(ran.path).records == ran.records
    ran = run(SMALL, tmp_path, again)
    assert (len(again.ran), ran.known, len(ran.records)) == (0, 2, 2)


def test_two_memory_limits_are_two_cells_with_records_of_their_own(tmp_path: Path) -> None:
    limits = (Limits(5.0, memory=2**20), Limits(5.0))
    exact = (PlannerSpec("exact", "highs", "counts"),)
    ran = run(changed(planners=exact, limits=limits, seeds=(1,)), tmp_path, Counting())
    assert [record.memory_limit for record in ran.records] == [2**20, None]
    assert records.latest(records.load(ran.path).records) == ran.records
    assert [record.verified for record in ran.records] == [True, True]
    assert "the memory limit of 1 MiB is below the" in " ".join(ran.records[0].warnings)
    assert not ran.records[1].warnings


def test_a_failed_cell_is_tried_again(tmp_path: Path) -> None:
    run(SMALL, tmp_path, Counting(crash=True))
    again = Counting()
    ran = run(SMALL, tmp_path, again)
    assert len(again.ran) == 2
    assert [record.status for record in ran.records] == [DONE, DONE]


def test_a_torn_line_costs_its_cell_only(tmp_path: Path) -> None:
    path = run(SMALL, tmp_path, Serial()).path
    path.write_bytes(path.read_bytes()[:-30])
    again = Counting()
    ran = run(SMALL, tmp_path, again)
    assert [cell.limits.seed for cell in again.ran] == [2]
    assert "torn" in ran.notes[0]
    assert len(records.load(path).records) == 2


def test_a_run_that_stops_in_between_keeps_what_is_done(tmp_path: Path) -> None:
    def stop(done: int, total: int, what: str) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(SMALL, tmp_path, Serial(), stop)
    assert len(records.load(tmp_path / "small.jsonl").records) == 1


def test_a_solver_that_is_not_here_is_skipped_with_its_reason(tmp_path: Path) -> None:
    missing = changed(planners=(PlannerSpec("exact", "nosuch", "counts"),))
    ran = run(missing, tmp_path, Serial())
    assert {record.status for record in ran.records} == {SKIPPED}
    assert ran.records[0].reason.startswith("no solver 'nosuch' here: one of highs")
    assert run(missing, tmp_path, Serial()).known == 2


def test_an_instance_that_cannot_be_read_is_skipped(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    bad = changed(sources=(File(str(broken), "broken.json"),), seeds=(1,))
    (record,) = run(bad, tmp_path, Serial()).records
    assert record.status == SKIPPED
    assert "broken.json" in record.reason
    assert run(bad, tmp_path, Serial()).known == 1


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be made"):
        run(SMALL, tmp_path / "file" / "below", Serial())


def test_a_full_disk_stops_the_run_with_one_line(tmp_path: Path) -> None:
    (tmp_path / "small.jsonl").symlink_to("/dev/full")
    with pytest.raises(InputError, match="cannot be written: No space left"):
        run(SMALL, tmp_path, Serial())


def test_cells_come_instance_by_instance_and_seed_by_seed() -> None:
    labels = [cell.label for cell in cells(SMALL)]
    assert labels == ["training 16/2 seed 1: greedy", "training 16/2 seed 2: greedy"]


def test_the_key_changes_with_all_that_decides_the_outcome() -> None:
    cell = next(cells(SMALL))
    others = [
        replace(cell, planner=PlannerSpec("exact", "highs", "counts")),
        replace(cell, planner=PlannerSpec("greedy", objective="gpus")),
        replace(cell, limits=Limits(6.0, seed=1)),
        replace(cell, limits=Limits(5.0, seed=2)),
    ]
    keys = [key(cell, "digest"), key(cell, "other"), *(key(one, "digest") for one in others)]
    assert len(set(keys)) == len(keys)
    assert key(replace(cell, experiment="another"), "digest") == keys[0]


def test_the_record_of_a_run_says_all_that_a_figure_needs() -> None:
    cell = Cell(
        "one",
        Generated("generator", "training", 16, 2),
        PlannerSpec("exact", "highs", "counts", "weighted-gpus"),
        Limits(5.0, seed=1),
    )
    record = measure(cell)
    assert (record.status, record.stop, record.verified) == (DONE, "optimal", True)
    assert (record.nodes, record.groups, record.solver_errors) == (16, 2, 0)
    assert set(record.seconds) == {"read", "start", "plan", "verify", "build", "handover", "solve"}
    assert record.seconds["build"] + record.seconds["solve"] < record.seconds["plan"]
    assert record.tiers[0].name == "weighted-gpus"
    assert set(record.machine) == {"platform", "cpu", "cores", "load"}
    assert set(record.versions) == {"gangplan", "python", "numpy", "scipy", "highs"}
    assert record.key == blank(cell, record.digest).key


class Untouched:
    """Fails the test when it is asked to run anything."""

    def run(self, cells: Iterable[Cell]) -> Iterator[tuple[Cell, Record]]:
        pytest.fail("cells were run")
        yield from ()


def test_a_file_that_another_run_writes_is_refused_before_any_work(tmp_path: Path) -> None:
    with (
        records.writing(tmp_path / "small.jsonl"),
        pytest.raises(InputError, match="another run is writing to it"),
    ):
        run(SMALL, tmp_path, Untouched())


def test_a_file_that_cannot_be_written_is_refused_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "small.jsonl").symlink_to(tmp_path / "nowhere" / "small.jsonl")
    with pytest.raises(InputError, match="cannot be written"):
        run(SMALL, tmp_path, Untouched())


def test_one_instance_under_two_names_is_run_once_and_said(tmp_path: Path) -> None:
    instance = BLOCK.sources[0].instance(1)
    for name in ("a.json", "b.json"):
        write_instance(instance, str(tmp_path / name))
    files = tuple(File(str(tmp_path / name), name) for name in ("a.json", "b.json"))
    ran = run(changed(sources=files, seeds=(1,)), tmp_path, Serial())
    assert len(ran.records) == 1
    assert ran.notes == ("b.json is the same instance as a.json: run once",)


@dataclass(frozen=True)
class Faulty:
    """Fails in a way that no reader should."""

    label: str = "faulty"

    def instance(self, seed: int) -> Instance:
        raise MemoryError("2^50 nodes")


def test_an_instance_that_breaks_its_reader_costs_its_own_cells(tmp_path: Path) -> None:
    ran = run(changed(sources=(Faulty(), *BLOCK.sources)), tmp_path, Serial())
    assert [record.status for record in ran.records] == [FAILED, FAILED, DONE, DONE]
    assert ran.records[0].reason == "MemoryError: 2^50 nodes"
