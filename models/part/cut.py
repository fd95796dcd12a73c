"""Where the knife goes: which nodes, groups and pods of the whole are in the part."""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.columns import GANG
from gangplan.models.instance import Instance
from gangplan.models.once import once
from gangplan.models.plan import Plan


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """Columns of the whole, and what the part takes of them.

    Attributes
    ----------
    nodes : (n,) nodes of the part, in order. here : (N,) flags of the same.
    local : (N + 1,) number of each node in the part, -1 for the others, and for node -1.
    chosen : (G,) candidates: groups whose pods the part may place.
    group : (P,) group of each pod.
    mine : (P,) pods of the part: those of candidates, but for pods of loose groups that the plan
        has on other nodes.
    """

    instance: Instance
    plan: Plan
    nodes: Ints
    here: Flags
    local: Ints
    chosen: Flags
    group: Ints
    mine: Flags

    @property
    def others(self) -> Ints:
        """Pods that are not of the part, and that the plan has on its nodes."""
        placed = self.plan.node >= 0
        return np.flatnonzero(placed & ~self.mine & self.here[self.plan.node])


def cut_of(instance: Instance, plan: Plan, nodes: Ints, chosen: Flags) -> Cut:
    """Work out which pods are in the part."""
    here = np.zeros(len(instance.nodes), dtype=np.bool_)
    here[nodes] = True
    local = np.full(len(here) + 1, -1, dtype=np.int64)
    local[nodes] = np.arange(len(nodes))
    group = instance.roles.group[instance.pod_role]
    mine = chosen[group] & ~away(instance, plan, here)
    return Cut(instance, plan, nodes, here, local, chosen, group, mine)


def away(instance: Instance, plan: Plan, here: Flags) -> Flags:
    """(P,) pods that the plan has on other nodes; (N,) ``here``."""
    elsewhere: Flags = np.append(~here, False)[plan.node]
    return elsewhere


@once
def roots_of(instance: Instance) -> Ints:
    """(G + H,) root of every group and composite: an owner number, G + h for a composite."""
    n, groups, composites = len(instance.groups), instance.groups, instance.composites
    top = np.arange(len(composites), dtype=np.int64)
    for h, parent in enumerate(composites.parent.tolist()):
        if parent >= 0:
            top[h] = top[parent]
    root = np.arange(n, dtype=np.int64)
    below = groups.parent >= 0
    root[below] = n + top[groups.parent[below]]
    found: Ints = np.concatenate([root, n + top])
    found.flags.writeable = False
    return found


@once
def loose_of(instance: Instance) -> Flags:
    """(G,) basic and bare groups without a rule: each of their pods is for itself."""
    loose: Flags = instance.groups.kind != GANG
    owner = instance.rules.owner
    loose[owner[owner < len(loose)]] = False
    loose.flags.writeable = False
    return loose


@once
def standing(instance: Instance) -> Flags:
    """(G,) gangs whose running members meet every minimum; see ``Needs.stands``."""
    roles, groups = instance.roles, instance.groups
    lacks = instance.per_group(np.maximum(roles.minimum - roles.running, 0)) > 0
    stands: Flags = (groups.kind == GANG) & (groups.minimum <= groups.running) & ~lacks
    stands.flags.writeable = False
    return stands
