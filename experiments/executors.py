"""How cells are run: in this process, or each in a fresh process of its own.

An executor is anything with ``run(cells)`` that yields each cell with its record; a cluster's would
look the same. ``Processes`` runs one cell at a time by default: cells that share cores and memory
with one another have dishonest clocks.
"""

import os
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from gangplan.experiments.cells import Cell, blank, digest
from gangplan.experiments.measure import machine, measure
from gangplan.experiments.memory import PeakMemory
from gangplan.experiments.records import FAILED, Record

PATIENCE = 300.0
"""Seconds on top of ten times the limit before a cell is killed; building has no limit itself."""

TAIL = 400
"""Characters of a dead cell's output that its record quotes."""


class Executor(Protocol):
    """Runs cells."""

    def run(self, cells: Iterable[Cell]) -> Iterator[tuple[Cell, Record]]:
        """Yield each cell with its record as it is done; a cell that crashes is FAILED."""
        ...


@dataclass(frozen=True, slots=True)
class Serial:
    """One cell after the other in this process: for tests and debuggers, no peak memory."""

    def run(self, cells: Iterable[Cell]) -> Iterator[tuple[Cell, Record]]:
        """Yield cells in their order."""
        for cell in cells:
            yield cell, measure(cell)


@dataclass(frozen=True, slots=True)
class Processes:
    """Each cell in a fresh process.

    Attributes
    ----------
    workers : processes at once; records come in the order of the cells only when it is 1.
    patience : see PATIENCE.
    """

    workers: int = 1
    patience: float = PATIENCE

    def run(self, cells: Iterable[Cell]) -> Iterator[tuple[Cell, Record]]:
        """Yield cells as they are done; what still runs when the caller stops is killed."""
        if self.workers == 1:
            for cell in cells:
                yield cell, _Process(cell, self.patience).record()
            return
        yield from self._beside_one_another(iter(cells))

    def _beside_one_another(self, cells: Iterator[Cell]) -> Iterator[tuple[Cell, Record]]:
        running: dict[Future[Record], _Process] = {}
        with ThreadPoolExecutor(self.workers) as pool:
            try:
                while True:
                    while len(running) < self.workers and (cell := next(cells, None)) is not None:
                        process = _Process(cell, self.patience)
                        running[pool.submit(process.record)] = process
                    if not running:
                        return
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        yield running.pop(future).cell, future.result()
            finally:
                for process in running.values():
                    process.kill()


class _Process:
    """One cell in its process."""

    def __init__(self, cell: Cell, patience: float) -> None:
        self.cell = cell
        self._seconds = 10 * cell.limits.seconds + patience
        self._child: subprocess.Popen[bytes] | None = None
        self._killed = False

    def record(self) -> Record:
        """Run the cell."""
        load = machine()
        try:
            return self._record(load)
        except OSError as error:  # no room for its files, or no process more: one cell, not all
            return self._failed(load, f"cannot be run: {error.strerror or error}", None)

    def _record(self, load: Mapping[str, Any]) -> Record:
        with tempfile.TemporaryDirectory(prefix="gangplan-cell-") as folder:
            job, answer, log = (Path(folder) / name for name in ("job", "answer", "log"))
            job.write_bytes(pickle.dumps(self.cell))
            with log.open("wb") as out:
                peak, how = self._run(job, answer, out.fileno())
            if answer.is_file():
                found: Record = pickle.loads(answer.read_bytes())
                return replace(found, machine=load, peak_memory=peak)
            said = log.read_text(errors="replace").strip()[-TAIL:]
        reason = f"the cell's process {how}" + (f": {' '.join(said.split())}" if said else "")
        return self._failed(load, reason, peak)

    def _failed(self, load: Mapping[str, Any], reason: str, peak: int | None) -> Record:
        # The digest is made here, because the cell's process is gone.
        record = blank(self.cell, digest(self.cell), FAILED, reason)
        return replace(record, machine=load, peak_memory=peak)

    def _run(self, job: Path, answer: Path, log: int) -> tuple[int | None, str]:
        """Wait for the child; return the peak of its tree, and how it ended."""
        # Its standard input is its lifeline: it ends when this process is gone.
        with subprocess.Popen(
            [sys.executable, "-P", "-m", "gangplan.experiments.cell_process", job, answer],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env=_environment(),
            start_new_session=True,
        ) as child:
            self._child = child
            with PeakMemory(child.pid) as memory:
                try:
                    if self._killed:
                        self.kill()
                    code = child.wait(self._seconds)
                    how = f"ended with exit code {code}"
                    if code < 0:
                        how = f"was ended by {signal.Signals(-code).name}"
                except subprocess.TimeoutExpired:
                    how = f"was killed after {self._seconds:g} s"
                finally:
                    self.kill()
        return memory.peak, how

    def kill(self) -> None:
        """End the child and what it started."""
        self._killed = True
        if self._child is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._child.pid, signal.SIGKILL)


def _environment() -> dict[str, str]:
    """Return the parent's environment with its import path, whatever changed it."""
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    return {**os.environ, "PYTHONPATH": path}
