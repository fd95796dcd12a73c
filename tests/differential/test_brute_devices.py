"""Brute force over devices: known answers, and trying every single allocation."""

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gangplan.models.instance import Instance
from gangplan.models.plan import Allocations, Plan
from gangplan.models.tiers import rank_cost, tiers_of
from gangplan.models.verify.claims import check as check_claims
from tests import brute
from tests.brute_allocated import allocated_ok
from tests.brute_devices import demand_of, least_rank
from tests.brute_rules import Counts
from tests.strategies import claiming, plans
from tests.tiny import make_instance
from tests.tiny_devices import with_devices

Row = dict[str, Any]

MOST = 3000
"""Allocations tried for one plan."""


def counts_of(instance: Instance, plan: Plan) -> Counts:
    pods = np.zeros((len(instance.roles), len(instance.nodes)), dtype=np.int64)
    placed = plan.node >= 0
    np.add.at(pods, (instance.pod_role[placed], plan.node[placed]), 1)
    return {k: tuple(row) for k, row in enumerate(pods.tolist())}


def every_allocation(instance: Instance, plan: Plan) -> Iterator[Allocations]:
    """Everything that any claim could get: any choice, any devices, any number of an ALL."""
    claims = instance.claims
    due = [
        (p, w, int(claims.own_spec[w]))
        for p in np.flatnonzero(plan.node >= 0).tolist()
        for w in claims.own_of(int(instance.pod_role[p]))
    ]
    role = instance.pod_role[plan.node >= 0]
    due += [
        (-1, c, spec)
        for c, spec in enumerate(claims.shared_spec.tolist())
        if spec >= 0 and np.isin(role, claims.user_role[claims.user_shared == c]).any()
    ]
    sets = [list(_rows(instance, *claim)) for claim in due]
    assume(np.prod([float(len(ways)) for ways in sets]) <= MOST)
    for rows in product(*sets):
        table = np.array([row for mine in rows for row in mine], dtype=np.int64)
        yield Allocations(*table.reshape(-1, 4).T)


def _rows(
    instance: Instance, pod: int, claim: int, spec: int
) -> Iterator[list[tuple[int, int, int, int]]]:
    claims = instance.claims
    devices = range(len(instance.devices))
    requests = [q for q, s in enumerate(claims.request_spec.tolist()) if s == spec]
    choices = [np.flatnonzero(claims.choice_request == q).tolist() for q in requests]
    for chosen in product(*choices):
        sets = []
        for b in chosen:
            count = int(claims.choice_count[b])
            sizes = [count] if count else range(1, len(instance.devices) + 1)
            sets.append([s for n in sizes for s in combinations_with_replacement(devices, n)])
        assume(np.prod([float(len(ways)) for ways in sets]) <= MOST)
        for found in product(*sets):
            yield [(pod, claim, b, i) for b, mine in zip(chosen, found, strict=True) for i in mine]


def compare(instance: Instance, plan: Plan) -> None:
    least = None
    for rows in every_allocation(instance, plan):
        whole = Plan(plan.node, plan.device_pod, plan.device, rows)
        if allocated_ok(instance, whole):
            rank = rank_cost(instance, whole)
            least = rank if least is None else min(rank, least)
    assert least_rank(instance, demand_of(instance, counts_of(instance, plan))) == least


def every_allocation_is_tried(data: st.DataObject) -> None:
    instance = data.draw(claiming(max_nodes=2, max_pods=3))
    node = data.draw(
        st.lists(
            st.integers(-1, len(instance.nodes) - 1),
            min_size=instance.n_pods,
            max_size=instance.n_pods,
        )
    )
    none = np.zeros(0, dtype=np.int64)
    compare(instance, Plan(np.array(node, dtype=np.int64), none, none))


@settings(max_examples=150, suppress_health_check=[HealthCheck.filter_too_much])
@given(st.data())
def test_the_least_rank_is_that_of_the_best_allocation(data: st.DataObject) -> None:
    every_allocation_is_tried(data)


@pytest.mark.slow
@settings(max_examples=5000, derandomize=False, suppress_health_check=[HealthCheck.filter_too_much])
@given(st.data())
def test_the_least_rank_is_that_of_the_best_allocation_long(data: st.DataObject) -> None:
    every_allocation_is_tried(data)


def same_verdict(data: st.DataObject) -> None:
    """Rules of devices alone, so that nothing else decides."""
    instance = data.draw(claiming())
    plan = data.draw(plans(instance))
    found = check_claims(instance, plan)
    assert allocated_ok(instance, plan) == (not found), [v.sentence for v in found]


@settings(max_examples=250)
@given(st.data())
def test_verify_and_brute_force_accept_the_same_devices(data: st.DataObject) -> None:
    same_verdict(data)


@pytest.mark.slow
@settings(max_examples=20_000, derandomize=False)
@given(st.data())
def test_verify_and_brute_force_accept_the_same_devices_long(data: st.DataObject) -> None:
    same_verdict(data)


