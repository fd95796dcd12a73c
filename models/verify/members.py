"""Who belongs to whom, read off the instance's columns once more.

Nothing here is shared with ``gangplan.models.needs``: a rule that is checked by the arithmetic
that made the plan is not checked.
"""

from itertools import pairwise

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.columns import GANG
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan


def nodes_by_group(instance: Instance, plan: Plan) -> list[list[int]]:
    """G lists: the node of every placed pod of the group, in pod order."""
    placed = np.flatnonzero(plan.node >= 0)
    group = instance.roles.group[instance.pod_role[placed]]
    ends = np.searchsorted(group, np.arange(len(instance.groups) + 1)).tolist()
    nodes = plan.node[placed].tolist()
    return [nodes[a:b] for a, b in pairwise(ends)]


def nodes_of_owner(instance: Instance, nodes: list[list[int]], owner: int) -> list[int]:
    """Nodes of every placed pod below a rule's owner: group ``owner``, or composite owner - G."""
    n_groups = len(instance.groups)
    if owner < n_groups:
        return nodes[owner]
    composite = owner - n_groups
    return [
        node
        for group in np.flatnonzero(instance.groups.parent >= 0).tolist()
        if composite in ancestors(instance, group)
        for node in nodes[group]
    ]


def ancestors(instance: Instance, group: int) -> list[int]:
    """Composites above a group, nearest first."""
    chain = []
    above = int(instance.groups.parent[group])
    while above >= 0:
        chain.append(above)
        above = int(instance.composites.parent[above])
    return chain


def placed_by_role(instance: Instance, plan: Plan) -> Ints:
    """(K,) new pods of each role."""
    role = instance.pod_role[plan.node >= 0]
    return np.bincount(role, minlength=len(instance.roles)).astype(np.int64)


def per_group(instance: Instance, by_role: Ints) -> Ints:
    """(G,) sums over each group's roles."""
    total = np.zeros(len(instance.groups), dtype=np.int64)
    np.add.at(total, instance.roles.group, by_role)
    return total


def standing(instance: Instance) -> Flags:
    """(G,) gangs whose running members meet the minimum and every role's own minimum."""
    short = instance.roles.running < instance.roles.minimum
    up: Flags = (instance.groups.kind == GANG) & (
        instance.groups.running >= instance.groups.minimum
    )
    up[instance.roles.group[short]] = False
    return up
