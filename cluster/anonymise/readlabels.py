"""Label keys and texts of devices that some rule of a World reads; no other one matters."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from gangplan.datasets.kubernetes.objects import annotations, foreign, kueue

TOPOLOGY_NOTES = frozenset(
    {
        annotations.REQUIRED,
        annotations.PREFERRED,
        annotations.SLICE_REQUIRED,
        kueue.REQUIRED,
        kueue.PREFERRED,
        kueue.SLICE_REQUIRED,
    }
)
"""Annotations whose value is a list of label keys."""

_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"' + r"|'((?:[^'\\]|\\.)*)'")
_CALL = re.compile(r"\.\s*(\w+)\s*\(")
_PLAIN_CALLS = frozenset({"orValue", "hasValue", "exists", "all", "exists_one"})
_ORDER = re.compile(r"[<>+]|\bsize\s*\(")


@dataclass(slots=True)
class Read:
    """What rules read.

    Attributes
    ----------
    labels : label keys. numbers : those compared as numbers.
    expressions : texts of CEL selectors. literals : texts in quotes in them.
    attributes : attributes that constraints and pools name.
    """

    labels: set[str] = field(default_factory=lambda: {annotations.ROLE_LABEL, *foreign.LABELS})
    numbers: set[str] = field(default_factory=set)
    expressions: set[str] = field(default_factory=set)
    literals: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)

    def label(self, key: str) -> bool:
        """Whether a rule reads the label."""
        return key in self.labels

    def attribute(self, name: str) -> bool:
        """Whether a selector or a constraint may read the attribute or capacity."""
        short = name.rpartition("/")[2]
        return any(short in text for text in (*self.expressions, *self.attributes))

    def text(self, name: str, value: str) -> bool:
        """Whether a selector could tell this value of an attribute from another text."""
        short = name.rpartition("/")[2]
        return value in self.literals or any(
            short in text and not _equality(text) for text in self.expressions
        )


def read_of(objects: Iterable[dict[str, Any]]) -> Read:
    """Find out what the rules of some objects read."""
    found = Read()
    for obj in objects:
        for key, value in _fields(obj):
            _note(found, key, value)
    for text in found.expressions:
        found.literals |= {one or two for one, two in _LITERAL.findall(text)}
    return found


def _equality(text: str) -> bool:
    """Whether an expression does nothing to texts but to compare them for equality."""
    outside = _LITERAL.sub('""', text)
    return set(_CALL.findall(outside)) <= _PLAIN_CALLS and not _ORDER.search(outside)


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every field, at any depth."""
    if isinstance(value, list):
        for entry in value:
            yield from _fields(entry)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key, inner
            yield from _fields(inner)


def _note(found: Read, key: str, value: Any) -> None:
    if key in ("matchLabels", "nodeSelector") and isinstance(value, dict):
        found.labels |= value.keys() - {"nodeSelectorTerms"}
    elif key == "matchExpressions" and isinstance(value, list):
        for entry in value:
            found.labels.add(entry["key"])
            if entry.get("operator") in ("Gt", "Lt"):
                found.numbers.add(entry["key"])
    elif key == "topology" and isinstance(value, list):
        found.labels |= {entry["key"] for entry in value if "key" in entry}
    elif key in ("topologyKey", "nodeLabel") and isinstance(value, str):
        found.labels.add(value)
    elif key in TOPOLOGY_NOTES and isinstance(value, str):
        found.labels |= {part.strip() for part in value.split(",")}
    elif key in ("matchLabelKeys", "mismatchLabelKeys") and isinstance(value, list):
        found.labels |= set(value)
    elif key == "expression" and isinstance(value, str):
        found.expressions.add(value)
    elif key in ("matchAttribute", "distinctAttribute", "partitionTypeAttribute"):
        found.attributes.add(str(value))
