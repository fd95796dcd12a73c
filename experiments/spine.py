"""The figures of this version, side by side in one run: ``python -m gangplan.experiments.spine``.

Every figure is one small function that runs something and returns lines; ``FIGURES`` lists them.
Names of figures given as arguments choose among them. Nothing here is asserted: the clock of a
shared machine proves nothing, only ratios inside one run compare.
"""

import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter

from gangplan.datasets.generate import generate
from gangplan.models.counting import ceilings
from gangplan.models.errors import PlanError
from gangplan.models.tiers import tiers_of, values
from gangplan.models.verify.check import check
from gangplan.solvers.planners.greedy import greedy_plan

SEED = 1

THREADS = 1
"""Threads of a solver or a planner; the greedy planner has one."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table.

    Attributes
    ----------
    figure : what was run.
    seconds : wall clock of it, building and checking apart.
    value, bound : of the first tier; bound is None where nothing is proven.
    note : sizes, or what the seconds hold.
    """

    figure: str
    seconds: float
    value: int | None = None
    bound: int | None = None
    note: str = ""

    @property
    def gap(self) -> float | None:
        """Part by which the bound is above the value."""
        if self.value is None or self.bound is None:
            return None
        return abs(self.bound - self.value) / max(1, abs(self.value))


def greedy_on(preset: str) -> Iterator[Line]:
    """Greedy alone on one preset, weighted-gpus; the plan is verified, the bound is counted."""
    instance = generate(preset, seed=SEED)
    tiers = tiers_of(instance, "weighted-gpus")
    size = f"{len(instance.nodes)} nodes, {len(instance.groups)} groups, {instance.n_pods} pods"
    for label, seconds in (("first run", 1e-9), ("runs of 1 s", 1.0)):
        start = perf_counter()
        plan = greedy_plan(instance, tiers, seconds)
        spent = perf_counter() - start
        if broken := check(instance, plan):
            raise PlanError(f"{preset}: greedy plan breaks a rule: {broken[0]}")
        value = values(instance, plan, tiers)[0]
        bound = ceilings(instance, tiers)[0]
        yield Line(f"greedy {preset}, {label}", spent, value, bound, size)


def greedy_training() -> Iterator[Line]:
    """Easy for a good greedy planner."""
    yield from greedy_on("training-5k")


def greedy_racks() -> Iterator[Line]:
    """Rack-bound gangs: bins that want exact filling."""
    yield from greedy_on("racks-5k")


def greedy_vectors() -> Iterator[Line]:
    """Vector packing: hard for everybody."""
    yield from greedy_on("vectors-512")
    yield from greedy_on("vectors-5k")


FIGURES: Mapping[str, Callable[[], Iterator[Line]]] = {
    "greedy-training": greedy_training,
    "greedy-racks": greedy_racks,
    "greedy-vectors": greedy_vectors,
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
