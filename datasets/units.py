"""Exact fractions of capacities and counters as integers of a unit: its name, and back.

Columns count parts (a common denominator). The name of what is counted says which, where it is not
the base unit: ``gpu.example.com/cores in 1/4``.
"""

from fractions import Fraction

_IN = " in 1/"
_SUFFIXES = (("", 1), ("m", 10**3), ("u", 10**6), ("n", 10**9))


def counted_in(name: str, parts: int) -> str:
    """Give the name of an amount that is counted in so many parts of the base unit."""
    return name if parts == 1 else f"{name}{_IN}{parts}"


def amount_of(name: str, number: int) -> tuple[str, int | str]:
    """Give the plain name and the true amount: a whole number, or a quantity of Kubernetes."""
    plain, _, parts = name.partition(_IN)
    if not parts.isdecimal():
        return name, number
    amount = Fraction(number, int(parts))
    for suffix, per in _SUFFIXES:
        if (amount * per).denominator == 1:
            whole = int(amount * per)
            return plain, f"{whole}{suffix}" if suffix else whole
    return plain, str(amount)  # finer than any quantity: only by hand
