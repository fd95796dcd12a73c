"""Peak memory of a tree of processes, sampled from /proc."""

import threading
from pathlib import Path
from types import TracebackType

EVERY = 0.02
"""Seconds between samples."""

PROC = Path("/proc")


class PeakMemory:
    """Watches a process and all below it, for as long as the block runs.

    Shared pages count once a process, so the figure is an upper side; a peak shorter than
    ``EVERY`` seconds counts where it was that of one process alone (its high-water mark).

    Attributes
    ----------
    peak : bytes; None where there is no /proc.
    """

    def __init__(self, pid: int) -> None:
        self.peak: int | None = None
        self._pid = pid
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "PeakMemory":
        """Begin to watch."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop watching."""
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while True:
            sizes = [size for pid in _tree(self._pid) if (size := _memory(pid)) is not None]
            if sizes:
                now = sum(resident for resident, _ in sizes)
                alone = max(highest for _, highest in sizes)
                self.peak = max(self.peak or 0, now, alone)
            if self._done.wait(EVERY):
                return


def _tree(pid: int) -> list[int]:
    """Return a process and everything below it that is there now."""
    found, todo = [], [pid]
    while todo:
        pid = todo.pop()
        found.append(pid)
        for task in _tasks(pid):
            try:
                todo += map(int, (task / "children").read_text().split())
            except OSError:
                continue
    return found


def _tasks(pid: int) -> list[Path]:
    try:
        return list((PROC / str(pid) / "task").iterdir())
    except OSError:
        return []


def _memory(pid: int) -> tuple[int, int] | None:
    """Return resident bytes now and at their highest; None for a process that is gone."""
    try:
        lines = (PROC / str(pid) / "status").read_text().splitlines()
    except OSError:
        return None
    sizes = {
        name: int(rest.split()[0]) * 1024
        for name, _, rest in (line.partition(":") for line in lines)
        if name in {"VmRSS", "VmHWM"}
    }
    return (sizes["VmRSS"], sizes["VmHWM"]) if len(sizes) == 2 else None
