"""A shortage in words: what a group asks for, what there is, and what would lift it."""

from dataclasses import replace

import numpy as np

from gangplan.models.counting import Shortage, cannot_be_placed
from gangplan.models.instance import Instance
from gangplan.models.needs import Needs, needs_of
from gangplan.models.once import once
from gangplan.models.slots import seen_by, slots_of
from gangplan.models.victims import victims_of
from gangplan.solvers.explain.few import too_few_devices

CANNOT = "cannot be placed"
"""How a reason that counting proves begins."""

NO_NODE = "eligible nodes"
"""What a shortage names where no node may be used at all."""


ALONE = "; it evicts nobody (its preemptionPolicy is Never, or room is on its way to it)"
"""Said of a group that waits for room, and for which others could make some."""


def in_full(instance: Instance, g: int, short: Shortage, needs: Needs) -> str:
    """Put the shortage of group g into words, with what would lift it."""
    return sentence(instance, g, short) + leaving(instance, g, needs) + evicts_nobody(instance, g)


def sentence(instance: Instance, g: int, short: Shortage) -> str:
    """Put the shortage of group g into words."""
    seen, even = seen_by(instance, g), ""
    if seen is not instance and victims_of(instance).can.any():
        even = " even with every unit gone that can be evicted"
    role = f" of role {short.role}" if short.role else ""
    where = f" in the best domain, {short.domain}" if short.domain else ""
    pods = "pod" if short.need == 1 else "pods"
    lacks = f"short of {short.resource}"
    if short.resource == NO_NODE:
        lacks = "no node may take them (node selector, affinity, taints, cordons, missing labels)"
    elif not short.have:
        lacks += _too_big(seen, g, short.resource) or too_few_devices(seen, g, short.resource)
    return (
        f"{CANNOT}{even}: {short.need} {pods}{role} needed, {short.have} can be placed{where}; "
        f"{lacks} (proven: counting)"
    )


def leaving(instance: Instance, g: int, needs: Needs) -> str:
    """Say which terminating pods, once gone, would lift the shortage; empty where none would."""
    if not len(instance.leaving):
        return ""
    later = _when_they_are_gone(instance)
    if cannot_be_placed(later, g, needs, _slots(later)) is not None:
        return ""
    mine = later.can_use[instance.roles.group == g].any(axis=0)
    names = [
        f"{name} on {instance.names.nodes[n]}"
        for name, n in zip(instance.names.leaving, instance.leaving.node, strict=True)
        if mine[n]
    ]
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return f"; room comes free when the terminating pods are gone: {shown}"


def evicts_nobody(instance: Instance, g: int) -> str:
    """Say that a group evicts nobody, where the room of units that can fall might do for it."""
    below = instance.running.priority < victims_of(instance).rank[g]
    if not (below.any() and (instance.running.never == g).any()):
        return ""
    other = _if_all_could_evict(instance)
    helped = victims_of(other).evicts[g] and not cannot_be_placed(
        other, g, needs_of(other), _slots(other)
    )
    return ALONE if helped else ""


@once
def _if_all_could_evict(instance: Instance) -> Instance:
    none = np.zeros(0, dtype=np.int64)
    return replace(instance, running=replace(instance.running, never=none))


@once
def _when_they_are_gone(instance: Instance) -> Instance:
    """Free the room of pods that terminate."""
    free = instance.nodes.free.copy()
    np.add.at(free, instance.leaving.node, instance.leaving.request)
    return replace(instance, nodes=replace(instance.nodes, free=free))


_slots = once(slots_of)


def _too_big(instance: Instance, g: int, resource: str) -> str:
    """Say that one pod asks for more than any node has free, where that is so."""
    if resource not in instance.names.resources:
        return ""
    r = instance.names.resources.index(resource)
    roles = np.flatnonzero(instance.roles.group == g)
    asked = int(instance.roles.request[roles, r].min())
    # A gang may have a small role too: then its smallest pod says nothing.
    may = instance.roles.eligible[roles][:, instance.nodes.node_class].any(axis=0)
    most = int(instance.nodes.free[may, r].max(initial=0))
    if asked <= most:
        return ""
    return (
        f": one pod asks for {_amount(instance, r, asked)}, "
        f"no node it may use has more than {_amount(instance, r, most)} free"
    )


def _amount(instance: Instance, r: int, amount: int) -> str:
    """Write an amount in the unit that manifests use."""
    name = instance.names.resources[r]
    if name == "cpu":
        return f"{amount / 1000:g}"
    if name in {"memory", "ephemeral-storage"} or name.startswith("hugepages-"):
        return f"{amount / 2**30:.4g}Gi"
    unit = instance.device_unit if r in instance.device_columns else 1
    return f"{amount / unit:g}"
