"""The same thing done to many objects at a time, by threads that all of a process share.

A thread that is made for one request costs as much as the request. Whoever asks works along, so
there is progress also when all of them are busy, and a thread of them may itself ask for others.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock
from typing import Generic, TypeVar

from gangplan.cluster.errors import Fenced

Item = TypeVar("Item")
Found = TypeVar("Found")

THREADS = 16
"""Requests at a time beside those of the threads that ask; the client keeps 96 connections."""


def each(parallel: int, items: Iterable[Item], do: Callable[[Item], Found]) -> list[Found]:
    """Do it to all of them, at most ``parallel`` at a time, begun in their order.

    After an error no other is begun; all that have begun end before this returns.

    Raises
    ------
    Fenced : from any of them, before any other error.
    Exception : the first other error, in the order of the items.
    """
    work = list(items)
    if len(work) <= 1:
        return [do(item) for item in work]
    shared = _Work(work, do)
    helpers = _HELPERS.ask(shared.run, min(parallel, len(work)) - 1)
    try:
        shared.run()
    except BaseException:  # Ctrl-C between two items
        shared.stop()
        raise
    finally:
        wait([helper for helper in helpers if not helper.cancel()])
    return shared.all()


class _Helpers:
    """Threads that work along where they have nothing else to do."""

    def __init__(self, most: int) -> None:
        self._free = most
        self._lock = Lock()
        self._pool = ThreadPoolExecutor(most, "gangplan-requests")

    def ask(self, run: Callable[[], None], most: int) -> "list[Future[None]]":
        """Let as many of them run as are free."""
        with self._lock:
            taken = max(0, min(most, self._free))
            self._free -= taken
        helpers = [self._pool.submit(run) for _ in range(taken)]
        for helper in helpers:
            helper.add_done_callback(self._is_free)
        return helpers

    def _is_free(self, helper: "Future[None]") -> None:
        with self._lock:
            self._free += 1


_HELPERS = _Helpers(THREADS)


class _Work(Generic[Item, Found]):
    """Items, who takes the next one, and what came of each."""

    def __init__(self, items: list[Item], do: Callable[[Item], Found]) -> None:
        self._items = items
        self._do = do
        self._lock = Lock()
        self._begun = 0
        self._stopped = False
        self._found: dict[int, Found] = {}
        self._errors: dict[int, BaseException] = {}

    def run(self) -> None:
        """Take one item after the other, until none is left or one has failed."""
        while (number := self._next()) is not None:
            try:
                self._found[number] = self._do(self._items[number])
            except BaseException as error:  # raised where all come together
                self._errors[number] = error
                self.stop()

    def stop(self) -> None:
        """Let nothing else begin."""
        with self._lock:
            self._stopped = True

    def _next(self) -> int | None:
        with self._lock:
            if self._stopped or self._begun == len(self._items):
                return None
            self._begun += 1
            return self._begun - 1

    def all(self) -> list[Found]:
        """Give what was found, in order; raises as ``each``."""
        errors = [error for _, error in sorted(self._errors.items())]
        for error in sorted(errors, key=lambda error: not isinstance(error, Fenced)):
            raise error
        return [self._found[number] for number in range(len(self._items))]
