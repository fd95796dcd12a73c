"""Fields of plan files, read strictly: each refusal names the file and the field."""

from collections.abc import Mapping
from typing import Any

from gangplan.datasets.json_file import refuse


def number(path: str, field: str, name: object, table: Mapping[str, int], what: str) -> int:
    """Return the number of a name; ``what`` says what it should be one of."""
    found = table.get(name) if isinstance(name, str) else None
    if found is None:
        raise refuse(path, field, f"{name if isinstance(name, str) else '?'} is no {what} here")
    return found


def text(path: str, field: str, value: object) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise refuse(path, field, "a text expected")
    return value


def texts(path: str, field: str, value: object) -> list[str]:
    """Return a list of texts."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise refuse(path, field, "a list of texts expected")
    return value


def listed(path: str, field: str, value: object) -> list[Any]:
    """Return a list."""
    if not isinstance(value, list):
        raise refuse(path, field, "a list expected")
    return value


def objects(path: str, field: str, value: object) -> list[dict[str, Any]]:
    """Return a list of objects."""
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise refuse(path, field, "a list of objects expected")
    return value


def mapping(path: str, field: str, value: object) -> dict[str, Any]:
    """Return an object."""
    if not isinstance(value, dict):
        raise refuse(path, field, "an object expected")
    return value
