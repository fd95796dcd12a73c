"""Many seeds in order, on several processes, with a progress file to go on from."""

import hashlib
import json
import multiprocessing
import os
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

from tests.fuzz.cell import Cell, cell

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("models", "solvers", "tests/fuzz", "tests/brute*", "tests/tiny*")
BATCH = 100
"""Instances between two writes of the progress file."""


@dataclass
class Progress:
    """What was reached: seeds ``start`` to ``start + count - 1`` are done.

    Attributes
    ----------
    sources : digest of what was tested; other sources begin again.
    names : the backends.
    agreed, unproven : contestant -> instances with every tier proven and right; with a tier that a
        limit left open.
    kept : files of the disagreements.
    """

    start: int
    names: tuple[str, ...]
    sources: str
    count: int = 0
    agreed: dict[str, int] = field(default_factory=dict)
    unproven: dict[str, int] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)

    def add(self, done: Cell) -> None:
        self.count += 1
        wrong = {one.who for one in done.wrong}
        for who, (proven, tiers) in done.tiers.items():
            if who not in wrong:
                tally = self.agreed if proven == tiers else self.unproven
                tally[who] = tally.get(who, 0) + 1

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        new.write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")
        new.replace(path)

    def words(self) -> str:
        """One line a contestant."""
        lines = [f"{self.count:,} instances reached, from seed {self.start}"]
        for who in sorted({*self.agreed, *self.unproven}):
            late = self.unproven.get(who, 0)
            text = f"  {who:24} {self.agreed.get(who, 0):7,} equal brute force on every tier"
            lines.append(text + (f", {late:,} cut by a limit" if late else ""))
        lines += [f"  disagreement kept: {path}" for path in self.kept]
        return "\n".join(lines)


def resume(path: Path, start: int, names: tuple[str, ...]) -> Progress:
    """Return the progress to go on from; a new one where sources, start or backends changed."""
    new = Progress(start, names, sources())
    try:
        old = Progress(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return new
    same = (old.start, tuple(old.names), old.sources) == (start, names, new.sources)
    return old if same else new


def sources() -> str:
    """Digest of every file that has a part in the answer."""
    sha = hashlib.sha256()
    for pattern in SOURCES:
        for place in sorted(ROOT.glob(pattern)):
            files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
            for path in files:
                sha.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return sha.hexdigest()


def cells(seeds: Iterable[int], names: tuple[str, ...], jobs: int) -> Iterator[Cell]:
    """Run seeds and give their cells in order, whichever is ready first."""
    one = partial(cell, names=names)
    with ExitStack() as stack:
        if jobs == 1:
            yield from map(one, seeds)
            return
        # Not a fork: solver workers and their threads belong to one process.
        spawn = multiprocessing.get_context("spawn")
        pool = stack.enter_context(ProcessPoolExecutor(jobs, mp_context=spawn))
        stack.callback(pool.shutdown, wait=False, cancel_futures=True)
        yield from pool.map(one, seeds)


def run(progress: Progress, path: Path, count: int, seconds: float, jobs: int) -> Iterator[Cell]:
    """Go on up to ``count`` instances or for ``seconds``; each cell counts once it is yielded."""
    until = time.monotonic() + seconds
    seeds = range(progress.start + progress.count, progress.start + count)
    for done in cells(seeds, progress.names, jobs):
        progress.add(done)
        yield done
        if progress.count % BATCH == 0:
            progress.save(path)
        if time.monotonic() > until:
            break


def processes() -> int:
    """Processes to use: one a core that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
