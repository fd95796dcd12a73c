"""The order that things get in an instance: by name, digits compared as numbers."""

import re
from functools import lru_cache

from gangplan.datasets.kubernetes.records import PodRecord

_DIGITS = re.compile(r"([0-9]+)")


@lru_cache(maxsize=2**16)
def natural(name: str) -> tuple[tuple[str, ...], tuple[tuple[int, str], ...], str]:
    """Give a sort key: ``node-2`` before ``node-10``; equal keys mean equal names.

    Digits are compared by length, then as text: a number of any length costs no big integer.
    """
    parts = _DIGITS.split(name)
    digits = [text.lstrip("0") for text in parts[1::2]]
    return tuple(parts[0::2]), tuple((len(text), text) for text in digits), name


def full_name(pod: PodRecord) -> str:
    """``namespace/name``."""
    return f"{pod.namespace}/{pod.name}"


def by_name(pod: PodRecord) -> tuple[object, object]:
    """Give a pod's sort key."""
    return natural(pod.namespace), natural(pod.name)
