"""Evictions in a plan file: written, and read back strictly.

::

    {"unit": "ns/old", "kind": "group", "priority": 0, "pods": ["ns/old-0", ...], "for": ["ns/new"]}

``kind`` is ``pod``, ``group`` or ``tree``: what falls as one. ``for`` names the groups it falls
for as ``groups`` does: pods without a PodGroup by their own names.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from gangplan.datasets.json_file import refuse
from gangplan.datasets.plan_fields import text, texts
from gangplan.models.arrays import Ints
from gangplan.models.blame import blamed
from gangplan.models.columns import BARE
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan

KINDS = ("pod", "group", "tree")
"""Words for POD, GROUP and TREE."""

FEWEST = "fewest victims first"
"""The policy on minimum and more: pods beyond a minimum never cost a victim."""

Entry: TypeAlias = dict[str, object]


def eviction_entries(instance: Instance, plan: Plan) -> list[Entry]:
    """Return the ``evictions`` list of a plan file, in the instance's order of units."""
    return [
        {
            "unit": instance.names.units[v],
            "kind": KINDS[int(instance.running.kind[v])],
            "priority": int(instance.running.priority[v]),
            "pods": pods_of(instance, v),
            "for": [name for g in groups for name in _named(instance, plan, g)],
        }
        for v, groups in zip(plan.evicted.tolist(), blamed(instance, plan), strict=True)
    ]


def pods_of(instance: Instance, unit: int) -> list[str]:
    """Names of the pods of a unit."""
    return [instance.names.running[u] for u in instance.running.pods_of(unit)]


def _named(instance: Instance, plan: Plan, group: int) -> list[str]:
    if int(instance.groups.kind[group]) != BARE:
        return [instance.names.groups[group]]
    placed = (plan.node >= 0) & (instance.roles.group[instance.pod_role] == group)
    return [instance.names.pods[p] for p in np.flatnonzero(placed).tolist()]


def evicted_of(path: str, entries: Sequence[Mapping[str, Any]], instance: Instance) -> Ints:
    """Read the units that fall, sorted.

    Raises
    ------
    InputError : a unit that is not there, or is there with other pods or another priority; one
        that falls twice; a group that it falls for and nobody knows.
    """
    running, names = instance.running, instance.names
    kinds = (KINDS[kind] for kind in running.kind.tolist())
    number = {unit: v for v, unit in enumerate(zip(kinds, names.units, strict=True))}
    bare = (instance.groups.kind == BARE)[instance.roles.group[instance.pod_role]]
    known = {*names.groups, *(names.pods[p] for p in np.flatnonzero(bare).tolist())}
    found: set[int] = set()
    for i, entry in enumerate(entries):
        field = f"evictions[{i}]"
        kind, name = (text(path, f"{field}.{key}", entry.get(key)) for key in ("kind", "unit"))
        if kind not in KINDS:
            raise refuse(path, f"{field}.kind", f"one of {', '.join(KINDS)} expected, not {kind}")
        v = number.get((kind, name))
        if v is None:
            raise refuse(path, f"{field}.unit", f"no {kind} {name} is there that could be evicted")
        if v in found:
            raise refuse(path, f"{field}.unit", f"{name} is evicted twice")
        found.add(v)
        pods = texts(path, f"{field}.pods", entry.get("pods"))
        if sorted(pods) != sorted(pods_of(instance, v)):
            other = sorted({*pods} ^ {*pods_of(instance, v)})[:1]
            more = f": {other[0]}" if other else ""
            raise refuse(path, f"{field}.pods", f"not the pods of {kind} {name}{more}")
        priority = entry.get("priority")
        if type(priority) is not int or priority != int(running.priority[v]):
            said = f"{kind} {name} has priority {int(running.priority[v])}"
            raise refuse(path, f"{field}.priority", said)
        for group in texts(path, f"{field}.for", entry.get("for")):
            if group not in known:
                raise refuse(path, f"{field}.for", f"{group} is no group here")
    return np.array(sorted(found), dtype=np.int64)
