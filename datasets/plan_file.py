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
``cluster``       of a snapshot of a cluster: what the plan relied on there (``cluster.relied``);
                  nothing here reads it
``warnings``, ``seconds``, ``versions``
================  ===================================================================

``group_entries`` says how groups are written, ``allocation_entries`` how claims are.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from gangplan.datasets.allocation_entries import Reader, allocation_entries, reader
from gangplan.datasets.certificate_entries import certificate_entries, certificates_of
from gangplan.datasets.eviction_entries import FEWEST, evicted_of, eviction_entries
from gangplan.datasets.group_entries import group_entries, placed_of, reasons_of
from gangplan.datasets.json_file import check_schema, read_object, refuse, write_object
from gangplan.datasets.plan_fields import listed, mapping, objects
from gangplan.models.instance import Instance
from gangplan.models.plan import NO_ALLOCATIONS, Plan
from gangplan.models.result import Result, TierReport

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
        plan=plan_of(document, instance, path),
        tiers=tuple(_tier_of(path, t) for t in objects(path, "tiers", document["tiers"])),
        stop=str(document["stop"]),
        planner=mapping(path, "planner", document["planner"]),
        reasons=reasons_of(path, objects(path, "groups", document["groups"]), instance),
        warnings=tuple(str(w) for w in listed(path, "warnings", document["warnings"])),
        seconds=mapping(path, "seconds", document["seconds"]),
        versions=mapping(path, "versions", document["versions"]),
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


def plan_of(document: Mapping[str, object], instance: Instance, source: str) -> Plan:
    """Find a plan file's placements, claims and evictions in an instance, by name alone.

    The instance need not be the one that was planned.

    Raises
    ------
    InputError : a name that the instance does not have, or an entry that cannot be read.
    """
    path = source

    @cache
    def claims() -> Reader:
        # Only where the file has claims: names that are not unique concern nobody else.
        return reader(path, instance)

    groups = objects(path, "groups", document.get("groups"))
    node, held = placed_of(path, groups, instance, claims)
    if "shared_claims" in document:
        claims().shared_claims(objects(path, "shared_claims", document["shared_claims"]))
    pairs = np.array(sorted(held), dtype=np.int64).reshape(-1, 2)
    given = claims().allocations() if claims.cache_info().currsize else NO_ALLOCATIONS
    falls = objects(path, "evictions", document.get("evictions", []))
    return Plan(node, pairs[:, 0], pairs[:, 1], given, evicted_of(path, falls, instance))


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
