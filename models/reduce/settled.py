"""Units that no optimal plan evicts, by a plan that shows it: whole priorities are settled.

Let a plan that keeps the rules evict nobody of priority t or higher, and admit every root of a
priority above t that can be admitted. All tiers down to ``lost(t)`` then have their best values, 0
lost and everybody admitted; so an optimal plan evicts nobody of priority t or higher either, and
these units are as good as any pod that nobody may evict. What the plan *places* is not fixed: a
group that fits may stand elsewhere in the optimum.
"""

from dataclasses import replace

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.columns import GANG
from gangplan.models.counting import placeable
from gangplan.models.instance import Instance
from gangplan.models.needs import needs_of
from gangplan.models.part.cut import cut_of
from gangplan.models.part.running import running_of
from gangplan.models.plan import Plan
from gangplan.models.reduce.reduced import Reduced, unchanged
from gangplan.models.slots import slots_of
from gangplan.models.verify import check


def shrink(instance: Instance, plan: Plan) -> Reduced:
    """Leave out the units that the plan shows to be safe, for objectives that count what is lost.

    Unlike the other reductions this one needs a plan: a certificate of the smaller instance holds
    together with it. An instance with claims, and a plan that breaks a rule, change nothing.
    """
    running = instance.running
    if not len(running) or instance.claims or len(running.hold_shared) or check(instance, plan):
        return unchanged(instance)
    stays = running.priority < _settled_from(instance, plan)
    count = int((~stays).sum())
    if not count:
        return unchanged(instance)
    unit = np.flatnonzero(stays)
    smaller = _only(instance, plan, stays)
    what = "1 running unit keeps its place" if count == 1 else f"{count} units keep their places"

    def lift(better: Plan) -> Plan:
        return replace(better, evicted=unit[better.evicted])

    return Reduced(smaller, lift, f"{what}: all above are admitted without their room")


def _settled_from(instance: Instance, plan: Plan) -> int:
    """Return the lowest priority t that the plan settles."""
    waiting, evicted = _priorities_left_out(instance, plan), instance.running.priority[plan.evicted]
    lowest = int(instance.running.priority.min())
    return max(lowest, int(waiting.max(initial=lowest)), int((evicted + 1).max(initial=lowest)))


def _priorities_left_out(instance: Instance, plan: Plan) -> Ints:
    """Priorities of the roots that could be admitted, as far as counting knows, and are not."""
    needs, groups, composites = needs_of(instance), instance.groups, instance.composites
    able, able_trees = placeable(instance, needs, slots_of(instance))
    pods = plan.placed_per_group(instance)
    wanted = instance.per_group(instance.roles.wanted)
    gang = groups.kind == GANG
    lacks = np.where(gang, (pods == 0) & ~needs.stands, pods < wanted)
    out: Flags = able & lacks & (wanted > 0) & (groups.parent < 0)
    placed = instance.owners_above(pods > 0)[len(groups) :]
    tree = able_trees & ~placed & ~needs.composite_stands & (composites.parent < 0)
    found: Ints = np.concatenate([groups.priority[out], composites.priority[tree]])
    return found


def _only(instance: Instance, plan: Plan, stays: Flags) -> Instance:
    """Return the instance in which the other units can fall for nobody."""
    groups, nodes = len(instance.groups), len(instance.nodes)
    cut = cut_of(instance, plan, np.arange(nodes), np.ones(groups, dtype=np.bool_))
    nobody = np.zeros(len(instance.running.pod_unit), dtype=np.bool_)
    number = np.append(np.arange(groups), -1)
    running, unit, pods, budgets = running_of(cut, stays, nobody, number)
    names = instance.names
    return replace(
        instance,
        running=running,
        names=replace(
            names,
            units=tuple(names.units[v] for v in unit.tolist()),
            running=tuple(names.running[u] for u in pods.tolist()),
            budgets=tuple(names.budgets[b] for b in budgets.tolist()),
        ),
    )
