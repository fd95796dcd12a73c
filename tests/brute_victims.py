"""Which units may fall together, and what is then lost: rules 2-4 and 7 of docs/preemption.md.

A reading of its own for brute force: plain Python over single pods.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, combinations

from gangplan.models.columns import GANG
from gangplan.models.instance import Instance
from tests.brute_rules import children_of, composite_stands, groups_of, roles_of, stands

Units = frozenset[int]

KINDS = ("lost-budgets", "lost-gpus", "lost-pods", "lost-hours")
"""What is lost of a priority, in order."""


def lost(instance: Instance, units: Units, priority: int) -> tuple[int, int, int, int]:
    """What is lost of one priority: budgets, devices, pods, hours."""
    running = instance.running
    mine = [u for u in fallen(instance, units) if _priority(instance, u) == priority]
    above = {u for u in fallen(instance, units) if _priority(instance, u) >= priority}
    beyond = sum(
        max(0, len(pods & above) - int(running.budget_allowed[b]))
        for b, pods in enumerate(_matches(instance))
    )
    devices = [int(running.pod_devices[u]) for u in mine]
    worn: dict[int, int] = {}
    for u, held in zip(mine, devices, strict=True):
        unit = int(running.pod_unit[u])
        worn[unit] = worn.get(unit, 0) + max(0, int(running.pod_minutes[u])) * max(1, held)
    return beyond, sum(devices), len(mine), sum(minutes // 60 for minutes in worn.values())


def _priority(instance: Instance, pod: int) -> int:
    return int(instance.running.priority[instance.running.pod_unit[pod]])


def _matches(instance: Instance) -> list[set[int]]:
    running = instance.running
    pairs = list(zip(running.match_budget.tolist(), running.match_pod.tolist(), strict=True))
    return [{u for other, u in pairs if other == b} for b in range(len(running.budget_allowed))]


def every_set(instance: Instance) -> Iterator[Units]:
    """Every set of units, the small ones first."""
    units = range(len(instance.running))
    sets = chain.from_iterable(combinations(units, n) for n in range(len(units) + 1))
    return map(frozenset, sets)


def fallen(instance: Instance, units: Units) -> list[int]:
    """Pods of these units."""
    return [u for u, v in enumerate(instance.running.pod_unit.tolist()) if v in units]


def rank_of(instance: Instance, group: int) -> int:
    """Priority of the root of a group."""
    h = int(instance.groups.parent[group])
    if h < 0:
        return int(instance.groups.priority[group])
    while instance.composites.parent[h] >= 0:
        h = int(instance.composites.parent[h])
    return int(instance.composites.priority[h])


def root_of(instance: Instance, group: int) -> int:
    """Return the group itself, or G + h of the composite at the top."""
    h = int(instance.groups.parent[group])
    if h < 0:
        return group
    while instance.composites.parent[h] >= 0:
        h = int(instance.composites.parent[h])
    return len(instance.groups) + h


def lawful(instance: Instance, units: Units) -> bool:
    """May these units fall together, wherever the groups that wait go? Rules 2-4 and 7."""
    return (
        _for_somebody(instance, units)
        and _floors_ok(instance, units)
        and _children_ok(instance, units)
        and _slices_ok(instance, units)
        and _budgets_ok(instance, units)
    )


def _for_somebody(instance: Instance, units: Units) -> bool:
    """Rule 2: somebody of higher rank waits for more than elastic pods, and may evict."""
    ranks = [rank_of(instance, g) for g in range(len(instance.groups)) if may_evict(instance, g)]
    top = max(ranks, default=None)
    return all(top is not None and instance.running.priority[v] < top for v in units)


def may_evict(instance: Instance, group: int) -> bool:
    """Rule 2, but for priorities: pods of it wait, for its minimum, and it is allowed to."""
    return (
        bool(roles_of(instance, group))
        and group not in instance.running.never.tolist()
        and not _held(instance, group)
        and not _root_stands(instance, group)
    )


def _held(instance: Instance, group: int) -> bool:
    h = int(instance.groups.parent[group])
    held = bool(instance.groups.held[group])
    while h >= 0:
        held |= bool(instance.composites.held[h])
        h = int(instance.composites.parent[h])
    return held


def _root_stands(instance: Instance, group: int) -> bool:
    root, n = root_of(instance, group), len(instance.groups)
    if root >= n:
        return composite_stands(instance, root - n)
    return bool(instance.groups.kind[group] == GANG) and stands(instance, group)


def members_fallen(instance: Instance, units: Units, group: int) -> int:
    return sum(instance.running.pod_group[u] == group for u in fallen(instance, units))


def taken_whole(instance: Instance, units: Units, group: int) -> bool:
    """All running members of the group fall, and there are some."""
    runs = int(instance.groups.running[group])
    return 0 < runs == members_fallen(instance, units, group)


def _floors_ok(instance: Instance, units: Units) -> bool:
    """Rule 3: no floor loses more than it can spare, unless the group is taken whole."""
    running, falls = instance.running, set(fallen(instance, units))
    pairs = list(zip(running.member_floor.tolist(), running.member_pod.tolist(), strict=True))
    for f, g in enumerate(running.floor_group.tolist()):
        gone = sum(u in falls for other, u in pairs if other == f)
        spare = max(0, int(running.floor_running[f]) - int(running.floor_least[f]))
        if gone > spare and not taken_whole(instance, units, g):
            return False
    return True


def _children_ok(instance: Instance, units: Units) -> bool:
    """Rule 3 in trees: enough standing children are left, unless everything below falls."""
    n = len(instance.groups)
    for h in range(len(instance.composites)):
        groups, inner = children_of(instance, h)
        standing = [g for g in groups if stands(instance, g)]
        standing += [n + i for i in inner if composite_stands(instance, i)]
        taken = sum(_all_below(instance, units, owner) for owner in standing)
        spare = max(0, len(standing) - int(instance.composites.minimum[h]))
        if taken > spare and not _all_below(instance, units, n + h):
            return False
    return True


def _all_below(instance: Instance, units: Units, owner: int) -> bool:
    """All running pods below a group or composite fall, and there are some."""
    groups = groups_of(instance, owner)
    runs = sum(int(instance.groups.running[g]) for g in groups)
    return 0 < runs == sum(members_fallen(instance, units, g) for g in groups)


def _slices_ok(instance: Instance, units: Units) -> bool:
    """Rule 4: whole slices leave a domain, unless the group is taken whole."""
    rules, running = instance.rules, instance.running
    for t, k in enumerate(rules.slice.tolist()):
        g = int(rules.owner[t])
        if k == 0 or taken_whole(instance, units, g):
            continue
        left: Counter[int] = Counter()
        for u in fallen(instance, units):
            if running.pod_group[u] == g and running.pod_node[u] >= 0:
                left[int(instance.topology.domain[rules.level[t], running.pod_node[u]])] += 1
        if any(pods % k for d, pods in left.items() if d >= 0):
            return False
    return True


def _budgets_ok(instance: Instance, units: Units) -> bool:
    """Rule 7, where budgets bind."""
    falls, running = set(fallen(instance, units)), instance.running
    return all(
        len(pods & falls) <= running.budget_allowed[b]
        for b, pods in enumerate(_matches(instance))
        if running.budget_hard[b]
    )
