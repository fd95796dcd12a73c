"""lost: what evicted units give up, counted pod by pod once more."""

from collections import Counter

from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.tier import Tier
from gangplan.models.verify.evictions import fallen


def recount(instance: Instance, plan: Plan, tier: Tier) -> int:
    """Value of a tier of kind ``lost``.

    Raises
    ------
    PlanError : a unit that is not known here, or no single priority.
    """
    if len(tier.weights) != 1 or tier.weights[0][1] != 1:
        raise PlanError(f"tier {tier.name}: one priority expected")
    priority = tier.weights[0][0]
    running = instance.running
    falls = fallen(instance, plan.evicted).tolist()
    of_pod = running.priority[running.pod_unit].tolist()
    if tier.unit == "budgets":
        hits = Counter(
            b
            for b, u in zip(running.match_budget.tolist(), running.match_pod.tolist(), strict=True)
            if falls[u] and of_pod[u] >= priority
        )
        allowed = running.budget_allowed.tolist()
        return sum(max(0, victims - allowed[b]) for b, victims in hits.items())
    devices, minutes = running.pod_devices.tolist(), running.pod_minutes.tolist()
    lost = [u for u, gone in enumerate(falls) if gone and of_pod[u] == priority]
    if tier.unit == "pods":
        return len(lost)
    if tier.unit == "devices":
        return sum(devices[u] for u in lost)
    if tier.unit != "hours":
        raise PlanError(f"tier {tier.name}: unit {tier.unit!r} is not known")
    worn: Counter[int] = Counter()
    for u in lost:
        worn[int(running.pod_unit[u])] += max(0, minutes[u]) * (devices[u] or 1)
    return sum(total // 60 for total in worn.values())
