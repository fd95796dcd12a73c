"""What the fields of a record may hold: a file of records may have been edited by hand."""

import math
from collections.abc import Callable, Mapping
from typing import Any

BIGGEST = 10**300
"""Largest whole number read; a quotient of two of them is still a float."""

LONGEST = 100
"""Characters of a name that files are called by."""

Check = Callable[[Any], bool]


def is_name(value: object) -> bool:
    """Tell whether files can be called so: no folder in it, and none above."""
    return (
        isinstance(value, str)
        and bool(value.strip("."))
        and len(value.encode("utf-8", "replace")) <= LONGEST
        and all(letter.isalnum() or letter in "._-" for letter in value)
    )


def is_whole(value: object) -> bool:
    """Tell whether a value is a whole number (a flag is none)."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= BIGGEST


def is_number(value: object) -> bool:
    """Tell whether a value is a finite number."""
    return is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return is_whole(value) and value >= 0


def _is_length(value: Any) -> bool:
    return is_number(value) and value >= 0


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _many(check: Check) -> Check:
    return lambda value: isinstance(value, list | tuple) and all(map(check, value))


def _named(check: Check) -> Check:
    return lambda value: (
        isinstance(value, Mapping)
        and all(isinstance(name, str) and check(one) for name, one in value.items())
    )


def _is_step(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) == 3
        and _is_length(value[0])
        and is_whole(value[1])
        and (value[2] is None or is_whole(value[2]))
    )


def _is_machine(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        value.get(name) is None or _is_length(value[name]) for name in ("cores", "load")
    )


_TEXT = (_is_text, "a text")
_COUNT = (_is_count, "a whole number of at least 0")
_LENGTH = (_is_length, "a number of at least 0")
_SENTENCES = (_many(_is_text), "a list of texts")

Rules = Mapping[str, tuple[Check, str]]
"""Field -> its check, and what is expected in words."""

RECORD: Rules = {
    "experiment": (is_name, f"a name (letters, digits, '.', '_', '-'; {LONGEST} bytes)"),
    "status": (lambda value: value in ("done", "skipped", "failed"), "done, skipped or failed"),
    **dict.fromkeys(("key", "reason", "instance", "family", "digest", "stop"), _TEXT),
    **dict.fromkeys(("planner", "solver", "formulation", "objective"), _TEXT),
    "preemption": (_is_flag, "true or false"),
    "pdb": (lambda value: value in ("soft", "hard"), "soft or hard"),
    **dict.fromkeys(("nodes", "groups", "pods", "threads", "seed", "solver_errors"), _COUNT),
    **dict.fromkeys(("time_limit", "gap_limit", "overshoot"), _LENGTH),
    **dict.fromkeys(("violations", "warnings"), _SENTENCES),
    "seconds": (_named(_is_length), "phases and seconds"),
    **dict.fromkeys(("memory_limit", "peak_memory"), (_or_none(_is_count), "bytes or null")),
    "trace": (_many(_is_step), "a list of (seconds, value, bound)"),
    "verified": (_or_none(_is_flag), "true, false or null"),
    "machine": (_is_machine, "a description with numbers of cores and load"),
    "versions": (_named(_is_text), "packages and versions"),
}

TIER: Rules = {
    "name": _TEXT,
    "proof": _TEXT,
    "maximise": (_is_flag, "true or false"),
    "proven": (_is_flag, "true or false"),
    "given": (_is_flag, "true or false"),
    "value": (is_whole, "a whole number"),
    "bound": (_or_none(is_whole), "a whole number or null"),
}


def check(values: Mapping[str, Any], rules: Rules) -> None:
    """Check every field that is there.

    Raises
    ------
    ValueError : a field of another type or out of range, by its name.
    """
    for name, value in values.items():
        good, expected = rules.get(name, (None, ""))
        if good is not None and not good(value):
            raise ValueError(f"{name}: {expected} expected, not {repr(value)[:60]}")
