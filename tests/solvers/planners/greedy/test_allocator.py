"""The allocator against exhaustive search: never a false no, never an invalid yes."""

import random
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from typing import Any

import pytest

from gangplan.models.claims import ALL
from gangplan.models.instance import Instance
from gangplan.solvers.planners.greedy.allocator.dealer import Dealer, specs_of
from gangplan.solvers.planners.greedy.allocator.stock import Ledger, Stock
from tests.tiny import make_instance
from tests.tiny_devices import with_devices

Given = list[tuple[int, int]]
"""Devices of a claim: (choice, device)."""


def situation(instance: Instance, dealer: Dealer, specs: Sequence[int]) -> tuple[int, list[int]]:
    """The claims on node 0, and its devices as the dealer numbers them."""
    stock = Stock(instance, *_kinds(instance))
    things, left = Ledger(stock).things(stock.reached(0))
    of, order = dealer.class_of(things, left, stock.barred[0])
    return dealer.situation(of, specs_of(specs)), order


def _kinds(instance: Instance) -> Any:
    from gangplan.solvers.planners.greedy.allocator.dealer import kinds_of

    return kinds_of(instance)


def served(instance: Instance, specs: Sequence[int]) -> list[tuple[int, Given]] | None:
    """What the allocator gives to each claim: (spec, devices)."""
    dealer = Dealer(instance)
    number, order = situation(instance, dealer, specs)
    if not dealer.fits(number):
        assert not dealer.gave_up
        return None
    dealt = dealer.deal(number)
    assert sorted(s for s, mine in dealt.items() for _ in mine) == sorted(specs)
    return [(s, [(b, order[d]) for b, d in each]) for s, mine in dealt.items() for each in mine]


def ways(instance: Instance, spec: int) -> Iterator[Given]:
    """Everything that a claim could be given on node 0, other claims aside."""
    claims, devices = instance.claims, instance.devices
    requests = sorted(set(claims.choice_request[claims.choices_of(spec)].tolist()))
    reached = devices.reachable(0)

    def serve(at: int, given: Given) -> Iterator[Given]:
        if at == len(requests):
            yield given
            return
        for b in [b for b in claims.choices_of(spec) if claims.choice_request[b] == requests[at]]:
            if claims.barred[b, 0]:
                continue
            fit = [i for i in range(len(devices)) if reached[i] and claims.fits[b, i]]
            count = int(claims.choice_count[b])
            if count == ALL:
                asked = [i for i in range(len(devices)) if reached[i] and claims.asks[b, i]]
                picks = [tuple(asked)] if asked and asked == fit else []
            elif devices.multi.any() and not claims.choice_admin[b]:
                picks = list(combinations_with_replacement(fit, count))
            else:
                picks = list(combinations(fit, count))
            for pick in picks:
                yield from serve(at + 1, [*given, *((int(b), i) for i in pick)])

    for given in serve(0, []):
        if sound(instance, spec, given):
            yield given


def sound(instance: Instance, spec: int, given: Given) -> bool:
    """Rules inside one claim."""
    claims, devices = instance.claims, instance.devices
    for n, (b, i) in enumerate(given):
        others = [c for m, (c, j) in enumerate(given) if j == i and m != n]
        if others and (claims.choice_admin[b] or not devices.multi[i]):
            return False
    for x in claims.rules_of(spec):
        bound = set(claims.members_of(x).tolist())
        values = [
            set(
                devices.trait_value[
                    (devices.trait_device == i)
                    & (devices.trait_attribute == claims.rule_attribute[x])
                ].tolist()
            )
            for b, i in given
            if b in bound
        ]
        if not all(values):
            return False
        if claims.rule_distinct[x]:
            if any(a & b for a, b in combinations(values, 2)):
                return False
        elif values and not set.intersection(*values):
            return False
    return True


def together(instance: Instance, all_given: Sequence[Given]) -> bool:
    """Rules between claims: devices, counters, pots."""
    claims, devices = instance.claims, instance.devices
    had = [(b, i) for given in all_given for b, i in given if not claims.choice_admin[b]]
    taken = [i for _, i in had]
    for i in set(taken):
        if not devices.multi[i] and (devices.taken[i] or taken.count(i) > 1):
            return False
    left = devices.counter_free.copy()
    for i, c, amount in zip(
        devices.draw_device, devices.draw_counter, devices.draw_amount, strict=True
    ):
        left[c] -= amount if i in set(taken) else 0
    pots = devices.pot_free.copy()
    for b, m, amount in zip(claims.use_choice, claims.use_pot, claims.use_amount, strict=True):
        pots[m] -= amount * had.count((b, devices.pot_device[m]))
    return bool((left >= 0).all() and (pots >= 0).all())


