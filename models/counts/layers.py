"""Topology rules in layers: one level, and at most one rule a role.

With a rule per role the rows of a whole layer come out of a few array operations, however many
groups carry a rule. Rules of groups, and of composites at each depth, are layers of their own.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.instance import Instance


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """Rules of one level that share no role.

    Attributes
    ----------
    level : the level l.
    rule : (K,) the rule that binds role k; -1 where none does.
    """

    level: int
    rule: Ints


def layers(instance: Instance, rules: Ints) -> list[Layer]:
    """Split ``rules`` (rule numbers) into layers; every rule is in exactly one."""
    n_groups = len(instance.groups)
    depth = _depths(instance)
    owner_of, level_of = instance.rules.owner.tolist(), instance.rules.level.tolist()
    seen: dict[tuple[int, int], int] = {}
    found: dict[tuple[int, int, int], list[int]] = {}
    for t in rules.tolist():
        owner, level = owner_of[t], level_of[t]
        copy = seen[owner, level] = seen.get((owner, level), -1) + 1
        at = -1 if owner < n_groups else depth[owner - n_groups]
        found.setdefault((copy, level, at), []).append(t)
    return [
        Layer(level, _spread(instance, np.array(mine, dtype=np.int64), at, depth))
        for (_, level, at), mine in found.items()
    ]


def _spread(instance: Instance, mine: Ints, at: int, depth: list[int]) -> Ints:
    """(K,) the rule of each role's group, or of its ancestor at depth ``at``."""
    group = instance.roles.group
    if at < 0:
        owner = group
    else:
        above = np.full(len(instance.composites) + 1, -1, dtype=np.int64)
        for h, parent in enumerate(instance.composites.parent.tolist()):
            above[h] = h if depth[h] == at else above[parent]
        owner = len(instance.groups) + above[instance.groups.parent[group]]
        owner[owner < len(instance.groups)] = -1
    n_owners = len(instance.groups) + len(instance.composites)
    rule_of_owner = np.full(n_owners + 1, -1, dtype=np.int64)
    rule_of_owner[instance.rules.owner[mine]] = mine
    rule: Ints = rule_of_owner[owner]
    return rule


def _depths(instance: Instance) -> list[int]:
    """Depth of each composite; 0 at the root."""
    depth: list[int] = []
    for parent in instance.composites.parent.tolist():
        depth.append(depth[parent] + 1 if parent >= 0 else 0)
    return depth


def refines(instance: Instance) -> tuple[Flags, Ints]:
    """Which levels lie inside which, judged by the nodes that carry both labels.

    Returns
    -------
    inside : (L, L) every domain of level a lies in one domain of level b.
    outer : (D, L) the domain of level b that domain d touches (the last one seen); -1 if none.
    """
    topology = instance.topology
    inside = np.zeros((topology.n_levels, topology.n_levels), dtype=np.bool_)
    outer = np.full((topology.n_domains, topology.n_levels), -1, dtype=np.int64)
    for b in range(topology.n_levels):
        for a in range(topology.n_levels):
            both = (topology.domain[a] >= 0) & (topology.domain[b] >= 0)
            small, big = topology.domain[a, both], topology.domain[b, both]
            outer[small, b] = big
            inside[a, b] = bool((outer[small, b] == big).all())
    return inside, outer
