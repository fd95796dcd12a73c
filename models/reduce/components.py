"""Independent parts of a cluster: groups and nodes that have nothing to do with one another.

Groups meet on nodes that both could use, and over units that could fall: those of one root, of one
budget, or on the same nodes. Tiers are sums, and a lexicographically best sum is the sum of
lexicographically best vectors; so the optimum of the whole is the sum over the components.
"""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gangplan.models.arrays import Flags, Ints
from gangplan.models.instance import Instance
from gangplan.models.part import Part, joined, part_of
from gangplan.models.part.cut import roots_of
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.slots import slots_of
from gangplan.models.victims import victims_of


def components(instance: Instance) -> tuple[Part, ...]:
    """Cut the instance into its components, in the order of their first nodes.

    Nodes that no group can use and groups that can use no node are in none. Empty for an instance
    with claims: how far devices reach is not looked at.
    """
    if instance.claims:
        return ()
    node, group = _labels(instance)
    nothing = empty_plan(instance)
    found = []
    for label in dict.fromkeys(node[node >= 0].tolist()):
        groups = np.flatnonzero(group == label)
        if len(groups):
            found.append(part_of(instance, nothing, np.flatnonzero(node == label), groups))
    return tuple(found)


def lifted(instance: Instance, parts: Sequence[Part], plans: Sequence[Plan]) -> Plan:
    """Put plans of the components together; values of tiers add up."""
    whole = empty_plan(instance)
    for part, plan in zip(parts, plans, strict=True):
        whole = joined(instance, whole, part, plan)
    return whole


def _labels(instance: Instance) -> tuple[Ints, Ints]:
    """(N,) and (G,) component of each node and group; -1 for groups that can use nothing.

    Vertices: nodes, kinds of roles, roots, units, budgets.
    """
    slots, running, root = slots_of(instance), instance.running, roots_of(instance)
    n, s, o = len(instance.nodes), len(slots.table), len(root)
    v, b = len(running), len(running.budget_allowed)
    kinds, roots, units, budgets = n, n + s, n + s + o, n + s + o + v
    blocked = instance.blocked[0][instance.roles.group]
    may = ~blocked & (slots.table.max(axis=1, initial=0) > 0)[slots.kind]
    kind, at = np.nonzero(slots.table > 0)
    edges = [
        (kinds + kind, at),
        (kinds + slots.kind[may], roots + root[instance.roles.group[may]]),
        *_units(instance, root, roots, units, budgets),
    ]
    row, column = (np.concatenate(side) for side in zip(*edges, strict=True))
    graph = coo_array((np.ones(len(row), dtype=np.int8), (row, column)), shape=(budgets + b,) * 2)
    label = connected_components(graph, directed=False)[1].astype(np.int64)
    mine = label[roots + root[: len(instance.groups)]]
    waits: Flags = np.zeros(o, dtype=np.bool_)
    waits[root[instance.roles.group[may]]] = True
    group = np.where(waits[root[: len(mine)]], mine, -1)
    return label[:n], group


def _units(
    instance: Instance, root: Ints, roots: int, units: int, budgets: int
) -> list[tuple[Ints, Ints]]:
    """Edges of units that can fall: to their nodes, roots and budgets."""
    running = instance.running
    if not len(running):
        return []
    can = victims_of(instance).can[running.pod_unit]
    on, member = can & (running.pod_node >= 0), can & (running.pod_group >= 0)
    hit = can[running.match_pod]
    return [
        (units + running.pod_unit[on], running.pod_node[on]),
        (units + running.pod_unit[member], roots + root[running.pod_group[member]]),
        (units + running.pod_unit[running.match_pod[hit]], budgets + running.match_budget[hit]),
    ]
