"""What is wrong with the sources, collected, so that a user sees everything at once."""

from collections.abc import Iterator
from typing import Any

from gangplan.models.errors import Fault, InputError

SHOWN = 20
"""Faults that are shown one by one."""


class Faults:
    """Collects faults; keeps the first `SHOWN` and counts the rest.

    ``len(faults)`` is the number of calls of `add`, so "has this object any?" is a comparison of
    two lengths. A fault that is found twice, because two readers look at one field, is kept once.

    Parameters
    ----------
    most : faults that are kept; None keeps all, for whoever goes on without the objects at fault.
    """

    __slots__ = ("_count", "_kept", "_most", "_repeated")

    def __init__(self, most: int | None = SHOWN) -> None:
        self._kept: dict[Fault, None] = {}
        self._most = most
        self._count = 0
        self._repeated = 0

    def __len__(self) -> int:
        """Give the number of faults added, those that are not kept included."""
        return self._count

    def __iter__(self) -> Iterator[Fault]:
        """Iterate over the kept faults."""
        return iter(self._kept)

    def add(self, source: str, item: str, field: str, message: str) -> None:
        """Add one fault; characters that cannot be printed are escaped."""
        self._count += 1
        fault = Fault(*(printable(part) for part in (source, item, field, message)))
        if fault in self._kept:
            self._repeated += 1
        elif self._most is None or len(self._kept) < self._most:
            self._kept[fault] = None

    def check(self) -> None:
        """Raise what was collected.

        Raises
        ------
        InputError
            When there is any fault: those that are kept, then ``and N more``.
        """
        if self._count:
            more = self._count - self._repeated - len(self._kept)
            tail = [Fault("", "", "", f"and {more} more")] if more else []
            raise InputError([*self._kept, *tail])


def printable(text: str) -> str:
    """Escape what would break a line or an encoder (controls, lone surrogates)."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def describe(obj: dict[str, Any]) -> str:
    """Give ``Kind namespace/name`` of an object, as far as it has them."""
    metadata = obj.get("metadata")
    meta = metadata if isinstance(metadata, dict) else {}
    parts = [meta.get("namespace"), meta.get("name") or meta.get("generateName")]
    name = "/".join(part[:253] for part in parts if isinstance(part, str) and part)
    kind = obj.get("kind")
    return f"{kind[:63] if isinstance(kind, str) else ''} {name}".strip()
