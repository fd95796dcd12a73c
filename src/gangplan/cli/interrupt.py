"""Ctrl-C that cannot get lost.

An extension module that is being imported may swallow the ``KeyboardInterrupt`` raised inside it
(numpy's and scipy's do); so the signal is remembered, and raised again at the next look.
"""

import signal
from types import FrameType

_seen: list[int] = []


def watch() -> None:
    """Remember Ctrl-C from now on, besides raising it."""
    signal.signal(signal.SIGINT, _raise)


def look() -> None:
    """Raise an interrupt that was swallowed.

    Raises
    ------
    KeyboardInterrupt : Ctrl-C was pressed since ``watch``.
    """
    if _seen:
        raise KeyboardInterrupt


def heard() -> bool:
    """Tell whether Ctrl-C was pressed since ``watch``."""
    return bool(_seen)


def _raise(number: int, frame: FrameType | None) -> None:
    _seen.append(number)
    raise KeyboardInterrupt
