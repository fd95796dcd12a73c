"""For whom each victim falls: what a plan file says beside every eviction."""

import numpy as np

from gangplan.models.arrays import Flags
from gangplan.models.fewer import only
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify.kept import kept
from gangplan.models.verify.needless import Return, returning
from gangplan.models.victims import victims_of

TRIED = 100_000
"""Groups times victims up to which each group is left out, to see who could come back without it:
some seconds. On 5,120 nodes with 2,200 victims it would be a minute."""


def blamed(instance: Instance, plan: Plan) -> list[tuple[int, ...]]:
    """For each evicted unit the groups that it falls for, by number, sorted.

    Of the groups of higher rank that may evict, and have pods of their minimum on one of its nodes
    or on a device that it held: those without which, each by itself, a part of the unit could come
    back (beside what rule 9 takes away); all of them, where none is enough by itself. A unit in
    whose place nobody is falls with others of its group or tree, and for the same groups; else
    what it gives back (counters, say) may serve any of them. Where groups and victims are many
    (``TRIED``) nobody is left out to see: then all of them are named.
    """
    units = plan.evicted.tolist()
    root = [_roots(instance, v) for v in units]
    near = _near(instance, plan)
    anybody = _evicting(instance, plan)
    for i, groups in enumerate(near):
        if not groups:
            near[i] = {
                g for own, more in zip(root, near, strict=True) if own & root[i] for g in more
            }
    for i, v in enumerate(units):
        near[i] = near[i] or _above(instance, anybody, v)
    several = set().union(*(m for m in near if len(m) > 1))
    back = {g: _back(instance, plan, g) for g in several if len(several) * len(units) <= TRIED}
    found = []
    for v, own, groups in zip(units, root, near, strict=True):
        alone = {g for g in groups if g in back and _is_back(instance, back[g], v, own)}
        found.append(tuple(sorted(alone or groups)))
    return found


def _roots(instance: Instance, unit: int) -> set[int]:
    """Roots of the groups that lose pods with the unit; none for pods without a group."""
    groups = instance.running.pod_group[instance.running.pods_of(unit)]
    return set(victims_of(instance).root[groups[groups >= 0]].tolist())


def _near(instance: Instance, plan: Plan) -> list[set[int]]:
    """For each evicted unit: groups of higher rank with pods they need in its place."""
    running, victims = instance.running, victims_of(instance)
    pods = np.flatnonzero(kept(instance, plan))
    group = instance.roles.group[instance.pod_role[pods]]
    may = victims.evicts[group]
    here: dict[int, set[int]] = {}
    for n, g in zip(plan.node[pods[may]].tolist(), group[may].tolist(), strict=True):
        here.setdefault(n, set()).add(g)
    holders = _holders(instance, plan, set(group[may].tolist()))
    freed = running.freed(plan.evicted)
    found = []
    for v in plan.evicted.tolist():
        mine = np.zeros(len(running.pod_unit), dtype=np.bool_)
        mine[running.pods_of(v)] = True
        holds = np.unique(running.user_hold[mine[running.user_pod]])
        devices = running.freed_device[np.isin(running.freed_hold, holds[freed[holds]])]
        near = [here.get(n, set()) for n in running.pod_node[mine].tolist()]
        near += [holders.get(i, set()) for i in devices.tolist()]
        found.append(_above(instance, set().union(*near), v))
    return found


def _evicting(instance: Instance, plan: Plan) -> set[int]:
    """Find the groups that may evict, and get pods they need."""
    group = instance.roles.group[instance.pod_role[kept(instance, plan)]]
    return set(group[victims_of(instance).evicts[group]].tolist())


def _above(instance: Instance, groups: set[int], unit: int) -> set[int]:
    """Those of higher rank than a unit."""
    rank, priority = victims_of(instance).rank, instance.running.priority[unit]
    return {g for g in groups if rank[g] > priority}


def _holders(instance: Instance, plan: Plan, groups: set[int]) -> dict[int, set[int]]:
    """Device -> those of the groups to whose claims the plan gives it."""
    given, claims, found = plan.allocations, instance.claims, dict[int, set[int]]()
    placed = plan.placed_per_role(instance) > 0
    for p, c, i in zip(
        given.pod.tolist(), given.claim.tolist(), given.device.tolist(), strict=True
    ):
        roles = claims.user_role[claims.user_shared == c] if p < 0 else instance.pod_role[[p]]
        users = instance.roles.group[roles[placed[roles]]].tolist()
        found.setdefault(i, set()).update(groups.intersection(users))
    return found


def _back(instance: Instance, plan: Plan, group: int) -> list[Return]:
    """Return who could come back if this group were not there."""
    others: Flags = (plan.node >= 0) & (instance.roles.group[instance.pod_role] != group)
    return returning(instance, only(instance, plan, others))


def _is_back(instance: Instance, parts: list[Return], unit: int, own: set[int]) -> bool:
    """Tell whether the unit is among them, or some members of its gang that come back together."""
    return any(
        unit in part.units or (len(part.units) > 1 and bool(own & _roots(instance, part.units[0])))
        for part in parts
    )
