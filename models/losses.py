"""What a plan gives up of running work: the ``lost`` tiers (KEP-5710, made lexicographic).

For a priority p: viol(p), devices, pods, then hours of the evicted units. viol(p) is cumulative:
over PodDisruptionBudgets, max(0, victims of priority p or higher that match - disruptionsAllowed).
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import MOST, Flags, Ints
from gangplan.models.instance import Instance
from gangplan.models.once import once
from gangplan.models.plan import Plan
from gangplan.models.tier import Tier
from gangplan.models.victims import victims_of


@dataclass(frozen=True, slots=True, eq=False)
class Losses:
    """What each unit costs, if it falls.

    Attributes
    ----------
    devices, pods, hours : (V,) of the unit; hours that its pods have run times their devices, 1
        for a pod without one, 0 where nobody knows when it began; whole hours of the sum. At most
        MOST.
    matches : (B, V) pods of the unit that a budget protects.
    """

    devices: Ints
    pods: Ints
    hours: Ints
    matches: Ints

    def each(self, unit: str) -> Ints:
        """(V,) amounts of one kind: ``devices``, ``pods`` or ``hours``."""
        found: Ints = {"devices": self.devices, "pods": self.pods, "hours": self.hours}[unit]
        return found


@once
def losses_of(instance: Instance) -> Losses:
    """Add up what the pods of each unit hold."""
    running = instance.running
    v, b = len(running), len(running.budget_allowed)
    known = np.maximum(running.pod_minutes, 0)
    devices = _sums(running.pod_unit, running.pod_devices, np.ones(len(known), dtype=np.int64), v)
    minutes = _sums(running.pod_unit, known, np.maximum(running.pod_devices, 1), v)
    matches = np.zeros((b, v), dtype=np.int64)
    np.add.at(matches, (running.match_budget, running.pod_unit[running.match_pod]), 1)
    pods = np.bincount(running.pod_unit, minlength=v).astype(np.int64)
    return Losses(devices, pods, minutes // 60, matches)


def _sums(unit: Ints, amount: Ints, times: Ints, count: int) -> Ints:
    """(V,) sums of products over the pods of each unit; at most MOST, which ``tiers_of`` refuses.

    In Python integers where int64 could wrap round.
    """
    most = int(amount.max(initial=0)) * int(times.max(initial=0)) * len(unit)
    total = np.zeros(count, dtype=object if most > MOST else np.int64)
    np.add.at(total, unit, amount.astype(total.dtype) * times.astype(total.dtype))
    sums: Ints = np.minimum(total, MOST).astype(np.int64)
    return sums


def lost_tiers(instance: Instance) -> dict[int, list[Tier]]:
    """Priority -> its tiers, in order; only those that some eviction can move from 0."""
    running = instance.running
    if not len(running):
        return {}
    can, losses = victims_of(instance).can, losses_of(instance)
    found: dict[int, list[Tier]] = {}
    for p in sorted(set(running.priority[can].tolist()), reverse=True):
        mine, above = can & (running.priority == p), can & (running.priority >= p)
        kinds = [("gpus", "devices"), ("pods", "pods"), ("hours", "hours")]
        tiers = [
            Tier(f"lost-{name}({p})", "lost", False, unit, ((p, 1),))
            for name, unit in kinds
            if losses.each(unit)[mine].any()
        ]
        if (losses.matches[:, above].sum(axis=1) > running.budget_allowed).any():
            tiers.insert(0, Tier(f"lost-budgets({p})", "lost", False, "budgets", ((p, 1),)))
        found[p] = tiers
    return found


def lost_value(instance: Instance, plan: Plan, tier: Tier) -> int:
    """Exact value of a ``lost`` tier."""
    losses, ((p, _),) = losses_of(instance), tier.weights
    falls = np.zeros(len(instance.running), dtype=np.bool_)
    falls[plan.evicted] = True
    if tier.unit == "budgets":
        return int(beyond_budgets(instance, falls & (instance.running.priority >= p)).sum())
    mine = falls & (instance.running.priority == p)
    return sum(losses.each(tier.unit)[mine].tolist())


def beyond_budgets(instance: Instance, falls: Flags) -> Ints:
    """(B,) victims of each budget beyond what it allows, where the flagged units fall."""
    victims = losses_of(instance).matches[:, falls].sum(axis=1)
    beyond: Ints = np.maximum(victims - instance.running.budget_allowed, 0)
    return beyond


def most_lost(instance: Instance, tier: Tier) -> int:
    """Value of a ``lost`` tier if everybody who can fall did, in Python integers."""
    falls, ((p, _),) = victims_of(instance).can, tier.weights
    if tier.unit == "budgets":
        return int(losses_of(instance).matches[:, falls & (instance.running.priority >= p)].sum())
    mine = falls & (instance.running.priority == p)
    return sum(losses_of(instance).each(tier.unit)[mine].tolist())
