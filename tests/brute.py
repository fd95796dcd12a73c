"""Brute force on tiny instances: every count of every role on every node.

The reference that all formulations and planners are compared with, so it is written for being
believed: plain Python, its own reading of every rule, nothing from verify, needs or counts.

Root units (a root gang, a basic or bare group, a tree of composites) meet only on nodes and
devices. So the ways to place one unit are listed in full first, and then combined unit by unit; of
two ways to the same use of the cluster only the better one is kept. What pods ask of devices is
carried along as it is: whether it can be served, and with which ranks, is tried in full.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.tiers import Tier
from tests.brute_allocated import allocated_ok
from tests.brute_devices import (
    NOTHING,
    Demand,
    demand_of,
    fewer_is_easier,
    least_rank,
    together,
)
from tests.brute_rules import (
    Counts,
    Spread,
    devices_ok,
    free_of,
    group_ok,
    groups_of,
    parts_fit,
    parts_of,
    pods_of,
    roles_of,
    room_of,
    tree_ok,
    usable,
)
from tests.brute_worth import priority_of, value_of, worth_of


@dataclass(frozen=True)
class Option:
    """One way to use the cluster: room, device parts, opened nodes, claims, and the best value."""

    room: tuple[int, ...]
    parts: tuple[tuple[int, ...], ...]
    opened: frozenset[int]
    demand: Demand
    value: tuple[int, ...]


def best(instance: Instance, tiers: Sequence[Tier]) -> tuple[int, ...]:
    """Return the lexicographically best vector of tier values over all allowed plans."""
    units = sorted(units_of(instance), key=lambda unit: -priority_of(instance, unit))
    options = [_options(instance, unit, tiers) for unit in units]
    signed = _combine(instance, options, tiers)
    return tuple(v if tier.maximise else -v for v, tier in zip(signed, tiers, strict=True))


def feasible(instance: Instance, group: int) -> bool:
    """Could the group get a pod if no other root unit were there?"""
    unit = group
    above = int(instance.groups.parent[group])
    while above >= 0:
        unit = len(instance.groups) + above
        above = int(instance.composites.parent[above])
    return any(
        pods_of(instance, counts, group) > 0
        and least_rank(instance, demand_of(instance, counts)) is not None
        for counts in _placements(instance, unit)
    )


def allowed(instance: Instance, plan: Plan) -> bool:
    """Does the plan keep every rule?"""
    roles, n_nodes = instance.roles, len(instance.nodes)
    counts: Counts = {k: (0,) * n_nodes for k in range(len(roles))}
    for pod, node in enumerate(plan.node.tolist()):
        if node >= 0:
            k = int(instance.pod_role[pod])
            if not usable(instance, k, node):
                return False
            counts[k] = tuple(c + (n == node) for n, c in enumerate(counts[k]))
    return (
        all(
            used <= free
            for used, free in zip(room_of(instance, counts), free_of(instance), strict=True)
        )
        and all(group_ok(instance, counts, g) for g in range(len(instance.groups)))
        and all(tree_ok(instance, counts, h) for h in range(len(instance.composites)))
        and devices_ok(instance, plan)
        and allocated_ok(instance, plan)
    )


def units_of(instance: Instance) -> list[int]:
    """Root groups, and G + h for root composites."""
    n = len(instance.groups)
    return [g for g in range(n) if instance.groups.parent[g] < 0] + [
        n + h for h in range(len(instance.composites)) if instance.composites.parent[h] < 0
    ]


def _placements(instance: Instance, unit: int) -> Iterator[Counts]:
    """Every allowed placement of a unit alone in the cluster."""
    groups = groups_of(instance, unit)
    composites = sorted(
        {
            h
            for h in range(len(instance.composites))
            if set(groups_of(instance, len(instance.groups) + h)) & set(groups)
        }
    )
    for counts in _grow(instance, groups, {}, free_of(instance)):
        if all(tree_ok(instance, counts, h) for h in composites) and parts_fit(
            instance, parts_of(instance, counts)
        ):
            yield counts


def _grow(
    instance: Instance, groups: list[int], counts: Counts, free: tuple[int, ...]
) -> Iterator[Counts]:
    """Add the groups one after the other, role by role, within the free room."""
    if not groups:
        yield counts
        return
    for mine, left in _spreads(instance, roles_of(instance, groups[0]), {}, free):
        if group_ok(instance, mine, groups[0]):
            yield from _grow(instance, groups[1:], counts | mine, left)


def _spreads(
    instance: Instance, roles: list[int], counts: Counts, free: tuple[int, ...]
) -> Iterator[tuple[Counts, tuple[int, ...]]]:
    if not roles:
        yield counts, free
        return
    k = roles[0]
    request = instance.roles.request[k].tolist()
    for spread, left in _spread(instance, k, request, 0, int(instance.roles.wanted[k]), free):
        yield from _spreads(instance, roles[1:], counts | {k: spread}, left)


def _spread(
    instance: Instance, role: int, request: list[int], node: int, wanted: int, free: tuple[int, ...]
) -> Iterator[tuple[Spread, tuple[int, ...]]]:
    """Every number of the role's pods on ``node`` and on the nodes after it."""
    if node == len(instance.nodes):
        yield (), free
        return
    most = wanted if usable(instance, role, node) else 0
    at = node * len(request)
    for pods in range(most + 1):
        if any(pods * asked > free[at + r] for r, asked in enumerate(request)):
            return
        left = free
        if pods:
            here = tuple(free[at + r] - pods * asked for r, asked in enumerate(request))
            left = free[:at] + here + free[at + len(request) :]
        for rest, after in _spread(instance, role, request, node + 1, wanted - pods, left):
            yield (pods, *rest), after


