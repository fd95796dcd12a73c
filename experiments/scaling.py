"""How good plans are, and when: the table for large instances, where few runs end in a proof.

Times come from the trace of a run. A run without one has its plan when it ends, and not before.
"""

from collections.abc import Callable, Sequence
from statistics import median

from gangplan.experiments.records import DONE, Record, Step
from gangplan.experiments.tables import Cell, Table

CLOSE = 0.01
"""The gap that the table gives a time for."""

HEAD = (
    "instance",
    "planner",
    "backend",
    "runs",
    "first plan [s, median]",
    "first bound [s, median]",
    "gap at the end [%, median]",
    "gap at the end [%, worst]",
    "to 1 % [s, median]",
    "to 1 % [s, worst]",
    "proven",
    "to proof [s, median]",
    "time [s, worst]",
    "peak memory [MiB, most]",
)


def scaling(records: Sequence[Record]) -> Table | None:
    """Compare runs instance by instance; None where no run has a trace."""
    done = [one for one in records if one.status == DONE and not one.broken and one.tiers]
    if not any(one.trace for one in done):
        return None
    parts: dict[tuple[str, str, str], list[Record]] = {}
    for one in done:
        parts.setdefault((one.family, one.planner, one.backend), []).append(one)
    rows = tuple((*key, *_figures(part)) for key, part in parts.items())
    notes = (
        "First tier: its gap, and the seconds until value and bound were within 1 % of each other "
        "and the tier was proven. No figure for a worst case that some run did not reach.",
        "A planner without a trace has plan and bound when it ends: its times are those.",
    )
    return Table("scaling", "How close, and when", HEAD, rows, notes)


def reached(record: Record, within: float) -> float | None:
    """Seconds until the first tier's gap was at most ``within``; None where it never was."""
    for seconds, value, bound in steps(record):
        if bound is not None and abs(bound - value) <= within * max(1, abs(value)):
            return seconds
    return None


def steps(record: Record) -> tuple[Step, ...]:
    """Return the trace, and what stood at the end."""
    first = record.tiers[0]
    end = (record.seconds.get("plan", record.time_limit), first.value, first.bound)
    return (*record.trace, end)


def _figures(part: Sequence[Record]) -> tuple[Cell, ...]:
    gaps = [100 * one.gap for one in part if one.gap is not None]
    close = [reached(one, CLOSE) for one in part]
    proofs = [reached(one, 0.0) for one in part if one.tiers[0].proven]
    bounded = [next((t for t, _, b in steps(one) if b is not None), None) for one in part]
    return (
        len(part),
        _of(median, [steps(one)[0][0] for one in part]),
        _of(median, bounded),
        _of(median, gaps),
        _of(max, gaps),
        _of(median, close),
        None if None in close else _of(max, close),
        sum(one.tiers[0].proven for one in part),
        _of(median, proofs),
        _of(max, [one.seconds.get("plan") for one in part]),
        _of(max, [None if one.peak_memory is None else one.peak_memory / 2**20 for one in part]),
    )


def _of(figure: Callable[[list[float]], float], found: Sequence[float | None]) -> float | None:
    some = [value for value in found if value is not None]
    return figure(some) if some else None
