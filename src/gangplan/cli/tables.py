"""Plain tables: no frames, nothing interpreted as markup, 100 columns in a pipe."""

import os
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gangplan.datasets.kubernetes.fields import printable

PIPE_WIDTH = 100
NARROWEST = 84
WIDEST = 40


def console(on_stderr: bool = False) -> Console:
    """Give a console that prints names as they are."""
    made = Console(stderr=on_stderr, highlight=False, markup=False, emoji=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PIPE_WIDTH
    # Below that a terminal's own folding is easier to read.
    made.width = max(made.width, NARROWEST)
    return made


def show_table(
    out: Console, head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[str] = ()
) -> None:
    """Print a table; the last column takes the room that is left, ``numbers`` go to the right."""
    made = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        show_edge=False,
        expand=True,
    )
    for column in head:
        last = column == head[-1]
        made.add_column(
            column,
            justify="right" if column in numbers else "left",
            overflow="fold",
            ratio=1 if last else None,
            # A long name may break; the column of sentences keeps room to be read.
            max_width=None if last else WIDEST,
        )
    for row in rows:
        made.add_row(*(Text(printable(cell), style=_style(cell)) for cell in row))
    with out.capture() as captured:
        out.print(made)
    for line in captured.get().splitlines():
        out.file.write(line.rstrip() + "\n")


def _style(cell: str) -> str:
    return {"pending": "yellow", "admitted": "green", "running": "cyan", "open": "yellow"}.get(
        cell, ""
    )