def _options(instance: Instance, unit: int, tiers: Sequence[Tier]) -> list[Option]:
    """Distinct uses of the cluster by a unit, each with its best value."""
    found: dict[object, Option] = {}
    worth = [worth_of(instance, unit, tier) for tier in tiers]
    counts_opened = any(tier.kind == "fragmentation" for tier in tiers)
    for counts in _placements(instance, unit):
        opened = frozenset(
            n
            for k, spread in counts.items()
            for n, pods in enumerate(spread)
            if counts_opened and pods and instance.roles.devices[k] and instance.nodes.intact[n]
        )
        value = tuple(
            value_of(instance, unit, tier, pay, counts)
            for tier, pay in zip(tiers, worth, strict=True)
        )
        demand = demand_of(instance, counts)
        if not _may_serve(instance, demand):
            continue
        option = Option(
            room_of(instance, counts), parts_of(instance, counts), opened, demand, value
        )
        use = (option.room, option.parts, option.opened, option.demand)
        if use not in found or value > found[use].value:
            found[use] = option
    return list(found.values())


State: TypeAlias = tuple[tuple[int, ...], tuple[tuple[int, ...], ...], frozenset[int], Demand]
"""Free room, device parts in use per node, opened nodes, what was asked of devices."""


def _may_serve(instance: Instance, demand: Demand) -> bool:
    """Tell whether pods with these claims can be part of a plan; yes where nobody knows yet."""
    return not fewer_is_easier(instance) or least_rank(instance, demand) is not None


def _combine(
    instance: Instance, options: list[list[Option]], tiers: Sequence[Tier]
) -> tuple[int, ...]:
    """Best sum over one option a unit, within the cluster."""
    nothing: State = (free_of(instance), ((),) * len(instance.nodes), frozenset(), NOTHING)
    best_to: dict[State, tuple[int, ...]] = {nothing: (0,) * len(tiers)}
    sure = _dive(instance, options, tiers, nothing)
    for i, ways in enumerate(options):
        rest = options[i + 1 :]
        # No completion gains more, tier by tier, than each later unit's own best in that tier.
        hope = [sum(max(w.value[t] for w in o) for o in rest) for t in range(len(tiers))]
        ceiling = [sum(max(w.room[x] for w in o) for o in rest) for x in range(len(nothing[0]))]
        asks = [any(w.parts[n] for o in rest for w in o) for n in range(len(instance.nodes))]
        following: dict[State, tuple[int, ...]] = {}
        for state, value in best_to.items():
            for way in ways:
                new = _plus(value, way.value)
                opened = state[2] | way.opened
                if _plus(_total(new, opened, tiers), hope) < sure:
                    continue
                after = _use(instance, state, way)
                if after is None:
                    continue
                after = _forget(after, ceiling, asks)
                if after not in following or new > following[after]:
                    following[after] = new
        best_to = following
    return max(
        _total(value, state[2], tiers, rank)
        for state, value in best_to.items()
        if (rank := least_rank(instance, state[3])) is not None
    )


def _dive(
    instance: Instance, options: list[list[Option]], tiers: Sequence[Tier], state: State
) -> tuple[int, ...]:
    """Value of one allowed plan: each unit in turn takes its best way that still fits."""
    value: tuple[int, ...] = (0,) * len(tiers)
    for ways in options:
        for way in sorted(ways, key=lambda w: _total(w.value, w.opened, tiers), reverse=True):
            after = _use(instance, state, way)
            if after is not None and least_rank(instance, after[3]) is not None:
                state, value = after, _plus(value, way.value)
                break
    return _total(value, state[2], tiers, least_rank(instance, state[3]) or 0)


def _plus(left: Sequence[int], right: Sequence[int]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(left, right, strict=True))


def _use(instance: Instance, state: State, way: Option) -> State | None:
    free = tuple(a - b for a, b in zip(state[0], way.room, strict=True))
    if min(free, default=0) < 0:
        return None
    parts = state[1]
    if any(way.parts):
        parts = tuple(
            tuple(sorted((*a, *b), reverse=True)) for a, b in zip(parts, way.parts, strict=True)
        )
        if not parts_fit(instance, parts):
            return None
    demand = together(state[3], way.demand)
    if way.demand != NOTHING and not _may_serve(instance, demand):
        return None
    return free, parts, state[2] | way.opened, demand


def _forget(state: State, ceiling: list[int], asks: list[bool]) -> State:
    """Drop what later units cannot tell apart: room above what they ask, devices nobody asks."""
    free = tuple(min(a, b) for a, b in zip(state[0], ceiling, strict=True))
    parts = tuple(p if ask else () for p, ask in zip(state[1], asks, strict=True))
    return free, parts, state[2], state[3]


def _total(
    value: tuple[int, ...], opened: frozenset[int], tiers: Sequence[Tier], rank: int = 0
) -> tuple[int, ...]:
    """Value with the opened nodes and the ranks counted."""
    of_all = {"fragmentation": -len(opened), "rank": -rank}
    return tuple(of_all.get(tier.kind, v) for v, tier in zip(value, tiers, strict=True))
