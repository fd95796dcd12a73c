"""Devices of running pods: they come free when all users of their claim fall, and not before."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gangplan.models.arrays import Floats, Ints
from gangplan.models.counts.decode import decode, encode
from gangplan.models.counts.formulation import Formulation, Model, build
from gangplan.models.gone import without_units
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.models.plan import Plan
from gangplan.models.verify.check import check
from tests.models.solve import optimum
from tests.tiny import make_instance
from tests.tiny_devices import with_devices
from tests.tiny_running import with_running

Row = dict[str, Any]

MANY = 100
"""A pod is worth more than all units together."""

POD: Row = {"kind": "bare", "priority": 5, "wanted": 1, "request": {"cpu": 1}}
GPU: Row = {"requests": [("g", "gpu")]}

LOW: Row = {"node": 0, "request": {"cpu": 1}}


def pods(*wanted: int, nodes: int = 1) -> Instance:
    """One urgent bare group a number, on equal nodes with room for all; and a gang that runs."""
    groups = [POD | {"wanted": most} for most in wanted]
    runs: Row = {"name": "old", "minimum": 2, "running": [0, 0], "roles": []}
    return make_instance(nodes=[{"cpu": 9}] * nodes, groups=[*groups, runs])


def gpu(**more: object) -> Row:
    return {"node": 0, "gpu": True} | more


def columns(model: Model, name: str) -> Ints:
    return np.arange(*model.milp.col_blocks.get(name, (0, 0)))


def without_rows(milp: Milp, block: str) -> Milp:
    low, high = milp.row_lower.copy(), milp.row_upper.copy()
    first, last = milp.row_blocks[block]
    low[first:last], high[first:last] = -np.inf, np.inf
    return replace(milp, row_lower=low, row_upper=high)


def price(model: Model) -> Floats:
    """Most pods, then the fewest units; of two units the one with the lower number falls."""
    cost = np.zeros(model.milp.n_cols)
    cost[model.x.cols] = -MANY
    cost[columns(model, "e")] = 1 + 0.01 * np.arange(len(columns(model, "e")))
    return cost


def most(instance: Instance, block: str = "", *, preemption: bool = True) -> int:
    """Pods that the rows allow, without those of a block."""
    model = build(instance, Formulation(preemption=preemption))
    milp = without_rows(model.milp, block) if block else model.milp
    point = optimum(milp.with_cost(price(model)))
    return round(float(point[model.x.cols].sum()))


def solved(instance: Instance) -> Plan:
    """The best plan; it keeps the rules, and is a point of its own model."""
    model = build(instance)
    plan = decode(model, optimum(model.milp.with_cost(price(model))))
    assert not check(instance, plan)
    point = encode(model, plan)
    assert not len(model.milp.violated_rows(point))
    assert (point >= model.milp.lower).all()
    assert (point <= model.milp.upper).all()
    again = decode(model, point)
    assert again.evicted.tolist() == plan.evicted.tolist()
    assert not check(instance, again)
    return plan


ALONE = with_running(
    with_devices(pods(1), [gpu(taken=True)], [GPU], {0: [0]}),
    [LOW],
    holds=[{"users": [0], "devices": [0]}],
)
"""One GPU, held by the claim of one pod."""

BETWEEN = with_running(
    with_devices(pods(1), [gpu(taken=True)], [GPU], {0: [0]}),
    [LOW, LOW],
    holds=[{"users": [0, 1], "devices": [0]}],
)
"""One GPU, in a claim that two pods share."""

SLICES = with_running(
    with_devices(
        pods(2),
        [gpu(node=0, big=True, taken=True, draws={"m": 4}), gpu(draws={"m": 2}),
         gpu(draws={"m": 2})],
        [GPU], {0: [0]}, counters={"m": 1},
    ),
    [LOW],
    holds=[{"users": [0], "devices": [0], "counters": {0: 4}}],
)  # fmt: skip
"""A partition that draws 4, of which the counter then has 5: two partitions that draw 2."""

SHARES = with_running(
    with_devices(
        pods(3), [gpu(multi=True, pots={"mem": 10})],
        [{"requests": [("g", {"word": "gpu", "uses": {"mem": 20}})]}], {0: [0]},
    ),
    [LOW],
    holds=[{"users": [0], "pots": {0: 30}}],
)  # fmt: skip
"""A capacity of which 10 are left, and 40 once a pod has fallen."""

STILL_USED = with_running(
    with_devices(
        pods(1, 1, nodes=2), [gpu(taken=True)], [GPU], {1: [0]},
        shared=[{"nodes": [0], "roles": [0]}],
    ),
    [LOW],
    holds=[{"users": [0], "devices": [0], "shared": 0}],
)  # fmt: skip
"""The first group may join the claim that holds the GPU, the second asks for the GPU."""


def test_a_device_comes_free_when_the_pod_of_its_claim_falls() -> None:
    plan = solved(ALONE)
    assert plan.node.tolist() == [0]
    assert plan.evicted.tolist() == [0]
    assert plan.allocations.device.tolist() == [0]


def test_nobody_falls_for_a_device_that_is_free() -> None:
    devices = [gpu(taken=True), gpu()]
    instance = with_running(
        with_devices(pods(1), devices, [GPU], {0: [0]}),
        [LOW],
        holds=[{"users": [0], "devices": [0]}],
    )
    plan = solved(instance)
    assert plan.evicted.tolist() == []
    assert plan.allocations.device.tolist() == [1]


def test_one_victim_is_not_enough_where_two_pods_share_the_claim() -> None:
    assert solved(BETWEEN).evicted.tolist() == [0, 1]


@pytest.mark.parametrize("unit", [{}, {"unit": "gang"}])
def test_the_claim_of_a_pod_group_comes_free_with_the_whole_group(unit: Row) -> None:
    instance = with_running(
        with_devices(pods(1), [gpu(taken=True)], [GPU], {0: [0]}),
        [LOW | unit | {"group": 1}, LOW | unit | {"group": 1}],
        holds=[{"users": [0, 1], "devices": [0]}],
    )
    plan = solved(instance)
    assert len(plan.evicted) == (1 if unit else 2)
    assert instance.running.falling(plan.evicted).all()


def test_a_claim_with_a_user_that_may_not_fall_never_comes_free() -> None:
    instance = with_running(
        with_devices(pods(1), [gpu(taken=True)], [GPU], {0: [0]}),
        [LOW, LOW | {"priority": 5}],
        holds=[{"users": [0, 1], "devices": [0]}],
    )
    assert most(instance) == 0
    assert not len(build(instance).f)


def test_counters_return_and_are_drawn_again() -> None:
    plan = solved(SLICES)
    assert plan.evicted.tolist() == [0]
    assert (plan.node >= 0).all()


def test_a_device_that_comes_free_draws_for_its_new_user_too() -> None:
    devices = [gpu(taken=True, draws={"m": 3}), gpu(taken=True, draws={"m": 3})]
    instance = with_devices(pods(2), devices, [GPU], {0: [0]}, counters={"m": 0})
    holds = [{"users": [0], "devices": [0, 1], "counters": {0: back}} for back in (5, 6)]
    assert most(with_running(instance, [LOW], holds=holds[:1])) == 1
    assert most(with_running(instance, [LOW], holds=holds[1:])) == 2


def test_capacity_returns() -> None:
    plan = solved(SHARES)
    assert plan.evicted.tolist() == [0]
    assert plan.placed_per_group(SHARES).tolist() == [2, 0]


def test_all_waits_until_everything_is_free() -> None:
    every: Row = {"requests": [("g", {"word": "gpu", "count": "all"})]}
    devices = [gpu(), gpu(taken=True), gpu(taken=True)]
    instance = with_running(
        with_devices(pods(1), devices, [every], {0: [0]}),
        [LOW, LOW],
        holds=[{"users": [0], "devices": [1]}, {"users": [1], "devices": [2]}],
    )
    plan = solved(instance)
    assert plan.evicted.tolist() == [0, 1]
    assert plan.allocations.device.tolist() == [0, 1, 2]


def test_a_claim_that_a_new_pod_joins_keeps_its_devices() -> None:
    assert most(STILL_USED) == 1
    plan = solved(STILL_USED)
    model = build(STILL_USED)
    # The user of the claim may fall for something else: the claim goes on with its new user.
    joined = Plan(np.array([0, -1]), plan.device_pod, plan.device, evicted=np.array([0]))
    assert {broken.family for broken in check(STILL_USED, joined)} == {"preemption"}  # needless
    point = encode(model, joined)
    assert not len(model.milp.violated_rows(point))
    assert point[columns(model, "f")].tolist() == [0]
    alone = replace(joined, node=np.array([-1, -1]))
    assert encode(model, alone)[columns(model, "f")].tolist() == [1]


def test_a_match_over_devices_that_come_free() -> None:
    devices = [
        gpu(root="a"), gpu(root="b", taken=True), {"node": 0, "nic": True, "root": "b"},
        {"node": 0, "nic": True, "root": "c"},
    ]  # fmt: skip
    pair: Row = {"requests": [("g", "gpu"), ("n", "nic")], "match": ["root"]}
    instance = with_running(
        with_devices(pods(1), devices, [pair], {0: [0]}),
        [LOW],
        holds=[{"users": [0], "devices": [1]}],
    )
    plan = solved(instance)
    assert plan.evicted.tolist() == [0]
    assert plan.allocations.device.tolist() == [1, 2]


def test_a_shared_claim_is_allocated_from_devices_that_come_free() -> None:
    instance = with_running(
        with_devices(
            pods(2, nodes=2), [{"zone": [0, 1], "gpu": True, "taken": True}], [GPU],
            shared=[{"spec": 0, "roles": [0]}],
        ),
        [LOW],
        holds=[{"users": [0], "devices": [0]}],
    )  # fmt: skip
    plan = solved(instance)
    assert plan.evicted.tolist() == [0]
    assert (plan.node >= 0).all()


def test_only_devices_of_holdings_that_are_free_are_handed_out() -> None:
    devices = [gpu(taken=True) for _ in range(4)]
    instance = with_running(
        with_devices(pods(2), devices, [GPU], {0: [0]}),
        [LOW, LOW | {"priority": 1}, LOW | {"priority": 2}],
        holds=[{"users": [u], "devices": [i]} for u, i in ((0, 1), (2, 2), (1, 3))],
    )
    model = build(instance)
    milp = model.milp
    dear = price(model)
    dear[columns(model, "e")] = [2, 1, 1]
    plan = decode(model, optimum(milp.with_cost(dear)))
    assert plan.evicted.tolist() == [1, 2]
    assert plan.allocations.device.tolist() == [2, 3]
    assert not check(instance, plan)


@pytest.mark.parametrize(
    ("instance", "block"),
    [
        (ALONE, "claims.cell"),
        (SLICES, "claims.counter"),
        (SHARES, "claims.pot"),
    ],
)
def test_what_comes_back_stands_in_the_row(instance: Instance, block: str) -> None:
    model = build(instance)
    first, last = model.milp.row_blocks[block]
    back = model.milp.matrix[first:last][:, model.f.cols].toarray()
    assert back.min() < 0
    held = model.milp.upper.copy()
    held[model.f.cols] = 0
    kept = replace(model.milp, upper=held)
    with_it, without = (
        float(optimum(milp.with_cost(price(model)))[model.x.cols].sum())
        for milp in (model.milp, kept)
    )
    assert with_it > without
    loose = optimum(without_rows(kept, block).with_cost(price(model)))
    assert float(loose[model.x.cols].sum()) > without


def test_without_preemption_free_nobody_has_to_fall() -> None:
    model = build(BETWEEN)
    point = optimum(without_rows(model.milp, "preemption.free").with_cost(price(model)))
    assert point[model.x.cols].tolist() == [1]
    assert point[columns(model, "e")].tolist() == [0, 0]


def test_without_preemption_used_a_device_has_two_holders() -> None:
    assert most(STILL_USED) == 1
    assert most(STILL_USED, "preemption.used") == 2


@pytest.mark.parametrize("instance", [ALONE, BETWEEN, SLICES, SHARES, STILL_USED])
def test_preemption_off_is_the_model_without_units(instance: Instance) -> None:
    off = build(instance, Formulation(preemption=False))
    assert off.milp.digest() == build(without_units(instance)).milp.digest()
    assert most(instance, preemption=False) == most(without_units(instance))
    assert most(instance, preemption=False) < most(instance) or instance is STILL_USED


def test_holdings_that_come_free_together_share_a_column() -> None:
    devices = [gpu(taken=True) for _ in range(5)]
    instance = with_running(
        with_devices(pods(4), devices, [GPU], {0: [0]}),
        [LOW | {"unit": "both", "group": 1}] * 2 + [LOW],
        holds=[
            {"users": users, "devices": [i]}
            for i, users in enumerate(([0], [1], [2], [0, 2], [1, 2]))
        ],
    )
    model = build(instance)
    units = columns(model, "e").tolist()
    assert model.f.cols.tolist() == [units[0], units[0], units[1], *[columns(model, "f")[0]] * 2]
    assert len(columns(model, "f")) == 1
    plan = solved(instance)
    assert plan.evicted.tolist() == [0, 1]
    assert (plan.node >= 0).all()


def test_a_holding_that_gives_nothing_back_has_no_column() -> None:
    devices = [gpu(taken=True), {"node": 0, "nic": True, "taken": True}]
    instance = with_running(
        with_devices(pods(1), devices, [GPU], {0: [0]}),
        [LOW, LOW],
        holds=[{"users": [0], "devices": [0]}, {"users": [1], "devices": [1]}],
    )
    assert build(instance).f.index.tolist() == [[0]]
