"""Every row of the family claims bites: without it, the optimum of a small instance changes."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gangplan.datasets.generate import generate
from gangplan.models.arrays import Floats
from gangplan.models.counts.decode import decode, encode
from gangplan.models.counts.formulation import Formulation, Model, build, tier_cost
from gangplan.models.errors import FormulationError, PlanError
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.models.plan import Plan
from gangplan.models.tiers import Tier
from gangplan.models.verify.check import check
from tests.models.solve import optimum
from tests.tiny import make_instance
from tests.tiny_devices import with_devices

Row = dict[str, Any]

POD: Row = {"wanted": 1, "request": {"cpu": 1}}


def pods(*wanted: int, nodes: int = 1, cpu: int = 8) -> Instance:
    """One basic group a number, on equal nodes."""
    return make_instance(
        nodes=[{"cpu": cpu}] * nodes, groups=[POD | {"wanted": most} for most in wanted]
    )


def loosened(milp: Milp, block: str) -> Milp:
    """The same model without the rows of a block."""
    low, high = milp.row_lower.copy(), milp.row_upper.copy()
    first, last = milp.row_blocks[block]
    low[first:last], high[first:last] = -np.inf, np.inf
    return replace(milp, row_lower=low, row_upper=high)


def placed(model: Model, block: str = "") -> int:
    """Most pods that the rows allow, without those of a block."""
    cost = np.zeros(model.milp.n_cols)
    cost[model.x.cols] = -1
    return -round(least(model, cost, block))


def least(model: Model, cost: Floats, block: str = "") -> float:
    """Smallest cost that the rows allow, without those of a block."""
    milp = loosened(model.milp, block) if block else model.milp
    return float(cost @ optimum(milp.with_cost(cost)))


def solved(model: Model) -> Plan:
    """A plan with the most pods; it keeps the rules, and is a point of its own model."""
    cost = np.zeros(model.milp.n_cols)
    cost[model.x.cols] = -1
    plan = decode(model, optimum(model.milp.with_cost(cost)))
    assert not check(model.instance, plan)
    point = encode(model, plan)
    assert not len(model.milp.violated_rows(point))
    assert (point >= model.milp.lower).all()
    assert (point <= model.milp.upper).all()
    return plan


GPU = {"requests": [("g", "gpu")]}
BIG = {"requests": [("g", "big")]}

TWO_ON_ONE = with_devices(
    pods(1, 1), [{"node": 0, "gpu": True, "big": True}], [GPU, BIG], {0: [0], 1: [1]}
)
ONE_SPEC = with_devices(pods(1, 1), [{"node": 0, "gpu": True}], [GPU], {0: [0], 1: [0]})
TWO_CELLS = with_devices(
    pods(2, 1), [{"node": 0, "gpu": True}, {"node": 0, "gpu": True, "big": True}], [GPU, BIG],
    {0: [0], 1: [1]},
)  # fmt: skip
ROOTS = with_devices(
    pods(1, 1),
    [
        {"node": 0, "gpu": True, "root": "r0"},
        {"node": 0, "gpu": True, "root": "r0"},
        {"node": 0, "gpu": True, "big": True, "root": "r1"},
    ],
    [{"requests": [("g", {"word": "gpu", "count": 2})], "distinct": ["root"]}, BIG],
    {0: [0], 1: [1]},
)
WATCHED = with_devices(
    pods(1),
    [{"node": 0, "gpu": True}, {"node": 0, "gpu": True, "big": True}],
    [{"requests": [("g", "gpu"), ("a", {"word": "gpu", "count": 2, "admin": True})]}, BIG],
    {0: [0]},
)
SPLIT = with_devices(
    pods(2, nodes=2, cpu=1), [{"node": n, "gpu": True} for n in (0, 1)], [GPU],
    shared=[{"spec": 0, "roles": [0]}],
)  # fmt: skip
SPLIT_GANG = with_devices(
    make_instance(
        nodes=[{"cpu": 2}] * 2,
        groups=[POD | {"wanted": 2, "minimum": 2}, *(POD | {"eligible": [n]} for n in (0, 1))],
    ),
    [{"node": n, "gpu": True} for n in (0, 1)],
    [GPU],
    shared=[{"spec": 0, "roles": [0]}],
)
FEW = with_devices(
    pods(1, 1), [{"node": 0, "gpu": True}], [GPU],
    shared=[{"spec": 0, "roles": [0, 1], "limit": 1}],
)  # fmt: skip
SLICES = with_devices(
    pods(1, 1),
    [{"node": 0, "gpu": True, "draws": {"m": 3}}, {"node": 0, "big": True, "draws": {"m": 2}}],
    [GPU, BIG],
    {0: [0], 1: [1]},
    counters={"m": 4},
)
SHARED_SLICE = with_devices(
    pods(1, 1),
    [
        {"node": 0, "gpu": True, "multi": True, "draws": {"m": 3}},
        {"node": 0, "big": True, "draws": {"m": 2}},
    ],
    [GPU, BIG],
    {0: [0], 1: [1]},
    counters={"m": 4},
)
POTS = with_devices(
    pods(1, 1),
    [{"node": 0, "gpu": True, "multi": True, "pots": {"mem": 10}}],
    [
        {"requests": [("g", {"word": "gpu", "uses": {"mem": 6}})]},
        {"requests": [("g", {"word": "gpu", "uses": {"mem": 5}})]},
    ],
    {0: [0], 1: [1]},
)


@pytest.mark.parametrize(
    ("block", "instance", "on", "off"),
    [
        ("claims.own", ONE_SPEC, 1, 2),
        ("claims.cell", TWO_ON_ONE, 1, 2),
        ("claims.count", TWO_CELLS, 2, 3),
        ("claims.cap", ROOTS, 1, 2),
        ("claims.cap", WATCHED, 0, 1),
        ("claims.once", SPLIT, 1, 2),
        ("claims.once", SPLIT_GANG, 3, 4),
        ("claims.site", SPLIT, 1, 2),
        ("claims.limit", FEW, 1, 2),
        ("claims.counter", SLICES, 1, 2),
        ("claims.counter", SHARED_SLICE, 1, 2),
        ("claims.open", SHARED_SLICE, 1, 2),
        ("claims.pot", POTS, 1, 2),
    ],
)
def test_a_row_bites(block: str, instance: Instance, on: int, off: int) -> None:
    model = build(instance)
    assert placed(model) == on
    assert placed(model, block) == off
    assert int((solved(model).node >= 0).sum()) == on
    assert placed(build(instance, Formulation(claims=False))) == instance.n_pods


def test_a_shared_claim_is_not_allocated_for_nobody() -> None:
    model = build(FEW)
    cost = np.zeros(model.milp.n_cols)
    cost[model.claimed.b.cols] = -1
    cost[model.x.cols] = 2
    assert least(model, cost) == 0
    assert least(model, cost, "claims.used") == -1


def test_a_user_of_a_claim_with_all_is_where_no_more_is_asked() -> None:
    instance = with_devices(
        pods(1, nodes=2),
        [{"zone": [0, 1], "ch": True}, {"zone": [1], "ch": True, "taken": True}],
        [{"requests": [("c", {"word": "ch", "count": "all"})]}],
        shared=[{"spec": 0, "roles": [0]}],
    )
    model = build(instance)
    cost = np.zeros(model.milp.n_cols)
    cost[model.x.cols] = np.where(model.pairs.node == 1, -1, 1)
    assert least(model, cost) == 0
    assert least(model, cost, "claims.anchor") == -1


def test_copies_of_an_option_are_taken_in_order() -> None:
    instance = with_devices(
        pods(2),
        [{"node": 0, "gpu": True, "links": [f"l{i}", f"l{i + 1}"]} for i in range(6)],
        [{"requests": [("g", {"word": "gpu", "count": 2})], "distinct": ["links"]}],
        {0: [0]},
    )
    model = build(instance)
    assert model.claimed.copy.tolist() == [0, 1]
    cost = np.zeros(model.milp.n_cols)
    cost[model.claimed.b.cols] = [1, -1]
    assert least(model, cost) == 0
    assert least(model, cost, "claims.order") == -1
    assert int((solved(model).node >= 0).sum()) == 2


def test_a_match_needs_one_value_for_all() -> None:
    devices = [{"node": 0, "gpu": True, "root": f"r{i}"} for i in (0, 0, 1)]
    devices += [{"node": 0, "nic": True, "root": f"r{i}"} for i in (0, 1, 1)]
    spec = {"requests": [("g", "gpu"), ("n", "nic")]}
    free = with_devices(pods(4), devices, [spec], {0: [0]})
    bound = with_devices(pods(4), devices, [spec | {"match": ["root"]}], {0: [0]})
    assert placed(build(free)) == 3
    assert placed(build(bound)) == 2
    solved(build(bound))


def test_values_of_a_list_match_where_one_is_common() -> None:
    devices = [{"node": 0, "gpu": True, "numa": ["a", "b"]}, {"node": 0, "nic": True, "numa": "b"}]
    spec = {"requests": [("g", "gpu"), ("n", "nic")], "match": ["numa"]}
    assert placed(build(with_devices(pods(1), devices, [spec], {0: [0]}))) == 1
    devices[1] = {"node": 0, "nic": True, "numa": "c"}
    assert placed(build(with_devices(pods(1), devices, [spec], {0: [0]}))) == 0


def test_all_takes_every_device_of_the_node() -> None:
    devices = [{"node": 0, "gpu": True} for _ in range(3)]
    every = {"requests": [("g", {"word": "gpu", "count": "all"})]}
    instance = with_devices(pods(1, 1), devices, [every, GPU], {0: [0], 1: [1]})
    assert placed(build(instance)) == 1
    assert sorted(solved(build(with_devices(pods(1), devices, [every], {0: [0]}))).allocations
                  .device.tolist()) == [0, 1, 2]  # fmt: skip


@pytest.mark.parametrize(("n", "fits"), [(32, 1), (33, 0)])
def test_a_claim_has_32_devices_at_most(n: int, fits: int) -> None:
    devices = [{"node": 0, "gpu": True} for _ in range(n)]
    every = {"requests": [("g", {"word": "gpu", "count": "all"})]}
    assert placed(build(with_devices(pods(1), devices, [every], {0: [0]}))) == fits
    two = {"requests": [("g", {"word": "gpu", "count": n - 1}), ("h", "gpu")]}
    assert placed(build(with_devices(pods(1), devices, [two], {0: [0]}))) == fits


def test_admin_access_uses_nothing_up_and_comes_with_other_devices() -> None:
    admin = {"requests": [("a", {"word": "gpu", "count": 2, "admin": True})]}
    devices = [{"node": 0, "gpu": True, "taken": True}, {"node": 0, "gpu": True}]
    plan = solved(build(with_devices(pods(3, 1), devices, [admin, GPU], {0: [0], 1: [1]})))
    assert (plan.node >= 0).all()


def test_a_shared_device_draws_once_and_serves_many() -> None:
    devices = [{"node": 0, "gpu": True, "multi": True, "draws": {"m": 3}}]
    instance = with_devices(pods(5), devices, [GPU], {0: [0]}, counters={"m": 4})
    assert (solved(build(instance)).node >= 0).all()


def test_barred_nodes_serve_later_choices_no_more() -> None:
    devices = [{"node": n, "gpu": True, "big": True} for n in (0, 1)]
    spec = {"requests": [("g", {"word": "big", "barred": [0], "name": "b"})]}
    plan = solved(build(with_devices(pods(2, nodes=2), devices, [spec], {0: [0]})))
    assert sorted(plan.node.tolist()) == [-1, 1]


def test_users_of_an_allocated_claim_stay_in_its_zone() -> None:
    instance = with_devices(
        pods(3, nodes=3, cpu=1), [], [], shared=[{"nodes": [1, 2], "roles": [0], "limit": 5}]
    )
    plan = solved(build(instance))
    assert sorted(plan.node.tolist()) == [-1, 1, 2]


def test_a_claim_of_several_groups_keeps_them_together() -> None:
    instance = with_devices(
        pods(1, 1, nodes=4),
        [{"zone": [0, 1], "ch": True}, {"zone": [2], "ch": True}],
        [{"requests": [("c", "ch")]}],
        shared=[{"spec": 0, "roles": [0, 1]}],
    )
    plan = solved(build(instance))
    assert set(plan.node.tolist()) <= {0, 1} or set(plan.node.tolist()) == {2}
    assert len(plan.allocations) == 1


RANKED = with_devices(
    pods(2), [{"node": 0, "big": True}, {"node": 0, "gpu": True}],
    [{"requests": [("g", {"word": "big", "name": "b"}, {"word": "gpu", "name": "s"})]}], {0: [0]},
)  # fmt: skip


def test_rank_costs_the_later_choice() -> None:
    model = build(RANKED)
    cost, offset = tier_cost(model, Tier("rank", "rank", False))
    plan = solved(model)
    assert cost @ encode(model, plan) + offset == 1
    free, _ = tier_cost(build(RANKED, Formulation(rank=False)), Tier("rank", "rank", False))
    assert not free.any()


def test_a_plan_with_devices_that_no_option_gives_is_refused() -> None:
    model = build(RANKED)
    plan = solved(model)
    with pytest.raises(PlanError, match="no option gives it"):
        encode(model, Plan(plan.node, plan.device_pod, plan.device))


def test_a_capacity_that_cannot_be_scaled_is_refused_by_name() -> None:
    devices = [{"node": 0, "gpu": True, "multi": True, "pots": {"mem": 2**45}}]
    uses = (2**44 + 1, 2**44 + 3)
    specs = [{"requests": [("g", {"word": "gpu", "uses": {"mem": use}})]} for use in uses]
    with pytest.raises(FormulationError, match="mem of test/pool/d0"):
        build(with_devices(pods(1, 1), devices, specs, {0: [0], 1: [1]}))


@pytest.mark.parametrize(
    ("name", "nodes", "groups", "digest"),
    [
        ("training", 40, 12, "d43c1bf61efa8bb18b4f2f42223a70026de519e483acac94478cc99260f553b4"),
        ("racks", 48, 10, "97b02ac91261ac457b71153a7845ad88ee81fd1c4a2033cd2b46443614430b5c"),
        ("vectors", 32, 8, "1505b19e2ff8b7304433f0164d5ec08ce9deccb6cdb7a9b1e2f71c81e8c754ec"),
    ],
)
def test_models_without_claims_are_those_of_before_claims(
    name: str, nodes: int, groups: int, digest: str
) -> None:
    instance = generate(name, nodes=nodes, groups=groups, seed=3)
    assert build(instance).milp.digest() == digest


PAIR: Row = POD | {"wanted": 2, "minimum": 2}
LED: Row = {
    "minimum": 2,
    "roles": [{"wanted": 1, "minimum": 1, "request": {"cpu": 1}} for _ in range(2)],
}


@pytest.mark.parametrize(
    ("groups", "users", "columns", "most"),
    [
        ([PAIR], [0], 0, 0),  # no node holds both, so no node serves their claim
        ([LED], [0, 1], 2, 0),  # slots are counted role by role
        ([LED], [1], 2, 2),  # the leader may be elsewhere
        ([POD | {"wanted": 3, "minimum": 1}], [0], 2, 1),
        ([PAIR, POD], [0, 1], 2, 1),  # the single pod has use for either
    ],
)
def test_a_site_serves_whom_it_holds(
    groups: list[Row], users: list[int], columns: int, most: int
) -> None:
    instance = with_devices(
        make_instance(nodes=[{"cpu": 1}] * 2, groups=groups),
        [{"node": n, "gpu": True} for n in (0, 1)],
        [GPU],
        shared=[{"spec": 0, "roles": users}],
    )
    model = build(instance)
    assert len(model.claimed.b.cols) == columns
    assert placed(model) == most
