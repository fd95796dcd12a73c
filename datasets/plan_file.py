"""Plan files: what a planner found, by name, as one JSON object (``gangplan/plan/v1``).

================  ===================================================================
entry             holds
================  ===================================================================
``instance``      digest of the instance that was planned
``planner``       name and options
``stop``          ``optimal`` (every tier proven) or ``feasible``
``tiers``         ``name, maximise, value, bound, proof, proven, given``, most important first
``groups``        ``group``, ``status`` (admitted, pending, running, evicted), ``reason``, ``pods``
                  that get a node (``pod, node, devices, mark``; mark is ``minimum`` or
                  ``elastic``; ``claims`` where it has devices of claims of its own)
``shared_claims`` devices of claims that pods share; only where there are any
``evictions``     what is evicted for whom (``eviction_entries``); ``policy`` where there is any
``certificates``  what each bound rests on (``certificate_entries``); may be missing
``warnings``, ``seconds``, ``versions``
================  ===================================================================

``allocation_entries`` says how claims are written. A shared device is named by its node and its
number there. Pods without a PodGroup are listed one by one, each as a group of its own name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gangplan.datasets.allocation_entries import Reader, allocation_entries, reader
from gangplan.datasets.certificate_entries import certificate_entries, certificates_of
from gangplan.datasets.eviction_entries import FEWEST, evicted_of, eviction_entries
from gangplan.datasets.json_file import check_schema, read_object, refuse, write_object
from gangplan.models.columns import BARE
from gangplan.models.instance import Instance
from gangplan.models.marks import marks
from gangplan.models.plan import NO_ALLOCATIONS, Plan
from gangplan.models.result import Result, TierReport
from gangplan.models.status import ADMITTED, PENDING, statuses

PLAN_SCHEMA = "gangplan/plan/v1"

_KEYS = ("instance", "planner", "stop", "tiers", "groups", "warnings", "seconds", "versions")


def write_plan(instance: Instance, result: Result, path: str) -> None:
    """Write a plan file; ``-`` is standard output, a name in ``.gz`` is packed.

    Raises
    ------
    InputError : the path cannot be written.
    """
    write_object(plan_document(instance, result), path, indent=1)


def read_plan(path: str, instance: Instance) -> Plan:
    """Read the placements of a plan file; see ``read_result``."""
    return read_result(path, instance).plan


def read_result(path: str, instance: Instance) -> Result:
    """Read a plan file against the instance it was made for; nothing in it is checked by rules.

    Raises
    ------
    InputError : not a plan file of this version, made for another instance, or a name that the
        instance does not have.
    """
    return result_of(read_object(path), instance, path)


def result_of(document: Mapping[str, object], instance: Instance, source: str) -> Result:
    """Make the result that a plan file's content describes; ``source`` is the name for errors.

    Raises
    ------
    InputError : as ``read_result``.
    """
    path = source
    check_schema(path, document, PLAN_SCHEMA)
    for key in _KEYS:
        if key not in document:
            raise refuse(path, key, "missing")
    if document["instance"] != instance.digest():
        raise refuse(path, "instance", "this plan was made for another instance (or cluster state)")
    return Result(
        plan=_plan_of(path, document, instance),
        tiers=tuple(_tier_of(path, t) for t in _objects(path, "tiers", document["tiers"])),
        stop=str(document["stop"]),
        planner=_mapping(path, "planner", document["planner"]),
        reasons=_reasons_of(path, document["groups"], instance),
        warnings=tuple(str(w) for w in _list(path, "warnings", document["warnings"])),
        seconds=_mapping(path, "seconds", document["seconds"]),
        versions=_mapping(path, "versions", document["versions"]),
        certificates=certificates_of(path, document),
    )


def plan_document(instance: Instance, result: Result) -> dict[str, object]:
    """Return the plan file's content as plain lists and dictionaries."""
    shared = allocation_entries(instance, result.plan)[1]
    evictions = eviction_entries(instance, result.plan)
    return {
        "schema": PLAN_SCHEMA,
        "instance": instance.digest(),
        "planner": dict(result.planner),
        "stop": result.stop,
        "tiers": [
            {
                "name": tier.name,
                "maximise": tier.maximise,
                "value": tier.value,
                "bound": tier.bound,
                "proof": tier.proof,
                "proven": tier.proven,
                "given": tier.given,
            }
            for tier in result.tiers
        ],
        "certificates": certificate_entries(result.certificates),
        "groups": group_entries(instance, result),
        **({"shared_claims": shared} if shared else {}),
        "evictions": evictions,
        **({"policy": FEWEST} if evictions else {}),
        "warnings": list(result.warnings),
        "seconds": {phase: round(s, 3) for phase, s in result.seconds.items()},
        "versions": dict(result.versions),
    }


