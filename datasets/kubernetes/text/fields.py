"""Strict typed access to the fields of an API object; what is wrong goes into one `Faults`.

A reader asks for what it needs and gets a value of the right type or the default; a wrong type,
a missing field or an unknown one becomes a `Fault` with file, object and dotted path, and reading
goes on, so that a user sees everything at once. A ``null`` is the same as an absent field.
"""

import difflib
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar

from gangplan.datasets.kubernetes.text import quantity
from gangplan.datasets.kubernetes.text.faults import Faults, describe, printable

__all__ = ["MAX_INT", "Faults", "Fields", "describe", "printable", "shown"]

D = TypeVar("D", int, None)

MAX_INT = 2**63 - 1


def shown(value: object) -> str:
    """Name a value and its type for a message, in JSON's words."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return f"the number {value}" if abs(value) < 10**20 else "a number"
        case str():
            return f"the text {value[:40]!r}"
        case dict():
            return "a mapping"
        case list():
            return "a list"
    return type(value).__name__


@lru_cache(maxsize=256)
def _nearest(key: str, known: frozenset[str]) -> str:
    """Give the known name that a misspelt one is most like; empty without a likeness."""
    return next(iter(difflib.get_close_matches(key, sorted(known), 1)), "")


class Fields:
    """A mapping inside an API object, with its place for messages.

    Parameters
    ----------
    obj : the mapping.
    source : file (and line or item) that the object came from.
    faults : where faults go.
    parent, name, index : the mapping that holds this one, the field there, and the place in that
        field's list (-1: no list); none for a whole object.
    """

    __slots__ = ("_index", "_name", "_parent", "faults", "obj", "source")

    def __init__(
        self,
        obj: dict[str, Any],
        source: str,
        faults: Faults,
        parent: "Fields | None" = None,
        name: str = "",
        index: int = -1,
    ) -> None:
        self.obj = obj
        self.source = source
        self.faults = faults
        self._parent = parent
        self._name = name
        self._index = index

    # -- place ---------------------------------------------------------------------------------

    @property
    def path(self) -> str:
        """Dotted path from the whole object; empty for the object itself."""
        above = self._parent.path if self._parent is not None else ""
        own = self._name if self._index < 0 else f"{self._name}[{self._index}]"
        return f"{above}.{own}" if above else own

    @property
    def item(self) -> str:
        """``Kind namespace/name`` of the whole object, as far as it has them."""
        root = self
        while root._parent is not None:
            root = root._parent
        return describe(root.obj)

    def fault(self, key: str, message: str) -> None:
        """Add a fault about a field here; an empty key means this mapping itself."""
        path = self.path
        where = f"{path}.{key}" if path and key else path or key
        self.faults.add(self.source, self.item, where, message)

    def _wrong(self, key: str, expected: str, value: object) -> None:
        self.fault(key, f"{expected} expected, got {shown(value)}")

    def _missing(self, key: str) -> None:
        self.fault(key, "missing")

    # -- presence ------------------------------------------------------------------------------

    def has(self, key: str) -> bool:
        """Whether the field is there and not null (``{}`` and ``[]`` are there)."""
        return self.obj.get(key) is not None

    def only(self, known: frozenset[str]) -> None:
        """Fault every field that is not in ``known`` (and not null), with the nearest known one."""
        if self.obj.keys() <= known:
            return
        for key, value in self.obj.items():
            if key in known or value is None:
                continue
            near = _nearest(key, known)
            self.fault(key, "unknown field" + (f", is it {near}?" if near else ""))

    def one_of(self, *keys: str, required: bool = True) -> str:
        """Read a union: give the one field that is set; empty when it is none or several."""
        there = [key for key in keys if self.has(key)]
        if len(there) > 1:
            self.fault("", f"only one of {', '.join(keys)} may be set, got {', '.join(there)}")
        elif not there and required:
            self.fault("", f"one of {', '.join(keys)} must be set")
        return there[0] if len(there) == 1 else ""

    # -- values --------------------------------------------------------------------------------

    def text(
        self,
        key: str,
        default: str = "",
        *,
        required: bool = False,
        choices: frozenset[str] | tuple[str, ...] = (),
    ) -> str:
        """Read a text; with ``required`` it may not be absent or empty.

        With ``choices`` it is one of them; an empty one is the same as an absent one, as in Go.
        """
        value = self.obj.get(key)
        if value is None or (value == "" and required):
            if required:
                self._missing(key)
            return default
        if not isinstance(value, str):
            self._wrong(key, "text", value)
            return default
        if choices and value not in choices:
            if not value:
                return default
            names = ", ".join(name for name in choices if name)
            self.fault(key, f"one of {names} expected, got {value[:40]!r}")
            return default
        return value

    def integer(
        self,
        key: str,
        default: D,
        *,
        required: bool = False,
        minimum: int = -MAX_INT - 1,
        maximum: int = MAX_INT,
    ) -> int | D:
        """Read an integer within its bounds; a text of digits is none."""
        value = self.obj.get(key)
        if value is None:
            if required:
                self._missing(key)
            return default
        if not isinstance(value, int) or isinstance(value, bool):
            self._wrong(key, "an integer", value)
            return default
        if not minimum <= value <= maximum:
            bound = f"at least {minimum}" if value < minimum else f"at most {maximum}"
            self._wrong(key, bound, value)
            return default
        return value

    def boolean(self, key: str, default: bool = False) -> bool:
        """Read true or false."""
        value = self.obj.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            self._wrong(key, "true or false", value)
            return default
        return value

    def timestamp(self, key: str) -> float | None:
        """Read an RFC 3339 time as seconds since the epoch; None where absent."""
        value = self.text(key)
        if not value:
            return None
        try:
            moment = datetime.fromisoformat(value)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            self._wrong(key, "an RFC 3339 time", value)
            return None

    def mapping(self, key: str, *, required: bool = False) -> "Fields | None":
        """Read a mapping; None where absent or of another type."""
        value = self.obj.get(key)
        if isinstance(value, dict):
            return Fields(value, self.source, self.faults, self, key)
        if value is not None:
            self._wrong(key, "a mapping", value)
        elif required:
            self._missing(key)
        return None

    def section(self, key: str) -> "Fields":
        """Read a mapping of optional fields; an empty one where absent."""
        found = self.mapping(key)
        return Fields({}, self.source, self.faults, self, key) if found is None else found

    def items(self, key: str, *, required: bool = False) -> "list[Fields]":
        """Read a list of mappings; empty where absent."""
        value = self.obj.get(key)
        if not isinstance(value, list) or not value:
            return self._no_list(key, value, required)
        source, faults = self.source, self.faults
        found = [
            Fields(entry, source, faults, self, key, index)
            for index, entry in enumerate(value)
            if isinstance(entry, dict)
        ]
        if len(found) != len(value):
            self._wrong_entries(key, value, dict, "a mapping")
        return found

    def texts(self, key: str, *, required: bool = False) -> tuple[str, ...]:
        """Read a list of texts; empty where absent."""
        value = self.obj.get(key)
        if not isinstance(value, list) or not value:
            return tuple(self._no_list(key, value, required))
        found = tuple(entry for entry in value if isinstance(entry, str))
        if len(found) != len(value):
            self._wrong_entries(key, value, str, "text")
        return found

    def _no_list(self, key: str, value: object, required: bool) -> list[Any]:
        """Give the empty list for what is absent, empty or no list."""
        if value is not None and not isinstance(value, list):
            self._wrong(key, "a list", value)
        elif required:
            self._missing(key)
        return []

    def _wrong_entries(self, key: str, value: list[Any], right: type, expected: str) -> None:
        for index, entry in enumerate(value):
            if not isinstance(entry, right):
                self._wrong(f"{key}[{index}]", expected, entry)

    def labels(self, key: str) -> dict[str, str]:
        """Read a mapping of texts to texts (labels, annotations, selectors); empty where absent."""
        good: dict[str, str] = {}
        section = self.section(key)
        for name, text in section.obj.items():
            if isinstance(text, str):
                good[name] = text
            elif text is None:  # a key without a value is the empty label
                good[name] = ""
            else:
                section._wrong(name, "text", text)
        return good

    def quantity(self, key: str, default: int = 0, *, milli: bool, round_up: bool) -> int:
        """Read one quantity as an integer number of units (or thousandths with ``milli``)."""
        value = self.obj.get(key)
        if value is None:
            return default
        try:
            return quantity.parse(value, milli=milli, round_up=round_up)
        except ValueError as error:
            self.fault(key, str(error))
            return default

    def quantities(self, key: str, *, round_up: bool) -> dict[str, int]:
        """Read a ResourceList: resource name to millicores (``cpu``) or base units.

        Devices and the like (names with a domain) come in whole numbers only.
        """
        found: dict[str, int] = {}
        section = self.section(key)
        for name, text in section.obj.items():
            if text is None:
                continue
            try:
                found[name] = quantity.parse(text, milli=name == "cpu", round_up=round_up)
                if "/" in name and found[name] != quantity.parse(text, round_up=not round_up):
                    raise ValueError(f"a whole number expected, got {str(text)[:40]!r}")
            except ValueError as error:
                section.fault(name, str(error))
        return found