def possible(instance: Instance, specs: Sequence[int]) -> int | None:
    """The least sum of ranks with which all claims fit, found by trying everything."""
    rank = instance.claims.rank.tolist()
    options = {s: list(ways(instance, s)) for s in set(specs)}
    best: int | None = None

    def go(at: int, chosen: list[Given]) -> None:
        nonlocal best
        if not together(instance, chosen):
            return
        if at == len(specs):
            cost = sum(rank[b] for given in chosen for b in {b for b, _ in given})
            best = cost if best is None else min(best, cost)
            return
        for given in options[specs[at]]:
            go(at + 1, [*chosen, given])

    go(0, [])
    return best


def drawn(chance: random.Random) -> tuple[Instance, list[int]]:
    """A node with a few devices of every sort, and a few claims of every sort."""
    devices: list[dict[str, Any]] = []
    counters = {f"c{n}": chance.randint(1, 4) for n in range(chance.randint(0, 2))}
    for _ in range(chance.randint(2, 5)):
        row: dict[str, Any] = {"node": 0, chance.choice(["gpu", "nic"]): True, "any": True}
        if chance.random() < 0.7:
            row["root"] = chance.choice(["r0", "r1"])
        if chance.random() < 0.4:
            row["numa"] = chance.choice([["n0"], ["n1"], ["n0", "n1"]])
        for counter in counters:
            if chance.random() < 0.5:
                row.setdefault("draws", {})[counter] = chance.randint(1, 2)
        if chance.random() < 0.2:
            row["multi"] = True
            row["pots"] = {"memory": chance.randint(1, 5)}
        elif chance.random() < 0.15:
            row["taken"] = True
            row.pop("draws", None)
        devices.append(row)
    devices.append({"node": 1, "gpu": True, "any": True})
    specs = [_spec(chance, devices) for _ in range(chance.randint(1, 3))]
    instance = with_devices(
        make_instance([{"cpu": 9}] * 2, [{"wanted": 1, "request": {"cpu": 1}}]),
        devices,
        specs,
        {0: list(range(len(specs)))},
        counters=counters,
    )
    asked = [chance.randrange(len(specs)) for _ in range(chance.randint(1, 3))]
    return instance, asked


def _spec(chance: random.Random, devices: list[dict[str, Any]]) -> dict[str, Any]:
    requests = []
    for q in range(chance.randint(1, 2)):
        choices = []
        if chance.random() < 0.15:
            choices = [
                {
                    "word": chance.choice(["gpu", "any"]),
                    "admin": True,
                    "count": chance.choice([1, 2, "all"]),
                }
            ]
        else:
            for b in range(chance.choice([1, 1, 2])):
                choices.append(
                    {
                        "name": f"s{b}",
                        "word": chance.choice(["gpu", "nic", "any"]),
                        "count": chance.choice([1, 1, 1, 2, "all"]),
                        "uses": {"memory": chance.randint(1, 2)},
                        "blocked": [0] if chance.random() < 0.1 else [],
                        "barred": [0] if chance.random() < 0.1 else [],
                    }
                )
        requests.append((f"q{q}", *choices))
    row: dict[str, Any] = {"requests": requests}
    for key in ("match", "distinct"):
        row[key] = [a for a in ("root", "numa") if chance.random() < 0.25]
    return row


@pytest.mark.parametrize("seed", range(40))
def test_the_allocator_agrees_with_trying_everything(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(20):
        instance, specs = drawn(chance)
        best, given = possible(instance, specs), served(instance, specs)
        assert (given is None) == (best is None), specs
        if given is not None:
            assert all(sound(instance, s, mine) for s, mine in given)
            assert together(instance, [mine for _, mine in given])
            rank = instance.claims.rank.tolist()
            cost = sum(rank[b] for _, mine in given for b in {b for b, _ in mine})
            assert cost == best
