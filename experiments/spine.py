"""The figures of this version, side by side in one run: ``python -m gangplan.experiments.spine``.

Every figure is one small function that runs something and returns lines; ``FIGURES`` lists them.
Names of figures given as arguments choose among them. Nothing here is asserted: the clock of a
shared machine proves nothing, only ratios inside one run compare.
"""

import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version

from gangplan.experiments.figures.build import build_128
from gangplan.experiments.figures.devices import (
    devices_5000,
    greedy_aligned,
    greedy_mig,
    group_claim,
    real_slices,
)
from gangplan.experiments.figures.exact import counts_128, thousand_pods
from gangplan.experiments.figures.greedy import greedy_racks, greedy_training, greedy_vectors
from gangplan.experiments.figures.line import SEED, THREADS, Line
from gangplan.experiments.figures.reading import read_5000
from gangplan.experiments.figures.start import import_gangplan
from gangplan.experiments.figures.workers import handover_400k, overshoot_1024, warm_worker

FIGURES: Mapping[str, Callable[[], Iterator[Line]]] = {
    "import": import_gangplan,
    "read-5000": read_5000,
    "greedy-training": greedy_training,
    "greedy-racks": greedy_racks,
    "greedy-vectors": greedy_vectors,
    "build-128": build_128,
    "warm-worker": warm_worker,
    "handover-400k": handover_400k,
    "overshoot-1024": overshoot_1024,
    "thousand-pods": thousand_pods,
    "group-claim": group_claim,
    "real-slices": real_slices,
    "greedy-aligned": greedy_aligned,
    "greedy-mig": greedy_mig,
    "devices-5000": devices_5000,
    "counts-128": counts_128,
}


def header() -> list[str]:
    """Machine, threads, versions and seed: without them a figure says nothing."""
    return [
        f"machine: {platform.platform()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}",
        f"threads: {THREADS}, seed: {SEED}",
        "versions: "
        + ", ".join(
            [f"python {platform.python_version()}"]
            + [f"{name} {_version(name)}" for name in ("gangplan", "numpy", "scipy", "highspy")]
        ),
    ]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def cells(line: Line) -> tuple[str, ...]:
    """Write a line as text, column by column."""
    return (
        line.figure,
        f"{line.seconds:.3f}",
        "" if line.value is None else f"{line.value:,}",
        "" if line.bound is None else f"{line.bound:,}",
        "" if line.gap is None else f"{100 * line.gap:.3f} %",
        line.note,
    )


COLUMNS = ("figure", "seconds", "value", "bound", "gap", "note")


def show(rows: Sequence[tuple[str, ...]]) -> None:
    """Print plain columns, the head in bold on a terminal."""
    widths = [max(map(len, column)) for column in zip(COLUMNS, *rows, strict=True)]
    bold, plain = ("\033[1m", "\033[0m") if sys.stdout.isatty() else ("", "")
    for row in (COLUMNS, *rows):
        text = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print(f"{bold}{text.rstrip()}{plain}" if row is COLUMNS else text.rstrip())


def main(names: Sequence[str]) -> int:
    """Run the figures named, or all; return 1 where a name is unknown."""
    if unknown := [name for name in names if name not in FIGURES]:
        print(f"no such figure: {', '.join(unknown)}; one of {', '.join(FIGURES)}", file=sys.stderr)
        return 1
    print("\n".join(header()))
    rows = []
    for name in names or FIGURES:
        print(f"running {name} ...", file=sys.stderr)
        rows += [cells(line) for line in FIGURES[name]()]
    show(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
