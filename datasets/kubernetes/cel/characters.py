"""Tests of characters in regular expressions: classes of RE2, and case."""

from collections.abc import Callable
from functools import lru_cache

Test = Callable[[str], bool]
_DIGIT = frozenset("0123456789")
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") | _DIGIT
_SPACE = frozenset("\t\n\f\r ")
PERL = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
POSIX = {
    "digit": _DIGIT,
    "word": _WORD,
    "space": _SPACE | {"\v"},
    "blank": frozenset("\t "),
    "alpha": _WORD - _DIGIT - {"_"},
    "alnum": _WORD - {"_"},
    "lower": frozenset("abcdefghijklmnopqrstuvwxyz"),
    "upper": frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "xdigit": frozenset("0123456789abcdefABCDEF"),
    "punct": frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
    "cntrl": frozenset(map(chr, (*range(32), 127))),
    "print": frozenset(map(chr, range(32, 127))),
    "graph": frozenset(map(chr, range(33, 127))),
    "ascii": frozenset(map(chr, range(128))),
}


def one(letter: str) -> Test:
    """Test for one character."""
    return lambda c: c == letter


def among(letters: frozenset[str], wanted: bool) -> Test:
    """Test for being among characters, or (not ``wanted``) not."""
    return lambda c: (c in letters) is wanted


def folded(test: Test) -> Test:
    """Ignore case: try every writing of a character."""
    return lambda c: any(map(test, {c, *_writings(c)}))


@lru_cache(maxsize=1024)
def _writings(letter: str) -> frozenset[str]:
    found = {letter.lower(), letter.upper(), letter.casefold()}
    found |= {"k": {"\u212a"}, "s": {"\u017f"}}.get(letter.lower(), set())
    found |= {"\u212a": {"k", "K"}, "\u017f": {"s", "S"}}.get(letter, set())
    return frozenset(one for one in found if len(one) == 1)
