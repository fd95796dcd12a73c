"""Quantity objects: ``quantity("40Gi")`` and capacities of devices.

As k8s.io/apimachinery/pkg/api/resource: a number keeps the way it is held, a 64-bit integer times a
power of ten, or a decimal of any length (``scale`` None); isInteger and asInteger answer only for
the former, with a power that is not negative.
"""

import re
from dataclasses import dataclass, field
from fractions import Fraction

from gangplan.datasets.kubernetes.cel.errors import Failed

_GRAMMAR = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?"
    r"(?P<suffix>[KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?"
)
_LOOSE = re.compile(r"[+-]?[0-9.]+(?:[eEinumkKMGTP]*[-+]?[0-9]*)")
_BINARY = {name: 10 * power for power, name in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_DIGITS = 18  # an integer of 64 bits holds that many, whatever they are
_MAX = 2**63 - 1
_LONGEST = 1024  # characters of a quantity; the API has no limit, an expression has 10 KiB
_WIDEST = 2048  # powers of ten


@dataclass(frozen=True, slots=True)
class Quantity:
    """An exact number; equal numbers are equal quantities, however they are held.

    Attributes
    ----------
    scale : power of ten of the 64-bit integer that holds it; None: a decimal of any length.
    """

    value: Fraction
    scale: int | None = field(default=0, compare=False)

    @property
    def units(self) -> int | None:
        """The value as an integer of 64 bits; None where Kubernetes has none."""
        if self.scale is None or self.scale < 0 or not -_MAX - 1 <= self.value <= _MAX:
            return None
        return int(self.value)

    def plus(self, other: "Quantity", sign: int = 1) -> "Quantity":
        """Add, or with ``sign`` -1 subtract."""
        value = self.value + sign * other.value
        if self.scale is None or other.scale is None:
            return Quantity(value, None)
        if not other.value:
            return Quantity(value, self.scale)
        if not self.value:
            return Quantity(value, other.scale)
        scale = min(self.scale, other.scale)
        held = all(
            -_MAX - 1 <= one * Fraction(10) ** -scale <= _MAX
            for one in (self.value, other.value, value)
        )
        return Quantity(value, scale if held else None)

    def approximate(self) -> float:
        """Give the nearest double, as float64 arithmetic does."""
        try:
            if self.scale is None:
                return float(self.value)
            return float(self.value * Fraction(10) ** -self.scale) * 10.0**self.scale
        except OverflowError:
            return float("inf") if self.value > 0 else float("-inf")


def of_capacity(value: Fraction) -> Quantity:
    """Give a capacity as the API server stores it, in canonical form."""
    if value.denominator == 1:
        digits = str(abs(int(value)))
        zeros = (len(digits) - len(digits.rstrip("0"))) // 3 * 3  # a suffix stands for them
        return Quantity(value, 0 if len(digits) - zeros <= _DIGITS else None)
    return Quantity(value, -3 if (value * 1000).denominator == 1 else -9)


def parse(text: str) -> Quantity:
    """Read a quantity.

    Raises
    ------
    Failed : it is none.
    """
    found = _GRAMMAR.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None or not (found["whole"] or found["part"]) or not text.isascii():
        if _LOOSE.fullmatch(text):
            raise Failed("unable to parse quantity's suffix")
        raise Failed("quantities must match the regular expression of a number and a suffix")
    whole, part, suffix = found["whole"].lstrip("0"), found["part"] or "", found["suffix"] or ""
    sign = -1 if found["sign"] == "-" else 1
    digits = sign * int((whole + part) or "0")
    if suffix in _BINARY:
        return _binary(digits, len(whole) + len(part), len(part), _BINARY[suffix])
    power = _DECIMAL[suffix] if suffix in _DECIMAL else int(suffix[1:])
    if abs(power) > _WIDEST:
        raise Failed("unable to parse quantity's suffix")
    scale = power - len(part)
    if len(whole) + len(part) <= _DIGITS and scale >= -9:
        return Quantity(digits * Fraction(10) ** scale, scale)
    return Quantity(_rounded(digits * Fraction(10) ** scale), None)


def _binary(digits: int, length: int, decimals: int, shift: int) -> Quantity:
    """Read a number with a binary suffix; Kubernetes caps it at 2^63 - 1."""
    value = Fraction(digits << shift, 10**decimals)
    precision = 15 - length - shift * 3 // 10 - 1
    if decimals == 0 and precision >= 0:
        return Quantity(value, 0)
    return Quantity(min(_rounded(value), Fraction(_MAX)), None)


def _rounded(value: Fraction) -> Fraction:
    """Round away from zero to a billionth, the finest there is."""
    scaled = abs(value) * 10**9
    size = Fraction(-(-scaled.numerator // scaled.denominator), 10**9)
    return size if value >= 0 else -size
