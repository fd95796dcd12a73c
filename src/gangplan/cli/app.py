"""The command table."""

from typing import Annotated

import typer

from gangplan import __version__
from gangplan.cli.apply import apply
from gangplan.cli.compare import compare
from gangplan.cli.datasets import datasets
from gangplan.cli.experiment import run
from gangplan.cli.generate import generate
from gangplan.cli.plan import plan
from gangplan.cli.report import report
from gangplan.cli.scheduler import scheduler
from gangplan.cli.snapshot import snapshot
from gangplan.cli.solvers import solvers
from gangplan.cli.verify import verify

app = typer.Typer(
    help="Optimal, provable placement for gangs of pods on Kubernetes.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

for command in (
    plan, snapshot, apply, scheduler, verify, compare, run, report, generate, datasets, solvers,
):  # fmt: skip
    app.command()(command)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"gangplan {__version__}")
        raise typer.Exit


@app.callback()
def gangplan(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Take the options that belong to no command."""


gangplan.__doc__ = app.info.help
