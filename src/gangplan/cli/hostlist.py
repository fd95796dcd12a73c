"""Node names in Slurm's notation: ``rack1-n[0-2,4]`` for four nodes."""

import re
from collections.abc import Sequence

_LAST_NUMBER = re.compile(r"^(.*?)([0-9]+)([^0-9]*)$")

_WHOLE = "\n"  # in the place of a tail: the name has no number

STEMS = 4
"""Ranges of different stems that are written; the nodes of the others are counted."""


def hostlist(names: Sequence[str]) -> str:
    """Fold names that differ in their last number only; numbers keep their leading zeros.

    A stem and numbers of one width make one range, and single names stay as they are.
    """
    numbers: dict[tuple[str, str, int], list[int]] = {}
    for name in names:
        found = _LAST_NUMBER.match(name)
        head, digits, tail = found.groups() if found else (name, "", "")
        tail = tail if found else _WHOLE
        # Leading zeros tie a number to its width; without them 9 and 10 are neighbours.
        width = len(digits) if digits.startswith("0") and len(digits) > 1 else 0
        numbers.setdefault((head, tail, width), []).append(int(digits or 0))
    written = [_folded(*key, of) for key, of in numbers.items()]
    told = ", ".join(written[:STEMS])
    more = sum(len(of) for of in list(numbers.values())[STEMS:])
    return f"{told} and {more} more" if more else told


def _folded(head: str, tail: str, width: int, numbers: list[int]) -> str:
    if tail == _WHOLE:
        return head
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    said = ",".join(
        f"{low:0{width}d}" if low == high else f"{low:0{width}d}-{high:0{width}d}"
        for low, high in runs
    )
    return f"{head}{said}{tail}" if len(numbers) == 1 else f"{head}[{said}]{tail}"
