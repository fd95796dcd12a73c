"""``python -m tests.fuzz``: random small instances, brute force against everybody.

::

    python -m tests.fuzz                     10,000 instances; goes on where it was stopped
    python -m tests.fuzz --seconds 60        as many as fit
    python -m tests.fuzz --only 4711         one of them again, with every backend

Exit status 1 where anybody disagrees; each disagreement is shrunk and kept.
"""

import argparse
import sys
import time
from pathlib import Path

from tests.fuzz.cell import compare
from tests.fuzz.contestants import backends, everybody, share
from tests.fuzz.draw import draw
from tests.fuzz.keep import keep
from tests.fuzz.run import ROOT, Progress, processes, resume, run

EVERY = 15.0
"""Seconds between two lines of progress."""


def main(arguments: list[str]) -> int:
    """Run, and return the exit status."""
    asked = _parser().parse_args(arguments)
    here = backends()
    names = here if asked.solvers is None else tuple(asked.solvers.split(","))
    missing = sorted(set(names) - set(here))
    if missing or not names:
        print(f"not available: {', '.join(missing)}; there are: {', '.join(here)}")
        return 2
    if asked.only is not None:
        return _only(asked.only, names)
    path = asked.progress
    if asked.again:
        path.unlink(missing_ok=True)
    progress = resume(path, asked.start, names)
    for name in names:
        print(f"{name}: answers one instance in {share(name)}")
    try:
        _go(progress, asked)
    except KeyboardInterrupt:
        print("stopped")
    progress.save(path)
    print(progress.words())
    return 1 if progress.kept else 0


def _go(progress: Progress, asked: argparse.Namespace) -> None:
    began = said = time.monotonic()
    first = progress.count
    for done in run(progress, asked.progress, asked.count, asked.seconds, asked.jobs):
        for wrong in done.wrong:
            print(f"seed {done.seed}: {wrong}", flush=True)
            file = keep(done.seed, progress.names, wrong)
            progress.kept.append(str(file.relative_to(ROOT)))
            print(f"  shrunk and kept: {progress.kept[-1]}", flush=True)
        if time.monotonic() - said > EVERY:
            said = time.monotonic()
            rate = (progress.count - first) / (said - began)
            print(f"{progress.count:,} of {asked.count:,}, {rate:.1f} a second", flush=True)


def _only(seed: int, names: tuple[str, ...]) -> int:
    """Run one seed with everybody, whosever turn it is."""
    done = compare(draw(seed), everybody(names))
    for who, (proven, tiers) in done.tiers.items():
        print(f"{who}: {proven} of {tiers} tiers proven")
    for wrong in done.wrong:
        print(wrong)
    return 1 if done.wrong else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--count", type=int, default=10_000, help="instances in all")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this")
    parser.add_argument("--start", type=int, default=0, help="first seed")
    parser.add_argument("--only", type=int, metavar="SEED", help="one seed, with every backend")
    parser.add_argument("--solvers", metavar="A,B", help="these backends only")
    parser.add_argument("--jobs", type=int, default=processes(), help="processes")
    parser.add_argument("--again", action="store_true", help="from the beginning")
    parser.add_argument(
        "--progress", type=Path, default=ROOT / ".fuzz" / "progress.json", help="progress file"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
