"""No search for cycles of references while a snapshot is made numeric.

Records refer to one another in one direction only, and there are many: the collector would look
through all of them again and again, in vain. With 50,000 pods that is 40 % of the time.
"""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Rest:
    """Whether the collector rests, which is so for the whole process.

    Attributes
    ----------
    depth : blocks inside, of all threads. ran : whether it ran before the first of them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._depth = 0
        self._ran = False

    def begin(self) -> None:
        with self._lock:
            if not self._depth:
                self._ran = gc.isenabled()
                gc.disable()
            self._depth += 1

    def end(self) -> None:
        with self._lock:
            self._depth -= 1
            if not self._depth and self._ran:
                gc.enable()


_REST = _Rest()


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the collector of cycles from running; after the last block it is as it was.

    Blocks may be nested and run in several threads at once.
    """
    _REST.begin()
    try:
        yield
    finally:
        _REST.end()
