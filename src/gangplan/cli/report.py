"""``gangplan report``: records to tables and plots."""

from typing import Annotated

import typer

from gangplan.cli import options
from gangplan.cli.progress import say

SHOWN = ("backends", "lost")
"""Tables printed; the files have them all."""


def report(
    records: Annotated[
        str, typer.Argument(metavar="DIR", help="Folder of *.jsonl, or one such file.")
    ] = "results",
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="DIR", help="Where the report goes.")
    ] = "report",
) -> int:
    """Turn records into tables (Markdown, CSV, JSON) and plots (SVG); solves nothing."""
    from gangplan.cli.records import show_table_of
    from gangplan.experiments import records as files
    from gangplan.experiments.report import report as write_report

    loaded = files.load(records)
    if not loaded.records:
        raise options.usage(records, "no records there (files *.jsonl, written by 'gangplan run')")
    written = write_report(loaded.records, output)
    for note in (*loaded.notes, *written.notes):
        say(f"note: {note}")
    for tables in written.tables.values():
        for table in tables:
            if table.name in SHOWN:
                show_table_of(table)
    for file in written.files:
        say(f"written: {file}")
    return 0
