"""What a root unit's placement is worth in each tier, for brute force."""

from itertools import product

from gangplan.models.columns import GANG
from gangplan.models.instance import Instance
from gangplan.models.tiers import Tier
from gangplan.models.topology import PREFERRED
from tests.brute_rules import (
    Counts,
    children_of,
    composite_stands,
    groups_of,
    per_domain,
    pods_of,
    roles_of,
    standing_children,
    stands,
)


def priority_of(instance: Instance, unit: int) -> int:
    return max((int(instance.groups.priority[g]) for g in groups_of(instance, unit)), default=0)


def value_of(instance: Instance, unit: int, tier: Tier, worth: int, counts: Counts) -> int:
    """Value of one tier, to be maximised; opened nodes and ranks are counted at the end."""
    groups = groups_of(instance, unit)
    pods = sum(pods_of(instance, counts, g) for g in groups)
    if tier.kind == "preferred":
        return -sum(extra_domains(instance, counts, t) for t in range(len(instance.rules)))
    if tier.kind in ("fragmentation", "rank") or pods == 0:
        return 0
    weight = dict(tier.weights).get(priority_of(instance, unit), 0)
    if unit < len(instance.groups) and instance.groups.kind[unit] != GANG:
        if tier.kind == "elastic":
            return 0
        return weight * sum(
            sum(counts[k]) * _pod_worth(instance, k, tier.unit) for k in roles_of(instance, unit)
        )
    return weight * (pods - worth if tier.kind == "elastic" else worth)


def _pod_worth(instance: Instance, role: int, unit: str) -> int:
    if unit == "devices":
        return int(instance.roles.devices[role])
    if unit == "age":
        return 1 + int(instance.groups.age[instance.roles.group[role]]) // 60
    return 1


def worth_of(instance: Instance, unit: int, tier: Tier) -> int:
    """Worth of admitting a gang or a tree; nothing where it stands already."""
    n = len(instance.groups)
    if tier.kind not in ("admitted", "elastic"):
        return 0
    if unit < n:
        if instance.groups.kind[unit] != GANG or stands(instance, unit):
            return 0
    elif composite_stands(instance, unit - n):
        return 0
    if tier.kind == "elastic" or tier.unit == "pods":
        return fewest(instance, unit, [1] * len(instance.roles)) or 0
    if tier.unit == "devices":
        return fewest(instance, unit, instance.roles.devices.tolist()) or 0
    if tier.unit == "age":
        return 1 + max(int(instance.groups.age[g]) for g in groups_of(instance, unit)) // 60
    return 1


def fewest(instance: Instance, unit: int, each: list[int]) -> int | None:
    """Smallest total of ``each`` (K,) over waiting pods that meet the unit's minima, if any do."""
    if unit >= len(instance.groups):
        h = unit - len(instance.groups)
        groups, inner = children_of(instance, h)
        more = max(int(instance.composites.minimum[h]) - standing_children(instance, h), 0)
        ways = [fewest(instance, g, each) for g in groups if not stands(instance, g)]
        ways += [
            fewest(instance, len(instance.groups) + i, each)
            for i in inner
            if not composite_stands(instance, i)
        ]
        costs = sorted(cost for cost in ways if cost is not None)
        if instance.composites.held[h] or len(costs) < more:
            return None
        return sum(costs[:more])
    if instance.groups.held[unit]:
        return None
    roles = roles_of(instance, unit)
    return min(
        (
            sum(c * each[k] for c, k in zip(chosen, roles, strict=True))
            for chosen in product(*(range(int(instance.roles.wanted[k]) + 1) for k in roles))
            if instance.groups.running[unit] + sum(chosen) >= instance.groups.minimum[unit]
            and all(
                instance.roles.running[k] + c >= instance.roles.minimum[k]
                for c, k in zip(chosen, roles, strict=True)
            )
        ),
        default=None,
    )


def extra_domains(instance: Instance, counts: Counts, rule: int) -> int:
    """Cost of a preferred rule whose owner lies in these counts: domains used beyond the first."""
    if instance.rules.mode[rule] != PREFERRED:
        return 0
    groups = groups_of(instance, int(instance.rules.owner[rule]))
    if any(k not in counts for g in groups for k in roles_of(instance, g)):
        return 0
    new, total = per_domain(instance, counts, rule)
    if not new:
        return 0
    unlabelled = {
        n
        for g in groups
        for k in roles_of(instance, g)
        for n, pods in enumerate(counts[k])
        if pods and instance.topology.domain[instance.rules.level[rule], n] < 0
    }
    return len(set(total) - {-1}) + len(unlabelled) - 1
