"""Brute force over victims: every set of units that may lawfully fall, and the best plan after it.

A reading of docs/preemption.md of its own: plain Python, nothing from victims, gone, losses, verify
or a formulation. What is left once a set of units is gone is an instance without units, which the
other files of brute force place. Walls between groups (room that a group may not use although
others may) are told to them as resources of their own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.running import NO_RESERVED, NO_RUNNING
from gangplan.models.tiers import Tier
from tests import brute
from tests.brute_victims import (
    KINDS,
    Units,
    every_set,
    fallen,
    lawful,
    lost,
    may_evict,
    rank_of,
    root_of,
)


def best(instance: Instance, tiers: Sequence[Tier]) -> tuple[int, ...]:
    """Return the lexicographically best vector of tier values over all plans of rules 1-8."""
    placing = [tier for tier in tiers if tier.kind != "lost"]
    admitting = [tier for tier in placing if tier.kind == "admitted"]
    hope = _signed(admitting, brute.best(_everybody_gone(instance), admitting))
    ways = [
        (_vector(instance, units, admitting, hope), units, freed)
        for units in every_set(instance)
        if lawful(instance, units)
        for freed in every_freed(instance, units)
    ]
    found: tuple[int, ...] | None = None
    known: dict[str, tuple[int, ...]] = {}
    for most, units, freed in sorted(ways, key=lambda way: way[0], reverse=True):
        if found is not None and most < found[: len(most)]:
            break
        less = after(instance, units, freed)
        key = less.digest()
        if key not in known:
            known[key] = _signed(placing, brute.best(less, placing))
        here = known[key]
        now, later = here[: len(admitting)], here[len(admitting) :]
        vector = _vector(instance, units, admitting, now) + later
        found = vector if found is None else max(found, vector)
    assert found is not None
    return _said(instance, tiers, admitting, found)


def _signed(tiers: Sequence[Tier], values: Sequence[int]) -> tuple[int, ...]:
    return tuple(v if tier.maximise else -v for v, tier in zip(values, tiers, strict=True))


def priorities_of(instance: Instance) -> list[int]:
    """Every priority that something has, highest first."""
    roots = instance.composites.priority[instance.composites.parent < 0].tolist()
    groups = instance.groups.priority.tolist()
    return sorted({*groups, *roots, *instance.running.priority.tolist()}, reverse=True)


def _vector(
    instance: Instance, units: Units, admitting: Sequence[Tier], values: Sequence[int]
) -> tuple[int, ...]:
    """Losses of each priority, then what is admitted of it; to be maximised."""
    vector: list[int] = []
    for p in priorities_of(instance):
        if p in instance.running.priority.tolist():  # else what it adds up to is told already
            vector += [-n for n in lost(instance, units, p)]
        vector += [v for t, v in zip(admitting, values, strict=True) if t.weights == ((p, 1),)]
    return tuple(vector)


def _said(
    instance: Instance, tiers: Sequence[Tier], admitting: Sequence[Tier], vector: tuple[int, ...]
) -> tuple[int, ...]:
    """Values by the names of the tiers; what no tier counts is 0."""
    names: list[str] = []
    for p in priorities_of(instance):
        if p in instance.running.priority.tolist():
            names += [f"{kind}({p})" for kind in KINDS]
        names += [tier.name for tier in admitting if tier.weights == ((p, 1),)]
    names += [tier.name for tier in tiers if tier.kind not in ("lost", "admitted")]
    assert sorted(names, key=names.index) == names
    value = dict(zip(names, vector, strict=True))
    listed = [tier.name for tier in tiers]
    assert [name for name in names if name in listed] == listed
    assert not any(v for name, v in value.items() if name not in listed), value
    return tuple(value[t.name] if t.maximise else -value[t.name] for t in tiers)


def every_freed(instance: Instance, units: Units) -> Iterator[frozenset[int]]:
    """Sets of holdings that come free: those of no shared claim surely, of the others any."""
    running, falls = instance.running, set(fallen(instance, units))
    pairs = list(zip(running.user_hold.tolist(), running.user_pod.tolist(), strict=True))
    free = [
        h
        for h in range(len(running.hold_shared))
        if all(u in falls for other, u in pairs if other == h)
    ]
    sure = [h for h in free if running.hold_shared[h] < 0]
    rest = [h for h in free if running.hold_shared[h] >= 0]
    for chosen in chain.from_iterable(combinations(rest, n) for n in range(len(rest) + 1)):
        yield frozenset((*sure, *chosen))


def after(instance: Instance, units: Units, freed: frozenset[int]) -> Instance:
    """Return what is left to place once units and holdings are gone: an instance of its own."""
    running = instance.running
    lose = {
        root_of(instance, int(running.pod_group[u]))
        for u in fallen(instance, units)
        if running.pod_group[u] >= 0
    }
    n = len(instance.groups)
    held = [bool(h) or root_of(instance, g) in lose for g, h in enumerate(instance.groups.held)]
    trees = [bool(h) or n + i in lose for i, h in enumerate(instance.composites.held)]
    limit = instance.claims.shared_limit.copy()
    for h in freed:
        if running.hold_shared[h] >= 0:
            limit[running.hold_shared[h]] = 0
    more = room_after(instance, units)
    less = replace(
        instance,
        groups=replace(instance.groups, held=np.array(held, dtype=np.bool_)),
        composites=replace(instance.composites, held=np.array(trees, dtype=np.bool_)),
        claims=replace(instance.claims, shared_limit=limit),
        running=NO_RUNNING,
        reserved=NO_RESERVED,
        names=replace(instance.names, units=(), running=(), budgets=()),
    )
    return _walled(instance, _given_back(instance, less, freed), more)


def room_after(instance: Instance, units: Units) -> list[list[int]]:
    """(N, R) free room once the units are gone."""
    room: list[list[int]] = instance.nodes.free.tolist()
    for u in fallen(instance, units):
        n = int(instance.running.pod_node[u])
        if n >= 0:
            request = instance.running.pod_request[u].tolist()
            room[n] = [a + b for a, b in zip(room[n], request, strict=True)]
    return room


def _given_back(instance: Instance, less: Instance, freed: frozenset[int]) -> Instance:
    """Rule 6: devices are nobody's, and what they drew from counters and pots returns."""
    running, devices = instance.running, instance.devices
    taken, counters, pots = (
        devices.taken.tolist(), devices.counter_free.tolist(), devices.pot_free.tolist()
    )  # fmt: skip
    for h, i in zip(running.freed_hold.tolist(), running.freed_device.tolist(), strict=True):
        taken[i] = taken[i] and h not in freed
    for column, holds, numbers, amounts in (
        (counters, running.back_hold, running.back_counter, running.back_amount),
        (pots, running.spare_hold, running.spare_pot, running.spare_amount),
    ):
        for h, x, n in zip(holds.tolist(), numbers.tolist(), amounts.tolist(), strict=True):
            column[x] += n * (h in freed)
    return replace(
        less,
        devices=replace(
            devices,
            taken=np.array(taken, dtype=np.bool_),
            counter_free=np.array(counters, dtype=np.int64),
            pot_free=np.array(pots, dtype=np.int64),
        ),
    )


