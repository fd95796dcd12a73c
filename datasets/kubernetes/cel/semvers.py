"""Semver objects: ``semver("1.2.3")`` and version attributes of devices (semver.org 2.0.0)."""

from dataclasses import dataclass, field
from functools import lru_cache

from gangplan.datasets.kubernetes.cel.errors import Failed

_DIGITS = frozenset("0123456789")
_PART = _DIGITS | frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-")
_MAX = 2**64 - 1

Part = tuple[int, int, str]
"""An identifier of a prerelease by rank: numbers (0, n, "") before words (1, 0, word)."""


@dataclass(frozen=True, slots=True, order=True)
class Semver:
    """A semantic version; builds are left out, as they neither order nor distinguish versions.

    Attributes
    ----------
    release : 1 for a release, 0 for a prerelease, which comes before it.
    """

    major: int
    minor: int
    patch: int
    release: int = field(default=1)
    parts: tuple[Part, ...] = ()


@lru_cache(maxsize=4096)
def parse(text: str, normalize: bool = False) -> Semver:
    """Read a version.

    Parameters
    ----------
    normalize : allow a ``v`` before it, one or two numbers only, and zeros before a number.

    Raises
    ------
    Failed : it is none.
    """
    if normalize:
        text = _normal(text)
    if not text:
        raise Failed("Version string empty")
    numbers = text.split(".", 2)
    if len(numbers) != 3:
        raise Failed("No Major.Minor.Patch elements found")
    rest, plus, build = numbers[2].partition("+")
    patch, minus, before = rest.partition("-")
    release = (
        _number("major", numbers[0]),
        _number("minor", numbers[1]),
        _number("patch", patch),
    )
    parts = tuple(_part(one) for one in before.split(".")) if minus else ()
    if plus:
        for one in build.split("."):
            _named("Build meta data", one)
    return Semver(*release, release=0 if minus else 1, parts=parts)


def _normal(text: str) -> str:
    parts = text.removeprefix("v").split(".", 2)
    for at, part in enumerate(parts):
        if len(part) > 1:
            bare = part.lstrip("0")
            parts[at] = bare if bare and bare[0] in _DIGITS else "0" + bare
    if len(parts) < 3:
        if set(parts[-1]) & set("+-"):
            raise Failed("short version cannot contain PreRelease/Build meta data")
        parts += ["0"] * (3 - len(parts))
    return ".".join(parts)


def _number(which: str, text: str) -> int:
    if not text or not set(text) <= _DIGITS:
        raise Failed(f'Invalid character(s) found in {which} number "{text}"')
    if len(text) > 1 and text[0] == "0":
        raise Failed(f'{which.capitalize()} number must not contain leading zeroes "{text}"')
    if len(text) > 20 or int(text) > _MAX:
        raise Failed(f'{which.capitalize()} number out of range "{text}"')
    return int(text)


def _part(text: str) -> Part:
    _named("Prerelease", text)
    if not set(text) <= _DIGITS:
        return (1, 0, text)
    if len(text) > 1 and text[0] == "0":
        raise Failed(f'Numeric PreRelease version must not contain leading zeroes "{text}"')
    if len(text) > 20 or int(text) > _MAX:
        raise Failed(f'PreRelease number out of range "{text}"')
    return (0, int(text), "")


def _named(which: str, text: str) -> None:
    if not text:
        raise Failed(f"{which} is empty")
    if not set(text) <= _PART:
        raise Failed(f'Invalid character(s) found in {which.lower()} "{text}"')
