"""Topology rules as columns, with the running members that fix or fill domains."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.datasets.kubernetes.assemble.levels import Levels
from gangplan.datasets.kubernetes.assemble.membership import Unit
from gangplan.datasets.kubernetes.assemble.trees import Branch
from gangplan.datasets.kubernetes.order import full_name, natural
from gangplan.datasets.kubernetes.records import PodRecord, TopologyRule
from gangplan.models.topology import PREFERRED, REQUIRED, Rules

_MODES = {"required": REQUIRED, "preferred": PREFERRED}


@dataclass(frozen=True, slots=True)
class Owner:
    """Who a rule binds.

    Attributes
    ----------
    number : g of a group, or G + h of a composite.
    running : running members, of all groups below a composite.
    waits : whether any pod of it waits; nothing is held for a rule without.
    held : the reasons of the unit or branch; more are added.
    """

    number: int
    name: str
    rules: tuple[TopologyRule, ...]
    running: list[PodRecord]
    waits: bool
    held: list[str]


def owners_of(units: Sequence[Unit], branches: Sequence[Branch]) -> list[Owner]:
    """List every unit and branch that has rules."""
    owners = [
        Owner(g, unit.name, unit.rules, unit.running, bool(unit.pending), unit.held)
        for g, unit in enumerate(units)
        if unit.rules
    ]
    running: list[list[PodRecord]] = [[] for _ in branches]
    waits = [False] * len(branches)
    for unit in units:
        if unit.parent >= 0:
            running[unit.parent] += unit.running
            waits[unit.parent] |= bool(unit.pending)
    for h in range(len(branches) - 1, -1, -1):
        above = branches[h].parent
        if above >= 0:
            running[above] += running[h]
            waits[above] |= waits[h]
    owners += [
        Owner(len(units) + h, branch.name, branch.record.rules, running[h], waits[h], branch.held)
        for h, branch in enumerate(branches)
        if branch.record.rules
    ]
    return owners


def hold_slices(unit: Unit) -> None:
    """Hold a unit whose minimum or size is no multiple of its slices (whole slices only)."""
    size = len(unit.pending) + len(unit.running)
    for rule in unit.rules:
        if not rule.slice or not unit.pending:
            continue
        if unit.record is not None and unit.record.gang and unit.minimum % rule.slice:
            unit.held.append(f"slices of {rule.slice} pods do not divide minCount {unit.minimum}")
        elif size % rule.slice:
            unit.held.append(
                f"slices of {rule.slice} pods do not divide its {size} pods"
                f" ({len(unit.pending)} waiting, {len(unit.running)} running)"
            )


def rule_columns(
    owners: Sequence[Owner], levels: Levels, node: Mapping[str, int], notes: list[str]
) -> Rules:
    """Write the rules as columns; hold owners whose rules cannot be kept.

    Parameters
    ----------
    node : number of each node's name.
    notes : a preferred level that no node has is left out and told here.
    """
    columns: list[tuple[int, int, int, int]] = []
    members: list[tuple[int, int, int]] = []
    for owner in owners:
        for rule in owner.rules:
            if levels.is_empty(rule.key):
                reason = f"no node carries the topology label {rule.key}"
                if rule.mode == "preferred":
                    notes.append(f"{reason} that {owner.name} prefers")
                    continue
                _hold(owner, reason)
                counts: dict[int, int] = {}
            else:
                counts = _members(owner, rule, levels, node)
            level = levels.number(rule.key)
            members += [(len(columns), domain, pods) for domain, pods in sorted(counts.items())]
            columns.append((owner.number, level, _MODES[rule.mode], rule.slice))
    table = np.array(columns, dtype=np.int64).reshape(len(columns), 4)
    counted = np.array(members, dtype=np.int64).reshape(len(members), 3)
    return Rules(*table.T, *counted.T)


def _members(
    owner: Owner, rule: TopologyRule, levels: Levels, node: Mapping[str, int]
) -> dict[int, int]:
    """Count running members by domain; none where a required rule is broken already."""
    domain = levels.topology.domain[levels.number(rule.key)]
    counts: dict[int, int] = {}
    outside: list[PodRecord] = []
    for pod in owner.running:
        n = node.get(pod.node, -1)
        d = int(domain[n]) if n >= 0 else -1
        if d >= 0:
            counts[d] = counts.get(d, 0) + 1
        else:
            outside.append(pod)
    if rule.mode != "required":
        return counts
    if outside:
        pod = min(outside, key=lambda one: natural(full_name(one)))
        why = f"has no label {rule.key}" if pod.node in node else "is not in the snapshot"
        _hold(owner, f"running member {full_name(pod)} is on node {pod.node}, which {why}")
    if not rule.slice and len(counts) > 1:
        where = ", ".join(levels.domains[d] for d in sorted(counts))
        _hold(owner, f"running members are in several domains of {rule.key}: {where}")
        return {}
    return counts


def _hold(owner: Owner, reason: str) -> None:
    if owner.waits:
        owner.held.append(reason)
