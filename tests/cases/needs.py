"""What a case needs that gangplan does not do yet, and what must be said meanwhile."""

from collections.abc import Iterator
from typing import Any

from tests.cases.answer import Answer
from tests.cases.read import Case, pods_of

HARD_RULES = ("topologySpreadConstraints", "pod affinity")
"""Needs that are hard rules of a group: until they are honoured, the group waits and says so."""


def needs(case: Case) -> dict[str, set[str]]:
    """Need -> groups that have it; groups are empty where the case as a whole has the need."""
    found: dict[str, set[str]] = {}
    if "events_between_plan_and_apply" in case.body:
        found["apply"] = set()
    for need, group in _of_groups(case):
        found.setdefault(need, set()).add(group)
    return found


def not_held(answer: Answer, missing: dict[str, set[str]]) -> list[str]:
    """Groups with a hard rule that is not honoured, and that do not wait for that reason."""
    wrong = []
    for need in HARD_RULES:
        for group in sorted(missing.get(need, ())):
            said = answer.about(group)
            if answer.placed(group) or "unsupported" not in said:
                wrong.append(
                    f"{group} pending as unsupported ({need}), "
                    f"came {answer.placed(group)} placed, {said or 'not a word'!r}"
                )
    return wrong


def _of_groups(case: Case) -> Iterator[tuple[str, str]]:
    for entry in case.body.get("pending", ()):
        group = entry["group"]
        if "exclusive" in entry:
            yield "exclusive placement", group
        if "bundle" in entry:
            yield "bundles", group
        for _, pod in pods_of(entry):
            yield from ((need, group) for need in _of_pod(pod))


def _of_pod(pod: dict[str, Any]) -> Iterator[str]:
    if "topologySpreadConstraints" in pod:
        yield "topologySpreadConstraints"
    if set(pod.get("affinity", {})) & {"podAffinity", "podAntiAffinity"}:
        yield "pod affinity"
