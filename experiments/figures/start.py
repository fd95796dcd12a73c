"""Starting up: what a user waits for before anything happens."""

import subprocess
import sys
from collections.abc import Iterator
from time import perf_counter

from gangplan.experiments.figures.line import Line

REPEATS = 5


def import_gangplan() -> Iterator[Line]:
    """Time ``import gangplan`` in a fresh interpreter, less the bare interpreter's start."""
    bare = min(_seconds("pass") for _ in range(REPEATS))
    full = min(_seconds("import gangplan") for _ in range(REPEATS))
    yield Line("import gangplan", full - bare, note=f"interpreter alone {bare:.3f} s")


def _seconds(code: str) -> float:
    begin = perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return perf_counter() - begin
