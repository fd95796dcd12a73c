"""Arithmetic, order and indexes of CEL, with cel-go's errors.

Integers have 64 bits and overflow is an error. uint, timestamps and durations do not occur:
`refusals` turns such expressions away.
"""

import math
import operator
from collections.abc import Callable

from gangplan.datasets.kubernetes.cel.errors import Failed
from gangplan.datasets.kubernetes.cel.limits import Meter
from gangplan.datasets.kubernetes.cel.values import (
    MISSING,
    Maybe,
    Value,
    contains,
    equal,
    lookup,
    size,
    type_name,
)

_MAX = 2**63 - 1
_ORDERED = ("string", "bytes", "bool")
_NUMBERS = ("int", "double")


def no_overload(*_: Value) -> Failed:
    """Give the error of a function on types that it is not for."""
    return Failed("no such overload")


def add(meter: Meter, one: Value, other: Value) -> Value:
    """``+`` of numbers, texts, bytes and lists."""
    kind = _same(one, other)
    if kind == "int":
        return _whole(one + other)
    if kind == "double":
        return one + other
    if kind in ("string", "bytes", "list"):
        meter.make(len(one) + len(other))
        return one + other
    raise no_overload()


def subtract(_: Meter, one: Value, other: Value) -> Value:
    """``-``."""
    kind = _same(one, other)
    if kind == "int":
        return _whole(one - other)
    if kind == "double":
        return one - other
    raise no_overload()


def multiply(_: Meter, one: Value, other: Value) -> Value:
    """``*``."""
    kind = _same(one, other)
    if kind == "int":
        return _whole(one * other)
    if kind == "double":
        return one * other
    raise no_overload()


def divide(_: Meter, one: Value, other: Value) -> Value:
    """``/``: towards zero; a double by zero is infinite."""
    kind = _same(one, other)
    if kind == "int":
        if not other:
            raise Failed("division by zero")
        quotient = abs(one) // abs(other)
        return _whole(quotient if (one < 0) == (other < 0) else -quotient)
    if kind == "double":
        if other:
            return one / other
        if math.isnan(one) or one == 0:
            return math.nan
        return math.copysign(math.inf, one) * math.copysign(1.0, other)
    raise no_overload()


def modulo(_: Meter, one: Value, other: Value) -> Value:
    """``%``: with the sign of the left side."""
    if _same(one, other) != "int":
        raise no_overload()
    if not other:
        raise Failed("modulus by zero")
    if one == -_MAX - 1 and other == -1:
        raise Failed("integer overflow")
    return int(math.copysign(1, one)) * (abs(one) % abs(other))


def negate(_: Meter, one: Value) -> Value:
    """``-x``."""
    kind = type_name(one)
    if kind == "int":
        return _whole(-one)
    if kind == "double":
        return -one
    raise no_overload()


def invert(_: Meter, one: Value) -> Value:
    """``!x``."""
    if type_name(one) != "bool":
        raise no_overload()
    return not one


def ordered(compare: Callable[[Value, Value], bool]) -> Callable[[Meter, Value, Value], bool]:
    """Give ``<``, ``<=``, ``>`` or ``>=``."""

    def function(_: Meter, one: Value, other: Value) -> bool:
        left, right = type_name(one), type_name(other)
        if (left == right and left in _ORDERED) or (left in _NUMBERS and right in _NUMBERS):
            return bool(compare(one, other))
        raise no_overload()

    return function


def index(_: Meter, one: Value, key: Value) -> Value:
    """``x[key]`` and ``x.key``; of an optional value, an optional value."""
    if isinstance(one, Maybe):
        return maybe_at(_, one, key)
    found = found_at(one, key)
    if found is MISSING:
        kind = type_name(one)
        raise Failed(f"no such key: {key}" if kind == "map" else f"index out of bounds: {key}")
    return found


def found_at(one: Value, key: Value) -> Value:
    """Find the value of a key or at an index; MISSING where there is none."""
    kind = type_name(one)
    if kind == "map":
        return lookup(one, key)
    if kind == "list":
        at = type_name(key)
        if at == "double" and key == int(key if math.isfinite(key) else 0):
            key, at = int(key), "int"
        if at != "int":
            raise Failed(f"unsupported index type '{at}' in list")
        return one[key] if 0 <= key < len(one) else MISSING
    if kind == "optional_type":
        return found_at(one.value, key) if one.there else MISSING
    raise no_overload()


def maybe_at(_: Meter, one: Value, key: Value) -> Maybe:
    """``x.?key`` and ``x[?key]``."""
    if isinstance(one, Maybe) and not one.there:
        return Maybe()
    return Maybe(found_at(one, key))


def within(_: Meter, one: Value, collection: Value) -> bool:
    """``x in collection``."""
    kind = type_name(collection)
    if kind == "list":
        return any(equal(one, element) for element in collection)
    if kind == "map":
        try:
            return contains(collection, one)
        except TypeError:  # a list or map, which no key is
            return False
    raise no_overload()


def sized(_: Meter, one: Value) -> int:
    """``size(x)``."""
    if type_name(one) not in ("string", "bytes", "list", "map"):
        raise no_overload()
    return size(one)


def _same(one: Value, other: Value) -> str:
    kind = type_name(one)
    if kind != type_name(other):
        raise no_overload()
    return kind


def _whole(value: int) -> int:
    if not -_MAX - 1 <= value <= _MAX:
        raise Failed("integer overflow")
    return value


LESS = ordered(operator.lt)
LESS_EQUALS = ordered(operator.le)
GREATER = ordered(operator.gt)
GREATER_EQUALS = ordered(operator.ge)
