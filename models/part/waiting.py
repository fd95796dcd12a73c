"""Roles, groups, composites, rules and levels of a part, in the numbers of the part."""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.columns import GANG, Composites, Groups, Roles
from gangplan.models.part.cut import Cut, roots_of, standing
from gangplan.models.part.units import Units
from gangplan.models.topology import Rules, Topology


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Numbers in the whole of what a part has, each in order.

    Attributes
    ----------
    pods, roles, groups, composites, rules : of the part.
    classes : node classes of its nodes.
    owner : (G + H + 1,) number of each owner in the part; -1 for the others, and for owner -1.
    """

    pods: Ints
    roles: Ints
    groups: Ints
    composites: Ints
    rules: Ints
    classes: Ints
    owner: Ints


def rows_of(cut: Cut, units: Units) -> Rows:
    """Find the candidates, and with them all groups of the roots that units of the part have.

    These others have no pods in the part.
    """
    instance = cut.instance
    root, n = roots_of(instance), len(instance.groups)
    running = instance.running
    member = running.pod_group[units.open[running.pod_unit]]
    taken = np.zeros(len(root), dtype=np.bool_)
    taken[root[:n][cut.chosen]] = True
    taken[root[member[member >= 0]]] = True
    owners = np.flatnonzero(taken[root])
    pods = np.flatnonzero(cut.mine)
    owner = np.full(len(root) + 1, -1, dtype=np.int64)
    owner[owners] = np.arange(len(owners))
    return Rows(
        pods,
        np.unique(instance.pod_role[pods]),
        owners[owners < n],
        owners[owners >= n] - n,
        np.flatnonzero(taken[root[instance.rules.owner]]),
        np.unique(instance.nodes.node_class[cut.nodes]),
        owner,
    )


def roles_of(cut: Cut, rows: Rows) -> Roles:
    """Return the roles that have pods in the part."""
    roles, kept = cut.instance.roles, rows.roles
    wanted = np.bincount(cut.instance.pod_role[rows.pods], minlength=len(roles))
    return Roles(
        group=rows.owner[roles.group[kept]],
        request=roles.request[kept],
        wanted=wanted[kept],
        minimum=roles.minimum[kept],
        running=roles.running[kept],
        eligible=roles.eligible[kept][:, rows.classes],
        devices=roles.devices[kept],
        share=roles.share[kept],
        whole=roles.whole[kept],
    )


def groups_of(cut: Cut, units: Units, rows: Rows) -> Groups:
    """Return the groups of the part.

    Those without pods in it stand, or do not, as in the whole, although their roles are not here.
    """
    groups, kept = cut.instance.groups, rows.groups
    running = (groups.running - units.lost)[kept]
    minimum, stands = groups.minimum[kept], standing(cut.instance)[kept]
    bare = ~cut.chosen[kept] & (groups.kind[kept] == GANG)
    least = np.where(stands, np.minimum(minimum, running), np.maximum(minimum, running + 1))
    return Groups(
        priority=groups.priority[kept],
        kind=groups.kind[kept],
        minimum=np.where(bare, np.maximum(least, 1), minimum),
        running=running,
        held=(groups.held | units.loses)[kept],
        age=groups.age[kept],
        parent=_above(groups.parent[kept], rows, len(groups)),
    )


def composites_of(cut: Cut, rows: Rows) -> Composites:
    """Return the composites of whole trees."""
    composites, kept = cut.instance.composites, rows.composites
    return Composites(
        _above(composites.parent[kept], rows, len(cut.instance.groups)),
        composites.minimum[kept],
        composites.priority[kept],
        composites.held[kept],
    )


def _above(parent: Ints, rows: Rows, n_groups: int) -> Ints:
    """Numbers of parents in the part; -1 stays -1."""
    number = np.where(parent < 0, -1, rows.owner[parent + n_groups] - len(rows.groups))
    return np.maximum(number, -1)


def rules_of(cut: Cut, rows: Rows) -> tuple[Topology, Rules, Ints]:
    """Return levels, rules and the numbers of the domains d that nodes or members are in."""
    instance, kept = cut.instance, rows.rules
    topology, rules = instance.topology, instance.rules
    table = topology.domain[:, cut.nodes]
    number = np.full(len(rules), -1, dtype=np.int64)
    number[kept] = np.arange(len(kept))
    member = np.flatnonzero(number[rules.member_rule] >= 0)
    present = np.zeros(topology.n_domains, dtype=np.bool_)
    present[table[table >= 0]] = True
    present[rules.member_domain[member]] = True
    domains = np.flatnonzero(present)
    local = np.full(topology.n_domains + 1, -1, dtype=np.int64)
    local[domains] = np.arange(len(domains))
    return (
        Topology(local[table], topology.level[domains]),
        Rules(
            rows.owner[rules.owner[kept]],
            rules.level[kept],
            rules.mode[kept],
            rules.slice[kept],
            number[rules.member_rule[member]],
            local[rules.member_domain[member]],
            rules.member_count[member],
        ),
        domains,
    )
