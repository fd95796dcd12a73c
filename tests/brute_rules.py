"""Every rule once more, for brute force: plain Python on counts of pods per role and node.

Nothing here comes from verify, needs or counts; this is a reading of its own.
"""

from functools import lru_cache
from typing import TypeAlias

from gangplan.models.columns import GANG
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.topology import PREFERRED

Spread: TypeAlias = tuple[int, ...]
"""Pods per node."""

Counts: TypeAlias = dict[int, Spread]
"""Role -> pods per node."""


@lru_cache(maxsize=4096)
def usable(instance: Instance, role: int, node: int) -> bool:
    group = int(instance.roles.group[role])
    if instance.groups.held[group]:
        return False
    return bool(instance.roles.eligible[role, int(instance.nodes.node_class[node])])


@lru_cache(maxsize=4096)
def roles_of(instance: Instance, group: int) -> list[int]:
    return [k for k in range(len(instance.roles)) if instance.roles.group[k] == group]


@lru_cache(maxsize=4096)
def children_of(instance: Instance, composite: int) -> tuple[list[int], list[int]]:
    groups = [g for g in range(len(instance.groups)) if instance.groups.parent[g] == composite]
    inner = [
        h for h in range(len(instance.composites)) if instance.composites.parent[h] == composite
    ]
    return groups, inner


@lru_cache(maxsize=4096)
def groups_of(instance: Instance, owner: int) -> list[int]:
    if owner < len(instance.groups):
        return [owner]
    groups, inner = children_of(instance, owner - len(instance.groups))
    return groups + [g for h in inner for g in groups_of(instance, len(instance.groups) + h)]


def pods_of(instance: Instance, counts: Counts, group: int) -> int:
    return sum(sum(counts[k]) for k in roles_of(instance, group))


def group_ok(instance: Instance, counts: Counts, group: int) -> bool:
    """All or nothing, and the group's own topology."""
    pods = pods_of(instance, counts, group)
    if pods == 0:
        return True
    if instance.groups.kind[group] == GANG:
        if instance.groups.running[group] + pods < instance.groups.minimum[group]:
            return False
        for k in roles_of(instance, group):
            if instance.roles.running[k] + sum(counts[k]) < instance.roles.minimum[k]:
                return False
    return rules_ok(instance, counts, group)


def tree_ok(instance: Instance, counts: Counts, composite: int) -> bool:
    """One level of a tree: pods below only if enough children go along, none if held."""
    owner = len(instance.groups) + composite
    if all(pods_of(instance, counts, g) == 0 for g in groups_of(instance, owner)):
        return True
    if instance.composites.held[composite]:
        return False
    along = standing_children(instance, composite) + new_children(instance, counts, composite)
    return along >= instance.composites.minimum[composite] and rules_ok(instance, counts, owner)


@lru_cache(maxsize=4096)
def stands(instance: Instance, group: int) -> bool:
    return bool(
        instance.groups.running[group] >= instance.groups.minimum[group]
        and all(
            instance.roles.running[k] >= instance.roles.minimum[k]
            for k in roles_of(instance, group)
        )
    )


@lru_cache(maxsize=4096)
def composite_stands(instance: Instance, composite: int) -> bool:
    return bool(standing_children(instance, composite) >= instance.composites.minimum[composite])


@lru_cache(maxsize=4096)
def standing_children(instance: Instance, composite: int) -> int:
    groups, inner = children_of(instance, composite)
    return sum(stands(instance, g) for g in groups) + sum(
        composite_stands(instance, h) for h in inner
    )


def new_children(instance: Instance, counts: Counts, composite: int) -> int:
    """Children that did not stand and are admitted by these counts."""
    groups, inner = children_of(instance, composite)
    new = sum(not stands(instance, g) and pods_of(instance, counts, g) > 0 for g in groups)
    for h in inner:
        along = standing_children(instance, h) + new_children(instance, counts, h)
        new += not composite_stands(instance, h) and bool(along >= instance.composites.minimum[h])
    return new


