"""Topology rules in layers: one level, and at most one rule a role.

With a rule per role the rows of a whole layer come out of a few array operations, however many
groups carry a rule. Rules of groups, and of composites at each depth, are layers of their own.
"""

from collections.abc import Iterator
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


def layers(instance: Instance, rules: Ints) -> Iterator[Layer]:
    """Split ``rules`` (rule numbers) into layers; every rule is in exactly one."""
    n_groups, n_trees = len(instance.groups), len(instance.composites)
    owners_of_role = [instance.roles.group, *_ancestors(instance)]
    left = np.asarray(rules, dtype=np.int64)
    while len(left):
        key = instance.rules.owner[left] * max(instance.topology.n_levels, 1)
        _, first = np.unique(key + instance.rules.level[left], return_index=True)
        now, left = left[np.sort(first)], np.delete(left, first)
        for level in np.unique(instance.rules.level[now]):
            rule_of_owner = np.full(n_groups + n_trees + 1, -1, dtype=np.int64)
            mine = now[instance.rules.level[now] == level]
            rule_of_owner[instance.rules.owner[mine]] = mine
            for owner in owners_of_role:
                if (rule_of_owner[owner] >= 0).any():
                    yield Layer(int(level), rule_of_owner[owner])


def _ancestors(instance: Instance) -> list[Ints]:
    """Owner number of the ancestor of each role (K,), depth by depth from the root; -1 if none."""
    composites, n_groups = instance.composites, len(instance.groups)
    depth = np.zeros(len(composites), dtype=np.int64)
    for h in range(len(composites)):
        if composites.parent[h] >= 0:
            depth[h] = depth[composites.parent[h]] + 1
    at = instance.groups.parent[instance.roles.group]
    parent, depth = np.append(composites.parent, -1), np.append(depth, -1)
    found = []
    deepest = int(depth[at].max(initial=-1))
    for wanted in range(deepest, -1, -1):
        found.append(np.where(depth[at] == wanted, at + n_groups, -1))
        at = np.where(depth[at] == wanted, parent[at], at)
    return found


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
