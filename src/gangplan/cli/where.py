"""Where a group's new pods go, in a few words: its domains, then nodes and counts."""

from collections import Counter

import numpy as np

from gangplan.cli.hostlist import hostlist
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan

_NAMED_DOMAINS = 2


def where(instance: Instance, plan: Plan, group: int) -> str:
    """Say where: ``rack b0-r2: node-[1-2] x8``; empty where nothing is placed.

    Domains are those of the group's own topology rules and of the composites above it.
    """
    owner = instance.roles.group[instance.pod_role]
    nodes = plan.node[(owner == group) & (plan.node >= 0)]
    if not len(nodes):
        return ""
    domains = ", ".join(_domains(instance, group, nodes))
    return f"{domains}: {_nodes(instance, nodes)}" if domains else _nodes(instance, nodes)


def _domains(
    instance: Instance, group: int, nodes: "np.ndarray[tuple[int], np.dtype[np.int64]]"
) -> list[str]:
    owners = {group}
    above = int(instance.groups.parent[group])
    while above >= 0:
        owners.add(len(instance.groups) + above)
        above = int(instance.composites.parent[above])
    mine = np.isin(instance.rules.owner, sorted(owners))
    told = []
    for level in sorted({int(number) for number in instance.rules.level[mine]}):
        used = np.unique(instance.topology.domain[level, nodes])
        key = instance.names.levels[level].rpartition("/")[2]
        names = [instance.names.domains[d] if d >= 0 else "(no label)" for d in used.tolist()]
        if len(names) > _NAMED_DOMAINS:
            told.append(f"{len(names)} {key}s")
        else:
            said = " + ".join(names)
            told.append(said if said.lower().startswith(key.lower()) else f"{key} {said}")
    return told


def _nodes(instance: Instance, nodes: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> str:
    pods = Counter(nodes.tolist())
    by_count: dict[int, list[str]] = {}
    for node in sorted(pods):
        by_count.setdefault(pods[node], []).append(instance.names.nodes[node])
    parts = []
    for count in sorted(by_count, reverse=True):
        names = by_count[count]
        shown = hostlist(names)
        parts.append(f"{shown} x{count}" if count > 1 else shown)
    return "; ".join(parts)
