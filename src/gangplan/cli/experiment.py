"""``gangplan run``: the cells of an experiment file, and what they gave."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gangplan.cli import codes, options
from gangplan.cli.progress import progress, say

if TYPE_CHECKING:
    from gangplan.experiments.records import Record

SHOWN = 20
"""Lines on cells that gave no plan; the others are counted."""


def run(
    experiment: Annotated[
        str,
        typer.Argument(
            metavar="EXPERIMENT.toml", help="See docs/reproduce.md.", show_default=False
        ),
    ],
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="DIR", help="Folder of the records.")
    ] = "results",
    workers: Annotated[
        int, typer.Option(help="Cells at once; more than 1 makes the clocks dishonest.")
    ] = 1,
    as_json: options.AsJson = False,
) -> int:
    """Run an experiment; cells that a record is known of are not run again."""
    if workers < 1:
        raise options.usage("--workers", f"an integer of at least 1 expected, not {workers}")
    from gangplan.cli.records import print_json, show_summary
    from gangplan.experiments import spec
    from gangplan.experiments.executors import Processes
    from gangplan.experiments.run import run as run_experiment

    wanted = spec.read(experiment)
    try:
        with progress() as show:
            ran = run_experiment(
                wanted,
                output,
                Processes(workers),
                lambda done, total, what: show(f"{done} of {total} cells; {what}", 0.0),
            )
    except KeyboardInterrupt:
        say(f"what is done is in {output}/{wanted.name}.jsonl; the same command goes on from there")
        raise
    for note in ran.notes:
        say(f"note: {note}")
    show_summary(ran.records, on_stderr=as_json)
    if as_json:
        print_json({"schema": "gangplan/records/v1", "experiment": wanted.name}, ran.records)
    say(f"{len(ran.records)} cells, {ran.known} of them known before; records: {ran.path}")
    for line in _undone(ran.records):
        say(line)
    if any(record.verified is False for record in ran.records):
        return codes.VERIFICATION_FAILED
    return codes.GOOD if any(record.verified for record in ran.records) else codes.NOTHING_PLANNED


def _undone(records: "Sequence[Record]") -> list[str]:
    """Say why cells gave no plan, or one that was not verified: a line for each such reason."""
    from gangplan.datasets.kubernetes.text.fields import printable
    from gangplan.experiments.records import DONE

    cells: dict[tuple[str, str, str], list[str]] = {}
    for record in records:
        if record.status != DONE or record.broken:
            status = "not verified" if record.broken else record.status
            why = record.reason or "; ".join(record.violations)
            cells.setdefault((status, record.backend, why), []).append(record.instance)
    lines = [
        printable(f"{status}: {backend}, {_listed(where)}: {why}")
        for (status, backend, why), where in cells.items()
    ]
    more = [f"and {len(lines) - SHOWN} lines more of this kind"] if len(lines) > SHOWN else []
    return lines[:SHOWN] + more


def _listed(instances: Sequence[str]) -> str:
    first = instances[0]
    return first if len(instances) == 1 else f"{len(instances)} cells ({first}, ...)"
