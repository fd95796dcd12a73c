"""Attributes of a device: typed values and lists of them (KEP-4381, DRAListTypeAttributes)."""

import re
from functools import lru_cache
from typing import Any

from gangplan.datasets.kubernetes.devicerecords import Attribute
from gangplan.datasets.kubernetes.text import deviceschema
from gangplan.datasets.kubernetes.text.fields import MAX_INT, Fields, shown
from gangplan.datasets.kubernetes.text.names import qualified

LONGEST = 64
"""Bytes of a string or version."""

_TYPES: dict[str, type[Any]] = {"int": int, "bool": bool, "string": str, "version": str}
_LISTS = {f"{name}s": name for name in _TYPES}
_WORDS = {"int": "an integer", "bool": "true or false", "string": "text", "version": "text"}
_CORE = r"(?:0|[1-9][0-9]*)"
_PART = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_SEMVER = re.compile(
    rf"{_CORE}\.{_CORE}\.{_CORE}(?:-{_PART}(?:\.{_PART})*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)


def attributes(device: Fields, driver: str) -> dict[str, Attribute]:
    """Read ``attributes`` by qualified name; what is wrong goes to the faults of ``device``."""
    section = device.mapping("attributes")
    if section is None:
        return {}
    found: dict[str, Attribute] = {}
    for key, value in section.obj.items():
        try:
            name = qualified(key, driver or "unknown")
            one = _quick(value) or _attribute(section, key)
        except ValueError as error:
            section.fault(key, str(error))
            continue
        if one is None:
            continue
        if name in found and found[name] != one:
            section.fault(key, "there twice, with and without the driver's domain")
        found[name] = one
    return found


def _quick(value: Any) -> Attribute | None:
    """Read one plain value, as nearly all are; None for anything else."""
    if type(value) is not dict or len(value) != 1:
        return None
    ((key, inner),) = value.items()
    if type(inner) is not _TYPES.get(key):
        return None
    return _plain(key, inner)


@lru_cache(maxsize=1 << 14, typed=True)
def _plain(kind: str, value: int | bool | str) -> Attribute:
    _check(kind, value)
    return Attribute(kind, (value,))


def _check(kind: str, value: int | bool | str) -> None:
    """Refuse a value of the right type that the API would refuse."""
    if kind == "int" and not -MAX_INT - 1 <= value <= MAX_INT:  # type: ignore[operator] # an int
        raise ValueError("an integer of 64 bits expected")
    if isinstance(value, str):
        if len(value.encode(errors="replace")) > LONGEST:
            raise ValueError(f"at most {LONGEST} bytes expected, got {value[:40]!r} and more")
        if kind == "version" and not _SEMVER.fullmatch(value):
            raise ValueError(f"a semantic version such as 1.2.3 expected, got {value[:40]!r}")


def _attribute(section: Fields, key: str) -> Attribute | None:
    """Read an attribute that is a list, or wrong."""
    entry = section.mapping(key, required=True)
    if entry is None:
        return None
    before = len(entry.faults)
    entry.only(deviceschema.ATTRIBUTE)
    chosen = entry.one_of("int", "bool", "string", "version", *_LISTS)
    if not chosen or len(entry.faults) > before:
        return None
    kind = _LISTS.get(chosen, chosen)
    listed = chosen in _LISTS
    value = entry.obj[chosen]
    if listed and (not isinstance(value, list) or not value):
        entry.fault(chosen, f"a list that is not empty expected, got {shown(value)}")
        return None
    values: tuple[Any, ...] = tuple(value) if listed else (value,)
    for index, one in enumerate(values):
        place = f"{chosen}[{index}]" if listed else chosen
        if type(one) is not _TYPES[kind]:
            entry.fault(place, f"{_WORDS[kind]} expected, got {shown(one)}")
            continue
        try:
            _check(kind, one)
        except ValueError as error:
            entry.fault(place, str(error))
    return Attribute(kind, values, listed) if len(entry.faults) == before else None
