"""Arithmetic, order, conversions and indexes of CEL, with cel-go's errors.

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
    TypeName,
    Value,
    contains,
    equal,
    lookup,
    size,
    type_name,
)

_MAX = 2**63 - 1
_TRUE = ("1", "t", "T", "true", "TRUE", "True")
_FALSE = ("0", "f", "F", "false", "FALSE", "False")
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


def to_int(_: Meter, one: Value) -> int:
    """``int(x)``."""
    kind = type_name(one)
    if kind == "int":
        return int(one)
    if kind == "double":
        if not math.isfinite(one) or not -_MAX - 1 < one < _MAX:
            raise Failed("integer overflow")
        return int(one)
    if kind == "string":
        digits = one[1:] if one[:1] in ("+", "-") else one
        if digits.isascii() and digits.isdigit() and len(digits) < 1000:
            value = int(one)
            if -_MAX - 1 <= value <= _MAX:
                return value
        raise Failed(f"type conversion error from 'string' to 'int': {one[:40]!r}")
    raise no_overload()


def to_double(_: Meter, one: Value) -> float:
    """``double(x)``."""
    kind = type_name(one)
    if kind in _NUMBERS:
        return float(one)
    if kind == "string":
        try:
            # Go reads neither spaces nor Python's underscores between any digits.
            if one.strip() == one and "_" not in one and one.isascii():
                value = float(one)
                if not math.isinf(value) or "inf" in one.lower():
                    return value
        except ValueError:
            pass
        raise Failed(f"type conversion error from 'string' to 'double': {one[:40]!r}")
    raise no_overload()


def to_bool(_: Meter, one: Value) -> bool:
    """``bool(x)``."""
    if type_name(one) == "bool":
        return bool(one)
    if type_name(one) == "string":
        if one in _TRUE or one in _FALSE:
            return one in _TRUE
        raise Failed(f"type conversion error from 'string' to 'bool': {one[:40]!r}")
    raise no_overload()


def to_string(_: Meter, one: Value) -> str:
    """``string(x)``."""
    kind = type_name(one)
    if kind == "bool":
        return "true" if one else "false"
    if kind in ("int", "string"):
        return str(one)
    if kind == "double":
        return _shortest(one)
    if kind == "bytes":
        try:
            return str(one, "utf-8")
        except UnicodeDecodeError:
            raise Failed("invalid UTF-8 in bytes, cannot convert to string") from None
    if kind in ("net.IP", "net.CIDR"):
        return str(one)
    raise no_overload()


def to_bytes(_: Meter, one: Value) -> bytes:
    """``bytes(x)``."""
    if type_name(one) == "bytes":
        return bytes(one)
    if type_name(one) == "string":
        return bytes(one, "utf-8")
    raise no_overload()


def type_of(_: Meter, one: Value) -> TypeName:
    """``type(x)``."""
    return TypeName(type_name(one))


def _same(one: Value, other: Value) -> str:
    kind = type_name(one)
    if kind != type_name(other):
        raise no_overload()
    return kind


def _whole(value: int) -> int:
    if not -_MAX - 1 <= value <= _MAX:
        raise Failed("integer overflow")
    return value


def _shortest(value: float) -> str:
    """Write a double as Go's FormatFloat(x, 'g', -1, 64)."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("+Inf" if value > 0 else "-Inf")
    sign = "-" if math.copysign(1, value) < 0 else ""
    digits, _, power = f"{abs(value)!r}".partition("e")
    whole, _, part = digits.partition(".")
    part = "" if part == "0" else part
    shift = int(power or 0) + len(whole)
    digits = (whole + part).lstrip("0")
    shift -= len(whole + part) - len(digits)
    digits = digits.rstrip("0")
    if not digits:
        return sign + "0"
    exponent = shift - 1
    if exponent < -4 or exponent >= 6:
        tail = f".{digits[1:]}" if len(digits) > 1 else ""
        mark = "-" if exponent < 0 else "+"
        return f"{sign}{digits[0]}{tail}e{mark}{abs(exponent):02d}"
    if shift <= 0:
        return f"{sign}0.{'0' * -shift}{digits}"
    if len(digits) <= shift:
        return sign + digits.ljust(shift, "0")
    return f"{sign}{digits[:shift]}.{digits[shift:]}"


LESS = ordered(operator.lt)
LESS_EQUALS = ordered(operator.le)
GREATER = ordered(operator.gt)
GREATER_EQUALS = ordered(operator.ge)
