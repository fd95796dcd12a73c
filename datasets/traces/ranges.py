"""Slurm host lists: ``srv11[01-08,12]`` written out, name by name."""

import re
from itertools import product

LIMIT = 100_000
"""Most names that one expression may stand for."""

_PARTS = re.compile(r"\[([^\[\]]*)\]|([^\[\]]+)")
_RANGE = re.compile(r"([0-9]+)(?:-([0-9]+))?")


def expand(text: str, limit: int = LIMIT) -> list[str]:
    """Write a host-list expression out; several brackets multiply, the last one runs fastest.

    A bracket holds numbers and ranges with commas between them. A number that starts with a zero
    keeps its width: ``[08-10]`` is 08, 09, 10 and ``[8-10]`` is 8, 9, 10.

    Raises
    ------
    ValueError : brackets that do not match, a range that is none or runs backwards, a name
        that is empty, more than ``limit`` names.
    """
    if "".join(match.group(0) for match in _PARTS.finditer(text)) != text or not text:
        raise ValueError(f"{text!r} is no host list: brackets do not match")
    parts: list[list[str]] = []
    total = 1
    for match in _PARTS.finditer(text):
        inside, plain = match.groups()
        parts.append([plain] if inside is None else _numbers(inside, text, limit))
        total *= len(parts[-1])
        if total > limit:
            raise ValueError(f"{text!r} stands for more than {limit} names")
    return ["".join(choice) for choice in product(*parts)]


def split(text: str) -> list[str]:
    """Split a comma list of host-list expressions at the commas outside brackets."""
    return [part for part in re.split(r",(?![^\[]*\])", text) if part]


def _numbers(inside: str, text: str, limit: int) -> list[str]:
    names: list[str] = []
    for part in inside.split(","):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise ValueError(f"{text!r}: {part!r} is no range of numbers")
        first, last = match.group(1), match.group(2) or match.group(1)
        low, high = int(first), int(last)
        if high < low:
            raise ValueError(f"{text!r}: {part!r} runs backwards")
        if high - low >= limit - len(names):
            raise ValueError(f"{text!r} stands for more than {limit} names")
        width = len(first) if first.startswith("0") else 0
        names += [str(number).zfill(width) for number in range(low, high + 1)]
    return names
