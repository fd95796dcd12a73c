"""What of running work has to stay (docs/preemption.md, rules 3 and 4), and where it does not."""

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.instance import Instance
from gangplan.models.verify.members import standing


def taken_whole(instance: Instance, falls: Flags) -> Flags:
    """(G,) groups that have running members, all of which fall; (U,) ``falls``."""
    lost = lost_members(instance, falls)
    whole: Flags = (lost > 0) & (lost == instance.groups.running)
    return whole


def lost_members(instance: Instance, falls: Flags) -> Ints:
    """(G,) members that fall."""
    member = instance.running.pod_group[falls]
    return np.bincount(member[member >= 0], minlength=len(instance.groups)).astype(np.int64)


def broken_floors(instance: Instance, falls: Flags) -> list[tuple[int, int]]:
    """(floor, members of it that fall) where too few stay and the group is not taken whole."""
    running = instance.running
    hit = running.member_floor[falls[running.member_pod]]
    lost = np.bincount(hit, minlength=len(running.floor_group))
    spare = np.maximum(running.floor_running - running.floor_least, 0)
    short = (lost > spare) & ~taken_whole(instance, falls)[running.floor_group]
    return [(f, int(lost[f])) for f in np.flatnonzero(short).tolist()]


def broken_children(instance: Instance, falls: Flags) -> list[tuple[int, int, int]]:
    """(composite, standing children, those taken) where too few stay and it is not taken whole.

    A child is taken when all running pods below it fall, and so is the composite.
    """
    if not len(instance.composites):
        return []
    n, composites = len(instance.groups), instance.composites
    runs = instance.groups.running.tolist() + [0] * len(composites)
    lost = lost_members(instance, falls).tolist() + [0] * len(composites)
    stands = standing(instance).tolist() + [False] * len(composites)
    parent = instance.groups.parent.tolist() + composites.parent.tolist()
    up, taken = [0] * len(composites), [0] * len(composites)
    found = []
    # Leaves first; children of composites stand after their parents, so these go backwards.
    for owner in [*range(n), *range(len(parent) - 1, n - 1, -1)]:
        whole = 0 < runs[owner] == lost[owner]
        if owner >= n:
            h = owner - n
            least = int(composites.minimum[h])
            stands[owner] = up[h] >= least
            if not whole and taken[h] > max(up[h] - least, 0):
                found.append((h, up[h], taken[h]))
        h = parent[owner]
        if h >= 0:
            runs[n + h] += runs[owner]
            lost[n + h] += lost[owner]
            up[h] += stands[owner]
            taken[h] += stands[owner] and whole
    return sorted(found)


def broken_slices(instance: Instance, falls: Flags) -> list[tuple[int, int, int]]:
    """(rule, domain, members there that fall) where these are no whole slices."""
    rules, running = instance.rules, instance.running
    whole = taken_whole(instance, falls)
    here = np.flatnonzero(falls & (running.pod_node >= 0))
    found = []
    for t in np.flatnonzero(rules.slice > 0).tolist():
        g = int(rules.owner[t])
        if whole[g]:
            continue
        mine = running.pod_node[here[running.pod_group[here] == g]]
        domain = instance.topology.domain[rules.level[t], mine]
        lost = np.bincount(domain[domain >= 0])
        found += [(t, d, int(lost[d])) for d in np.flatnonzero(lost % rules.slice[t]).tolist()]
    return found
