"""Errors that only mean "not now", pauses that grow, and the same thing done to many objects."""

import time
from collections.abc import Callable, Iterable
from typing import TypeVar

from gangplan.cluster import parallel
from gangplan.cluster.errors import ApiError, ClusterError, Denied, Gone, is_uncertain
from gangplan.cluster.site import Site

Item = TypeVar("Item")
Found = TypeVar("Found")

TWO_BUDGETS = "more than one PodDisruptionBudget"
"""How the Eviction API says that it will never do it; a 500 all the same."""


def is_away(error: BaseException) -> bool:
    """Whether the server did not answer or could not (etcd is away, too many requests)."""
    if isinstance(error, ApiError) and TWO_BUDGETS in str(error):
        return False
    return isinstance(error, Gone) or is_uncertain(error)


def is_unauthorized(error: BaseException) -> bool:
    """Whether the server says that we are nobody, or lack a verb.

    For a moment it says so of everybody after it has started, before it has read the rights. What
    an admission plugin or a webhook forbids (403 as well) is not among it.
    """
    if not isinstance(error, Denied):
        return False
    return error.status == 401 or ('User "' in str(error) and " cannot " in str(error))


class Pauses:
    """Pauses that grow up to a limit, until a time has passed.

    Parameters
    ----------
    seconds : of all pauses together. first, most : of one pause.
    """

    def __init__(self, seconds: float, first: float = 0.05, most: float = 2.0) -> None:
        self._until = time.monotonic() + seconds
        self._first = self._next = first
        self._most = most

    def anew(self, at_least: float = 0.0) -> "Pauses":
        """Short pauses again, until the same time has passed, or a little longer."""
        other = Pauses(at_least, self._first, self._most)
        other._until = max(self._until, other._until)
        return other

    @property
    def over(self) -> bool:
        """Whether the time has passed."""
        return time.monotonic() >= self._until

    def rest(self, asked: float | None = None) -> bool:
        """Sleep (``asked``: at most as long as the server asks for); False: the time has passed."""
        left = self._until - time.monotonic()
        if left <= 0:
            return False
        time.sleep(max(0.0, min(left, max(self._next, min(asked or 0.0, self._most)))))
        self._next = min(2 * self._next, self._most)
        return True


def each(site: Site, items: Iterable[Item], do: Callable[[Item], Found]) -> list[Found]:
    """Do it to all of them, ``site.parallel`` at a time; see ``cluster.parallel``."""
    return parallel.each(site.parallel, items, do)


def sentence(error: BaseException) -> str:
    """One line of an error."""
    return " ".join(str(error).split()) or type(error).__name__


def read_back(look: Callable[[], Found], pauses: Pauses) -> Found:
    """Read until there is an answer.

    Raises
    ------
    ClusterError : the server stayed away, or refused.
    """
    while True:
        try:
            return look()
        except ClusterError as error:
            if not is_away(error) or not pauses.rest():
                raise
