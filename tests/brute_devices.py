"""Devices of claims for brute force: rules 1-8 of docs/devices.md, one device at a time.

``least_rank`` tries every way to serve the claims of some pods; ``allocated_ok`` looks at the
devices that a plan names and shares no step with it. Plain Python over named devices: nothing here
comes from options, counts, assignment or verify.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement, product
from typing import TypeAlias

from gangplan.models.instance import Instance
from tests.brute_rules import Counts

ALL = 0
"""Count of a choice that takes every device it asks."""

MOST = 32
"""Devices of one allocation."""

Demand: TypeAlias = tuple[
    tuple[tuple[int, int, int], ...], tuple[tuple[int, frozenset[int], int], ...]
]
"""Own claims as (spec, node, times), and shared ones as (claim, nodes of its users, users)."""

Given: TypeAlias = tuple[tuple[int, int], ...]
"""What a claim gets, as (choice, device)."""

NOTHING: Demand = ((), ())


def demand_of(instance: Instance, counts: Counts) -> Demand:
    """What pods in these counts ask of devices."""
    claims = instance.claims
    own: Counter[tuple[int, int]] = Counter()
    for k, spec in zip(claims.own_role.tolist(), claims.own_spec.tolist(), strict=True):
        for n, pods in enumerate(counts.get(k, ())):
            own[spec, n] += pods
    shared: dict[int, tuple[frozenset[int], int]] = {}
    for c, k in zip(claims.user_shared.tolist(), claims.user_role.tolist(), strict=True):
        nodes, users = shared.get(c, (frozenset(), 0))
        here = frozenset(n for n, pods in enumerate(counts.get(k, ())) if pods)
        shared[c] = (nodes | here, users + sum(counts.get(k, ())))
    return (
        tuple(sorted((s, n, times) for (s, n), times in own.items() if times)),
        tuple(sorted((c, nodes, users) for c, (nodes, users) in shared.items() if users)),
    )


def together(left: Demand, right: Demand) -> Demand:
    """Both demands at once."""
    if left == NOTHING or right == NOTHING:
        return right if left == NOTHING else left
    own: Counter[tuple[int, int]] = Counter()
    shared: dict[int, tuple[frozenset[int], int]] = {}
    for spec, node, times in (*left[0], *right[0]):
        own[spec, node] += times
    for c, nodes, users in (*left[1], *right[1]):
        before = shared.get(c, (frozenset(), 0))
        shared[c] = (before[0] | nodes, before[1] + users)
    return (
        tuple(sorted((s, n, times) for (s, n), times in own.items())),
        tuple(sorted((c, nodes, users) for c, (nodes, users) in shared.items())),
    )


@lru_cache(maxsize=4096)
def fewer_is_easier(instance: Instance) -> bool:
    """Can what serves some pods always serve a part of them?

    Not where a shared claim takes every device: the user whose node has exactly those may be gone.
    """
    specs = {s for s in instance.claims.shared_spec.tolist() if s >= 0}
    return not any(
        count == ALL and int(instance.claims.choice_spec[b]) in specs
        for b, count in enumerate(instance.claims.choice_count.tolist())
    )


@dataclass(frozen=True, slots=True)
class Way:
    """One way to serve a claim, as far as other claims can tell: what it uses up.

    Attributes
    ----------
    rank : sum of the ranks of its choices.
    single, several : devices that serve one claim, and those that may serve others beside it.
    pots : what it takes of each pot.
    """

    rank: int
    single: frozenset[int]
    several: frozenset[int]
    pots: tuple[int, ...]


Asked: TypeAlias = tuple[tuple[int, frozenset[int]], ...]
"""Claims to serve: spec, and nodes of the users."""

Used: TypeAlias = dict[tuple[frozenset[int], tuple[int, ...]], int]
"""Devices that are newly held, and what is taken of each pot -> least rank to get there."""


@lru_cache(maxsize=200_000)
def least_rank(instance: Instance, demand: Demand) -> int | None:
    """Least sum of ranks over all ways to serve the demand; None where there is none."""
    claims = instance.claims
    asked: list[tuple[int, frozenset[int]]] = []
    for spec, node, times in demand[0]:
        asked += [(spec, frozenset([node]))] * times
    for c, nodes, users in demand[1]:
        if users > claims.shared_limit[c]:
            return None
        if claims.shared_spec[c] >= 0:
            asked.append((int(claims.shared_spec[c]), nodes))
        elif not all(instance.devices.zones[claims.shared_zone[c], n] for n in nodes):
            return None
    return min(_used_by(instance, tuple(asked)).values(), default=None)


@lru_cache(maxsize=20_000)
def _used_by(instance: Instance, asked: Asked) -> Used:
    """Everything that serving these claims may use up, one claim after the other."""
    if not asked:
        return {(frozenset(), (0,) * len(instance.devices.pot_device)): 0}
    found: Used = {}
    for (held, pots), rank in _used_by(instance, asked[:-1]).items():
        for way in ways_of(instance, *asked[-1]):
            if held & way.single:
                continue
            now = held | way.single | way.several
            taken = tuple(a + b for a, b in zip(pots, way.pots, strict=True))
            if found.get((now, taken), rank + way.rank + 1) <= rank + way.rank:
                continue
            if _within(taken, instance.devices.pot_free.tolist()) and _drawn(instance, now):
                found[now, taken] = rank + way.rank
    return found


def _within(taken: Sequence[int], free: Sequence[int]) -> bool:
    return all(a <= b for a, b in zip(taken, free, strict=True))


@lru_cache(maxsize=50_000)
def _drawn(instance: Instance, held: frozenset[int]) -> bool:
    """Do the counters last, if these devices are held for the first time?"""
    devices = instance.devices
    drawn = [0] * len(devices.counter_free)
    for i, counter, amount in zip(
        devices.draw_device.tolist(),
        devices.draw_counter.tolist(),
        devices.draw_amount.tolist(),
        strict=True,
    ):
        if i in held:
            drawn[counter] += amount
    return _within(drawn, devices.counter_free.tolist())


@lru_cache(maxsize=50_000)
def ways_of(instance: Instance, spec: int, nodes: frozenset[int]) -> list[Way]:
    """Every way to serve one claim of a spec whose users are on these nodes, best first."""
    claims = instance.claims
    requests: dict[int, list[int]] = {}
    for b, q in enumerate(claims.choice_request.tolist()):
        if claims.request_spec[q] == spec:
            requests.setdefault(q, []).append(b)
    found: dict[tuple[object, ...], Way] = {}
    for chosen in product(*requests.values()):
        rank = sum(mine.index(b) for b, mine in zip(chosen, requests.values(), strict=True))
        if any(claims.barred[b, n] for b in chosen for n in nodes):
            continue
        for given in _all_given(instance, chosen, nodes):
            if _claim_ok(instance, spec, given):
                way = _used(instance, rank, given)
                key = (way.single, way.several, way.pots)
                if key not in found or rank < found[key].rank:
                    found[key] = way
    return sorted(found.values(), key=lambda way: way.rank)


def _all_given(
    instance: Instance, chosen: tuple[int, ...], nodes: frozenset[int]
) -> Iterator[Given]:
    """Every number of devices for each choice that it may have by itself."""
    openers = sorted(nodes) if any(instance.claims.choice_count[b] == ALL for b in chosen) else [-1]
    for opener in openers:
        for sets in product(*(_sets(instance, b, opener, nodes) for b in chosen)):
            yield tuple((b, i) for b, mine in zip(chosen, sets, strict=True) for i in mine)


def _sets(
    instance: Instance, choice: int, opener: int, nodes: frozenset[int]
) -> list[tuple[int, ...]]:
    claims, devices = instance.claims, instance.devices
    if claims.choice_count[choice] == ALL:
        asked = tuple(
            i
            for i in range(len(devices))
            if claims.asks[choice, i] and reaches(instance, i, opener)
        )
        return [asked] if asked and all(_may(instance, choice, i, nodes) for i in asked) else []
    may = [i for i in range(len(devices)) if _may(instance, choice, i, nodes)]
    return list(combinations_with_replacement(may, int(claims.choice_count[choice])))


def _may(instance: Instance, choice: int, device: int, nodes: frozenset[int]) -> bool:
    """May the choice have the device, if nobody else were there?"""
    return bool(
        instance.claims.fits[choice, device]
        and (instance.claims.choice_admin[choice] or not instance.devices.taken[device])
        and all(reaches(instance, device, n) for n in nodes)
    )


def reaches(instance: Instance, device: int, node: int) -> bool:
    """Can a pod on the node use the device?"""
    zone = int(instance.devices.zone[device])
    if zone >= 0:
        return bool(instance.devices.zones[zone, node])
    return bool(instance.devices.node[device] == node)


def _claim_ok(instance: Instance, spec: int, given: Given) -> bool:
    """What one claim may not have by itself: rules 2, 4 and 5."""
    if len(given) > MOST:
        return False
    admin = instance.claims.choice_admin
    for i, times in Counter(i for _, i in given).items():
        whose = [b for b, device in given if device == i]
        if times > 1 and (not instance.devices.multi[i] or any(admin[b] for b in whose)):
            return False
    for x in range(len(instance.claims.rule_spec)):
        if instance.claims.rule_spec[x] == spec and not _rule_ok(instance, x, given):
            return False
    return True


def _rule_ok(instance: Instance, rule: int, given: Given) -> bool:
    claims = instance.claims
    bound = {
        b
        for x, b in zip(claims.member_rule.tolist(), claims.member_choice.tolist(), strict=True)
        if x == rule
    }
    lists = [
        values_of(instance, i, int(claims.rule_attribute[rule])) for b, i in given if b in bound
    ]
    if not all(lists):
        return False
    if not claims.rule_distinct[rule]:
        return not lists or bool(frozenset.intersection(*lists))
    return sum(map(len, lists)) == len(frozenset().union(*lists))


@lru_cache(maxsize=50_000)
def values_of(instance: Instance, device: int, attribute: int) -> frozenset[int]:
    """Values that a device has of an attribute."""
    devices = instance.devices
    return frozenset(
        value
        for i, a, value in zip(
            devices.trait_device.tolist(),
            devices.trait_attribute.tolist(),
            devices.trait_value.tolist(),
            strict=True,
        )
        if (i, a) == (device, attribute)
    )


def _used(instance: Instance, rank: int, given: Given) -> Way:
    """What is used up: nothing by adminAccess."""
    paid = [(b, i) for b, i in given if not instance.claims.choice_admin[b]]
    multi = instance.devices.multi
    pots = [0] * len(instance.devices.pot_device)
    for b, i in paid:
        for pot, amount in uses_of(instance, b, i):
            pots[pot] += amount
    return Way(
        rank,
        frozenset(i for _, i in paid if not multi[i]),
        frozenset(i for _, i in paid if multi[i]),
        tuple(pots),
    )


def uses_of(instance: Instance, choice: int, device: int) -> list[tuple[int, int]]:
    """Pots of the device, and what a share of it for the choice takes of them."""
    claims = instance.claims
    return [
        (m, amount)
        for b, m, amount in zip(
            claims.use_choice.tolist(),
            claims.use_pot.tolist(),
            claims.use_amount.tolist(),
            strict=True,
        )
        if b == choice and instance.devices.pot_device[m] == device
    ]
