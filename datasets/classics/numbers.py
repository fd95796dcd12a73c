"""Text files of numbers, read one by one; every error names file and line."""

import re
from fractions import Fraction
from pathlib import Path

from gangplan.datasets.traces.text import read_text
from gangplan.models.errors import Fault, InputError
from gangplan.models.milp import BIGGEST

_NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{0,20})?")


class Numbers:
    """The numbers of a text in order, however they are broken into lines."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self._words = [
            (word, number)
            for number, line in enumerate(text.splitlines(), start=1)
            for word in line.split()
        ]
        self._at = 0

    def exact(self, what: str) -> Fraction:
        """Return the next number, which may have decimals.

        Raises
        ------
        InputError : the file ends here, or has something else, or a number above 2^40.
        """
        if self._at == len(self._words):
            raise self.fault(f"the file ends where {what} is expected")
        word, _ = self._words[self._at]
        if not _NUMBER.fullmatch(word):
            raise self.fault(f"{what}: a number expected, not {word[:30]!r}")
        value = Fraction(word)
        if abs(value) > BIGGEST:
            raise self.fault(f"{what}: {word} is above 2^40")
        self._at += 1
        return value

    def whole(self, what: str, least: int = 0, most: int = BIGGEST) -> int:
        """Return the next number, a whole one in ``least`` .. ``most``.

        Raises
        ------
        InputError : as ``exact``, or out of range.
        """
        value = self.exact(what)
        if value.denominator == 1 and least <= value <= most:
            return int(value)
        self._at -= 1
        upto = "" if most == BIGGEST else f" to {most}"
        raise self.fault(
            f"{what}: a whole number from {least}{upto} expected, not {float(value):g}"
        )

    def wholes(self, count: int, what: str, least: int = 0, most: int = BIGGEST) -> tuple[int, ...]:
        """Return the next ``count`` whole numbers."""
        return tuple(self.whole(what, least, most) for _ in range(count))

    def end(self) -> None:
        """Check that nothing is left.

        Raises
        ------
        InputError : there is more.
        """
        if self._at < len(self._words):
            raise self.fault(f"the end expected, not {self._words[self._at][0][:30]!r}")

    def fault(self, message: str) -> InputError:
        """Return an InputError that names the line of the next number."""
        line = self._words[min(self._at, len(self._words) - 1)][1] if self._words else 1
        return InputError([Fault(f"{self.source}:{line}", "", "", message)])


def numbers_of(path: Path) -> Numbers:
    """Open a file of numbers.

    Raises
    ------
    InputError : it cannot be read.
    """
    return Numbers(read_text(path), str(path))
