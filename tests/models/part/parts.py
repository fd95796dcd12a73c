"""Plans and parts of tiny instances, drawn: what the tests of parts start from."""

from dataclasses import replace

import numpy as np
from hypothesis import note
from hypothesis import strategies as st

from gangplan.models.instance import Instance
from gangplan.models.part import Part, inside, part_of
from gangplan.models.plan import Plan
from gangplan.models.tiers import tiers_of
from gangplan.solvers.planners.greedy import greedy_plan


@st.composite
def sound_plans(draw: st.DrawFn, instance: Instance) -> Plan:
    """Draw a plan that keeps the rules: that of greedy for some of the groups."""
    n = len(instance.groups)
    held = instance.groups.held | np.array([draw(st.booleans()) for _ in range(n)], dtype=bool)
    fewer = replace(instance, groups=replace(instance.groups, held=held))
    return greedy_plan(fewer, tiers_of(fewer))


@st.composite
def parts(draw: st.DrawFn, instance: Instance, plan: Plan) -> Part:
    """Draw nodes, and some of the trees and groups that may be candidates there."""
    n = len(instance.nodes)
    nodes = np.flatnonzero([draw(st.integers(0, 3)) > 0 for _ in range(n)])
    may = np.flatnonzero(inside(instance, plan, nodes)).tolist()
    roots = {g: _root(instance, g) for g in may}
    taken = {root for root in dict.fromkeys(roots.values()) if draw(st.integers(0, 4)) > 0}
    if instance.claims.n_shared:  # whoever shares a claim is in the part together
        taken = set(roots.values())
    groups = [g for g, root in roots.items() if root in taken]
    note(f"plan={plan.node.tolist()} evicted={plan.evicted.tolist()}\n{nodes=}\n{groups=}")
    return part_of(instance, plan, nodes, np.array(groups, dtype=np.int64))


def _root(instance: Instance, group: int) -> int:
    above = instance.ancestors(group)
    return len(instance.groups) + above[-1] if above else group
