"""Plain tables: no frames, nothing interpreted as markup, 100 columns in a pipe."""

import os
from collections.abc import Iterable, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gangplan.datasets.kubernetes.text.fields import printable

PIPE_WIDTH = 100
NARROWEST = 40
WIDEST = 40
ROOM = 22
"""What a long word in the last column gets at least; else the last column goes below its row."""
ROOM_OF_LINES = 40
"""What the last column gets at least where one of its cells has several lines."""
INDENT = 4
GAP = 3


def console(on_stderr: bool = False) -> Console:
    """Give a console that prints names as they are."""
    made = Console(stderr=on_stderr, highlight=False, markup=False, emoji=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PIPE_WIDTH
    # Below that a terminal's own folding is easier to read.
    made.width = max(made.width, NARROWEST)
    return made


def show_table(
    out: Console,
    head: Sequence[str],
    rows: Iterable[Sequence[str | tuple[str, ...]]],
    *,
    numbers: Sequence[str] = (),
) -> None:
    """Print a table; the last column takes the room that is left, ``numbers`` go to the right.

    Parameters
    ----------
    rows : a cell that is a tuple is written on several lines.
    """
    table = [[_shown(cell) for cell in row] for row in rows]
    with out.capture() as captured:
        if _is_narrow(out.width, head, table):
            _print_stacked(out, head, table, numbers)
        else:
            out.print(_side_by_side(head, table, numbers))
    for line in captured.get().splitlines():
        out.file.write(line.rstrip() + "\n")


def _shown(cell: str | tuple[str, ...]) -> str:
    lines = (cell,) if isinstance(cell, str) else cell
    return "\n".join(printable(line) for line in lines)


def _is_narrow(width: int, head: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the last column would be too narrow to be read."""
    taken = sum(min(w, WIDEST) + GAP for w in _widths(head, rows)[:-1])
    if any("\n" in row[-1] for row in rows):
        return width - taken < ROOM_OF_LINES
    words = [word for row in (head, *rows) for word in row[-1].split()]
    longest = max((cell_len(word) for word in words), default=0)
    return width - taken < min(max(longest, ROOM // 2), ROOM)


def _widths(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(cell_len, column)) for column in zip(head, *rows, strict=True)]


def _side_by_side(
    head: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[str]
) -> Table:
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
        made.add_row(*(Text(cell, style=_style(cell)) for cell in row))
    return made


def _print_stacked(
    out: Console, head: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[str]
) -> None:
    """Print each row as one line, and its last cell below it, indented.

    Where that is too wide, a long name in the first column has a line of its own.
    """
    widths = _widths(head, rows)[:-1]
    beyond = max(0, sum(widths) + GAP * (len(widths) - 1) - out.width)
    widths[0] = max(widths[0] - beyond, cell_len(head[0]))
    for row in (head, *rows):
        if cell_len(row[0]) > widths[0]:
            out.print(Text(row[0]), soft_wrap=True)
            row = ("", *row[1:])
        line = Text()
        for column, cell, width in zip(head, row[:-1], widths, strict=False):
            gap = " " * (width - cell_len(cell))
            styled = Text(cell, style="bold" if row is head else _style(cell))
            line.append_text(Text(gap) + styled if column in numbers else styled + Text(gap))
            line.append(" " * GAP)
        out.print(line, soft_wrap=True)
        if row[-1]:
            out.print(Padding(Text(row[-1], overflow="fold"), (0, 0, 0, INDENT)))
        if row is head:
            out.print(Text("─" * out.width))


def _style(cell: str) -> str:
    return {
        "pending": "yellow",
        "admitted": "green",
        "running": "cyan",
        "evicted": "red",
        "open": "yellow",
    }.get(cell, "")
