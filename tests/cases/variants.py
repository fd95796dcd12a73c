"""The changes that variants of cases ask for, one function each; any other change is unknown."""

import copy
from collections.abc import Callable
from typing import Any

from tests.cases.read import Case

Body = dict[str, Any]


def _one_host(body: Body) -> None:
    body["pending"][0]["topology"] = [{"key": "kubernetes.io/hostname", "mode": "required"}]


def _honor(body: Body) -> None:
    template = body["pending"][0]["podTemplate"]
    template["topologySpreadConstraints"][0]["nodeTaintsPolicy"] = "Honor"


def _needs_two(body: Body) -> None:
    body["pending"][0]["minCount"] = 2


CHANGES: dict[tuple[str, str], Callable[[Body], None]] = {
    (
        "fil-pod-slots-are-a-resource",
        "add topology [{key: kubernetes.io/hostname, mode: required}]",
    ): _one_host,
    ("fil-spread-and-unusable-zones", "add nodeTaintsPolicy: Honor to the constraint"): _honor,
    ("ada-terminating-finished-notready", "next.minCount = 2"): _needs_two,
}


def variants(case: Case) -> tuple[list[Case], list[str]]:
    """Return the variants of a case as cases of their own, and the changes nobody knows."""
    made, unknown = [], []
    for entry in case.expect.get("variants", ()):
        change = CHANGES.get((case.id, entry["change"]))
        if change is None:
            unknown.append(f"variant {entry['name']!r}: {entry['change']}")
            continue
        body = copy.deepcopy(case.body)
        change(body)
        body["expect"] = entry["expect"]
        made.append(Case(f"{case.id} ({entry['name']})", case.category, body))
    return made, unknown
