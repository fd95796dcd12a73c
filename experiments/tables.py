"""Records as tables: Markdown for people, CSV for spreadsheets, JSON for the paper.

Times are compared by the shifted geometric mean exp(mean(log(t + s))) - s with the shift ``SHIFT``:
it is ruled neither by the few longest runs nor by the many shortest. A run without a proof counts
with its whole time limit.
"""

import csv
import io
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from gangplan.experiments.evicting import evictions, who
from gangplan.experiments.records import DONE, FAILED, SKIPPED, Record

SHIFT = 1.0
"""Seconds of the shifted geometric mean."""

ENOUGH = 5
"""Seeds below which a table says that they are few."""

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Table:
    """A table of plain values.

    Attributes
    ----------
    name : of the file it goes to.
    title : one line.
    head : names of the columns, units in brackets.
    rows : one value a column; None where there is none.
    notes : sentences below the table.
    """

    name: str
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def markdown(self) -> str:
        """Write a Markdown table under its title."""
        lines = [f"## {self.title}", "", _bar(self.head), _bar("---" for _ in self.head)]
        lines += [
            _bar(" ".join(show(cell).replace("|", "\\|").split()) for cell in row)
            for row in self.rows
        ]
        return "\n".join([*lines, "", *(f"{note}\n" for note in self.notes)])

    def csv(self) -> str:
        """Write comma-separated values, numbers unrounded."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.head)
        writer.writerows(["" if cell is None else cell for cell in row] for row in self.rows)
        return text.getvalue()

    def as_json(self) -> dict[str, object]:
        """Return ``{"name", "title", "head", "rows", "notes"}``: numbers bare, None as null."""
        return {
            "name": self.name,
            "title": self.title,
            "head": list(self.head),
            "rows": [list(row) for row in self.rows],
            "notes": list(self.notes),
        }


def show(cell: Cell) -> str:
    """Write a value for people: three significant digits, an empty cell for None."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.3g}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def shifted_mean(seconds: Iterable[float], shift: float = SHIFT) -> float:
    """Return the shifted geometric mean.

    Raises
    ------
    ValueError : no value.
    """
    values = list(seconds)
    if not values:
        raise ValueError("no value to take the mean of")
    return math.exp(sum(math.log(value + shift) for value in values) / len(values)) - shift


def charged(record: Record) -> float:
    """Seconds a run counts with: those of the planner, or the whole limit without a proof."""
    took = record.seconds.get("plan", record.time_limit)
    return took if record.proven else max(took, record.time_limit)


def tables_of(records: Sequence[Record]) -> tuple[Table, ...]:
    """Make every table of the report: by backend, by instance and backend, and run by run."""
    return by_backend(records), by_instance(records), runs(records)


def by_backend(records: Sequence[Record]) -> Table:
    """Compare backends over all instances, one row a planner, solver and formulation."""
    return _summary("backends", "Backends over all instances", records, ("planner", "backend"))


def by_instance(records: Sequence[Record]) -> Table:
    """Compare backends instance by instance, seeds together."""
    return _summary(
        "instances",
        "Backends by instance, seeds together",
        records,
        ("instance", "planner", "backend"),
    )


_KEYS: dict[str, Callable[[Record], Cell]] = {
    "instance": lambda record: record.family,
    "planner": lambda record: record.planner,
    "backend": lambda record: record.backend,
    "objective": lambda record: record.objective,
    "evictions": evictions,
    "limit [s]": lambda record: record.time_limit,
    "gap limit": lambda record: record.gap_limit,
    "threads": lambda record: record.threads,
    "memory limit [MiB]": lambda record: (
        None if record.memory_limit is None else record.memory_limit / 2**20
    ),
}

_VARYING = ("objective", "evictions", "limit [s]", "gap limit", "threads", "memory limit [MiB]")
"""Keys that a table has only where they are not the same in all of its records."""

_FIGURES = (
    "runs",
    "proven",
    "time [s, shifted mean]",
    "time [s, median]",
    "gap [%, median]",
    "gap [%, worst]",
    "build [s, median]",
    "hand-over [s, median]",
    "solve [s, median]",
    "peak memory [MiB, most]",
    "verified",
    "skipped",
    "failed",
)


def _summary(name: str, title: str, records: Sequence[Record], keys: tuple[str, ...]) -> Table:
    keys += tuple(key for key in _VARYING if len(set(map(_KEYS[key], records))) > 1)
    parts: dict[tuple[Cell, ...], list[Record]] = {}
    for record in records:
        parts.setdefault(tuple(_KEYS[key](record) for key in keys), []).append(record)
    rows = tuple((*key, *_figures(part)) for key, part in parts.items())
    notes = _notes(records)
    if len({row[len(keys)] for row in rows if row[len(keys)]}) > 1:
        notes += ("Rows with fewer runs miss some instances: compare those instance by instance.",)
    return Table(name, title, (*keys, *_FIGURES), rows, notes)


