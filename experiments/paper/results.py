"""Records as typst: tables, and the few figures that the text of the paper names."""

from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version

from gangplan.experiments.evicting import question
from gangplan.experiments.lost import lost
from gangplan.experiments.records import DONE, FAILED, SKIPPED, Record
from gangplan.experiments.scaling import scaling
from gangplan.experiments.tables import Cell, Table, by_backend, by_instance, show
from gangplan.models.bound import SCALE_BITS
from gangplan.models.formulation import FAMILIES
from gangplan.models.milp import BIGGEST
from gangplan.solvers.claims import TOLERANCE
from gangplan.solvers.writer import RELAX_CELLS, SEARCH_CELLS

COUNTED = ("planner", "verified", "skipped", "failed")
PHASES = ("build", "hand-over", "solve", "memory", "peak memory")

HIDDEN = {"backends": COUNTED, "instances": COUNTED + PHASES}
"""Columns of each table, units apart, that a page has no room for."""


PLOTTED = {
    "time": "Time of each backend over all runs, as in the table",
    "profile": "Performance profile: runs proven within a multiple of the fastest proof",
}
"""Plots that the paper shows, and what stands below them."""


def constants() -> str:
    """Write the figures that are part of the code."""
    return _dictionary(
        "code",
        {
            "version": _version(),
            "scale-bits": str(SCALE_BITS),
            "biggest-bits": str(BIGGEST.bit_length() - 1),
            "tolerance": f"{TOLERANCE:.6f}".rstrip("0"),
            "search-cells": f"{SEARCH_CELLS:,}",
            "relax-cells": f"{RELAX_CELLS:,}",
            "families": str(len(FAMILIES)),
        },
    )


def results(records: Sequence[Record], pictures: Sequence[str] = ()) -> str:
    """Write the tables of the records; without records, only that there are none.

    Parameters
    ----------
    records : the last of each cell, see ``records.latest``.
    pictures : file names of plots, ``NAME-PLOT.svg`` or ``NAME-SETTING-PLOT.svg``.
    """
    done = any(record.status == DONE for record in records)
    out = [_IMPORT, f"#let present = {str(done).lower()}"]
    out.append(_dictionary("said", facts(records)))
    plots = (
        f"({_string(name)}, {_string(caption + _setting(name, plot))}), "
        for plot, caption in PLOTTED.items()
        for name in pictures
        if name.endswith(f"-{plot}.svg")
    )
    out.append(f"#let plots = ({''.join(plots)})")
    tables = (by_backend(records), by_instance(records)) if done else ()
    out += [f"#let {table.name}-table = {_table(_narrowed(table))}" for table in tables]
    out += [f"#let {name}-table = []" for name in HIDDEN if not tables]
    return "\n".join(out) + "\n"


def losses(records: Sequence[Record]) -> str:
    """Write the table of what plans give up of running work, or that no run could."""
    return _one(lost(records), records)


def scale(records: Sequence[Record]) -> str:
    """Write the table of how close plans are and when, or that no run has a trace."""
    return _one(scaling(records), records)


def _one(table: Table | None, records: Sequence[Record]) -> str:
    text = "[]" if table is None else _table(table)
    present = f"#let present = {str(table is not None).lower()}"
    said = _dictionary("said", facts(records))
    return "\n".join([_IMPORT, present, said, f"#let table = {text}"]) + "\n"


_IMPORT = '#import "../style.typ": figures'


def _setting(picture: str, plot: str) -> str:
    """Say what is between the experiment and the plot in a picture's name, if anything."""
    setting = picture.removesuffix(f"-{plot}.svg").partition("-")[2]
    return f" ({setting})" if setting else ""


def facts(records: Sequence[Record]) -> dict[str, str]:
    """Count what the text of the paper names."""
    done = [record for record in records if record.status == DONE]
    checked, conflicts = agreement(done)
    return {
        "experiment": _listed(r.experiment for r in done),
        "runs": f"{len(done):,}",
        "skipped": f"{sum(r.status == SKIPPED for r in records):,}",
        "failed": f"{sum(r.status == FAILED for r in records):,}",
        "instances": f"{len({r.digest for r in done}):,}",
        "families": _listed(r.family for r in done),
        "backends": _listed(r.backend for r in done),
        "seeds": _seeds(done),
        "optimal": f"{sum(r.proven for r in done):,}",
        "verified": f"{sum(bool(r.verified) for r in done):,}",
        "checked": f"{checked:,}",
        "conflicts": f"{conflicts:,}",
        "limits": _listed(f"{limit:g} s" for limit in sorted({r.time_limit for r in done})),
    }


def _seeds(records: Iterable[Record]) -> str:
    """Count the seeds of each family: ``5``, or ``3 to 5`` where they differ."""
    seeds: dict[str, set[int]] = {}
    for record in records:
        seeds.setdefault(record.family, set()).add(record.seed)
    counts = sorted({len(found) for found in seeds.values()}) or [0]
    return f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"


def agreement(records: Iterable[Record]) -> tuple[int, int]:
    """Compare what several runs prove: (tiers proven more than once, those with two values).

    A tier is the same question only on the same instance under the same objective, with the same
    evictions allowed; it is proven only where every tier above it is, so that its value is one
    number.
    """
    seen: dict[tuple[str, ...], list[int]] = {}
    for record in records:
        for tier in record.tiers:
            if tier.proven and not record.broken:
                seen.setdefault((*question(record), tier.name), []).append(tier.value)
    several = [values for values in seen.values() if len(values) > 1]
    return len(several), sum(len(set(values)) > 1 for values in several)


def _narrowed(table: Table) -> Table:
    names = [name.partition(" [")[0] for name in table.head]
    at = [i for i, name in enumerate(names) if name not in HIDDEN[table.name]]
    rows = tuple(tuple(row[i] for i in at) for row in table.rows)
    # The notes are those of all the records: below the first table they are said once.
    notes = table.notes if table.name == next(iter(HIDDEN)) else ()
    return Table(table.name, table.title, tuple(table.head[i] for i in at), rows, notes)


def _table(table: Table) -> str:
    columns = zip(*table.rows, strict=True)
    words = [any(isinstance(cell, str) for cell in column) for column in columns]
    align = ", ".join("left" if left else "right" for left in words)
    lines = [
        "figures(",
        f"  {_string(table.title)},",
        f"  ({_strings(table.head)}),",
        f"  ({align},),",
        *(f"  {_row(row)}," for row in table.rows),
        f"  notes: ({_strings(table.notes)}),",
        ")",
    ]
    return "\n".join(lines)


def _row(row: tuple[Cell, ...]) -> str:
    return f"({_strings(show(cell) for cell in row)})"


def _dictionary(name: str, values: dict[str, str]) -> str:
    inside = ", ".join(f"{key}: {_string(value)}" for key, value in values.items())
    return f"#let {name} = ({inside})"


def _strings(texts: Iterable[str]) -> str:
    return "".join(f"{_string(text)}, " for text in texts)


def _string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _version() -> str:
    try:
        return version("gangplan")
    except PackageNotFoundError:
        return "unknown"
