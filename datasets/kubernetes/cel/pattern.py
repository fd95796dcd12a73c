r"""Regular expressions in RE2's syntax -> a program for `search`.

The library matches by RE2 but gives no place of a match, which ``find`` and ``findAll`` need.
What is rare in selectors is not supported, by name: classes of Unicode properties, ``\C``.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from gangplan.datasets.kubernetes.cel.characters import PERL, POSIX, Test, among, folded, one
from gangplan.datasets.kubernetes.cel.errors import Failed

CHAR, SPLIT, JUMP, ASSERT, MATCH = range(5)
_LONGEST = 20_000
"""Instructions of a program."""
_REPEATS = 1000
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}


@dataclass(frozen=True, slots=True)
class Step:
    """An instruction.

    Attributes
    ----------
    test : of a CHAR.
    to : the ways of a SPLIT (preferred first) or JUMP, relative to it.
    what : of an ASSERT: ``^ $ b B`` of texts, ``(`` and ``)`` of lines.
    """

    kind: int
    test: Test | None = None
    to: tuple[int, ...] = ()
    what: str = ""


Part = tuple[Step, ...]
"""Instructions whose ways are relative to themselves; it goes on at its end."""


@lru_cache(maxsize=256)
def program(pattern: str) -> Part:
    """Give the program of a pattern that RE2 accepts.

    Raises
    ------
    Failed : the pattern is not supported.
    """
    reader = _Reader(pattern)
    part = reader.alternatives()
    if reader.at < len(pattern):
        raise Failed("Illegal regex: unexpected )")
    return (*part, Step(MATCH))


@dataclass(frozen=True, slots=True)
class _Flags:
    fold: bool = False
    dot: bool = False
    lines: bool = False
    lazy: bool = False


class _Reader:
    """A recursive-descent reader; the pattern is known to be valid."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.flags = _Flags()

    def alternatives(self) -> Part:
        """Read ``a|b|c``."""
        outer = self.flags
        parts = [self._sequence()]
        while self._take("|"):
            parts.append(self._sequence())
        self.flags = outer
        whole = parts.pop()
        for part in reversed(parts):
            whole = _bounded(
                (
                    Step(SPLIT, to=(1, len(part) + 2)),
                    *part,
                    Step(JUMP, to=(len(whole) + 1,)),
                    *whole,
                )
            )
        return whole

    def _sequence(self) -> Part:
        parts: list[Step] = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            parts += self._repeated(self._atom())
        return _bounded(tuple(parts))

    def _repeated(self, part: Part) -> Part:
        while self.at < len(self.pattern):
            letter = self.pattern[self.at]
            counts = {"*": (0, -1), "+": (1, -1), "?": (0, 1)}.get(letter)
            if letter == "{":
                counts = self._counts()
            elif counts is not None:
                self.at += 1
            if counts is None:
                break
            part = _repeat(part, *counts, lazy=self._take("?") != self.flags.lazy)
        return part

    def _counts(self) -> tuple[int, int] | None:
        """Read ``{n}``, ``{n,}`` or ``{n,m}``; anything else is a brace."""
        body, closed, _ = self.pattern[self.at + 1 :].partition("}")
        least, comma, most = body.partition(",")
        if not closed or not least.isascii() or not least.isdigit():
            return None
        if most and not (most.isascii() and most.isdigit()):
            return None
        self.at += len(body) + 2
        low = int(least)
        high = (int(most) if most else -1) if comma else low
        if low > _REPEATS or high > _REPEATS:
            raise Failed("Illegal regex: invalid repeat count")
        return low, high

    def _atom(self) -> Part:
        letter = self.pattern[self.at]
        self.at += 1
        if letter == "(":
            return self._group()
        if letter == "[":
            return self._char(self._set())
        if letter == ".":
            return (Step(CHAR, (lambda _: True) if self.flags.dot else (lambda c: c != "\n")),)
        if letter in "^$":
            lines = self.flags.lines
            return (Step(ASSERT, what=("(" if letter == "^" else ")") if lines else letter),)
        if letter == "\\":
            return self._escape()
        return self._char(one(letter))

    def _char(self, test: Test) -> Part:
        return (Step(CHAR, folded(test) if self.flags.fold else test),)

    def _group(self) -> Part:
        before = self.flags
        if self._take("?"):
            if self._take("P<") or self._take("<"):
                self.at = self.pattern.index(">", self.at) + 1
            elif not self._opened():
                return ()  # (?i): for the rest of the group around it
        part = self.alternatives()
        self.at += 1
        self.flags = before
        return part

    def _opened(self) -> bool:
        """Read flags after ``(?``; True where a group begins, False at ``)``."""
        names = {"i": "fold", "s": "dot", "m": "lines", "U": "lazy"}
        on = True
        while True:
            letter = self.pattern[self.at]
            self.at += 1
            if letter in ":)":
                return letter == ":"
            if letter == "-":
                on = False
            else:
                self.flags = replace(self.flags, **{names[letter]: on})

    def _escape(self) -> Part:
        letter = self.pattern[self.at]
        if letter in "AzbB":
            self.at += 1
            return (Step(ASSERT, what={"A": "^", "z": "$"}.get(letter, letter)),)
        if letter == "Q":
            body, _, _ = self.pattern[self.at + 1 :].partition("\\E")
            self.at = min(self.at + 1 + len(body) + 2, len(self.pattern))
            parts = tuple(step for letter in body for step in self._char(one(letter)))
            # A repetition after \\E is of the last character alone.
            return parts[:-1] + self._repeated(parts[-1:]) if parts else ()
        return self._char(self._escaped())

    def _escaped(self) -> Test:
        """Read what a backslash stands for, in a class or outside."""
        letter = self.pattern[self.at]
        self.at += 1
        if letter.lower() in PERL:
            return among(PERL[letter.lower()], letter.islower())
        if letter in "pPC":
            raise Failed(f"not supported: \\{letter} in a regular expression")
        return one(self._character(letter))

    def _character(self, letter: str) -> str:
        """Give the character that is written as a backslash and ``letter``."""
        if letter == "x":
            if self._take("{"):
                digits, _, _ = self.pattern[self.at :].partition("}")
                self.at += len(digits) + 1
            else:
                digits = self.pattern[self.at : self.at + 2]
                self.at += 2
            return chr(int(digits, 16))
        if letter in "01234567":
            digits = letter
            while len(digits) < 3 and self.pattern[self.at : self.at + 1] in tuple("01234567"):
                digits += self.pattern[self.at]
                self.at += 1
            return chr(int(digits, 8))
        return _ESCAPES.get(letter, letter)

    def _set(self) -> Test:
        """Read a class after its bracket."""
        wanted = not self._take("^")
        tests: list[Test] = []
        first = True
        while first or self.pattern[self.at] != "]":
            first = False
            tests.append(self._element())
        self.at += 1
        return lambda c: any(test(c) for test in tests) is wanted

    def _element(self) -> Test:
        """Read a character, a range, an escape or a [:class:] of a class."""
        if self._take("[:"):
            name, _, _ = self.pattern[self.at :].partition(":]")
            self.at += len(name) + 2
            return among(POSIX[name.removeprefix("^")], not name.startswith("^"))
        low = self._take_bound()
        if not isinstance(low, str):
            return low
        if self.pattern[self.at] == "-" and self.pattern[self.at + 1] != "]":
            self.at += 1
            high = self._take_bound()
            if isinstance(high, str):
                return lambda c: low <= c <= high
        return one(low)

    def _take_bound(self) -> str | Test:
        letter = self.pattern[self.at]
        self.at += 1
        if letter != "\\":
            return letter
        letter = self.pattern[self.at]
        if letter.lower() in PERL or letter in "pPC":
            return self._escaped()
        self.at += 1
        return self._character(letter)

    def _take(self, text: str) -> bool:
        if self.pattern.startswith(text, self.at):
            self.at += len(text)
            return True
        return False


def _repeat(part: Part, least: int, most: int, *, lazy: bool) -> Part:
    """Repeat a part ``least`` to ``most`` times (-1: any number of times)."""
    _bounded_times(part, max(least, most, 1))
    again, leave = 1, len(part) + 2
    if most < 0:
        ways = (leave, again) if lazy else (again, leave)
        loop = (Step(SPLIT, to=ways), *part, Step(JUMP, to=(-len(part) - 1,)))
        return _bounded(part * least + loop)
    optional: Part = ()
    for _ in range(most - least):
        inner = (*part, *optional)
        leave = len(inner) + 1
        optional = (Step(SPLIT, to=(leave, again) if lazy else (again, leave)), *inner)
    return _bounded(part * least + optional)


def _bounded_times(part: Part, times: int) -> None:
    if len(part) * times > _LONGEST:
        raise Failed("Illegal regex: expression too large")


def _bounded(part: Part) -> Part:
    if len(part) > _LONGEST:
        raise Failed("Illegal regex: expression too large")
    return part
