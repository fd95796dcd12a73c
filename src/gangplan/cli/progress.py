"""What goes on, on standard error: a moving line on a terminal, nothing in a pipe."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gangplan.cli import interrupt

if TYPE_CHECKING:
    from gangplan.solvers.base import Progress


@contextmanager
def progress() -> Iterator["Progress"]:
    """Give a ``Progress`` for as long as the work takes."""
    if not sys.stderr.isatty():
        yield lambda phase, seconds: interrupt.look()
        return
    from rich.console import Console

    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    with console.status("reading") as status:

        def show(phase: str, seconds: float) -> None:
            interrupt.look()
            status.update(f"{phase}  {seconds:.1f} s" if seconds else phase)

        yield show


@contextmanager
def counting() -> Iterator[Callable[[str, int], None]]:
    """Give a function that takes what is being read and how many of it there are so far."""
    with progress() as show:
        yield lambda what, count: show(f"{what}: {count:,}", 0.0)


def say(line: str) -> None:
    """Print one line for people."""
    print(line, file=sys.stderr)
