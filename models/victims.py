"""Who may evict, and who can fall: what the rules of preemption make of an instance, once.

The shared definitions of formulations and planners; the verifier has its own reading of the rules.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.columns import GANG
from gangplan.models.instance import Instance
from gangplan.models.needs import needs_of
from gangplan.models.once import once


@dataclass(frozen=True, slots=True, eq=False)
class Victims:
    """Derived columns.

    Attributes
    ----------
    root : (G,) root of each group as an owner: g itself, or G + h of the composite at the top.
    rank : (G,) priority of the root: what counts against units.
    evicts : (G,) the group may evict: it waits for its minimum (or is basic or bare), is not
        blocked, not in ``Running.never``, and some unit has a lower priority.
    can : (V,) units that somebody may evict: of lower priority than the highest that evicts.
    whole : (G,) the unit that holds all running members of a group; -1 where they are several, or
        one of them is in no unit.
    members : (G,) running members that are pods of units that ``can`` fall.
    """

    root: Ints
    rank: Ints
    evicts: Flags
    can: Flags
    whole: Ints
    members: Ints


@once
def victims_of(instance: Instance) -> Victims:
    """Work out who may evict whom."""
    groups, running = instance.groups, instance.running
    n = len(groups)
    root = np.arange(n, dtype=np.int64)
    rank = groups.priority.copy()
    for g in np.flatnonzero(groups.parent >= 0).tolist():
        h = instance.ancestors(g)[-1]
        root[g], rank[g] = n + h, instance.composites.priority[h]
    evicts = _waits(instance, root) & ~instance.blocked[0]
    evicts[running.never] = False
    top = rank[evicts].max(initial=np.iinfo(np.int64).min)
    can = running.priority < top
    evicts &= rank > running.priority.min(initial=np.iinfo(np.int64).max)
    falls = can[running.pod_unit] & (running.pod_group >= 0)
    members = np.bincount(running.pod_group[falls], minlength=n).astype(np.int64)
    return Victims(root, rank, evicts, can, _whole(instance), members)


def _waits(instance: Instance, root: Ints) -> Flags:
    """(G,) pods of the group wait, and not only elastic ones: its root does not stand."""
    needs = needs_of(instance)
    stands = np.concatenate([needs.stands, needs.composite_stands])[root]
    pods = instance.per_group(instance.roles.wanted)
    gang = instance.groups.kind == GANG
    waits: Flags = (pods > 0) & ~(gang & stands)
    return waits


def _whole(instance: Instance) -> Ints:
    running, n = instance.running, len(instance.groups)
    whole = np.full(n, -1, dtype=np.int64)
    mine = np.flatnonzero(running.pod_group >= 0)
    pairs = np.unique(
        np.column_stack([running.pod_group[mine], running.pod_unit[mine]]), axis=0
    ).reshape(-1, 2)
    pods = np.bincount(running.pod_group[mine], minlength=n)
    units = np.bincount(pairs[:, 0], minlength=n)
    alone = (units == 1) & (pods == instance.groups.running)
    one = alone[pairs[:, 0]]
    whole[pairs[one, 0]] = pairs[one, 1]
    return whole


def losing_roots(instance: Instance, units: Ints) -> Flags:
    """(G + H,) roots that lose a pod when these units fall; they may gain none in the same plan."""
    victims, running = victims_of(instance), instance.running
    lost = running.pod_group[running.falling(units)]
    roots = np.zeros(len(instance.groups) + len(instance.composites), dtype=np.bool_)
    roots[victims.root[lost[lost >= 0]]] = True
    return roots
