"""Tier values, counted once more from the plan: a second pair of eyes on ``gangplan.models.tiers``.

What an admitted root unit is worth is read off the columns unit by unit here, where ``tiers`` and
``needs`` work on whole columns.
"""

from collections.abc import Sequence

import numpy as np

from gangplan.models.columns import GANG
from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.tiers import Tier
from gangplan.models.verify import fragmentation, lost, preferred, rank
from gangplan.models.verify.members import ancestors, per_group, placed_by_role, standing


def recount(instance: Instance, plan: Plan, tier: Tier) -> int:
    """Value of a tier for a plan that keeps the rules.

    Raises
    ------
    PlanError : a kind or unit of tier that is not known here.
    """
    if tier.kind == "rank":
        return rank.recount(instance, plan)
    if tier.kind == "preferred":
        return preferred.recount(instance, plan)
    if tier.kind == "fragmentation":
        return fragmentation.recount(instance, plan)
    if tier.kind == "lost":
        return lost.recount(instance, plan, tier)
    if tier.kind not in ("admitted", "elastic"):
        raise PlanError(f"tier {tier.name}: kind {tier.kind!r} is not known")
    return _Trees(instance, plan).total(tier)


class _Trees:
    """Root units of an instance and the new pods of a plan, looked at from the root."""

    def __init__(self, instance: Instance, plan: Plan) -> None:
        self.instance = instance
        self.by_role = placed_by_role(instance, plan)
        self.new = per_group(instance, self.by_role).tolist()
        self.stands = standing(instance).tolist()
        self.root = [(ancestors(instance, g) or [-1])[-1] for g in range(len(instance.groups))]

    def total(self, tier: Tier) -> int:
        """Weighted sum over the root units that get new pods."""
        groups, weight = self.instance.groups, dict(tier.weights)
        total = 0
        trees: dict[int, int] = {}
        for g in np.flatnonzero(np.array(self.new) > 0).tolist():
            factor = weight.get(int(groups.priority[g]), 0)
            if self.root[g] >= 0:
                trees[self.root[g]] = trees.get(self.root[g], 0) + factor * self.new[g]
            elif groups.kind[g] == GANG:
                total += factor * self._gang(tier, g)
            elif tier.kind == "admitted":
                total += factor * self._loose(tier, g)
        for h, pods in trees.items():
            factor = weight.get(int(self.instance.composites.priority[h]), 0)
            worth = 0 if self._standing(h) else self._tree(tier, h)
            total += pods - factor * worth if tier.kind == "elastic" else factor * worth
        return total

    def _loose(self, tier: Tier, group: int) -> int:
        """Every pod of a basic or bare group is a gang of one."""
        first, last = np.searchsorted(self.instance.roles.group, [group, group + 1])
        pods = self.by_role[first:last]
        if tier.unit == "devices":
            return int(pods @ self.instance.roles.devices[first:last])
        return int(pods.sum()) * self._one(tier, int(self.instance.groups.age[group]))

    def _gang(self, tier: Tier, group: int) -> int:
        lacking = 0 if self.stands[group] else self._lacking_pods(group)
        if tier.kind == "elastic":
            return int(self.new[group]) - lacking
        if self.stands[group]:
            return 0
        if tier.unit == "pods":
            return lacking
        if tier.unit == "devices":
            return self._lacking_devices(group)
        return self._one(tier, int(self.instance.groups.age[group]))

    def _tree(self, tier: Tier, root: int) -> int:
        """Worth of a composite that did not stand."""
        if tier.kind == "elastic" or tier.unit in ("pods", "devices"):
            return self._cheapest(root, tier.kind == "admitted" and tier.unit == "devices")
        ages = [
            int(a) for a, r in zip(self.instance.groups.age, self.root, strict=True) if r == root
        ]
        return self._one(tier, max(ages))

    @staticmethod
    def _one(tier: Tier, age: int) -> int:
        if tier.unit not in ("one", "age", "pods"):
            raise PlanError(f"tier {tier.name}: unit {tier.unit!r} is not known")
        return 1 + age // 60 if tier.unit == "age" else 1

    def _lacking_pods(self, group: int) -> int:
        """Count the new pods that a gang's minima ask for."""
        roles, groups = self.instance.roles, self.instance.groups
        first, last = np.searchsorted(roles.group, [group, group + 1])
        own = sum(max(int(roles.minimum[k] - roles.running[k]), 0) for k in range(first, last))
        return max(int(groups.minimum[group] - groups.running[group]), own, 0)

    def _lacking_devices(self, group: int) -> int:
        """Devices of the cheapest such pods: each role's own minimum, then the cheapest left."""
        roles = self.instance.roles
        first, last = np.searchsorted(roles.group, [group, group + 1])
        taken: list[int] = []
        left: list[int] = []
        for k in range(first, last):
            own = max(int(roles.minimum[k] - roles.running[k]), 0)
            pods = [int(roles.devices[k])] * int(roles.wanted[k])
            taken += pods[:own]
            left += pods[own:]
        return sum(taken) + sum(sorted(left)[: self._lacking_pods(group) - len(taken)])

    def _children(self, composite: int) -> tuple[list[int], list[int]]:
        groups = np.flatnonzero(self.instance.groups.parent == composite).tolist()
        return groups, np.flatnonzero(self.instance.composites.parent == composite).tolist()

    def _missing(self, composite: int) -> int:
        """Children that a composite lacks beside the standing ones."""
        groups, inner = self._children(composite)
        up = sum(self.stands[g] for g in groups) + sum(self._standing(h) for h in inner)
        return int(self.instance.composites.minimum[composite]) - int(up)

    def _standing(self, composite: int) -> bool:
        return bool(self._missing(composite) <= 0)

    def _possible(self, group: int) -> bool:
        """Tell whether a gang is not held and enough of its pods wait, role by role."""
        roles = self.instance.roles
        first, last = np.searchsorted(roles.group, [group, group + 1])
        short = [roles.minimum[k] > roles.running[k] + roles.wanted[k] for k in range(first, last)]
        waiting = int(roles.wanted[first:last].sum())
        return (
            not self.instance.groups.held[group]
            and not any(short)
            and self._lacking_pods(group) <= waiting
        )

    def _ways(self, composite: int) -> tuple[list[int], list[int]]:
        """Children, groups and composites, that could be newly admitted."""
        groups, inner = self._children(composite)
        return (
            [g for g in groups if not self.stands[g] and self._possible(g)],
            [h for h in inner if not self._standing(h) and self._possible_tree(h)],
        )

    def _possible_tree(self, composite: int) -> bool:
        ways = sum(len(children) for children in self._ways(composite))
        held = bool(self.instance.composites.held[composite])
        return not held and ways >= self._missing(composite)

    def _cheapest(self, composite: int, devices: bool) -> int:
        """Fewest new pods, or devices, that admit a composite which does not stand."""
        groups, inner = self._ways(composite)
        gang = self._lacking_devices if devices else self._lacking_pods
        each = [gang(g) for g in groups] + [self._cheapest(h, devices) for h in inner]
        cheapest: list[int] = sorted(each)[: self._missing(composite)]
        return sum(cheapest)


def recount_all(instance: Instance, plan: Plan, tiers: Sequence[Tier]) -> tuple[int, ...]:
    """Values of all tiers, in order."""
    return tuple(recount(instance, plan, tier) for tier in tiers)
