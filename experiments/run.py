"""Run an experiment: cells that no record is known of, each record written as it comes."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from gangplan.experiments import records
from gangplan.experiments.cells import Cell, blank, cannot_run, cells, digest, key
from gangplan.experiments.executors import Executor, Processes
from gangplan.experiments.records import FAILED, SKIPPED, Record
from gangplan.experiments.spec import Experiment
from gangplan.models.errors import Fault, InputError

Progress = Callable[[int, int, str], None]
"""Called with cells done, cells to do in all, and what was just done or is about to be."""


Asked = dict[str, tuple[Cell, str]]
"""Key -> its cell and the digest of its instance (empty where that cannot be read)."""


def silent(done: int, total: int, what: str) -> None:
    """Report nothing."""


class Ran(NamedTuple):
    """What a run gives.

    Attributes
    ----------
    records : of every cell of the experiment, old and new, in order of the cells.
    path : file of records.
    known : cells that were known before.
    notes : sentences on the file.
    """

    records: tuple[Record, ...]
    path: Path
    known: int
    notes: tuple[str, ...]


def run(
    experiment: Experiment,
    folder: Path | str = "results",
    executor: Executor | None = None,
    progress: Progress = silent,
) -> Ran:
    """Run what is missing and append it to ``FOLDER/NAME.jsonl``.

    Parameters
    ----------
    folder : made when it is not there.
    executor : Default: one process a cell, one at a time.

    Raises
    ------
    InputError : the folder or the file cannot be read or written, or another run writes to it.
    """
    path = _file(Path(folder), experiment.name)
    known, torn = _known(path)  # what is wrong with the file is said before instances are made
    asked, notes = _keyed(cells(experiment))
    if all(of_cell in known for of_cell in asked):
        return _ran(asked, path, known, known, (*torn, *notes))
    with records.writing(path):
        # Read again: another run may have ended in the meantime.
        known, torn = _known(path)
        found = _missing(asked, path, known, executor or Processes(), progress)
    return _ran(asked, path, known, found, (*torn, *notes))


def _missing(
    asked: Asked, path: Path, known: Mapping[str, Record], executor: Executor, progress: Progress
) -> dict[str, Record]:
    """Run every cell that is not known; return all records that there are then."""
    todo = {of_cell: pair for of_cell, pair in asked.items() if of_cell not in known}
    found = {**known, **_skipped(path, todo.values())}
    ready = [cell for of_cell, (cell, _) in todo.items() if of_cell not in found]
    before = len(asked) - len(ready)
    if ready:
        progress(before, len(asked), ready[0].label)
    for done, (cell, record) in enumerate(executor.run(ready), before + 1):
        records.append(path, record)
        found[record.key] = record
        progress(done, len(asked), f"{cell.label}: {record.stop or record.status}")
    return found


def _ran(
    asked: Asked,
    path: Path,
    known: Mapping[str, Record],
    found: Mapping[str, Record],
    notes: tuple[str, ...],
) -> Ran:
    there = tuple(found[of_cell] for of_cell in asked if of_cell in found)
    return Ran(there, path, sum(of_cell in known for of_cell in asked), notes)


def _known(path: Path) -> tuple[dict[str, Record], tuple[str, ...]]:
    """Return the records that need no second run, by key, and notes on the file."""
    if not path.exists() or not path.stat().st_size:
        return {}, ()
    old = records.load(path)
    return {one.key: one for one in old.records if one.status != FAILED}, old.notes


def _keyed(all_cells: Iterable[Cell]) -> tuple[Asked, tuple[str, ...]]:
    """Return each key once, with a note on every source that is another one under a second name."""
    digests: dict[tuple[object, int], str] = {}
    keyed: Asked = {}
    same: dict[str, str] = {}
    for cell in all_cells:
        place = (cell.source, cell.limits.seed)
        if place not in digests:
            digests[place] = digest(cell)
        of_cell = key(cell, digests[place] or cell.source.label)
        first, _ = keyed.setdefault(of_cell, (cell, digests[place]))
        if first.source != cell.source:
            same[cell.source.label] = first.source.label
    notes = (f"{one} is the same instance as {other}: run once" for one, other in same.items())
    return keyed, tuple(notes)


def _skipped(path: Path, todo: Iterable[tuple[Cell, str]]) -> dict[str, Record]:
    """Write the record of every cell that cannot run here."""
    found: dict[str, Record] = {}
    for cell, of_instance in todo:
        if reason := cannot_run(cell):
            record = blank(cell, of_instance, SKIPPED, reason)
            records.append(path, record)
            found[record.key] = record
    return found


def _file(folder: Path, name: str) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        said = f"cannot be made: {error.strerror or error}"
        raise InputError([Fault(str(folder), "", "", said)]) from None
    return folder / f"{name}.jsonl"
