"""Which new pods serve a minimum, and so may cost a victim; all others are elastic (rules 2 and 9).

One reading for the whole plan. In a gang the pods that ``gangplan.models.marks`` calls minimum; of
a group with slices, beside them those elastic pods of a domain that are no whole slice. In a tree
as few children as it needs, those that keep the fewest pods, the first of equals; below a root that
stands nothing. Without the elastic pods a plan keeps its rules, and admits what it did.
"""

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.columns import GANG
from gangplan.models.instance import Instance
from gangplan.models.marks import MINIMUM, marks
from gangplan.models.plan import Plan
from gangplan.models.verify.members import standing


def kept(instance: Instance, plan: Plan) -> Flags:
    """(P,) placed pods that are not elastic."""
    placed = plan.node >= 0
    stay: Flags = placed & (marks(instance, plan) == MINIMUM)
    group = instance.roles.group[instance.pod_role]
    gang = (instance.groups.kind == GANG)[group]
    for t in np.flatnonzero(instance.rules.slice > 0).tolist():
        mine = gang & placed & (group == instance.rules.owner[t])
        if (mine & ~stay).any():
            stay |= mine & ~_whole_slices(instance, plan, t, mine & ~stay)
    if len(instance.composites):
        stay &= _needed(instance, group, placed, stay)[group]
    return stay


def _whole_slices(instance: Instance, plan: Plan, rule: int, elastic: Flags) -> Flags:
    """(P,) of the elastic pods, as many of each domain as fill slices; the last ones."""
    rules = instance.rules
    pods = np.flatnonzero(elastic)
    domain = instance.topology.domain[rules.level[rule], plan.node[pods]]
    several = np.count_nonzero((rules.slice > 0) & (rules.owner == rules.owner[rule])) > 1
    removable = np.zeros(len(elastic), dtype=np.bool_)
    for d in () if several else np.unique(domain).tolist():
        here = pods[domain == d]
        removable[here[len(here) % int(rules.slice[rule]) :]] = True
    return removable


def _needed(instance: Instance, group: Ints, placed: Flags, stay: Flags) -> Flags:
    """(G,) groups without a tree, and those that their trees need."""
    n = len(instance.groups)
    new = np.bincount(group[placed], minlength=n)
    cost = np.bincount(group[stay], minlength=n).tolist()
    up, parent = standing(instance).tolist(), instance.groups.parent
    needed = parent < 0
    children: dict[int, list[int]] = {h: [] for h in range(len(instance.composites))}
    for g in np.flatnonzero(parent >= 0).tolist():
        children[int(parent[g])].append(g)
    for h, above in enumerate(instance.composites.parent.tolist()):
        if above >= 0:
            children[above].append(n + h)
    stands, chosen = _choose(instance, children, up, new.tolist(), cost)
    todo = [n + h for h in np.flatnonzero(instance.composites.parent < 0).tolist()]
    while todo:
        owner = todo.pop()
        if owner < n:
            needed[owner] = True
        elif not stands[owner]:
            todo += chosen[owner]
    return needed


def _choose(
    instance: Instance,
    children: dict[int, list[int]],
    up: list[bool],
    new: list[int],
    cost: list[int],
) -> tuple[dict[int, bool], dict[int, list[int]]]:
    """Fold the trees from the leaves: owners that stand, and the children each composite needs."""
    n = len(instance.groups)
    stands = dict(enumerate(up))
    pods = {g: cost[g] for g in range(n)}
    admitted = {g: new[g] > 0 and not up[g] for g in range(n)}
    chosen: dict[int, list[int]] = {}
    for h in range(len(instance.composites) - 1, -1, -1):
        mine, owner = children[h], n + h
        missing = int(instance.composites.minimum[h]) - sum(stands[c] for c in mine)
        ways = sorted((c for c in mine if admitted[c]), key=lambda c: (pods[c], c))
        stands[owner] = missing <= 0
        admitted[owner] = not stands[owner] and len(ways) >= missing
        chosen[owner] = ways[: max(missing, 0)]
        pods[owner] = sum(pods[c] for c in chosen[owner])
    return stands, chosen
