"""Other people's YAML, read with checks: each wrong shape is an InputError with its place."""

from pathlib import Path
from typing import Any

from gangplan.models.errors import Fault, InputError

MOST = 2**31 - 1
"""Largest count that a file may hold."""


def read_text(path: Path) -> str:
    """Read a UTF-8 file.

    Raises
    ------
    InputError : it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError([Fault(str(path), "", "", error.strerror or str(error))]) from None
    except UnicodeDecodeError:
        raise InputError([Fault(str(path), "", "", "not a UTF-8 text")]) from None


def read_yaml(path: Path) -> Any:
    """Read one YAML document.

    Raises
    ------
    InputError : it cannot be read, or is no YAML.
    """
    import yaml

    try:
        return yaml.load(read_text(path), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark is not None else str(path)
        problem = getattr(error, "problem", None) or "cannot be parsed"
        raise InputError([Fault(where, "", "", f"not YAML: {problem}")]) from None


class Table:
    """A mapping of a document, with its place; every getter checks the shape of what it returns."""

    def __init__(self, value: Any, source: str, item: str) -> None:
        self.source = source
        self.item = item
        if not isinstance(value, dict):
            raise self.fault("", f"a mapping expected, not {_kind(value)}")
        self.value: dict[Any, Any] = value

    def fault(self, field: str, message: str) -> InputError:
        """Return an InputError for a field of this mapping."""
        return InputError([Fault(self.source, self.item, field, message)])

    def table(self, key: str) -> dict[str, Any]:
        """Return a mapping below ``key``; empty where absent."""
        value = self.value.get(key)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.fault(key, f"a mapping expected, not {_kind(value)}")
        return {self._text(key, name): body for name, body in value.items()}

    def texts(self, key: str) -> dict[str, str]:
        """Return a mapping of texts; numbers and booleans count as they are written in JSON."""
        return {name: self._text(f"{key}.{name}", v) for name, v in self.table(key).items()}

    def items(self, key: str) -> list[Any]:
        """Return a list below ``key``; empty where absent."""
        value = self.value.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.fault(key, f"a list expected, not {_kind(value)}")
        return value

    def strings(self, key: str) -> list[str]:
        """Return a list of texts."""
        return [self._text(f"{key}[{i}]", value) for i, value in enumerate(self.items(key))]

    def string(self, key: str) -> str:
        """Return a text that must be there."""
        if self.value.get(key) is None:
            raise self.fault(key, "missing")
        return self._text(key, self.value[key])

    def count(self, key: str, default: int | None = None) -> int:
        """Return a whole number >= 0, also where it is written as a text."""
        value = self.value.get(key, default)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST:
            raise self.fault(key, f"a whole number up to {MOST} expected, not {value!r}")
        return value

    def unread(self, *known: str) -> list[str]:
        """One note for each key that no reader looks at."""
        return [f"{self.item}: {key} is not read" for key in self.value if key not in known]

    def _text(self, field: str, value: Any) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (str, int)):
            return str(value)
        raise self.fault(field, f"a text expected, not {_kind(value)}")


def _kind(value: Any) -> str:
    names = {dict: "a mapping", list: "a list", str: "a text", int: "a number", float: "a number"}
    return "nothing" if value is None else names.get(type(value), type(value).__name__)
