"""Records of experiments as tables on a terminal, and as JSON."""

import json
from collections.abc import Mapping, Sequence

from rich.console import Console

from gangplan.cli.tables import console, show_table
from gangplan.experiments.evicting import who
from gangplan.experiments.lost import lost
from gangplan.experiments.records import DONE, Record
from gangplan.experiments.tables import Table, by_backend, show

WIDTH = 160
"""Columns of a table of figures in a pipe."""

TIERS = 2
"""Tiers shown: the first, and the first other one in which the plans differ."""

LEFT = ("planner", "solver", "formulation", "backend", "instance")

SHORT = {
    "time [s, shifted mean]": "time s",
    "gap [%, median]": "gap %",
    "build [s, median]": "build s",
    "hand-over [s, median]": "hand-over s",
    "solve [s, median]": "solve s",
    "peak memory [MiB, most]": "MiB",
}
"""Columns of a report under the names that fit a terminal."""

LOST = ("GPUs lost", "pods lost", "beyond budgets")
"""Columns of the report's table of losses that a comparison shows."""

SPARED = ("time [s, median]", "gap [%, worst]")


def show_compared(records: Sequence[Record], *, on_stderr: bool = False) -> None:
    """Print one row a combination."""
    out = _wide(on_stderr)
    tiers = tiers_to_show(records)
    head = (
        "planner",
        "solver",
        "formulation",
        *tiers[:1],
        "bound",
        "gap %",
        *tiers[1:],
        "proven",
        "plan s",
        "build s",
        "hand-over s",
        "solve s",
        "MiB",
        "verified",
    )
    rows = [_compared(record, tiers) for record in records]
    show_table(out, head, rows, numbers=head[3:-1])
    if tiers:
        out.print(f"bound and gap are those of {tiers[0]}", soft_wrap=True)
    hidden = max((len(record.tiers) for record in records), default=0) - len(tiers)
    if hidden > 0:
        many = "tier is" if hidden == 1 else "tiers are"
        out.print(f"{hidden} further {many} not shown (--json has them all)", soft_wrap=True)
    _show_lost(out, records)


def _show_lost(out: Console, records: Sequence[Record]) -> None:
    """Print what each run gives up of running work, where any of them gives up some."""
    table = lost(records)
    if table is None:
        return
    rows = [dict(zip(table.head, row, strict=True)) for row in table.rows]
    if any(row[name] for row in rows for name in LOST):
        head = ("planner", "backend", *LOST)
        out.print()
        show_table(
            out, head, [[show(row[name]) for name in head] for row in rows], numbers=LOST[:-1]
        )


def tiers_to_show(records: Sequence[Record]) -> list[str]:
    """Return the first tier, and the first other one in which the plans differ."""
    values: dict[str, set[int]] = {}
    for record in records:
        for tier in record.tiers:
            values.setdefault(tier.name, set()).add(tier.value)
    names = list(values)
    differing = [name for name in names[1:] if len(values[name]) > 1]
    return names[:1] + differing[: TIERS - 1]


def show_summary(records: Sequence[Record], *, on_stderr: bool = False) -> None:
    """Print one row a backend."""
    show_table_of(by_backend(records), on_stderr=on_stderr)


def show_table_of(table: Table, *, on_stderr: bool = False) -> None:
    """Print a table of a report; the columns of ``SPARED`` are in its files alone."""
    out = _wide(on_stderr)
    kept = [place for place, name in enumerate(table.head) if name not in SPARED]
    head = [SHORT.get(table.head[place], table.head[place]) for place in kept]
    rows = [[show(row[place]) for place in kept] for row in table.rows]
    show_table(out, head, rows, numbers=[name for name in head if name not in LEFT])
    for note in table.notes:
        out.print(note, soft_wrap=True)


def print_json(about: Mapping[str, object], records: Sequence[Record]) -> None:
    """Print the records on standard output."""
    document = {**about, "records": [record.as_json() for record in records]}
    print(json.dumps(document, indent=1, allow_nan=False))


def _compared(record: Record, tiers: Sequence[str]) -> tuple[str, ...]:
    values = {tier.name: str(tier.value) for tier in record.tiers}
    first = record.tiers[0] if record.tiers else None
    bound = "" if first is None or first.bound is None else str(first.bound)
    return (
        who(record),
        record.solver or "-",
        record.formulation or "-",
        *(values.get(name, "") for name in tiers[:1]),
        bound,
        "" if record.gap is None else f"{100 * record.gap:.3g}",
        *(values.get(name, "") for name in tiers[1:]),
        f"{sum(tier.proven for tier in record.tiers)}/{len(record.tiers)}" if first else "",
        *(_seconds(record, phase) for phase in ("plan", "build", "handover", "solve")),
        "" if record.peak_memory is None else f"{record.peak_memory / 2**20:.0f}",
        _verdict(record),
    )


def _seconds(record: Record, phase: str) -> str:
    return f"{record.seconds[phase]:.2f}" if phase in record.seconds else ""


def _verdict(record: Record) -> str:
    """Say whether the plan was verified, or why there is none."""
    if record.status != DONE:
        return f"{record.status}: {record.reason}"
    said = "yes" if record.verified else f"no: {'; '.join(record.violations)}"
    if record.solver_errors:
        said += f", {record.solver_errors} searches failed"
    return said


def _wide(on_stderr: bool) -> Console:
    out = console(on_stderr)
    if not out.is_terminal:
        out.width = max(out.width, WIDTH)
    return out
