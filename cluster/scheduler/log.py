"""The scheduler's log: a JSON object a line on standard error; plain text on a terminal."""

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from threading import Lock
from typing import Any, TextIO

LEVELS = ("debug", "info", "warning", "error")


class Log:
    """Writes lines; may be called from any thread.

    Parameters
    ----------
    stream : where to; standard error by default.
    plain : text for people instead of JSON; by default when the stream is a terminal.
    level : the lowest level that is written.

    Raises
    ------
    ValueError : there is no such level.
    """

    def __init__(
        self, stream: TextIO | None = None, *, plain: bool | None = None, level: str = "info"
    ) -> None:
        if level not in LEVELS:
            raise ValueError(f"no level {level}: {', '.join(LEVELS)}")
        self._stream = stream or sys.stderr
        self._plain = self._stream.isatty() if plain is None else plain
        self._lowest = LEVELS.index(level)
        self._lock = Lock()

    def debug(self, message: str, /, **fields: Any) -> None:
        """Say what only a developer wants to know."""
        self._write("debug", message, fields)

    def info(self, message: str, /, **fields: Any) -> None:
        """Say what happened."""
        self._write("info", message, fields)

    def warning(self, message: str, /, **fields: Any) -> None:
        """Say what somebody should look into."""
        self._write("warning", message, fields)

    def error(self, message: str, /, **fields: Any) -> None:
        """Say what went wrong."""
        self._write("error", message, fields)

    def saying(self, **fields: Any) -> Callable[[str], None]:
        """Give a function that takes sentences (``Site.say``), each with these fields."""

        def say(sentence: str) -> None:
            self._write("info", sentence, fields)

        return say

    def _write(self, level: str, message: str, fields: dict[str, Any]) -> None:
        if LEVELS.index(level) < self._lowest:
            return
        at = datetime.now(UTC)
        line = (_plain if self._plain else _json)(at, level, message, fields)
        # A log that nobody reads any more must not stop a flight in the middle.
        with self._lock, suppress(OSError, ValueError):
            self._stream.write(line + "\n")
            self._stream.flush()


def _json(at: datetime, level: str, message: str, fields: dict[str, Any]) -> str:
    head = {"time": at.isoformat(timespec="milliseconds"), "level": level, "message": message}
    rest = {f"{name}_" if name in head else name: value for name, value in fields.items()}
    return json.dumps({**head, **rest}, default=str, ensure_ascii=False)


def _plain(at: datetime, level: str, message: str, fields: dict[str, Any]) -> str:
    mark = "" if level == "info" else f"{level}: "
    rest = "".join(f" {name}={value}" for name, value in fields.items())
    return f"{at.astimezone():%H:%M:%S} {mark}{message}{rest}"