def _figures(records: Sequence[Record]) -> tuple[Cell, ...]:
    done = [record for record in records if record.status == DONE]
    count = [sum(record.status == status for record in records) for status in (SKIPPED, FAILED)]
    if not done:
        return (0, *[None] * (len(_FIGURES) - 3), *count)
    gaps = [100 * record.gap for record in done if record.gap is not None]
    times = [charged(record) for record in done]
    return (
        len(done),
        sum(record.proven for record in done),
        shifted_mean(times),
        median(times),
        median(gaps) if gaps else None,
        max(gaps) if gaps else None,
        *(_median(done, phase) for phase in ("build", "handover", "solve")),
        max((r.peak_memory / 2**20 for r in done if r.peak_memory is not None), default=None),
        sum(bool(record.verified) for record in done),
        *count,
    )


def _median(records: Sequence[Record], phase: str) -> float | None:
    found = [record.seconds[phase] for record in records if phase in record.seconds]
    return median(found) if found else None


def _notes(records: Sequence[Record]) -> tuple[str, ...]:
    done = [record for record in records if record.status == DONE]
    seeds: dict[str, set[int]] = {}
    for record in done:
        seeds.setdefault(record.family, set()).add(record.seed)
    notes = [
        f"Times: shifted geometric mean with a shift of {SHIFT:g} s; a run without a proof counts "
        "with its time limit. Gap: of the first tier, |bound - value| / max(1, |value|). Memory: "
        "of the tree of processes."
    ]
    fewest = min((len(found) for found in seeds.values()), default=0)
    if done and fewest < ENOUGH:
        notes.append(f"Only {fewest} seeds (fewer than {ENOUGH}): differences may be chance.")
    limits = sorted({record.time_limit for record in done})
    if limits:
        threads = sorted({record.threads for record in done})
        notes.append(
            f"Time limit {', '.join(f'{limit:g}' for limit in limits)} s, threads "
            f"{', '.join(map(str, threads))}; {_where(done)}"
        )
    if busy := _busy(done):
        notes.append(busy)
    return tuple(notes)


def _busy(records: Sequence[Record]) -> str:
    """Say so when other work had the machine; the run itself makes a load of about one."""
    busy = [
        record.machine["load"]
        for record in records
        if record.machine.get("load", 0.0) > max(1.5, record.machine.get("cores") or 1)
    ]
    if not busy:
        return ""
    return (
        f"{len(busy)} of {len(records)} runs began on a machine with more work than cores (load up "
        f"to {max(busy):g}): their clocks are too long, and compare within this table only."
    )


def _where(records: Sequence[Record]) -> str:
    machines = sorted(
        {
            f"{r.machine.get('cpu', 'unknown')} ({r.machine.get('cores', '?')} cores)"
            for r in records
        }
    )
    versions = sorted({f"{n} {v}" for r in records for n, v in r.versions.items()})
    return f"machine: {'; '.join(machines)}; versions: {', '.join(versions)}."


def runs(records: Sequence[Record]) -> Table:
    """List every record, one row a run."""
    head = (
        "instance",
        "planner",
        "backend",
        "seed",
        "status",
        "first tier",
        "value",
        "bound",
        "gap [%]",
        "proven",
        "time [s]",
        "build [s]",
        "hand-over [s]",
        "solve [s]",
        "peak memory [MiB]",
        "verified",
        "note",
    )
    return Table("runs", "Every run", head, tuple(map(_run, records)))


def _run(record: Record) -> tuple[Cell, ...]:
    first = record.tiers[0] if record.tiers else None
    gap, verified = record.gap, {None: "", True: "yes", False: "no"}[record.verified]
    return (
        record.family,
        who(record),
        record.backend,
        record.seed,
        "not verified" if record.broken else record.stop or record.status,
        None if first is None else first.name,
        None if first is None else first.value,
        None if first is None else first.bound,
        None if gap is None else 100 * gap,
        f"{0 if record.broken else sum(t.proven for t in record.tiers)}/{len(record.tiers)}",
        *(record.seconds.get(phase) for phase in ("plan", "build", "handover", "solve")),
        None if record.peak_memory is None else record.peak_memory / 2**20,
        verified,
        record.reason or "; ".join((*record.violations, *record.warnings)),
    )


def _bar(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
