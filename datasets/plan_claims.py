"""What a plan file says about its own plan, recomputed: tier values, statuses and marks.

Values are counted by the verifier, not by what the planners count with.
"""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from gangplan.datasets.allocation_entries import allocation_entries
from gangplan.datasets.eviction_entries import FEWEST, eviction_entries
from gangplan.datasets.group_entries import group_entries
from gangplan.datasets.json_file import refuse
from gangplan.datasets.plan_file import result_of
from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.restrict import as_planned
from gangplan.models.result import Result
from gangplan.models.verify.results import check_result, objective_of


def false_claims(
    document: Mapping[str, object], instance: Instance, source: str
) -> tuple[str, ...]:
    """List, in sentences, what a plan file's content claims and its placements do not bear out.

    Bounds are not computed again: they are the planner's (``solvers.recheck`` looks at what they
    rest on). That what is called proven follows from the values and bounds in the file is looked
    at.

    Raises
    ------
    InputError : the content cannot be read against the instance; see ``result_of``.
    """
    result = result_of(document, instance, source)
    claims = _tier_claims(source, instance, result)
    groups = document["groups"]
    entries: list[dict[str, Any]] = groups if isinstance(groups, list) else []
    said = {str(entry["group"]): entry for entry in entries}
    times = Counter(str(entry["group"]) for entry in entries)
    for entry in group_entries(instance, result):
        claims += _group_claims(entry, said.pop(str(entry["group"]), None))
    shared = allocation_entries(instance, result.plan)[1]
    if _listed(document.get("shared_claims")) != _listed(shared):
        claims.append("shared claims: the file says something else of them than its placements")
    claims += _eviction_claims(instance, result, document)
    claims += [f"group {name} is listed {n} times" for name, n in times.items() if n > 1]
    # A group of single pods has a name, but its pods are listed one by one.
    claims += [f"group {name} is listed beside its pods" for name in said]
    return tuple(claims)


def _tier_claims(path: str, instance: Instance, result: Result) -> list[str]:
    try:
        tiers = objective_of(instance, result.planner)
    except (PlanError, ValueError, TypeError) as error:
        raise refuse(path, "planner", str(error)) from None
    said = [(report.name, report.maximise) for report in result.tiers]
    if said != [(tier.name, tier.maximise) for tier in tiers]:
        return ["the tiers listed are not those of the planner's objective"]
    return [violation.sentence for violation in check_result(instance, result, tiers)]


def _eviction_claims(
    instance: Instance, result: Result, document: Mapping[str, object]
) -> list[str]:
    """Whether each victim falls for the groups that the file names, and may fall at all."""
    true = eviction_entries(instance, result.plan)
    entries = document.get("evictions", [])
    said = {
        (str(entry["kind"]), str(entry["unit"])): entry["for"]
        for entry in (entries if isinstance(entries, list) else [])
    }
    claims = [
        f"{entry['kind']} {entry['unit']}: evicted for {_names(entry['for'])}, and the file says "
        f"for {_names(said[str(entry['kind']), str(entry['unit'])])}"
        for entry in true
        if _names(entry["for"]) != _names(said[str(entry["kind"]), str(entry["unit"])])
    ]
    if true and not len(as_planned(instance, result.planner).running):
        claims.insert(0, f"evictions: {len(true)}, by a planner that was to evict nobody")
    if document.get("policy") not in (None, FEWEST):
        claims.append(f"policy: {document['policy']!r:.60}, and plans keep to {FEWEST!r}")
    return claims


def _names(said: object) -> str:
    return ", ".join(sorted(map(str, said))) if isinstance(said, list) and said else "nobody"


def _group_claims(true: Mapping[str, object], said: Mapping[str, object] | None) -> list[str]:
    name = true["group"]
    if said is None:
        return [f"group {name} is not listed"]
    claims = []
    if said.get("status") != true["status"]:
        claims.append(
            f"group {name}: the file says {said.get('status')}, its pods say {true['status']}"
        )
    if _sorted(said, "pod") != _sorted(true, "pod"):
        claims.append(f"group {name}: the pods listed are not the ones of its own that are placed")
    elif _own(said) != _own(true):
        claims.append(f"group {name}: the file says something else of its claims than its devices")
    elif _sorted(said, "mark") != _sorted(true, "mark"):
        claims.append(f"group {name}: pods are marked minimum or elastic wrongly")
    if said.get("reason") and said["reason"] != true["reason"]:
        why = "a reason to wait, and all its pods are placed"
        if true["reason"]:
            why = "another reason to wait than equal pods have"
        claims.append(f"group {name}: {why}")
    return claims


def _own(entry: Mapping[str, object]) -> dict[str, list[str]]:
    """Claims of each pod, in any order."""
    pods = entry["pods"]
    return {
        str(pod.get("pod")): _listed(pod.get("claims"))
        for pod in (pods if isinstance(pods, list) else [])
    }


def _listed(claims: object) -> list[str]:
    """Entries as texts, sorted; the order of their keys says nothing."""
    entries = claims if isinstance(claims, list) else []
    return sorted(json.dumps(entry, sort_keys=True) for entry in entries)


def _sorted(entry: Mapping[str, object], key: str) -> list[str]:
    pods = entry["pods"]
    return sorted(str(pod.get(key)) for pod in pods) if isinstance(pods, list) else []
