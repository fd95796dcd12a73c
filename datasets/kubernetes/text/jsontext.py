"""JSON text -> values; the items of a list one by one, in bounded memory.

Numbers with a fraction or an exponent stay text, so that no quantity passes through a binary
float. Values may follow one another (JSON lines, ``kubectl get --watch``).
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from gangplan.datasets.kubernetes.text.text import Malformed, at

CUT_SHORT = "one page of a longer list (metadata.continue is set): ask without a limit"
"""What is wrong with a list that is `cut_short`."""

_SPACE = re.compile(r"[ \t\r\n]*")
_STARTS = re.compile(r'[ \t\r\n]*(?:\[\s*(?:[{\[]|$)|\{\s*(?:["}]|$))')
_CUT = 16  # the longest token that a chunk's end can cut (-Infinity, \ud83d\ude00) is shorter


class Reader(Protocol):
    """What gives the text, chunk after chunk, and an empty text at its end."""

    def read(self) -> str:
        """Take the next chunk."""
        ...

    @property
    def breaks(self) -> int:
        """Line breaks in all that was taken."""
        ...


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a text: the line it starts on, and its place if it is an item of a list."""

    obj: Any
    line: int
    index: int | None = None


def looks_like(text: str) -> bool:
    """Whether a text starts as JSON and not as YAML (a few flow mappings start as both)."""
    return _STARTS.match(text) is not None


def typed(item: Any, kind: str, version: str) -> Any:
    """Give an item of a typed list (``PodList``) the kind and version that it leaves out."""
    if kind == "List" or not isinstance(item, dict):
        return item
    if _is_whole(item):
        return item
    return {**item, "kind": item.get("kind") or kind.removesuffix("List"), "apiVersion": version}


def values(reader: Reader, *, strict: bool = True) -> Iterator[Value]:
    """Read all values of a text.

    Parameters
    ----------
    reader : the text.
    strict : a key that comes twice in a mapping is an error. Off, it is only so at the top: the
        test takes as long as all the rest, and what is too big for a hand to write needs none.

    Raises
    ------
    Malformed
        At the first place that is no JSON.
    """
    scanner = _Scanner(reader, strict)
    while char := scanner.peek():
        line = scanner.line
        if char == "{":
            yield from _object(scanner, line)
        else:
            yield Value(scanner.value(), line)


def _object(scanner: "_Scanner", line: int) -> Iterator[Value]:
    """Read an object field by field; stream its ``items``, if it has some."""
    head: dict[str, Any] = {}
    held: list[Any] = []  # items without a kind, until it is known whether this is a typed list
    streamed = False
    scanner.take("{")
    while scanner.peek() != "}":
        if head:
            scanner.take(",")
        if scanner.peek() != '"':
            raise scanner.error("a field name in double quotes expected")
        key = scanner.value()
        if key in head:
            raise scanner.error(f"the key {key!r} appears twice")
        scanner.take(":")
        if key != "items" or scanner.peek() != "[":
            head[key] = scanner.value()
            continue
        head[key] = held
        for index, item in enumerate(_items(scanner)):
            if _is_list(head) or _is_whole(item):
                streamed = True
                yield Value(_typed(item, head), line, index)
            else:
                held.append(item)
    scanner.take("}")
    if _is_list(head) and cut_short(head):
        raise Malformed(f"line {line}: {CUT_SHORT}")
    if not _is_list(head):
        if streamed:
            raise Malformed(f"line {line}: items without a kind that ends in List")
        yield Value(head, line)
    elif held:
        for index, item in enumerate(held):
            yield Value(_typed(item, head), line, index)
    elif not streamed:
        yield Value(head, line)


def cut_short(head: dict[str, Any]) -> bool:
    """Whether a list is one page of several: the server has more of it."""
    metadata = head.get("metadata")
    return isinstance(metadata, dict) and bool(metadata.get("continue"))


def _is_whole(item: Any) -> bool:
    return isinstance(item, dict) and bool(item.get("kind")) and bool(item.get("apiVersion"))


