"""Incremental planning: the plan of yesterday, on the cluster of today, to begin with.

What of it still keeps the rules stays; the verifier says what does not, and that goes back to
waiting with all of its root. Greedy then places what waits in the room that is left.
"""

import time
from collections import Counter

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.errors import FormulationError
from gangplan.models.fewer import only
from gangplan.models.instance import Instance
from gangplan.models.once import once
from gangplan.models.part import joined, part_of
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.tiers import Tier, better, values
from gangplan.models.verify.check import Violation, check
from gangplan.models.victims import victims_of
from gangplan.solvers.planners.anytime.yesterday import Yesterday, found_again
from gangplan.solvers.planners.greedy import SECONDS, greedy_plan
from gangplan.solvers.reprieve import reprieved

ROUNDS = 40
"""So often what the verifier names is dropped; after that, all of it is."""


def carried(
    instance: Instance, before: Yesterday, tiers: tuple[Tier, ...], seconds: float = SECONDS
) -> Plan:
    """Return a plan of this instance that keeps the rules and as much of ``before`` as does so.

    Groups with claims for devices wait anew. Whether it is better than a plan that begins anew is
    for the caller to see.

    Parameters
    ----------
    before : the plan by names (``yesterday.named``, ``yesterday.from_document``).
    seconds : for what is dropped, and again for what greedy places.
    """
    plan = kept(instance, found_again(instance, before), seconds)
    return completed(instance, plan, tiers, seconds)


def forgotten(instance: Instance, before: Yesterday, plan: Plan) -> str:
    """Say that a plan has nothing of the one it was to go on from; empty where it has."""
    names = instance.names
    placed = np.flatnonzero(plan.node >= 0).tolist()
    still = (before.node.get(names.pods[p]) == names.nodes[plan.node[p]] for p in placed)
    if not before.node or any(still):
        return ""
    return (
        f"nothing of the previous plan ({len(before.node)} pods placed) could be kept: planned anew"
    )


def kept(instance: Instance, plan: Plan, seconds: float) -> Plan:
    """Drop whatever breaks a rule, whole roots at a time, until nothing does."""
    until = time.perf_counter() + seconds
    for _ in range(ROUNDS):
        plan = reprieved(instance, _possible(instance, plan))
        broken = check(instance, plan)
        if not broken:
            return plan
        fewer = only(instance, plan, ~_at_fault(instance, plan, broken))
        if time.perf_counter() > until:
            break
        if np.array_equal(fewer.node, plan.node):
            if not len(plan.evicted):
                break
            # No pod is named: somebody may not fall, or not with the others.
            none = np.zeros(0, dtype=np.int64)
            fewer = Plan(plan.node, plan.device_pod, plan.device, plan.allocations, none)
        plan = fewer
    return empty_plan(instance)


def completed(instance: Instance, plan: Plan, tiers: tuple[Tier, ...], seconds: float) -> Plan:
    """Place what waits in the room that the plan leaves, greedily; nobody moves."""
    waits = (plan.placed_per_group(instance) == 0) & ~instance.blocked[0]
    roots = victims_of(instance).root
    whole = ~np.isin(roots, roots[~waits])  # a tree of which a part stands is left as it is
    if not whole.any():
        return plan
    nodes = np.arange(len(instance.nodes), dtype=np.int64)
    try:
        part = part_of(instance, plan, nodes, np.flatnonzero(whole))
    except FormulationError:
        return plan
    more = joined(instance, plan, part, greedy_plan(part.instance, tiers, seconds))
    more = reprieved(instance, more)
    ahead = better(tiers, values(instance, more, tiers), values(instance, plan, tiers))
    return more if ahead and not check(instance, more) else plan


def _possible(instance: Instance, plan: Plan) -> Plan:
    """Drop pods that may not be where they are, and those of groups that are held."""
    eligible = instance.roles.eligible[instance.pod_role, instance.nodes.node_class[plan.node]]
    group = instance.roles.group[instance.pod_role]
    held = instance.blocked[0][group]
    return only(instance, plan, eligible & ~held)


def _at_fault(instance: Instance, plan: Plan, broken: tuple[Violation, ...]) -> Flags:
    """(P,) placed pods of every root that a violation names, or one root of a node it names."""
    where = _where(instance)
    group = instance.roles.group[instance.pod_role]
    root = victims_of(instance).root[group]
    fault: Flags = np.zeros(instance.n_pods, dtype=np.bool_)
    for violation in broken:
        for owner in where.get(violation.what, ()):
            fault |= root == owner
    names = {name: n for n, name in enumerate(instance.names.nodes)}
    named = [names[violation.what] for violation in broken if violation.what in names]
    for n in dict.fromkeys(named):
        there = np.flatnonzero((plan.node == n) & ~fault)
        if len(there) and not (fault & (plan.node == n)).any():
            fault |= root == _least(instance, root[there])
    return fault & (plan.node >= 0)


def _least(instance: Instance, roots: Ints) -> int:
    """Return the root of lowest priority; of several the one with the most pods."""
    rank = dict(
        zip(victims_of(instance).root.tolist(), victims_of(instance).rank.tolist(), strict=True)
    )
    pods: Counter[int] = Counter(roots.tolist())
    return min(pods, key=lambda root: (rank[root], -pods[root], root))


@once
def _where(instance: Instance) -> dict[str, tuple[int, ...]]:
    """Name of a pod, group or composite -> roots."""
    names, n = instance.names, len(instance.groups)
    root = victims_of(instance).root
    found: dict[str, tuple[int, ...]] = {}

    def add(name: str, owner: int) -> None:
        found[name] = (*found.get(name, ()), owner)

    for p, g in enumerate(instance.roles.group[instance.pod_role].tolist()):
        add(names.pods[p], int(root[g]))
    for g, name in enumerate(names.groups):
        add(name, int(root[g]))
    for h, name in enumerate(names.composites):
        below = instance.groups_of(n + h)
        if len(below):
            add(name, int(root[below[0]]))
    return found
