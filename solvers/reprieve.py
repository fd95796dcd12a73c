"""Units that fell for nothing come back: the step from a plan on its way to one of rule 9.

A model cannot say that a victim is needed, and a solver that has not finished leaves some that are
not. Bringing one back betters a tier of what is lost; whoever is taken away for it counts only in
later tiers. So the plan is never worse, lexicographically (docs/preemption.md, rule 9).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.columns import GANG
from gangplan.models.fewer import only
from gangplan.models.instance import Instance
from gangplan.models.marks import MINIMUM, marks
from gangplan.models.plan import Plan
from gangplan.models.verify import preemption
from gangplan.models.verify.check import CHECKS
from gangplan.models.verify.evictions import fallen
from gangplan.models.verify.floors import broken_children, broken_floors, broken_slices
from gangplan.models.verify.kept import kept
from gangplan.models.verify.needless import Return, returning
from gangplan.models.victims import victims_of

Pods = Ints
"""Numbers of pods that come back together, or not at all."""


def reprieved(instance: Instance, plan: Plan) -> Plan:
    """Bring back every part of a unit that rule 9 lets come back.

    Pods in its way are taken away, and only those: elastic ones, and whole roots of its own
    priority or lower.

    Returns
    -------
    A plan that is no worse, and keeps all rules wherever ``plan`` broke only rule 9. It is ``plan``
    itself where nobody falls for nothing.
    """
    while len(plan.evicted):
        before = len(plan.evicted)
        found = returning(instance, plan)
        for part in sorted(found, key=lambda part: -_priority(instance, part)):
            plan = _with(instance, plan, part)
        if len(plan.evicted) == before:
            break
    return plan


def _priority(instance: Instance, part: Return) -> int:
    return int(instance.running.priority[list(part.units)].min())


def _with(instance: Instance, plan: Plan, part: Return) -> Plan:
    """Bring one part back; the plan as it was where that cannot be, or has been done."""
    if not np.isin(part.units, plan.evicted).all():
        return plan
    stay = plan.evicted[~np.isin(plan.evicted, part.units)]
    back = replace(plan, evicted=stay)
    placed, needed = plan.node >= 0, kept(instance, plan)
    rank = victims_of(instance).rank[instance.roles.group[instance.pod_role]]
    low = rank <= _priority(instance, part)
    keep = placed & needed & ~low
    if not _lawful(instance, only(instance, back, keep)):
        return plan
    roots = list(_roots(instance, np.flatnonzero(placed & needed & low)))
    more = list(_elastic(instance, back, needed))
    at = instance.running.pod_node[list(part.pods)]
    for parcels in (roots, more):
        far = [pods for pods in parcels if not np.isin(back.node[pods], at).any()]
        near = [pods for pods in parcels if np.isin(back.node[pods], at).any()]
        keep = _restored(instance, back, keep, far)
        keep = _restored(instance, back, keep, near)
    return only(instance, back, keep)


def _restored(instance: Instance, plan: Plan, keep: Flags, parcels: Sequence[Pods]) -> Flags:
    """(P,) pods to keep: those flagged, and of the parcels, first ones first, what has room."""
    if not parcels:
        return keep
    more = keep.copy()
    more[np.concatenate(parcels)] = True
    if _lawful(instance, only(instance, plan, more)):
        return more
    if len(parcels) == 1:
        return keep
    half = len(parcels) // 2
    keep = _restored(instance, plan, keep, parcels[:half])
    return _restored(instance, plan, keep, parcels[half:])


def _roots(instance: Instance, pods: Ints) -> Iterator[Pods]:
    """Pods of one root together, the highest first; a basic or bare pod is a root of its own."""
    victims = victims_of(instance)
    group = instance.roles.group[instance.pod_role[pods]]
    alone = instance.groups.kind[group] != GANG
    root = np.where(alone, len(instance.groups) + len(instance.composites) + pods, 0)
    root = np.where(alone, root, victims.root[group])
    order = np.lexsort((root, -victims.rank[group]))
    yield from _split(pods[order], root[order])


def _elastic(instance: Instance, plan: Plan, needed: Flags) -> Iterator[Pods]:
    """Elastic pods in parcels that may come or go alone, those of the highest groups first.

    Of a group that no tree needs its minimum comes first, together; of one with slices the pods of
    a domain come together.
    """
    elastic = np.flatnonzero((plan.node >= 0) & ~needed)
    group = instance.roles.group[instance.pod_role[elastic]]
    own = marks(instance, plan)[elastic] == MINIMUM
    sliced = instance.rules.owner[instance.rules.slice > 0]
    parcel = np.where(np.isin(group, sliced), _domain(instance, plan, elastic, group), elastic)
    parcel = np.where(own, -2, parcel)
    order = np.lexsort((parcel, group, -instance.groups.priority[group]))
    yield from _split(elastic[order], group[order] * (2 + instance.n_pods) + parcel[order])


def _domain(instance: Instance, plan: Plan, pods: Ints, group: Ints) -> Ints:
    """Return a number of the domain of a rule with slices that each pod is in."""
    rules = instance.rules
    domain = np.full(len(pods), -1, dtype=np.int64)
    for t in np.flatnonzero(rules.slice > 0).tolist():
        mine = group == rules.owner[t]
        domain[mine] = instance.topology.domain[rules.level[t], plan.node[pods[mine]]]
    return domain


def _split(pods: Ints, key: Ints) -> list[Pods]:
    """Cut where the key changes."""
    return np.split(pods, np.flatnonzero(np.diff(key)) + 1) if len(pods) else []


def _lawful(instance: Instance, plan: Plan) -> bool:
    """Tell whether a plan keeps the rules, as far as bringing somebody back can break one.

    Who falls for nobody now is none of them: such units come back next.
    """
    falls = fallen(instance, plan.evicted)
    broken = (broken_floors, broken_children, broken_slices)
    return not any(find(instance, falls) for find in broken) and not any(
        family(instance, plan) for name, family in CHECKS.items() if name != preemption.NAME
    )
