"""One sentence a waiting group: why it waits, and how that is known.

Held groups say what they wait for; a shortage by counting is a proof by itself; that there is no
room left beside what is admitted is proven exactly when the tiers that count the group are.
"""

from dataclasses import replace

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.columns import GANG
from gangplan.models.counting import Shortage, cannot_be_placed
from gangplan.models.instance import Instance
from gangplan.models.needs import Needs, needs_of
from gangplan.models.plan import Plan
from gangplan.models.result import TierReport
from gangplan.models.slots import Slots, slots_of

WEIGHTED = "weighted-gpus"


def reasons(instance: Instance, plan: Plan, reports: tuple[TierReport, ...] = ()) -> dict[int, str]:
    """Group number -> sentence, for every group that still waits for pods of its minimum.

    Parameters
    ----------
    reports : of the plan's tiers; without them nothing is called proven but counting.
    """
    needs, slots = needs_of(instance), slots_of(instance)
    placed, wanted = plan.placed_per_group(instance), instance.per_group(instance.roles.wanted)
    gang = instance.groups.kind == GANG
    waits = np.where(gang, ~needs.stands & (placed == 0), placed < wanted)
    waits |= instance.groups.held
    return {
        int(g): _why(instance, int(g), needs, slots, placed, reports) for g in np.flatnonzero(waits)
    }


def _why(
    instance: Instance,
    g: int,
    needs: Needs,
    slots: Slots,
    placed: Ints,
    reports: tuple[TierReport, ...],
) -> str:
    if instance.groups.held[g]:
        return instance.names.held[g]
    h = int(instance.groups.parent[g])
    while h >= 0:
        if instance.composites.held[h]:
            return f"{instance.names.composites[h]}: {instance.names.held_composites[h]}"
        h = int(instance.composites.parent[h])
    short = cannot_be_placed(instance, g, needs, slots)
    if short is not None:
        return sentence(short) + leaving(instance, g, needs)
    tier = _counts_it(instance, g, needs, placed, reports)
    if tier is None:
        return "no room was found beside what is admitted (not proven)"
    better = f"does better at priority {int(instance.groups.priority[g])} and above"
    if tier.name == WEIGHTED:
        better = "is worth more"
    return f"no room beside what is admitted: no plan {better} (proven: {tier.proof})"


def _counts_it(
    instance: Instance, g: int, needs: Needs, placed: Ints, reports: tuple[TierReport, ...]
) -> TierReport | None:
    """Return the last tier that placing the group would raise; None where one is not proven.

    A child of a tree that is in already is counted by ``elastic`` alone.
    """
    h, in_tree = int(instance.groups.parent[g]), False
    if h >= 0:
        while instance.composites.parent[h] >= 0:
            h = int(instance.composites.parent[h])
        under = instance.groups_of(len(instance.groups) + h)
        in_tree = bool(needs.composite_stands[h] or placed[under].any())
    kinds = ("admitted", "elastic") if in_tree else ("admitted",)
    priority = f"({int(instance.groups.priority[g])})"
    mine = [r for r in reports if r.name.startswith(kinds) and r.name.endswith(priority)]
    own = instance.roles.devices[instance.roles.group == g]
    pays = needs.group_devices[g] if instance.groups.kind[g] == GANG else own.min(initial=0)
    if pays > 0 and not in_tree:
        mine += [r for r in reports if r.name == WEIGHTED]
    return mine[-1] if mine and all(r.proven for r in mine) else None


def sentence(short: Shortage) -> str:
    """Put a shortage into words."""
    role = f" of role {short.role}" if short.role else ""
    where = f" in the best domain, {short.domain}" if short.domain else ""
    pods = "pod" if short.need == 1 else "pods"
    return (
        f"cannot be placed: {short.need} {pods}{role} needed, {short.have} can be placed{where}; "
        f"short of {short.resource} (proven: counting)"
    )


def leaving(instance: Instance, g: int, needs: Needs) -> str:
    """Say which terminating pods, once gone, would lift the shortage; empty where none would."""
    if not len(instance.leaving):
        return ""
    free = instance.nodes.free.copy()
    np.add.at(free, instance.leaving.node, instance.leaving.request)
    later = replace(instance, nodes=replace(instance.nodes, free=free))
    if cannot_be_placed(later, g, needs) is not None:
        return ""
    mine = later.can_use[instance.roles.group == g].any(axis=0)
    names = [
        f"{name} on {instance.names.nodes[n]}"
        for name, n in zip(instance.names.leaving, instance.leaving.node, strict=True)
        if mine[n]
    ]
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return f"; room comes free when the terminating pods are gone: {shown}"
