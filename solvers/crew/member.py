"""The side of the process that works; its arguments are two file descriptors, line and lifeline.

Says ``("ready", None)``. Hears ``("keep", things)``, which takes the place of all that was kept,
and ``("job", (number, function, arguments, memory))``: answered by any number of
``("said", (number, body))`` and one ``("done", (number, body))`` or ``("failed", (number, text))``.
"""

import socket
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

from gangplan.models.errors import GangplanError
from gangplan.solvers.backends import memory, wire
from gangplan.solvers.backends.worker import line_of
from gangplan.solvers.crew.desk import Desk


def main(line_number: int, lifeline: int) -> None:
    """Serve jobs until the parent closes the line."""
    _Member(line_of(line_number, lifeline)).serve()


class _Member:
    """One line, and what is kept between jobs."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._lock = threading.Lock()  # a solver may call back in a thread of its own
        self._number = 0
        self._desk = Desk({}, self._said)

    def serve(self) -> None:
        self._say("ready", None)
        while True:
            try:
                word, body = wire.read(self._line)
            except EOFError:
                return
            if word == "keep":
                self._desk = Desk(dict(body), self._said)
            else:
                self._number, *job = body
                self._say(*self._run(*job))

    def _run(self, name: str, arguments: Any, most: int | None) -> tuple[str, object]:
        try:
            with memory.limited(most):
                return "done", (self._number, function(name)(self._desk, *arguments))
        except GangplanError as error:
            return "failed", (self._number, str(error))
        except MemoryError:
            limit = "" if most is None else f" (limit {most // memory.MIB} MiB)"
            return "failed", (self._number, f"out of memory{limit}")
        except BaseException as error:  # sys.exit in a library, panics of other languages too
            return "failed", (self._number, f"{type(error).__name__}: {error}")

    def _said(self, body: object) -> None:
        self._say("said", (self._number, body))

    def _say(self, word: str, body: object) -> None:
        with self._lock:
            wire.write(self._line, wire.pack((word, body)))


def function(name: str) -> Callable[..., object]:
    """Return the function of this name, ``module:function``."""
    module, _, attribute = name.partition(":")
    found: Callable[..., object] = getattr(import_module(module), attribute)
    return found


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
