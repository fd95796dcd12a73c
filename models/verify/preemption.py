"""preemption: nobody falls who may not, and nobody whose fall serves nobody (docs/preemption.md).

Rules 2 to 5 and hard budgets here, rule 9 in ``needless``; room and devices that victims leave
belong to the families ``capacity`` and ``claims``.
"""

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify.evictions import fallen, ranks, roots
from gangplan.models.verify.floors import broken_children, broken_floors, broken_slices
from gangplan.models.verify.kept import kept
from gangplan.models.verify.needless import returning
from gangplan.models.verify.violation import Violation

NAME = "preemption"


def check(instance: Instance, plan: Plan) -> list[Violation]:
    """Check the evicted units; a plan that evicts nobody breaks nothing."""
    if not len(plan.evicted):
        return []
    falls = fallen(instance, plan.evicted)
    return [
        *_entitled(instance, plan),
        *_floors(instance, falls),
        *_children(instance, falls),
        *_slices(instance, falls),
        *_either(instance, plan, falls),
        *_budgets(instance, falls),
        *_needless(instance, plan),
    ]


def _broken(what: str, have: int, need: int, sentence: str) -> Violation:
    return Violation(NAME, what, have, need, sentence)


def _entitled(instance: Instance, plan: Plan) -> list[Violation]:
    """Each unit has a lower priority than some group that may evict, gets pods, and is needed.

    Of a tree any group that may evict: which of its pods are the elastic ones is for rule 9.
    """
    names, priority = instance.names, instance.running.priority
    root = np.array(roots(instance), dtype=np.int64)
    needed = root[instance.roles.group[instance.pod_role[kept(instance, plan)]]]
    group = np.unique(instance.roles.group[instance.pod_role[plan.node >= 0]])
    group = group[np.isin(root[group], needed) & ~np.isin(group, instance.running.never)]
    top = max(ranks(instance)[group].tolist(), default=None)
    found = []
    for v in plan.evicted.tolist():
        p = int(priority[v])
        if top is None or p >= top:
            who = "nobody who may evict" if top is None else f"priority {top} at most"
            said = (
                f"unit {names.units[v]} of priority {p} is evicted, but new pods that a minimum "
                f"needs are of {who}"
            )
            found.append(_broken(names.units[v], p, p if top is None else top, said))
    return found


def _floors(instance: Instance, falls: Flags) -> list[Violation]:
    running, names = instance.running, instance.names
    found = []
    for f, lost in broken_floors(instance, falls):
        group = names.groups[int(running.floor_group[f])]
        n, least = int(running.floor_running[f]), int(running.floor_least[f])
        said = (
            f"group {group}: {lost} of {n} running members are evicted, {n - lost} stay, its "
            f"minimum is {least} (or it is taken whole)"
        )
        found.append(_broken(group, n - lost, least, said))
    return found


def _children(instance: Instance, falls: Flags) -> list[Violation]:
    names = instance.names
    found = []
    for h, up, taken in broken_children(instance, falls):
        need = int(instance.composites.minimum[h])
        said = (
            f"composite {names.composites[h]}: {taken} of {up} standing children are evicted, "
            f"{up - taken} stay, its minimum is {need} (or it is taken whole)"
        )
        found.append(_broken(names.composites[h], up - taken, need, said))
    return found


def _slices(instance: Instance, falls: Flags) -> list[Violation]:
    names, rules = instance.names, instance.rules
    found = []
    for t, d, lost in broken_slices(instance, falls):
        group, k = names.groups[int(rules.owner[t])], int(rules.slice[t])
        said = (
            f"group {group}: {lost} members are evicted in {names.levels[int(rules.level[t])]} "
            f"{names.domains[d]}, which are not whole slices of {k}"
        )
        found.append(_broken(group, lost, lost - lost % k, said))
    return found


def _either(instance: Instance, plan: Plan, falls: Flags) -> list[Violation]:
    """No root both loses and gains pods."""
    root = np.array(roots(instance), dtype=np.int64)
    member = instance.running.pod_group[falls]
    loses = root[member[member >= 0]]
    group: Ints = instance.roles.group[instance.pod_role[plan.node >= 0]]
    gains = root[group]
    found = []
    for owner in np.intersect1d(loses, gains).tolist():
        word = "group" if owner < len(instance.groups) else "composite"
        what, less = instance.owner_name(owner), int((loses == owner).sum())
        more = int((gains == owner).sum())
        said = f"{word} {what}: loses {less} pods and gains {more} in one plan"
        found.append(_broken(what, more, 0, said))
    return found


def _budgets(instance: Instance, falls: Flags) -> list[Violation]:
    """No more victims than a hard budget allows."""
    running, names = instance.running, instance.names
    hit = running.match_budget[falls[running.match_pod]]
    victims = np.bincount(hit, minlength=len(running.budget_allowed))
    found = []
    for b in np.flatnonzero(running.budget_hard & (victims > running.budget_allowed)).tolist():
        have, allowed = int(victims[b]), int(running.budget_allowed[b])
        said = (
            f"PodDisruptionBudget {names.budgets[b]}: {have} victims, {allowed} allowed, and it "
            "binds"
        )
        found.append(_broken(names.budgets[b], have, allowed, said))
    return found


def _needless(instance: Instance, plan: Plan) -> list[Violation]:
    """Nothing that fell could come back."""
    names = instance.names
    return [
        _broken(names.units[back.units[0]], len(back.units), 0, back.sentence)
        for back in returning(instance, plan)
    ]