def _is_list(head: dict[str, Any]) -> bool:
    kind, version = head.get("kind"), head.get("apiVersion")
    return isinstance(kind, str) and kind.endswith("List") and isinstance(version, str)


def _typed(item: Any, head: dict[str, Any]) -> Any:
    return item if _is_whole(item) else typed(item, head["kind"], head["apiVersion"])


def _items(scanner: "_Scanner") -> Iterator[Any]:
    scanner.take("[")
    if scanner.peek() == "]":
        scanner.take("]")
        return
    while True:
        yield scanner.value()
        if scanner.peek() == "]":
            scanner.take("]")
            return
        scanner.take(",")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]  # add gives None
        raise ValueError(f"the key {twice!r} appears twice")
    return found


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


class _Scanner:
    """A window on the text that moves forward."""

    def __init__(self, reader: Reader, strict: bool) -> None:
        self._reader = reader
        self._text = ""
        self._pos = 0
        self._lines = 0  # line breaks before the place in the window up to which they are counted
        self._counted = 0  # that place; -1 when nobody has asked since the window moved
        self._column = 0  # characters between the last line break and the window
        self._decode = json.JSONDecoder(
            object_pairs_hook=_pairs if strict else None,
            parse_float=str,
            parse_constant=_constant,
        ).raw_decode

    @property
    def line(self) -> int:
        """The current line, from 1."""
        return self._breaks(self._pos) + 1

    def _breaks(self, pos: int) -> int:
        """Count the line breaks before a place that is not behind the one asked for last."""
        if self._counted < 0:
            self._lines = self._reader.breaks - self._text.count("\n", pos)
        else:
            self._lines += self._text.count("\n", self._counted, pos)
        self._counted = pos
        return self._lines

    def error(self, message: str, pos: int | None = None) -> Malformed:
        """Make an error about a place in the window (the current one by default)."""
        pos = self._pos if pos is None else pos
        last = self._text.rfind("\n", 0, pos)
        column = pos - last if last >= 0 else self._column + pos + 1
        return at(self._breaks(pos) + 1, column, message)

    def _more(self) -> bool:
        """Forget what is behind and at least double what is ahead; False at the end."""
        last = self._text.rfind("\n", 0, self._pos)
        self._column = self._pos - last - 1 if last >= 0 else self._column + self._pos
        self._counted = -1
        parts = [self._text[self._pos :]]
        wanted, size = max(1, len(parts[0])), 0
        while size < wanted and (chunk := self._reader.read()):
            parts.append(chunk)
            size += len(chunk)
        self._text, self._pos = "".join(parts), 0
        return size > 0

    def peek(self) -> str:
        """Pass over white space and give the next character; empty at the end."""
        while True:
            found = _SPACE.match(self._text, self._pos)
            self._pos = found.end() if found else self._pos
            if self._pos < len(self._text):
                return self._text[self._pos]
            if not self._more():
                return ""

    def take(self, char: str) -> None:
        """Pass over white space and one character that must come."""
        if self.peek() != char:
            raise self.error(f"{char!r} expected")
        self._pos += 1

    def value(self) -> Any:
        """Pass over white space and read the value that must come."""
        self.peek()
        while True:
            start = self._pos
            try:
                value, end = self._decode(self._text, start)
            except json.JSONDecodeError as error:
                if self._is_cut(error) and self._more():
                    continue
                # Looking for more has moved the window.
                raise self.error(error.msg, error.pos - start + self._pos) from error
            except RecursionError as error:
                raise self.error("nested too deep") from error
            except ValueError as error:
                words = "a number of too many digits" if "digits" in str(error) else str(error)
                raise self.error(words) from error
            if not isinstance(value, (dict, list)) and self._is_near_end(end) and self._more():
                continue  # a number may go on in the next chunk
            self._pos = end - start + self._pos
            return value

    def _is_cut(self, error: json.JSONDecodeError) -> bool:
        return error.msg.startswith("Unterminated") or self._is_near_end(error.pos)

    def _is_near_end(self, pos: int) -> bool:
        return pos >= len(self._text) - _CUT
