"""Values of expressions: Python's own for CEL's own, and what CEL calls them.

int, float, bool, str, bytes, None, tuples (lists), dicts (maps) and the objects of this package.
A Python bool is an int, a CEL bool is none: every test here asks for bool first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from gangplan.datasets.kubernetes.cel.addresses import CIDR, IP
from gangplan.datasets.kubernetes.cel.errors import Failed
from gangplan.datasets.kubernetes.cel.quantities import Quantity
from gangplan.datasets.kubernetes.cel.semvers import Semver
from gangplan.datasets.kubernetes.cel.urls import URL

Value: TypeAlias = Any
"""One of the types above; what a function may be given is checked by its name in ``type_name``."""

MISSING = object()


@dataclass(frozen=True, slots=True)
class Maybe:
    """An optional value; ``value`` is MISSING where there is none."""

    value: Value = MISSING

    @property
    def there(self) -> bool:
        """Whether there is a value."""
        return self.value is not MISSING


@dataclass(frozen=True, slots=True)
class TypeName:
    """A type as a value, as in ``type(x) == string``."""

    name: str


class Domains(dict[str, Mapping[str, Value]]):
    """Attributes or capacities by domain.

    Looking up a domain that is not there gives an empty map (``mapper`` of Kubernetes'
    dynamic-resource-allocation/cel); ``in``, size and iteration see only those that are.
    """


_NAMES: dict[type, str] = {
    bool: "bool",
    int: "int",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null_type",
    tuple: "list",
    dict: "map",
    Domains: "map",
    Quantity: "kubernetes.Quantity",
    Semver: "kubernetes.Semver",
    IP: "net.IP",
    CIDR: "net.CIDR",
    URL: "kubernetes.URL",
    Maybe: "optional_type",
    TypeName: "type",
}
_NUMBERS = ("int", "double")


def type_name(value: Value) -> str:
    """Give the name of the type of a value."""
    return _NAMES[type(value)]


def equal(one: Value, other: Value) -> bool:
    """Compare as ``==``: numbers by value across types; other types are never equal."""
    left, right = type_name(one), type_name(other)
    if left != right:
        return left in _NUMBERS and right in _NUMBERS and bool(one == other)
    if left == "list":
        return len(one) == len(other) and all(map(equal, one, other))
    if left == "map":
        return len(one) == len(other) and all(
            (match := lookup(other, key)) is not MISSING and equal(value, match)
            for key, value in one.items()
        )
    if left == "optional_type":
        if not one.there or not other.there:
            return bool(one.there == other.there)
        return equal(one.value, other.value)
    return bool(one == other)


def lookup(mapping: Mapping[Value, Value], key: Value) -> Value:
    """Find the value of a key; MISSING where there is none (a bool is no int)."""
    kind = type_name(key)
    if kind not in ("string", "bool", *_NUMBERS):
        raise Failed(f"unsupported key type: {kind}")
    found = mapping.get(key, MISSING)
    if found is MISSING:
        return {} if isinstance(mapping, Domains) and kind == "string" else MISSING
    if kind != "string":
        return next(
            (value for known, value in mapping.items() if equal(known, key)),
            MISSING,
        )
    return found


def contains(mapping: Mapping[Value, Value], key: Value) -> bool:
    """Tell whether a key is there, without the empty maps of `Domains`."""
    return key in mapping and lookup(mapping, key) is not MISSING


def size(value: Value) -> int:
    """Give characters, bytes, elements or entries; 1 for anything else (costs count so)."""
    return len(value) if isinstance(value, str | bytes | tuple | dict) else 1
