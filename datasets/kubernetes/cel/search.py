"""Places of matches in linear time: all threads of a program at once (Pike 1987; Cox 2007).

The match is that of Go's and RE2's ``leftmost-first``: the earliest, then the first way that a
backtracking search would have taken.
"""

from collections.abc import Iterator

from gangplan.datasets.kubernetes.cel.limits import Meter
from gangplan.datasets.kubernetes.cel.pattern import ASSERT, CHAR, JUMP, MATCH, SPLIT, Part, program

_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


def find(meter: Meter, text: str, pattern: str) -> str:
    """Give the first match; empty where there is none."""
    found = _first(meter, program(pattern), text, 0)
    return text[found[0] : found[1]] if found else ""


def find_all(meter: Meter, text: str, pattern: str, limit: int = -1) -> tuple[str, ...]:
    """Give the matches that do not overlap, at most ``limit`` where it is not negative."""
    found: list[str] = []
    for start, end in _all(meter, program(pattern), text):
        if len(found) == limit:
            break
        found.append(text[start:end])
    return tuple(found)


def _all(meter: Meter, steps: Part, text: str) -> Iterator[tuple[int, int]]:
    """Give matches in turn; an empty one right after another match is none (regexp.FindAll)."""
    at, last = 0, -1
    while at <= len(text):
        found = _first(meter, steps, text, at)
        if not found:
            return
        start, end = found
        if end > start or start != last:
            yield start, end
        at = end if end > at else at + 1
        last = end


def _first(meter: Meter, steps: Part, text: str, start: int) -> tuple[int, int] | None:
    """Find the match that begins first, at ``start`` or later."""
    best: tuple[int, int] | None = None
    threads: dict[int, int] = {}  # instruction -> where its thread began; best first
    for at in range(start, len(text) + 1):
        if best is None:
            _follow(meter, steps, text, at, threads, 0, at)
        if not threads and best is not None:
            break
        after: dict[int, int] = {}
        for number, began in threads.items():
            step = steps[number]
            if step.kind == MATCH:
                best = (began, at)
                break  # what follows is worse
            if step.test is not None and at < len(text) and step.test(text[at]):
                _follow(meter, steps, text, at + 1, after, number + 1, began)
        threads = after
    return best


def _follow(
    meter: Meter,
    steps: Part,
    text: str,
    at: int,
    threads: dict[int, int],
    number: int,
    began: int,
) -> None:
    """Add the instructions that wait for a character at ``at``, in order of preference."""
    stack = [number]
    passed: set[int] = set()
    while stack:
        number = stack.pop()
        if number in passed or number in threads:
            continue
        passed.add(number)
        step = steps[number]
        if step.kind in (CHAR, MATCH):
            threads[number] = began
        elif step.kind in (SPLIT, JUMP):
            stack += [number + way for way in reversed(step.to)]
        elif step.kind == ASSERT and _holds(step.what, text, at):
            stack.append(number + 1)
    meter.step(len(passed))


def _holds(what: str, text: str, at: int) -> bool:
    if what in "^(":
        return at == 0 or (what == "(" and text[at - 1] == "\n")
    if what in "$)":
        return at == len(text) or (what == ")" and text[at] == "\n")
    edge = (at > 0 and text[at - 1] in _WORD) != (at < len(text) and text[at] in _WORD)
    return edge == (what == "b")
