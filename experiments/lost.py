"""What plans give up of running work, run by run: the table that compares heuristics and proofs."""

from collections.abc import Sequence

from gangplan.experiments.evicting import who
from gangplan.experiments.records import DONE, Record
from gangplan.experiments.tables import Cell, Table

HEAD = (
    "instance",
    "planner",
    "backend",
    "admitted, first tier",
    "GPUs lost",
    "pods lost",
    "beyond budgets",
    "time [s]",
    "tiers proven",
)


def lost(records: Sequence[Record]) -> Table | None:
    """List runs where running work could be lost, instance by instance; None without one.

    A run that was to evict nobody stands beside those that could, with nothing lost. GPUs and pods
    are summed over priorities; victims beyond budgets are cumulative over them, so the lowest
    priority's number is given.
    """
    done = [one for one in records if one.status == DONE]
    could = {one.digest for one in done if _tiers(one, "lost-pods")}
    some = [one for one in done if one.digest in could]
    if not some:
        return None
    rows = tuple(_row(one) for one in sorted(some, key=lambda one: (one.family, one.seed)))
    note = (
        "Less is better only where what is admitted, priority by priority, is the same: a plan "
        "that admits more may lose more. The first tier is that of the highest priority."
    )
    return Table("lost", "What is lost of running work", HEAD, rows, (note,))


def _tiers(record: Record, name: str) -> list[int]:
    return [tier.value for tier in record.tiers if tier.name.startswith(f"{name}(")]


def _row(record: Record) -> tuple[Cell, ...]:
    budgets = _tiers(record, "lost-budgets")
    return (
        record.instance,
        who(record),
        record.backend,
        record.tiers[0].value,
        sum(_tiers(record, "lost-gpus")),
        sum(_tiers(record, "lost-pods")),
        budgets[-1] if budgets else 0,
        record.seconds.get("plan"),
        f"{sum(tier.proven for tier in record.tiers)} of {len(record.tiers)}",
    )
