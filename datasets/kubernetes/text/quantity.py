"""Kubernetes quantities as exact numbers; no binary float is ever made.

Grammar of ``k8s.io/apimachinery/pkg/api/resource``: a signed decimal number, then nothing, a
binary suffix (``Ki`` .. ``Ei``), a decimal one (``n u m k M G T P E``) or an exponent (``e3``,
``E3``). ``m`` is a thousandth of bytes too, ``1E`` is exa and ``1E3`` a thousand.
"""

import re
from fractions import Fraction
from functools import lru_cache

MAX = 2**63 - 1

_NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?"
    r"(?:(?P<suffix>[KMGTPE]i|[numkMGTPE])|[eE](?P<exponent>[+-]?[0-9]+))?",
    re.ASCII,
)
_BINARY = {name: 10 * power for power, name in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_FINEST = 10**9  # parts of a unit; nothing is finer
_LONGEST = 64  # characters; a quantity within +-2^63 needs far fewer
_WIDEST = 40  # decimal exponents beyond +-40 are above 2^63 or below any unit


def parse(text: object, *, milli: bool = False, round_up: bool = True, minimum: int = 0) -> int:
    """Give a quantity as an integer.

    Parameters
    ----------
    text : a text such as ``"1.5Gi"``, or an integer.
    milli : count thousandths (millicores) instead of units.
    round_up : round a fraction of the unit away from below (requests) or down (capacity).
    minimum : the least value allowed.

    Raises
    ------
    ValueError
        When it is no quantity, below ``minimum``, or above 2^63 - 1 in the unit asked for.
    """
    if isinstance(text, bool) or not isinstance(text, (str, int)):
        raise ValueError("a quantity expected, such as 500m or 2Gi")
    if isinstance(text, str):
        value = _parse(text, milli, round_up)
    else:
        value = text * 1000 if milli else text
    if value < minimum:
        raise ValueError(f"at least {minimum} expected, got {str(text)[:40]}")
    if value > MAX:
        raise ValueError(f"the quantity is above 2^63 - 1{' thousandths' if milli else ''}")
    return value


def exact(text: object) -> Fraction:
    """Give a quantity that is no resource of a node (a capacity, a counter) as an exact fraction.

    What is finer than a billionth is rounded up to one, as the API does.

    Raises
    ------
    ValueError
        When it is no quantity, negative, or above 2^63 - 1.
    """
    if isinstance(text, bool) or not isinstance(text, (str, int)):
        raise ValueError("a quantity expected, such as 500m or 2Gi")
    value = _exact(text) if isinstance(text, str) else Fraction(text)
    if value < 0:
        raise ValueError(f"at least 0 expected, got {str(text)[:40]}")
    if value > MAX:
        raise ValueError("the quantity is above 2^63 - 1")
    return value


@lru_cache(maxsize=4096)
def _exact(text: str) -> Fraction:
    above, below = _ratio(text)
    return Fraction(-(-above * _FINEST // below), _FINEST)


@lru_cache(maxsize=65536)
def _parse(text: str, milli: bool, round_up: bool) -> int:
    above, below = _ratio(text)
    above *= 1000 if milli else 1
    return -(-above // below) if round_up else above // below


def _ratio(text: str) -> tuple[int, int]:
    """Read a quantity as numerator and denominator."""
    found = _NUMBER.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None or not (found["whole"] or found["part"]):
        raise ValueError(f"a quantity expected, such as 500m or 2Gi, got {text[:40]!r}")
    part = found["part"] or ""
    digits = int(found["whole"] + part)
    if found["sign"] == "-":
        digits = -digits
    suffix = found["suffix"] or ""
    binary = _BINARY.get(suffix, 0)
    tens = _DECIMAL.get(suffix, 0) + _exponent(found["exponent"]) - len(part)
    above: int = (digits << binary) * 10 ** max(tens, 0)
    below: int = 10 ** max(-tens, 0)
    return above, below


def _exponent(text: str | None) -> int:
    # A huge exponent must not make a huge integer; clipped, it still rounds or overflows alike.
    return 0 if text is None else max(-_WIDEST - _LONGEST, min(_WIDEST + _LONGEST, int(text)))
