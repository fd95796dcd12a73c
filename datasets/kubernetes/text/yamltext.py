"""YAML text -> values, built from parser events.

Only null, true, false and decimal integers are resolved (YAML 1.2 core, without floats): 129e6,
0.1, 1_000, 1:30, 0x10 and dates stay text, as do mapping keys. A key that comes twice, a tag that
Kubernetes does not know and aliases that expand without end are errors.
"""

import re
from collections.abc import Iterator
from typing import Any

import yaml

from gangplan.datasets.kubernetes.text.jsontext import Value
from gangplan.datasets.kubernetes.text.text import Malformed, at

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,39})", re.ASCII)
_TAG = "tag:yaml.org,2002:"
_DEEPEST = 200
_ALIASED = 1_000_000  # nodes that all aliases of a text may stand for


class _Frame:
    """A mapping or list that is being filled."""

    __slots__ = ("anchor", "key", "mark", "merged", "size", "value")

    def __init__(self, value: Any, anchor: str | None, mark: Any) -> None:
        self.value = value
        self.anchor = anchor
        self.mark = mark
        self.key: str | None = None
        self.merged: list[Any] | None = None  # what << stands for, in order
        self.size = 1


def values(text: str) -> Iterator[Value]:
    """Read all documents of a text; empty ones are passed over.

    Raises
    ------
    Malformed
        At the first place that is no YAML, or YAML that cannot be an API object.
    """
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            found = builder.feed(event)
            if found is not None:
                yield found
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        words = " ".join(part for part in (error.context, error.problem) if part)
        if mark is None:
            raise Malformed(words) from error
        raise at(mark.line + 1, mark.column + 1, words) from error
    except yaml.YAMLError as error:
        raise Malformed(" ".join(str(error).split())) from error


class _Builder:
    """Makes values of events without recursion, so that no nesting can exhaust the stack."""

    def __init__(self) -> None:
        self._stack: list[_Frame] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._open: set[str] = set()
        self._aliased = 0

    def feed(self, event: Any) -> Value | None:
        """Take one event; give a document's value when it ends one."""
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._start(event)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            return self._end()
        elif isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._anchors.clear()
        return None

    def _scalar(self, event: Any) -> Value | None:
        frame = self._stack[-1] if self._stack else None
        if frame is not None and frame.key is None and isinstance(frame.value, dict):
            self._set_key(frame, event.value, event)
            if event.value == "<<" and event.implicit[0]:
                frame.merged = frame.merged or []
            if event.anchor:
                self._anchors[event.anchor] = (event.value, 1)
            return None
        value = _resolve(event)
        if event.anchor:
            self._anchors[event.anchor] = (value, 1)
        return self._put(value, 1, event.start_mark)

    def _set_key(self, frame: _Frame, key: str, event: Any) -> None:
        if key in frame.value:
            raise _at(event, f"the key {key!r} appears twice")
        frame.key = key

    def _start(self, event: Any) -> None:
        frame = self._stack[-1] if self._stack else None
        if frame is not None and frame.key is None and isinstance(frame.value, dict):
            raise _at(event, "a mapping key must be text")
        is_map = isinstance(event, yaml.MappingStartEvent)
        if event.tag not in (None, "!", _TAG + ("map" if is_map else "seq")):
            raise _at(event, f"the tag {event.tag} is not supported")
        if len(self._stack) >= _DEEPEST:
            raise _at(event, "nested too deep")
        if event.anchor:
            self._anchors.pop(event.anchor, None)
            self._open.add(event.anchor)
        self._stack.append(_Frame({} if is_map else [], event.anchor, event.start_mark))

    def _end(self) -> Value | None:
        frame = self._stack.pop()
        for source in frame.merged or ():
            for key, value in source.items():
                frame.value.setdefault(key, value)
        if frame.anchor:
            self._open.discard(frame.anchor)
            self._anchors[frame.anchor] = (frame.value, frame.size)
        return self._put(frame.value, frame.size, frame.mark)

    def _alias(self, event: Any) -> Value | None:
        if event.anchor not in self._anchors:
            what = "contains itself" if event.anchor in self._open else "is not defined"
            raise _at(event, f"the anchor {event.anchor!r} {what}")
        value, size = self._anchors[event.anchor]
        self._aliased += size
        if self._aliased > _ALIASED:
            raise _at(event, f"aliases stand for more than {_ALIASED} values")
        frame = self._stack[-1] if self._stack else None
        if frame is not None and frame.key is None and isinstance(frame.value, dict):
            if not isinstance(value, str):
                raise _at(event, "a mapping key must be text")
            self._set_key(frame, value, event)
            return None
        return self._put(value, size, event.start_mark)

    def _put(self, value: Any, size: int, mark: Any) -> Value | None:
        if not self._stack:
            return None if value is None else Value(value, mark.line + 1)
        frame = self._stack[-1]
        frame.size += size
        if isinstance(frame.value, list):
            frame.value.append(value)
            return None
        key, frame.key = frame.key, None
        if key == "<<" and frame.merged is not None:
            maps = value if isinstance(value, list) else [value]
            if not all(isinstance(entry, dict) for entry in maps):
                raise at(mark.line + 1, mark.column + 1, "<< takes a mapping or a list of them")
            frame.merged += maps
        else:
            frame.value[key] = value
        return None


def _resolve(event: Any) -> Any:
    text: str = event.value
    if event.implicit[0]:
        return _plain(text)
    if event.implicit[1] or event.tag in (_TAG + "str", "!"):
        return text
    if event.tag == _TAG + "float":
        return text
    value = _plain(text)
    wanted = {"null": type(None), "bool": bool, "int": int}.get(event.tag.removeprefix(_TAG))
    if wanted is None:
        raise _at(event, f"the tag {event.tag} is not supported")
    if type(value) is not wanted:
        raise _at(event, f"{text[:40]!r} is not of the type of its tag")
    return value


def _plain(text: str) -> Any:
    if text in _NULL:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    return int(text) if _INTEGER.fullmatch(text) else text


def _at(event: Any, message: str) -> Malformed:
    return at(event.start_mark.line + 1, event.start_mark.column + 1, message)
