"""Nodes that no waiting pod can use, and on which nobody can fall, are left out.

No plan places a pod there, even with every unit gone that can fall (``slots.slots_of``). A unit
that can fall keeps its nodes: others of its group may have to fall with it.
"""

import numpy as np

from gangplan.models.instance import Instance
from gangplan.models.part import joined, part_of
from gangplan.models.plan import empty_plan
from gangplan.models.reduce.reduced import Reduced, unchanged
from gangplan.models.slots import slots_of
from gangplan.models.victims import victims_of


def shrink(instance: Instance) -> Reduced:
    """Leave idle nodes out; an instance with claims stays as it is."""
    if instance.claims:
        return unchanged(instance)
    slots, running = slots_of(instance), instance.running
    useful = np.zeros(len(instance.nodes), dtype=np.bool_)
    useful |= (slots.table[np.unique(slots.kind)] > 0).any(axis=0)
    if len(running):
        node = running.pod_node[victims_of(instance).can[running.pod_unit]]
        useful[node[node >= 0]] = True
    useful[:1] |= not useful.any()  # a cluster has a node
    count = int((~useful).sum())
    if not count:
        return unchanged(instance)
    nothing = empty_plan(instance)
    every = np.arange(len(instance.groups))
    part = part_of(instance, nothing, np.flatnonzero(useful), every)
    what = "1 node" if count == 1 else f"{count} nodes"
    return Reduced(
        part.instance,
        lambda plan: joined(instance, nothing, part, plan),
        f"{what} can hold no waiting pod",
    )
