"""A process that is killed at a place, as far as the server can tell: it writes nothing more."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from gangplan.cluster import faultpoints


class Killed(BaseException):
    """Nothing catches it but what tidies up at the end of a thread."""


@dataclass(slots=True)
class _Killing:
    """A listener that ends everything from the n-th pass of a place on."""

    place: str
    left: int

    def __call__(self, passed: str) -> None:
        if passed == self.place:
            self.left -= 1
        if self.left <= 0:
            raise Killed


@contextmanager
def killed_at(place: str, number: int = 1) -> Iterator[None]:
    """Expect that what is done here is killed when it passes a place for the n-th time."""
    listener = _Killing(place, number)
    faultpoints.listeners.append(listener)
    try:
        with pytest.raises(Killed):
            yield
    finally:
        faultpoints.listeners.remove(listener)