def _walled(instance: Instance, less: Instance, more: list[list[int]]) -> Instance:
    """Give the nodes their new room, and a resource for each wall between groups.

    A group that evicts nobody lives within what was free before; a reservation keeps room from
    groups of its priority or lower, its own group excepted.
    """
    roles, resources = instance.roles, range(len(instance.names.resources))
    before: list[list[int]] = instance.nodes.free.tolist()
    group, never = roles.group.tolist(), set(instance.running.never.tolist())
    plenty = int((roles.request * roles.wanted[:, None]).sum())
    free, request = [list(row) for row in more], [list(row) for row in roles.request.tolist()]

    def wall(r: int, bound: Sequence[int], groups: set[int]) -> None:
        for n, most in enumerate(bound):
            free[n].append(max(0, most))
        for k, g in enumerate(group):
            request[k].append(int(roles.request[k, r]) if g in groups else 0)

    for r in resources:
        if never:
            wall(r, [row[r] for row in before], never)
        for n, kept, bound in _kept(instance, r):
            for room, who in ((more, bound), (before, bound & never)):
                if who:
                    only = [plenty] * len(free)
                    only[n] = room[n][r] - kept
                    wall(r, only, who)
    walls = len(free[0]) - len(resources)
    return replace(
        less,
        nodes=replace(less.nodes, free=_table(free, len(free[0]))),
        roles=replace(roles, request=_table(request, len(free[0]))),
        leaving=replace(
            less.leaving, request=np.pad(less.leaving.request, ((0, 0), (0, walls)))
        ),
        names=replace(
            less.names,
            resources=(*less.names.resources, *(f"wall{i}" for i in range(walls))),
        ),
    )  # fmt: skip


def _table(rows: list[list[int]], width: int) -> Ints:
    return np.array(rows, dtype=np.int64).reshape(len(rows), width)


def _kept(instance: Instance, resource: int) -> Iterator[tuple[int, int, set[int]]]:
    """Node, room kept there, and the groups it is kept from."""
    reserved = instance.reserved
    rows = list(
        zip(
            reserved.node.tolist(), reserved.priority.tolist(), reserved.group.tolist(),
            reserved.request[:, resource].tolist() if len(reserved) else [], strict=True,
        )
    )  # fmt: skip
    for n, q in sorted({(n, q) for n, q, _, _ in rows}):
        friends = {g for node, _, g, _ in rows if node == n}
        kept = sum(room for node, p, _, room in rows if node == n and p >= q)
        bound = {
            g for g in range(len(instance.groups)) if rank_of(instance, g) <= q and g not in friends
        }
        if kept and bound:
            yield n, kept, bound


def _everybody_gone(instance: Instance) -> Instance:
    """More than any plan could have: all units gone, nobody held for it, every holding free."""
    everybody = frozenset(range(len(instance.running)))
    less = after(instance, everybody, frozenset(range(len(instance.running.hold_shared))))
    return replace(
        less,
        groups=instance.groups,
        composites=instance.composites,
        claims=instance.claims,
    )


def allowed(instance: Instance, plan: Plan) -> bool:
    """Does the plan keep rules 1-8?"""
    units = frozenset(plan.evicted.tolist())
    alone = Plan(plan.node, plan.device_pod, plan.device, plan.allocations)
    group = instance.roles.group[instance.pod_role[plan.node >= 0]].tolist()
    ranks = [rank_of(instance, g) for g in set(group) if may_evict(instance, g)]
    top = max(ranks, default=None)
    entitled = all(top is not None and instance.running.priority[v] < top for v in units)
    return (
        entitled
        and lawful(instance, units)
        and any(
            brute.allowed(after(instance, units, freed), alone)
            for freed in every_freed(instance, units)
        )
    )


def vector_of(instance: Instance, plan: Plan, tiers: Sequence[Tier]) -> dict[str, int]:
    """What a plan loses, by the names of its tiers."""
    units = frozenset(plan.evicted.tolist())
    found = {
        f"{kind}({p})": amount
        for p in priorities_of(instance)
        for kind, amount in zip(KINDS, lost(instance, units, p), strict=True)
    }
    return {tier.name: found[tier.name] for tier in tiers if tier.kind == "lost"}
