"""Run an experiment: cells that no record is known of, each record written as it comes."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from gangplan.experiments import records
from gangplan.experiments.cells import Cell, blank, cannot_run, cells, key
from gangplan.experiments.executors import Executor, Processes
from gangplan.experiments.records import FAILED, SKIPPED, Record
from gangplan.experiments.spec import Experiment
from gangplan.models.errors import Fault, InputError

Progress = Callable[[int, int, str], None]
"""Called with cells done, cells to do in all, and what was just done or is about to be."""


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
    InputError : the folder or the file cannot be read or written.
    """
    path = _file(Path(folder), experiment.name)
    old = records.load(path) if path.exists() and path.stat().st_size else records.Loaded((), ())
    known = {one.key: one for one in old.records if one.status != FAILED}
    asked = _keyed(cells(experiment))
    todo = [cell for of_cell, (cell, _) in asked.items() if of_cell not in known]
    found = known | _skipped(path, [pair for k, pair in asked.items() if k not in known])
    ready = [cell for cell in todo if not cannot_run(cell)]
    before = len(asked) - len(ready)
    if ready:
        progress(before, len(asked), ready[0].label)
    for done, (cell, record) in enumerate((executor or Processes()).run(ready), before + 1):
        records.append(path, record)
        found[record.key] = record
        progress(done, len(asked), f"{cell.label}: {record.stop or record.status}")
    there = tuple(found[of_cell] for of_cell in asked if of_cell in found)
    return Ran(there, path, len(asked) - len(todo), old.notes)


def _keyed(all_cells: Iterable[Cell]) -> dict[str, tuple[Cell, str]]:
    """Return key -> cell and digest of its instance, each key once."""
    digests: dict[tuple[object, int], str] = {}
    keyed: dict[str, tuple[Cell, str]] = {}
    for cell in all_cells:
        place = (cell.source, cell.limits.seed)
        if place not in digests:
            digests[place] = _digest(cell)
        keyed.setdefault(key(cell, digests[place] or cell.source.label), (cell, digests[place]))
    return keyed


def _digest(cell: Cell) -> str:
    """Digest of the instance; empty where it cannot be read (its cells are then skipped)."""
    try:
        return cell.source.instance(cell.limits.seed).digest()
    except InputError:
        return ""


def _skipped(path: Path, todo: Iterable[tuple[Cell, str]]) -> dict[str, Record]:
    """Write the record of every cell that cannot run here."""
    found: dict[str, Record] = {}
    for cell, digest in todo:
        if reason := cannot_run(cell):
            record = blank(cell, digest, SKIPPED, reason)
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