def group_entries(instance: Instance, result: Result) -> list[dict[str, object]]:
    """Return the ``groups`` list of a plan file, in the instance's order."""
    status = statuses(instance, result.plan)
    placed = _placed_pods(instance, result.plan)
    group = instance.roles.group[instance.pod_role]
    first = np.searchsorted(group, np.arange(len(instance.groups) + 1)).tolist()
    entries: list[dict[str, object]] = []
    for g, name in enumerate(instance.names.groups):
        pods = range(first[g], first[g + 1])
        reason = result.reasons.get(g) or instance.names.held[g] or None
        if int(instance.groups.kind[g]) == BARE:
            for p in pods:
                here = [placed[p]] if p in placed else []
                why = None if here else reason
                entries.append(
                    _entry(instance.names.pods[p], ADMITTED if here else PENDING, here, why)
                )
            continue
        here = [placed[p] for p in pods if p in placed]
        entries.append(_entry(name, status[g], here, reason if len(here) < len(pods) else None))
    return entries


def _entry(
    name: str, status: str, pods: list[dict[str, object]], why: str | None
) -> dict[str, object]:
    return {"group": name, "status": status, "pods": pods, "reason": why}


def _placed_pods(instance: Instance, plan: Plan) -> dict[int, dict[str, object]]:
    mark = marks(instance, plan).tolist()
    number = _device_numbers(instance)
    devices: dict[int, list[dict[str, object]]] = {}
    for p, j in zip(plan.device_pod.tolist(), plan.device.tolist(), strict=True):
        on = instance.names.nodes[int(instance.shared.node[j])]
        devices.setdefault(p, []).append({"node": on, "device": int(number[j])})
    where = plan.node.tolist()
    own = allocation_entries(instance, plan)[0]
    return {
        p: {
            "pod": instance.names.pods[p],
            "node": instance.names.nodes[where[p]],
            "devices": devices.get(p, []),
            "mark": mark[p],
            **({"claims": own[p]} if p in own else {}),
        }
        for p in np.flatnonzero(plan.node >= 0).tolist()
    }


def _device_numbers(instance: Instance) -> "np.ndarray[Any, np.dtype[np.int64]]":
    """(J,) number of each shared device on its node, from 0."""
    node = instance.shared.node
    return np.arange(len(node)) - np.searchsorted(node, node, side="left")


@dataclass(slots=True)
class _Names:
    """Names to numbers, for one file."""

    pods: dict[str, int]
    nodes: dict[str, int]
    devices: dict[tuple[int, int], int]


def _lookup(path: str, instance: Instance) -> _Names:
    numbers = _device_numbers(instance).tolist()
    names = _Names(
        {name: p for p, name in enumerate(instance.names.pods)},
        {name: n for n, name in enumerate(instance.names.nodes)},
        {
            (n, number): j
            for j, (n, number) in enumerate(
                zip(instance.shared.node.tolist(), numbers, strict=True)
            )
        },
    )
    if len(names.pods) < instance.n_pods or len(names.nodes) < len(instance.nodes):
        raise refuse(path, "instance", "two pods or two nodes have the same name")
    return names