def rules_ok(instance: Instance, counts: Counts, owner: int) -> bool:
    """Check the required rules of one owner, which places pods."""
    rules = instance.rules
    for t in range(len(rules)):
        if rules.owner[t] != owner or rules.mode[t] == PREFERRED:
            continue
        new, total = per_domain(instance, counts, t)
        k = int(rules.slice[t])
        if -1 in new:
            return False
        if k == 0 and len(total) != 1:
            return False
        if k > 0 and any(pods % k for pods in total.values()):
            return False
    return True


def per_domain(
    instance: Instance, counts: Counts, rule: int
) -> tuple[dict[int, int], dict[int, int]]:
    """New pods, and new plus running pods, per domain of a rule's level (-1: no label)."""
    rules = instance.rules
    new: dict[int, int] = {}
    for g in groups_of(instance, int(rules.owner[rule])):
        for k in roles_of(instance, g):
            for n, pods in enumerate(counts[k]):
                if pods:
                    d = int(instance.topology.domain[rules.level[rule], n])
                    new[d] = new.get(d, 0) + pods
    total = dict(new)
    for m in range(len(rules.member_rule)):
        if rules.member_rule[m] == rule:
            d = int(rules.member_domain[m])
            total[d] = total.get(d, 0) + int(rules.member_count[m])
    return new, total


@lru_cache(maxsize=4096)
def free_of(instance: Instance) -> tuple[int, ...]:
    return tuple(instance.nodes.free.ravel().tolist())


def room_of(instance: Instance, counts: Counts) -> tuple[int, ...]:
    """Requests summed per node and resource, flat like ``free_of``."""
    n_nodes, n_resources = instance.nodes.free.shape
    room = [0] * (n_nodes * n_resources)
    for k, spread in counts.items():
        request = instance.roles.request[k].tolist()
        for n, pods in enumerate(spread):
            if pods:
                for r, asked in enumerate(request):
                    room[n * n_resources + r] += pods * asked
    return tuple(room)


def devices_ok(instance: Instance, plan: Plan) -> bool:
    """Check the devices a plan names, pod by pod and device by device."""
    held = list(zip(plan.device_pod.tolist(), plan.device.tolist(), strict=True))
    for pod, node in enumerate(plan.node.tolist()):
        mine = [j for p, j in held if p == pod]
        k = int(instance.pod_role[pod])
        asked = 1 if instance.roles.share[k] else int(instance.roles.whole[k])
        if len(mine) != (asked if node >= 0 else 0) or len(set(mine)) != len(mine):
            return False
        if any(instance.shared.node[j] != node for j in mine):
            return False
    for j in range(len(instance.shared)):
        parts = [int(instance.roles.share[instance.pod_role[p]]) or 1000 for p, i in held if i == j]
        if sum(parts) > instance.shared.free[j]:
            return False
    return True


def parts_of(instance: Instance, counts: Counts) -> tuple[tuple[int, ...], ...]:
    """Thousandths asked on each node, device by device; a whole device is a part of 1000.

    Two parts of 1000 cannot share a device, so w of them are w different empty devices.
    """
    parts: list[list[int]] = [[] for _ in range(len(instance.nodes))]
    for k, spread in counts.items():
        share, whole = int(instance.roles.share[k]), int(instance.roles.whole[k])
        each = [share] if share else [1000] * whole
        for n, pods in enumerate(spread):
            parts[n] += each * pods
    return tuple(tuple(sorted(p, reverse=True)) for p in parts)


def parts_fit(instance: Instance, parts: tuple[tuple[int, ...], ...]) -> bool:
    free: list[list[int]] = [[] for _ in parts]
    for node, room in zip(
        instance.shared.node.tolist(), instance.shared.free.tolist(), strict=True
    ):
        free[node].append(room)
    return all(_pack(p, tuple(sorted(f))) for p, f in zip(parts, free, strict=True))


@lru_cache(maxsize=100_000)
def _pack(parts: tuple[int, ...], free: tuple[int, ...]) -> bool:
    """Try every device for the first part, then the rest."""
    if not parts:
        return True
    return any(
        _pack(parts[1:], tuple(sorted((*free[:j], free[j] - parts[0], *free[j + 1 :]))))
        for j in range(len(free))
        if parts[0] <= free[j]
    )
