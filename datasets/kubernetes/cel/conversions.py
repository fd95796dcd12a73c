"""Conversions of CEL, as Go writes and reads numbers."""

import math

from gangplan.datasets.kubernetes.cel.errors import Failed
from gangplan.datasets.kubernetes.cel.limits import Meter
from gangplan.datasets.kubernetes.cel.operators import no_overload
from gangplan.datasets.kubernetes.cel.values import TypeName, Value, type_name

_MAX = 2**63 - 1
_NUMBERS = ("int", "double")
_TRUE = ("1", "t", "T", "true", "TRUE", "True")
_FALSE = ("0", "f", "F", "false", "FALSE", "False")


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
