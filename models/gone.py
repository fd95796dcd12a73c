"""An instance after some of its units are gone: more room, the same groups that wait."""

from dataclasses import replace

import numpy as np

from gangplan.models.arrays import MOST, Flags, Ints
from gangplan.models.instance import Instance
from gangplan.models.names import Names
from gangplan.models.once import once
from gangplan.models.running import NO_RUNNING
from gangplan.models.victims import losing_roots, victims_of

LOSES = "it loses pods in this plan, and so gains none"
"""Why a group is held in the instance ``after`` its eviction."""


def without_units(instance: Instance) -> Instance:
    """Return the instance in which nobody can be evicted: preemption is off.

    Room that is kept for nominated pods stays kept.
    """
    return _without_units(instance) if len(instance.running) else instance


@once
def _without_units(instance: Instance) -> Instance:
    """Make it one instance, however often it is asked for: what follows is worked out once."""
    return replace(instance, running=NO_RUNNING, names=_names(instance))


def after(instance: Instance, units: Ints) -> Instance:
    """Return the instance in which these units have fallen and nobody else can.

    Roots that lose pods are held: no group both loses and gains pods. A shared claim keeps its
    devices where a group that is not held may still use it. All else stays as it was: members,
    rules and needs of groups that lose nothing do not change.
    """
    roots = losing_roots(instance, units)
    n = len(instance.groups)
    own = roots[victims_of(instance).root]
    held = instance.groups.held | own
    names = replace(
        _names(instance),
        held=_said(instance.names.held, own),
        held_composites=_said(instance.names.held_composites, roots[n:]),
    )
    less = replace(
        instance,
        groups=replace(instance.groups, held=held),
        composites=replace(instance.composites, held=instance.composites.held | roots[n:]),
        names=names,
        running=NO_RUNNING,
    )
    return _roomier(instance, less, units, instance.running.freed(units) & ~_used(instance, held))


def loosened(instance: Instance) -> Instance:
    """Return a relaxation: every unit that can fall is gone, and no group is held for it.

    A plan that keeps the rules of the instance keeps those of the relaxation, its evictions left
    out. So bounds by counting hold that are counted here.
    """
    return _loosened(instance) if len(instance.running) else instance


@once
def _loosened(instance: Instance) -> Instance:
    can = np.flatnonzero(victims_of(instance).can)
    if not len(can):
        return without_units(instance)
    less = replace(instance, running=NO_RUNNING, names=_names(instance))
    return _roomier(instance, less, can, instance.running.freed(can))


def _names(instance: Instance) -> Names:
    return replace(instance.names, units=(), running=(), budgets=())


def _said(reasons: tuple[str, ...], loses: Flags) -> tuple[str, ...]:
    pairs = zip(reasons, loses.tolist(), strict=True)
    return tuple("; ".join(filter(None, (why, LOSES * lost))) for why, lost in pairs)


def _used(instance: Instance, held: Flags) -> Flags:
    """(H,) allocations of shared claims that a group which is not held may still use."""
    claims, shared = instance.claims, instance.running.hold_shared
    users = ~held[instance.roles.group[claims.user_role]]
    kept: Flags = np.isin(shared, claims.user_shared[users])
    return kept


def _roomier(instance: Instance, less: Instance, units: Ints, freed: Flags) -> Instance:
    """Add the room of the units' pods, and what the ``freed`` (H,) holdings give back."""
    running, devices = instance.running, instance.devices
    falls = np.flatnonzero(running.falling(units) & (running.pod_node >= 0))
    back, spare = freed[running.back_hold], freed[running.spare_hold]
    taken = devices.taken.copy()
    taken[running.freed_device[freed[running.freed_hold]]] = False
    return replace(
        less,
        nodes=replace(
            less.nodes,
            free=_added(less.nodes.free, running.pod_node[falls], running.pod_request[falls]),
        ),
        devices=replace(
            devices,
            taken=taken,
            counter_free=_added(
                devices.counter_free, running.back_counter[back], running.back_amount[back]
            ),
            pot_free=_added(
                devices.pot_free, running.spare_pot[spare], running.spare_amount[spare]
            ),
        ),
    )


def _added(column: Ints, at: Ints, amount: Ints) -> Ints:
    """Add amounts, in Python integers where int64 could wrap round; cut to MOST."""
    if not len(at):
        return column
    wide = (int(column.max(initial=0)) + int(amount.max(initial=0)) * len(at)) >= 2**63
    total = column.astype(object) if wide else column.copy()
    np.add.at(total, at, amount.astype(total.dtype))
    added: Ints = np.minimum(total, MOST).astype(np.int64)
    return added