GPU: Row = {"node": 0, "gpu": True}
NIC: Row = {"node": 0, "nic": True}
MIG: Row = GPU | {"draws": {"slices": 3}}
SHARE: Row = GPU | {"multi": True, "pots": {"memory": 8}}
ONE: Row = {"requests": [("g", "gpu")]}
TWO: Row = {"requests": [("g", {"word": "gpu", "count": 2, "uses": {"memory": 1}})]}
EVERY: Row = {"requests": [("g", {"word": "gpu", "count": "all", "uses": {"memory": 4}})]}
ADMIN: Row = {"requests": [("g", {"word": "gpu", "admin": True})]}
PAIR: Row = {"requests": [("g", "gpu"), ("n", "nic")], "match": ["root"]}
BEST: Row = {"requests": [("g", {"word": "gpu", "name": "a"}, {"word": "nic", "name": "b"})]}


@pytest.mark.parametrize(
    ("spec", "devices", "pods"),
    [
        (ONE, [], 0),
        (ONE, [GPU, GPU], 2),
        (ONE, [GPU, GPU | {"taken": True}], 1),
        (ONE, [GPU, {"gpu": True, "zone": [0]}, {"gpu": True, "zone": [1]}], 2),
        (TWO, [GPU] * 5, 2),
        (TWO, [SHARE], 3),
        (TWO | {"distinct": ["root"]}, [GPU | {"root": "r0"}] * 2, 0),
        (TWO | {"distinct": ["root"]}, [SHARE | {"root": "r0"}], 0),
        (TWO | {"distinct": ["root"]}, [GPU | {"root": ["r0", "r0"]}, GPU | {"root": "r1"}], 1),
        (TWO | {"match": ["root"]}, [GPU | {"root": r} for r in ("r0", "r1", "r0")], 1),
        (TWO | {"match": ["root"]}, [GPU | {"root": r} for r in (["a", "b"], ["b"], ["a"])], 1),
        (ONE | {"match": ["root"]}, [GPU], 0),
        (ONE, [MIG, MIG, MIG], 2),
        (EVERY, [], 0),
        (EVERY, [GPU, GPU], 1),
        (EVERY, [GPU, GPU | {"taken": True}], 0),
        (EVERY, [SHARE, SHARE], 2),
        (EVERY, [GPU] * 32, 1),
        (EVERY, [GPU] * 33, 0),
        (ADMIN, [GPU | {"taken": True}], 3),
        (PAIR, [GPU | {"root": "r0"}, NIC | {"root": "r1"}], 0),
        (PAIR, [GPU | {"root": "r0"}, NIC | {"root": "r0"}] * 2, 2),
        (BEST, [GPU, NIC], 2),
    ],
)
def test_as_many_pods_as_the_devices_serve(spec: Row, devices: list[Row], pods: int) -> None:
    counters = {"slices": 7}
    instance = with_devices(
        make_instance(
            [{"cpu": 3}, {"cpu": 0}], [{"kind": "basic", "wanted": 3, "request": {"cpu": 1}}]
        ),
        devices,
        [spec],
        {0: [0]},
        counters=counters,
    )
    assert brute.best(instance, tiers_of(instance))[0] == pods


def test_a_better_choice_is_taken_where_it_is_left() -> None:
    instance = with_devices(
        make_instance([{"cpu": 2}], [{"wanted": 2, "minimum": 2, "request": {"cpu": 1}}]),
        [GPU, NIC],
        [BEST],
        {0: [0]},
    )
    tiers = tiers_of(instance)
    value = brute.best(instance, tiers)
    assert dict(zip([t.name for t in tiers], value, strict=True))["rank"] == 1


@pytest.mark.parametrize(
    ("shared", "placed"),
    [
        ({"spec": 0}, 2),
        ({"spec": 0, "limit": 1}, 0),
        ({"nodes": [0]}, 2),
        ({"nodes": [1]}, 0),
    ],
)
def test_a_shared_claim_is_allocated_once_for_all(shared: Row, placed: int) -> None:
    instance = with_devices(
        make_instance(
            [{"cpu": 2}, {"cpu": 1}], [{"wanted": 2, "minimum": 2, "request": {"cpu": 1}}]
        ),
        [GPU],
        [ONE],
        shared=[{"roles": [0], **shared}],
    )
    assert brute.best(instance, tiers_of(instance))[:2] == (placed // 2, placed)


def test_every_device_of_a_shared_claim_is_that_of_one_of_its_users() -> None:
    """Both nodes reach the fabric, the second one a GPU of its own beside it."""
    base = make_instance(
        [{"cpu": 1}, {"cpu": 1}],
        [{"request": {"cpu": 1}, "eligible": [n], "priority": n} for n in (0, 1)],
    )
    devices: list[Row] = [{"gpu": True, "zone": [0, 1]}, GPU | {"node": 1}]
    together = with_devices(base, devices, [EVERY], shared=[{"roles": [0, 1], "spec": 0}])
    assert brute.best(together, tiers_of(together))[:4] == (1, 1, 1, 1)
    assert least_rank(together, ((), ((0, frozenset({0, 1}), 2),))) == 0
    # From the second node alone both devices are asked, which nothing forbids.
    assert brute.feasible(together, 1)
    barred = [devices[0], devices[1] | {"taken": True}]
    taken = with_devices(base, barred, [EVERY], shared=[{"roles": [0, 1], "spec": 0}])
    assert not brute.feasible(taken, 1)
    assert brute.best(taken, tiers_of(taken))[:4] == (1, 1, 1, 1)