def _plan_of(path: str, document: Mapping[str, object], instance: Instance) -> Plan:
    names = _lookup(path, instance)
    claims: Reader | None = None
    node = np.full(instance.n_pods, -1, dtype=np.int64)
    held: list[tuple[int, int]] = []
    for g, entry in enumerate(_objects(path, "groups", document["groups"])):
        for i, pod in enumerate(_objects(path, f"groups[{g}].pods", entry.get("pods"))):
            field = f"groups[{g}].pods[{i}]"
            p = _number(path, f"{field}.pod", pod.get("pod"), names.pods, "pending pod")
            if node[p] >= 0:
                raise refuse(path, f"{field}.pod", f"{pod['pod']} is placed twice")
            node[p] = _number(path, f"{field}.node", pod.get("node"), names.nodes, "node")
            for device in _objects(path, f"{field}.devices", pod.get("devices")):
                n = _number(path, f"{field}.devices", device.get("node"), names.nodes, "node")
                index = device.get("device")
                j = names.devices.get((n, index)) if type(index) is int else None
                if j is None:
                    said = f"{device.get('node')} has no device {device.get('device')}"
                    raise refuse(path, f"{field}.devices", said)
                held.append((p, j))
            if "claims" in pod:
                claims = claims or reader(path, instance)
                claims.pod(f"{field}.claims", p, _objects(path, f"{field}.claims", pod["claims"]))
    if "shared_claims" in document:
        claims = claims or reader(path, instance)
        claims.shared_claims(_objects(path, "shared_claims", document["shared_claims"]))
    pairs = np.array(sorted(held), dtype=np.int64).reshape(-1, 2)
    given = claims.allocations() if claims else NO_ALLOCATIONS
    falls = _objects(path, "evictions", document.get("evictions", []))
    evicted = evicted_of(path, falls, instance)
    return Plan(node, pairs[:, 0], pairs[:, 1], given, evicted)


def _reasons_of(path: str, groups: object, instance: Instance) -> dict[int, str]:
    number = {name: g for g, name in enumerate(instance.names.groups)}
    bare = instance.groups.kind == BARE
    owner = instance.roles.group[instance.pod_role]
    for p in np.flatnonzero(bare[owner]).tolist():
        number[instance.names.pods[p]] = int(owner[p])
    reasons: dict[int, str] = {}
    for i, entry in enumerate(_objects(path, "groups", groups)):
        g = _number(path, f"groups[{i}].group", entry.get("group"), number, "group")
        if entry.get("reason"):
            reasons[g] = str(entry["reason"])
    return reasons


def _tier_of(path: str, entry: Mapping[str, Any]) -> TierReport:
    value, bound = entry.get("value"), entry.get("bound")
    if type(value) is not int or not (bound is None or type(bound) is int):
        raise refuse(path, "tiers", f"{entry.get('name')}: an integer value and bound expected")
    proof = entry.get("proof", "")
    if not isinstance(proof, str):
        raise refuse(path, "tiers", f"{entry.get('name')}: proof: a text expected")
    return TierReport(
        name=str(entry.get("name")),
        maximise=_flag(path, entry, "maximise"),
        value=value,
        bound=bound,
        proof=proof,
        proven=_flag(path, entry, "proven"),
        given=_flag(path, entry, "given"),
    )


def _flag(path: str, entry: Mapping[str, Any], key: str) -> bool:
    """Read true or false; a word that looks like one of them would be a claim unread."""
    value = entry.get(key, False)
    if not isinstance(value, bool):
        raise refuse(path, "tiers", f"{entry.get('name')}: {key}: true or false expected")
    return value


def _number(path: str, field: str, name: object, table: Mapping[str, int], what: str) -> int:
    found = table.get(name) if isinstance(name, str) else None
    if found is None:
        raise refuse(path, field, f"{name if isinstance(name, str) else '?'} is no {what} here")
    return found


def _list(path: str, field: str, value: object) -> list[Any]:
    if not isinstance(value, list):
        raise refuse(path, field, "a list expected")
    return value


def _objects(path: str, field: str, value: object) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise refuse(path, field, "a list of objects expected")
    return value


def _mapping(path: str, field: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise refuse(path, field, "an object expected")
    return value
