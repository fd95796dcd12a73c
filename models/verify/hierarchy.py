"""hierarchy: a group below a composite places pods only where every composite above it goes along.

A composite stands when enough of its children stand (by their running members alone), and is
admitted when standing and newly admitted children together reach its minimum. Above a group that
places a pod, each composite stands or is admitted, and none is held.
"""

import numpy as np

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify.members import ancestors, per_group, placed_by_role, standing
from gangplan.models.verify.violation import Violation

NAME = "hierarchy"


def check(instance: Instance, plan: Plan) -> list[Violation]:
    """Count standing and admitted children of every composite above a placed pod."""
    if not len(instance.composites):
        return []
    placing = per_group(instance, placed_by_role(instance, plan)) > 0
    below: dict[int, list[int]] = {}
    for g in np.flatnonzero(placing & (instance.groups.parent >= 0)).tolist():
        for h in ancestors(instance, g):
            below.setdefault(h, []).append(g)
    up, more = _children(instance, placing.tolist())
    found = []
    for h, groups in sorted(below.items()):
        names, need = instance.names, int(instance.composites.minimum[h])
        some = ", ".join(names.groups[g] for g in groups)
        if instance.composites.held[h]:
            why = names.held_composites[h] or "held"
            sentence = f"composite {names.composites[h]}: {some} places pods, but {why}"
            found.append(Violation(NAME, names.composites[h], len(groups), 0, sentence))
        have = up[h] + more[h]
        if have < need:
            sentence = (
                f"composite {names.composites[h]}: {have} children ({up[h]} standing, {more[h]} "
                f"newly admitted) of the {need} it needs at least, yet {some} places pods"
            )
            found.append(Violation(NAME, names.composites[h], have, need, sentence))
    return found


def _children(instance: Instance, placing: list[bool]) -> tuple[list[int], list[int]]:
    """(H,) standing children, and children admitted by this plan."""
    n = len(instance.composites)
    minimum = instance.composites.minimum.tolist()
    up, more = [0] * n, [0] * n
    stands = standing(instance).tolist()
    for g, h in enumerate(instance.groups.parent.tolist()):
        if h >= 0:
            up[h] += stands[g]
            more[h] += placing[g] and not stands[g]
    # Children stand after their parents, so from the back every child is complete before it counts.
    for h in range(n - 1, -1, -1):
        parent = int(instance.composites.parent[h])
        if parent < 0:
            continue
        if up[h] >= minimum[h]:
            up[parent] += 1
        elif up[h] + more[h] >= minimum[h]:
            more[parent] += 1
    return up, more
