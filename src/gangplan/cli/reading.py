"""Read the sources of a command, and say what the reading noted."""

from typing import TYPE_CHECKING

from gangplan.cli.options import keys_of
from gangplan.cli.progress import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from gangplan.datasets.kubernetes.text.documents import Document
    from gangplan.models.instance import Instance

SHOWN = 12
"""Notes printed; the others are counted."""


def read_sources(
    sources: list[str],
    kubernetes: str,
    levels: list[str],
    ignore_unsupported: bool,
    seen: "Callable[[Document], None] | None" = None,
) -> "Instance":
    """Load the instance; ``seen`` is called with each API object before it is read.

    Raises
    ------
    InputError : what cannot be read, one line a fault.
    """
    from gangplan import api

    return api.load(
        sources,
        kubernetes=kubernetes,
        levels=keys_of(levels),
        ignore_unsupported=ignore_unsupported,
        seen=seen,
    )


def say_notes(instance: "Instance") -> None:
    """Print what was read and is not honoured."""
    notes = instance.names.notes
    for note in notes[:SHOWN]:
        say(f"note: {note}")
    if len(notes) > SHOWN:
        say(f"note: and {len(notes) - SHOWN} notes more")
