"""Random instances whose devices are held: the best plan over all sets of units that fall."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import given, note, settings
from hypothesis import strategies as st

from gangplan.models.counts.decode import decode, encode
from gangplan.models.counts.formulation import build
from gangplan.models.gone import after
from gangplan.models.instance import Instance
from gangplan.models.losses import lost_value
from gangplan.models.plan import empty_plan
from gangplan.models.tiers import tiers_of
from gangplan.models.verify.check import check
from gangplan.models.victims import victims_of
from tests import brute
from tests.models.solve import best_plan, optimum
from tests.strategies import claiming
from tests.tiny_running import with_running

Row = dict[str, Any]


@st.composite
def holding(draw: st.DrawFn) -> Instance:
    """Let up to three running pods hold devices, shares, and claims that new pods may join."""
    instance = draw(claiming())
    devices, claims = instance.devices, instance.claims
    n = draw(st.integers(1, 3))
    low = [-9, -9, -9, int(instance.groups.priority.max(initial=0))]
    pods = [{"node": 0, "priority": draw(st.sampled_from(low)), "devices": 1} for _ in range(n)]
    users = st.sets(st.integers(0, n - 1), min_size=1, max_size=2).map(sorted)
    free = np.flatnonzero(~devices.multi).tolist()
    held = sorted(draw(st.sets(st.sampled_from(free), max_size=4))) if free else []
    holds: list[Row] = []
    while held:
        many = draw(st.integers(1, 2))
        mine, held = held[:many], held[many:]
        drawn = [d for d, i in enumerate(devices.draw_device.tolist()) if i in mine]
        back = dict.fromkeys(devices.draw_counter[drawn].tolist(), draw(st.integers(1, 3)))
        holds.append({"users": draw(users), "devices": mine, "counters": back})
    for m in range(len(devices.pot_device)):
        if draw(st.booleans()):
            holds.append({"users": draw(users), "pots": {m: draw(st.integers(1, 2))}})
    for c in np.flatnonzero(claims.shared_zone >= 0).tolist():
        joined = [hold for hold in holds if "shared" not in hold]
        if draw(st.booleans()) and joined:
            joined[0]["shared"] = c
    taken = devices.taken.copy()
    taken[[i for hold in holds for i in hold.get("devices", ())]] = True
    instance = replace(instance, devices=replace(devices, taken=taken))
    note(f"pods={pods}\nholds={holds}")
    return with_running(instance, pods, holds=holds)


def best(instance: Instance) -> tuple[int, ...]:
    """Values of the best plan: every set of units, and of shared claims that nobody may join."""
    tiers = tiers_of(instance)
    units = np.flatnonzero(victims_of(instance).can).tolist()
    shared = sorted(set(instance.running.hold_shared.tolist()) - {-1})
    found = []
    for falling in every(units):
        for left in every(shared):
            less = after(_left(instance, left), np.array(falling, dtype=np.int64))
            placed = iter(brute.best(less, [tier for tier in tiers if tier.kind != "lost"]))
            plan = replace(empty_plan(instance), evicted=np.array(falling, dtype=np.int64))
            vector = tuple(
                lost_value(instance, plan, tier) if tier.kind == "lost" else next(placed)
                for tier in tiers
            )
            signs = (1 if tier.maximise else -1 for tier in tiers)
            found.append((tuple(v * s for v, s in zip(vector, signs, strict=True)), vector))
    return max(found)[1]


def every(things: list[int]) -> list[tuple[int, ...]]:
    return [some for n in range(len(things) + 1) for some in combinations(things, n)]


def _left(instance: Instance, claims: tuple[int, ...]) -> Instance:
    """Nobody joins these claims."""
    limit = instance.claims.shared_limit.copy()
    limit[list(claims)] = 0
    shared = instance.running.hold_shared.copy()
    shared[np.isin(shared, claims)] = -1
    return replace(
        instance,
        claims=replace(instance.claims, shared_limit=limit),
        running=replace(instance.running, hold_shared=shared),
    )


@settings(max_examples=25, deadline=None)
@given(holding())
def test_the_optimum_is_the_best_over_all_sets_of_units(instance: Instance) -> None:
    plan, values = best_plan(instance, tiers_of(instance))
    assert values == best(instance)
    model = build(instance)
    assert not check(instance, plan)
    point = encode(model, plan)
    assert not len(model.milp.violated_rows(point))
    assert (point >= model.milp.lower).all()
    assert (point <= model.milp.upper).all()
    assert not check(instance, decode(model, point))


@settings(max_examples=40, deadline=None)
@given(holding(), st.integers(0, 99))
def test_any_integral_point_hands_out_what_is_free(instance: Instance, seed: int) -> None:
    model = build(instance)
    random = np.random.default_rng(seed)
    cost = random.integers(-5, 6, model.milp.n_cols).astype(np.float64)
    cost[model.x.cols] -= 3
    plan = decode(model, optimum(model.milp.with_cost(cost)))
    # A point may evict for nobody; what it places keeps the rules all the same.
    assert not [v for v in check(instance, plan) if v.family != "preemption"]
