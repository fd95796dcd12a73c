"""The lexicographic objective: named tiers, their order, and their exact values for a plan.

For each priority p, highest first, what is lost of running work of priority p, then
``admitted(p)``; then for each priority ``elastic(p)``; then ``rank`` (where a request has a
choice), ``preferred`` and ``fragmentation``. Values are Python integers computed from (Instance,
Plan) alone. What is lost, each only where it can differ from 0 (KEP-5710 orders victims alike):

lost-budgets(p)
    victims of priority p or higher beyond what each PodDisruptionBudget allows, summed.
lost-gpus(p), lost-pods(p)
    devices, then pods, of the evicted units of priority p.
lost-hours(p)
    hours that the pods of a unit have run times their devices (1 for a pod without one), whole.

The named choices of ``admitted`` (``OBJECTIVES``):

groups
    root units admitted, then ``admitted-pods(p)``: the pods their missing minima ask for.
gpus
    ``admitted-gpus(p)``: the smallest device total that meets the minima, then root units.
age
    root units weighted by 1 + whole minutes waited.
weighted-gpus
    one tier for all priorities: an explicit positive integer weight per priority times the
    devices that the minima ask for; nothing is evicted, and no soft tier follows.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.columns import GANG
from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.losses import lost_tiers, lost_value, most_lost
from gangplan.models.needs import Needs, needs_of
from gangplan.models.plan import Plan
from gangplan.models.tier import EXACT as EXACT
from gangplan.models.tier import Tier as Tier
from gangplan.models.topology import PREFERRED

OBJECTIVES = ("groups", "gpus", "age", "weighted-gpus")


def tiers_of(
    instance: Instance, objective: str = "groups", weights: Mapping[int, int] | None = None
) -> tuple[Tier, ...]:
    """List the tiers in order.

    Parameters
    ----------
    objective : one of OBJECTIVES.
    weights : ``weighted-gpus`` only: priority -> weight. Default: the priority itself.

    Raises
    ------
    PlanError : unknown objective, a weight that is missing or not a positive integer, worths that
        add up to more than EXACT.
    """
    roots = instance.composites.priority[instance.composites.parent < 0]
    priorities = sorted({*instance.groups.priority.tolist(), *roots.tolist()}, reverse=True)
    if objective == "weighted-gpus":
        table = {p: p for p in priorities} if weights is None else dict(weights)
        for p in priorities:
            if table.get(p, 0) < 1:
                raise PlanError(f"weighted-gpus: priority {p} needs a positive integer weight")
        pairs = tuple((p, table[p]) for p in priorities)
        return _exact(instance, (Tier("weighted-gpus", "admitted", True, "devices", pairs),))
    if objective not in OBJECTIVES:
        raise PlanError(f"unknown objective {objective!r}: one of {', '.join(OBJECTIVES)}")
    steps = {
        "groups": (("admitted", "one"), ("admitted-pods", "pods")),
        "gpus": (("admitted-gpus", "devices"), ("admitted", "one")),
        "age": (("admitted-age", "age"),),
    }[objective]
    lost = lost_tiers(instance)
    tiers: list[Tier] = []
    for p in sorted({*priorities, *lost}, reverse=True):
        tiers += lost.get(p, ())
        if p in priorities:
            tiers += [
                Tier(f"{name}({p})", "admitted", True, unit, ((p, 1),)) for name, unit in steps
            ]
    tiers += [Tier(f"elastic({p})", "elastic", True, weights=((p, 1),)) for p in priorities]
    if len(instance.claims.choice_request) > len(instance.claims.request_spec):
        tiers.append(Tier("rank", "rank", False))
    tiers.append(Tier("preferred", "preferred", False))
    tiers.append(Tier("fragmentation", "fragmentation", False))
    return _exact(instance, tuple(tiers))


def _exact(instance: Instance, tiers: tuple[Tier, ...]) -> tuple[Tier, ...]:
    """Refuse tiers that could be worth more than EXACT; counted in Python integers."""
    roles, groups = instance.roles, instance.groups
    pods: list[int] = roles.wanted.tolist()
    each: dict[str, list[int]] = {
        "devices": roles.devices.tolist(),
        "age": (1 + groups.age // 60)[roles.group].tolist(),
    }
    priority: list[int] = groups.priority[roles.group].tolist()
    for tier in tiers:
        weight = dict(tier.weights)
        # A tree pays the weight of its root's priority, which need not be that of its groups.
        most = max(weight.values(), default=0)
        mixed = bool(len(instance.composites))
        total = sum(
            (most if mixed else weight.get(p, 0)) * n * worth
            for p, n, worth in zip(
                priority, pods, each.get(tier.unit, [1] * len(pods)), strict=True
            )
        )
        if tier.kind == "lost":
            total = most_lost(instance, tier)
        if total > EXACT:
            raise PlanError(f"{tier.name}: worth up to {total}; above 2^53 no sum is exact")
    return tiers


@dataclass(frozen=True, slots=True, eq=False)
class Worth:
    """How much a tier pays, per thing a formulation has a column for.

    Attributes
    ----------
    group : (G,) for admitting root gang g. 0 for the others.
    composite : (H,) for admitting root composite h.
    pod : (K,) for each placed pod of role k (basic and bare groups in `admitted`).
    """

    group: Ints
    composite: Ints
    pod: Ints


def worth_of(instance: Instance, tier: Tier, needs: Needs | None = None) -> Worth:
    """Coefficients of an ``admitted`` or ``elastic`` tier; linear in (admission, placed pods).

    ``elastic``: placed pods minus what the admitted root units' minima ask for.
    """
    needs = needs_of(instance) if needs is None else needs
    groups, composites, roles = instance.groups, instance.composites, instance.roles
    weight = dict(tier.weights)
    by_group = np.array([weight.get(int(p), 0) for p in groups.priority], dtype=np.int64)
    by_composite = np.array([weight.get(int(p), 0) for p in composites.priority], dtype=np.int64)
    root_gang = (groups.kind == GANG) & (groups.parent < 0) & ~needs.stands
    root_tree = (composites.parent < 0) & ~needs.composite_stands
    loose = groups.kind != GANG
    if tier.kind == "elastic":
        return Worth(
            -by_group * root_gang * needs.group,
            -by_composite * root_tree * needs.composite_pods,
            (by_group * ~loose)[roles.group],
        )
    each_role = {
        "one": np.ones(len(roles), dtype=np.int64),
        "pods": np.ones(len(roles), dtype=np.int64),
        "devices": roles.devices,
        "age": 1 + (groups.age // 60)[roles.group],
    }[tier.unit]
    each_group = {
        "one": np.ones(len(groups), dtype=np.int64),
        "pods": needs.group,
        "devices": needs.group_devices,
        "age": 1 + groups.age // 60,
    }[tier.unit]
    each_tree = {
        "one": np.ones(len(composites), dtype=np.int64),
        "pods": needs.composite_pods,
        "devices": needs.composite_devices,
        "age": 1 + _oldest_below(instance) // 60,
    }[tier.unit]
    return Worth(
        by_group * root_gang * each_group,
        by_composite * root_tree * each_tree,
        (by_group * loose)[roles.group] * each_role,
    )


def _oldest_below(instance: Instance) -> Ints:
    """(H,) age of the oldest group below each composite; 0 where there is none."""
    n = len(instance.groups)
    below = [instance.groups_of(n + h) for h in range(len(instance.composites))]
    ages = [instance.groups.age[groups].max(initial=0) for groups in below]
    return np.array(ages, dtype=np.int64)


def value(instance: Instance, plan: Plan, tier: Tier, needs: Needs | None = None) -> int:
    """Exact value of a tier for a plan that keeps the rules."""
    needs = needs_of(instance) if needs is None else needs
    if tier.kind == "lost":
        return lost_value(instance, plan, tier)
    if tier.kind == "rank":
        return rank_cost(instance, plan)
    if tier.kind == "preferred":
        return preferred_cost(instance, plan)
    if tier.kind == "fragmentation":
        return opened_nodes(instance, plan)
    worth = worth_of(instance, tier, needs)
    pods = plan.placed_per_role(instance)
    placed = instance.owners_above(instance.per_group(pods) > 0)
    groups, composites = np.split(placed, [len(instance.groups)])
    return int(
        worth.pod @ pods
        + worth.group @ (groups & ~needs.stands)
        + worth.composite @ (composites & ~needs.composite_stands)
    )


def values(instance: Instance, plan: Plan, tiers: tuple[Tier, ...]) -> tuple[int, ...]:
    """Values of all tiers, in order."""
    needs = needs_of(instance)
    return tuple(value(instance, plan, tier, needs) for tier in tiers)


def better(tiers: tuple[Tier, ...], left: tuple[int, ...], right: tuple[int, ...]) -> bool:
    """Tell whether the vector ``left`` is lexicographically better than ``right``."""
    for tier, a, b in zip(tiers, left, right, strict=True):
        if a != b:
            return (a > b) == tier.maximise
    return False


def rank_cost(instance: Instance, plan: Plan) -> int:
    """Ranks of the choices taken (the first of a request: 0), summed over requests of claims.

    A claim of a pod's own counts once a pod, a shared claim once.
    """
    given, claims = plan.allocations, instance.claims
    taken = np.unique(np.column_stack([given.pod, given.claim, given.choice]), axis=0)
    return int(claims.rank[taken[:, 2]].sum())


def preferred_cost(instance: Instance, plan: Plan) -> int:
    """Domains used beyond the first, summed over all preferred rules whose owner places pods.

    Running members' domains count as used; nodes outside the level count as one domain each.
    """
    total = 0
    role, node, _ = plan.counts(instance)
    for t in np.flatnonzero(instance.rules.mode == PREFERRED):
        mine = node[np.isin(role, instance.roles_of(int(instance.rules.owner[t])))]
        if not len(mine):
            continue
        domain = instance.topology.domain[instance.rules.level[t], mine]
        used = {*domain[domain >= 0].tolist(), *instance.rules.members(int(t))}
        outside = {(-1, n) for n in mine[domain < 0].tolist()}
        total += len(used) + len(outside) - 1
    return total


def opened_nodes(instance: Instance, plan: Plan) -> int:
    """Intact device nodes (all devices free before) that a pod with devices lands on."""
    role, node, _ = plan.counts(instance)
    touched = np.unique(node[instance.roles.devices[role] > 0])
    return int(instance.nodes.intact[touched].sum())
