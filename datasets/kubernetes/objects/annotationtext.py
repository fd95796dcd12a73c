"""The texts inside annotations: label keys, counts, and the pair that describes slices."""

from collections.abc import Callable

from gangplan.datasets.kubernetes.records import TopologyRule

FaultAt = Callable[[str, str], None]
"""Called with a field path and a message."""


def path(key: str) -> str:
    """Give the field path of an annotation."""
    return f"metadata.annotations[{key}]"


def keys(annotations: dict[str, str], key: str, fault: FaultAt) -> list[str]:
    """Read node-label keys, comma separated; empty where the annotation is absent."""
    if key not in annotations:
        return []
    found = [part.strip() for part in annotations[key].split(",")]
    if not all(found):
        fault(path(key), f"node-label keys expected, comma separated, got {annotations[key]!r}")
    return [part for part in dict.fromkeys(found) if part]


def slices(
    annotations: dict[str, str], size_key: str, level_key: str, fault: FaultAt
) -> list[TopologyRule]:
    """Read a pair of annotations, slice size and required levels; either alone is a fault."""
    there = [key for key in (size_key, level_key) if key in annotations]
    if len(there) == 1:
        other = level_key if there[0] == size_key else size_key
        fault(path(there[0]), f"needs {other} beside it")
    if len(there) != 2:
        return []
    size = count(annotations[size_key])
    if size is None:
        fault(path(size_key), f"an integer of at least 1 expected, got {annotations[size_key]!r}")
        return []
    return [TopologyRule(key, "required", size) for key in keys(annotations, level_key, fault)]


def count(text: str) -> int | None:
    """Give a positive integer below 2^31 written in plain digits; None for anything else."""
    text = text.strip()
    if not (text.isascii() and text.isdigit()) or len(text) > 10:
        return None
    return int(text) if 0 < int(text) < 2**31 else None
