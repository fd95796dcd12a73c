"""Named places at which a test may stop the process or look in from outside.

``GANGPLAN_FAULTPOINT=NAME[:N]`` makes the process kill itself (SIGKILL, so that nothing is tidied
up) when it passes ``NAME`` for the N-th time. Without it, a point costs one comparison.
"""

import os
import signal
from collections.abc import Callable
from threading import Lock

VARIABLE = "GANGPLAN_FAULTPOINT"

_WRITES = ("take", "clear", "claim", "ready", "bind", "confirm", "undo", "takeover", "close")
_STEPS = ("evict", "clear", "claim", "ready", "bind", "confirm", "undo")
_OBJECTS = ("taint", "nomination", "eviction", "binding", "deletion")

POINTS: tuple[str, ...] = (
    *(f"journal.{write}.{when}" for write in _WRITES for when in ("before", "after")),
    *(f"{step}.{when}" for step in _STEPS for when in ("before", "after")),
    *(f"{written}.{when}" for written in _OBJECTS for when in ("before", "after")),
    "repair.planned",
)
"""All names: a write of the journal (by the step it announces; its creation announces the first
one), a step, a write to one object."""

listeners: list[Callable[[str], None]] = []
"""Called with each name, in the thread that passes it: for tests in the same process."""

_lock = Lock()
_name, _, _count = os.environ.get(VARIABLE, "").partition(":")
_left = int(_count or 1) if _name else 0


def point(name: str) -> None:
    """Pass a place; see the module."""
    if _name == name:
        _die_when_due()
    for listener in tuple(listeners):
        listener(name)


def _die_when_due() -> None:
    global _left
    with _lock:
        _left -= 1
        if _left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
