"""Which new pods stay when a victim asks for its place: rule 9 of docs/preemption.md, read anew.

Plain Python over single pods; nothing from marks, needs or verify.
"""

from collections import Counter

from gangplan.models.columns import GANG
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from tests.brute_rules import children_of, composite_stands, roles_of, stands
from tests.brute_victims import rank_of, root_of


def staying(instance: Instance, plan: Plan, priority: int) -> set[int]:
    """Pods of roots of a higher priority, without the elastic ones."""
    stay: set[int] = set()
    for root in sorted({root_of(instance, g) for g in range(len(instance.groups))}):
        if root < len(instance.groups):
            if rank_of(instance, root) > priority:
                stay |= _of_group(instance, plan, root)
        elif instance.composites.priority[root - len(instance.groups)] > priority:
            stay |= _of_tree(instance, plan, root - len(instance.groups)) or set()
    return stay


def _placed(instance: Instance, plan: Plan, role: int) -> list[int]:
    first, last = instance.pod_start[role : role + 2].tolist()
    return [p for p in range(first, last) if plan.node[p] >= 0]


def _of_group(instance: Instance, plan: Plan, group: int) -> set[int]:
    """Pods of a group that are not elastic; of a gang those marked minimum, slices apart."""
    mine = {k: _placed(instance, plan, k) for k in roles_of(instance, group)}
    everybody = {p for pods in mine.values() for p in pods}
    if instance.groups.kind[group] != GANG:
        return everybody
    sliced = [
        t
        for t in range(len(instance.rules))
        if instance.rules.owner[t] == group and instance.rules.slice[t] > 0
    ]
    needed = _marked(instance, group, mine)
    if not sliced or needed == everybody:
        return needed
    return everybody if len(sliced) > 1 else _slices(instance, plan, sliced[0], everybody, needed)


def _marked(instance: Instance, group: int, mine: dict[int, list[int]]) -> set[int]:
    """The roles' own minima first, then what the gang lacks, from roles with few devices."""
    lacks = {k: max(0, int(instance.roles.minimum[k] - instance.roles.running[k])) for k in mine}
    rest = max(0, int(instance.groups.minimum[group] - instance.groups.running[group]))
    rest = max(rest, sum(lacks.values()))
    taken = {k: min(lacks[k], len(pods)) for k, pods in mine.items()}
    rest -= sum(taken.values())
    for k in sorted(mine, key=lambda k: (int(instance.roles.devices[k]), k)):
        more = min(max(rest, 0), len(mine[k]) - taken[k])
        taken[k] += more
        rest -= more
    return {p for k, pods in mine.items() for p in pods[: taken[k]]}


def _slices(
    instance: Instance, plan: Plan, rule: int, everybody: set[int], needed: set[int]
) -> set[int]:
    """Of the elastic pods of a domain only whole slices may go: the last ones."""
    size, level = int(instance.rules.slice[rule]), int(instance.rules.level[rule])
    stay, going = set(needed), Counter[int]()
    domain = {p: int(instance.topology.domain[level, plan.node[p]]) for p in everybody}
    for p in sorted(everybody - needed, reverse=True):
        here = sum(domain[q] == domain[p] for q in everybody - needed)
        if going[domain[p]] < here - here % size:
            going[domain[p]] += 1
        else:
            stay.add(p)
    return stay


def _of_tree(instance: Instance, plan: Plan, composite: int) -> set[int] | None:
    """Pods of the fewest children, those that keep few pods first; None: it is not admitted."""
    if composite_stands(instance, composite):
        return None
    groups, inner = children_of(instance, composite)
    up = sum(stands(instance, g) for g in groups) + sum(
        composite_stands(instance, h) for h in inner
    )
    ways = [
        _of_group(instance, plan, g)
        for g in groups
        if not stands(instance, g)
        and any(_placed(instance, plan, k) for k in roles_of(instance, g))
    ]
    below = [_of_tree(instance, plan, h) for h in inner]
    ways += [pods for pods in below if pods is not None]
    need = int(instance.composites.minimum[composite]) - up
    if len(ways) < need:
        return None
    # Python sorts stably: groups before composites, each in their order.
    return set().union(*sorted(ways, key=len)[:need])
