"""``gangplan run``: the cells of an experiment file, and what they gave."""

from typing import Annotated

import typer

from gangplan.cli import codes, options
from gangplan.cli.progress import progress, say


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
    from gangplan.experiments.records import FAILED
    from gangplan.experiments.run import run as run_experiment

    wanted = spec.read(experiment)
    with progress() as show:
        ran = run_experiment(
            wanted,
            output,
            Processes(workers),
            lambda done, total, what: show(f"{done} of {total} cells; {what}", 0.0),
        )
    for note in ran.notes:
        say(f"note: {note}")
    show_summary(ran.records, on_stderr=as_json)
    if as_json:
        print_json({"schema": "gangplan/records/v1", "experiment": wanted.name}, ran.records)
    say(f"{len(ran.records)} cells, {ran.known} of them known before; records: {ran.path}")
    for record in ran.records:
        if record.status == FAILED:
            say(f"failed: {record.instance}, {record.backend}: {record.reason}")
    if any(record.verified is False for record in ran.records):
        return codes.VERIFICATION_FAILED
    return codes.GOOD if any(record.verified for record in ran.records) else codes.NOTHING_PLANNED
