"""Every row of the families claims and rank bites: left out, more is possible than may be."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gangplan.models.assignment.formulation import Model, build
from gangplan.models.assignment.kind import ASSIGNMENT
from gangplan.models.errors import FormulationError, PlanError
from gangplan.models.formulation import Formulation
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.models.tiers import Tier
from gangplan.models.verify.check import check
from tests.models.solve import best_plan, optimum
from tests.placing import give, place
from tests.tiny import Row, make_instance
from tests.tiny_devices import with_devices

ADMITTED = Tier("admitted(0)", "admitted", True, weights=((0, 1),))
RANK = Tier("rank", "rank", False)
GPU: dict[str, Any] = {"node": 0, "gpu": True}
MULTI = GPU | {"multi": True}


def cluster(
    devices: Sequence[Row],
    requests: Sequence[Any],
    *,
    pods: int = 1,
    cpu: Sequence[int] = (9,),
    shared: Mapping[str, Any] | None = None,
    rules: Mapping[str, Any] | None = None,
    eligible: Sequence[int] = (0,),
    **counters: int,
) -> Instance:
    """Bare pods of one role, each with a claim of its own or all with a shared one."""
    group = {"kind": "bare", "wanted": pods, "request": {"cpu": 1}, "eligible": eligible}
    instance = make_instance([{"cpu": room} for room in cpu], [group])
    specs = [{"requests": list(requests), **(rules or {})}]
    common = [] if shared is None else [{"roles": [0], "spec": 0, **shared}]
    own = {0: [0]} if shared is None else {}
    return with_devices(instance, devices, specs, own, common, counters=counters)


ALL = ("g", {"word": "gpu", "count": "all"})
PARTLY = cluster([GPU, GPU], [("g", {"word": "gpu", "count": "all", "blocked": [1]})])
"""All devices of the node are asked, and one is tainted."""

APART = cluster(
    [GPU | {"root": "r0"}, {"node": 0, "nic": True, "root": "r1"}],
    [("g", "gpu"), ("n", "nic")],
    rules={"match": ["root"]},
)

BITES: dict[str, tuple[Instance, int, int]] = {
    # row: (instance, pods admitted with all rows, and without this one)
    "claims.user": (cluster([], [("g", "gpu")]), 0, 1),
    "claims.choose": (cluster([GPU], [("g", "gpu"), ("n", "nic")]), 0, 1),
    "claims.count": (cluster([GPU], [("g", {"word": "gpu", "count": 2})]), 0, 1),
    "claims.some": (cluster([], [ALL]), 0, 1),
    "claims.most": (cluster([MULTI], [("g", {"word": "gpu", "count": 33})]), 0, 1),
    "claims.limit": (cluster([GPU], [("g", "gpu")], pods=3, shared={"limit": 2}), 2, 3),
    "claims.reach": (cluster([{"node": 1, "gpu": True}], [("g", "gpu")], cpu=(9, 9)), 0, 1),
    "claims.far": (
        cluster([{"node": 1, "gpu": True}], [("g", "gpu")], cpu=(9, 9), shared={}),
        0,
        1,
    ),
    "claims.barred": (cluster([GPU], [("g", {"word": "gpu", "barred": [0]})]), 0, 1),
    "claims.zone": (
        with_devices(
            make_instance([{}, {}], [{"kind": "bare", "eligible": [0]}]),
            [], [], shared=[{"roles": [0], "nodes": [1]}],
        ),
        0,
        1,
    ),
    "claims.lead": (PARTLY, 0, 1),
    "claims.all": (PARTLY, 0, 1),
    # Node 1 reaches the zone alone; node 0 a tainted device too.
    "claims.stand": (
        cluster(
            [{"zone": [0, 1], "gpu": True, "multi": True}, GPU],
            [("g", {"word": "gpu", "count": "all", "blocked": [1]})],
            pods=2, cpu=(1, 1), eligible=(0, 1),
        ),
        1,
        2,
    ),
    "claims.value": (APART, 0, 1),
    "claims.match": (APART, 0, 1),
    "claims.distinct": (
        cluster(
            [GPU | {"root": "r0"}, GPU | {"root": ["r0", "r1"]}],
            [("g", {"word": "gpu", "count": 2})],
            rules={"distinct": ["root"]},
        ),
        0,
        1,
    ),
    "claims.device": (cluster([GPU], [("g", "gpu")], pods=2), 1, 2),
    "claims.admin": (
        cluster([GPU], [("g", {"word": "gpu", "admin": True}), ("h", "gpu")]),
        0,
        1,
    ),
    "claims.open": (cluster([MULTI | {"draws": {"c": 3}}], [("g", "gpu")], pods=2, c=2), 0, 2),
    "claims.counter": (
        cluster([GPU | {"draws": {"c": 3}}] * 2, [("g", "gpu")], pods=2, c=5),
        1,
        2,
    ),
    "claims.pot": (
        cluster(
            [MULTI | {"pots": {"memory": 80}}],
            [("g", {"word": "gpu", "uses": {"memory": 30}})],
            pods=3,
        ),
        2,
        3,
    ),
}  # fmt: skip


NO_DEVICES = ("claims.user", "claims.some")
"""Rows without which a pod is placed and has nothing: no plan is made of that."""

Point = np.ndarray[Any, np.dtype[np.float64]]


def without(milp: Milp, name: str) -> Milp:
    """Open both sides of a block of rows."""
    first, last = milp.row_blocks[name]
    assert last > first, f"{name} is not written"
    lower, upper = milp.row_lower.copy(), milp.row_upper.copy()
    lower[first:last], upper[first:last] = -np.inf, np.inf
    return replace(milp, row_lower=lower, row_upper=upper)


def admitted(model: Model, milp: Milp) -> tuple[int, Point]:
    """Most pods; of the points that place so many, one with most devices."""
    cost, _ = ASSIGNMENT.tier_cost(model, ADMITTED)
    aside = 1000 * cost
    aside[model.claims.give.cols] -= 1
    point = optimum(milp.with_cost(aside))
    return -round(float(cost @ point)), point


@pytest.mark.parametrize("row", BITES)
def test_a_row_left_out_admits_more_and_the_verifier_says_so(row: str) -> None:
    instance, have, more = BITES[row]
    model = build(instance)
    pods, point = admitted(model, model.milp)
    assert pods == have
    assert not check(instance, ASSIGNMENT.decode(model, point))
    pods, point = admitted(model, without(model.milp, row))
    assert pods == more
    if row in NO_DEVICES:
        with pytest.raises(PlanError, match="claims of a point do not match its pods"):
            ASSIGNMENT.decode(model, point)
    else:
        found = check(instance, ASSIGNMENT.decode(model, point))
        assert {v.family for v in found} == {"claims"}


def test_every_row_of_claims_has_its_bite() -> None:
    rows = set(build(APART).milp.row_blocks)
    mine = {name for name in rows if name.startswith("claims.")}
    assert mine - set(BITES) == {"claims.used", "claims.picked"}


def test_nothing_is_allocated_without_a_user() -> None:
    instance = cluster([GPU], [("g", "gpu")], shared={})
    model = build(instance)
    cost = np.zeros(model.milp.n_cols)
    cost[model.claims.give.cols], cost[model.x.cols] = -1, 10
    point = optimum(model.milp.with_cost(cost))
    assert not point.any()
    point = optimum(without(model.milp, "claims.used").with_cost(cost))
    assert point[model.claims.give.cols].all()
    with pytest.raises(PlanError, match="claims of a point"):
        ASSIGNMENT.decode(model, point)


def test_a_choice_that_is_not_taken_takes_no_devices() -> None:
    first = {"word": "gpu", "name": "a"}
    instance = cluster([GPU, GPU], [("g", first, {"word": "gpu", "count": "all", "name": "b"})])
    model = build(instance)
    cost = np.zeros(model.milp.n_cols)
    cost[model.claims.give.cols], cost[model.claims.pick.cols] = -1, [-9, 0]
    assert not check(instance, ASSIGNMENT.decode(model, optimum(model.milp.with_cost(cost))))
    point = optimum(without(model.milp, "claims.picked").with_cost(cost))
    found = check(instance, ASSIGNMENT.decode(model, point))
    assert any("two choices of one request" in v.sentence for v in found)


def test_ranks_cost_what_the_choices_are_worth() -> None:
    choices = ({"word": "nic", "name": "a"}, {"word": "gpu", "name": "b"})
    instance = cluster([GPU], [("g", *choices), ("h", "gpu")], pods=2)
    rich = cluster([GPU] * 4, [("g", *choices), ("h", "gpu")], pods=2)
    assert best_plan(instance, (ADMITTED, RANK), kind=ASSIGNMENT)[1] == (0, 0)
    assert best_plan(rich, (ADMITTED, RANK), kind=ASSIGNMENT)[1] == (2, 2)
    model = build(rich)
    cost, _ = ASSIGNMENT.tier_cost(model, RANK)
    lower = model.milp.lower.copy()
    lower[model.y.cols] = 1
    milp = replace(model.milp, lower=lower).with_cost(cost)
    assert cost @ optimum(milp) == 1
    assert cost @ optimum(without(milp, "rank.taken")) == 0
    free, _ = ASSIGNMENT.tier_cost(build(rich, Formulation(rank=False)), RANK)
    assert not free.any()


def test_the_better_choice_is_taken_where_both_do() -> None:
    choices = ({"word": "gpu", "count": 2, "name": "a"}, {"word": "gpu", "name": "b"})
    instance = cluster([GPU] * 3, [("g", *choices)], pods=2)
    plan, have = best_plan(instance, (ADMITTED, RANK), kind=ASSIGNMENT)
    assert have == (2, 1)
    assert sorted(plan.allocations.choice.tolist()) == [0, 0, 1]


def test_claims_off_writes_none_of_them_and_the_verifier_says_so() -> None:
    instance = cluster([], [("g", "gpu")])
    off = Formulation(claims=False)
    assert not [n for n in build(instance, off).milp.row_blocks if n.split(".")[0] == "claims"]
    plan, have = best_plan(instance, (ADMITTED,), off, ASSIGNMENT)
    assert have == (1,)
    assert {v.family for v in check(instance, plan)} == {"claims"}


def test_a_shared_claim_of_1000_pods_is_allocated_once() -> None:
    instance = cluster(
        [{"zone": [0], "gpu": True}], [("g", "gpu")], pods=1000, cpu=(1000,), shared={}
    )
    plan, have = best_plan(instance, (ADMITTED,), kind=ASSIGNMENT)
    assert have == (1000,)
    assert len(plan.allocations) == 1
    assert not check(instance, plan)


@pytest.mark.parametrize(
    ("node", "device", "message"), [(0, 1, "no column for device test/pool/d1"), (-1, 0, "")]
)
def test_devices_that_have_no_column_are_refused(node: int, device: int, message: str) -> None:
    instance = cluster([GPU, {"node": 0, "nic": True}], [("g", "gpu")])
    model = build(instance)
    plan = give(place(instance, [node]), (0, 0, 0, device))
    if message:
        with pytest.raises(PlanError, match=message):
            ASSIGNMENT.encode(model, plan)
    else:
        assert len(model.milp.violated_rows(ASSIGNMENT.encode(model, plan)))


def test_bytes_of_counters_and_pots_are_divided_by_their_common_divisor() -> None:
    tebi = 2**40
    choice = {"word": "gpu", "uses": {"memory": 2 * tebi}}
    devices = [MULTI | {"pots": {"memory": 5 * tebi + 7}, "draws": {"c": 4 * tebi}}] * 2
    milp = build(cluster(devices, [("g", choice)], pods=3, c=7 * tebi)).milp
    for name, side in (("claims.pot", [2, 2]), ("claims.counter", [1])):
        start, end = milp.row_blocks[name]
        assert milp.row_upper[start:end].tolist() == side
    odd = [devices[0] | {"draws": {"c": 4 * tebi}}, devices[1] | {"draws": {"c": 4 * tebi + 1}}]
    with pytest.raises(FormulationError, match=r"counter c: a quantity above 2\^40"):
        build(cluster(odd, [("g", choice)], pods=3, c=7 * tebi))


def test_an_amount_that_no_room_has_is_written_as_just_too_much() -> None:
    devices = [GPU | {"draws": {"c": 2**62 + 1}}, GPU | {"draws": {"c": 2}}]
    instance = cluster(devices, [("g", "gpu")], pods=2, c=2)
    plan, have = best_plan(instance, (ADMITTED,), kind=ASSIGNMENT)
    assert have == (1,)
    assert plan.allocations.device.tolist() == [1]


def test_the_size_counts_pairs_and_the_devices_that_fit() -> None:
    choices = ({"word": "gpu", "name": "a"}, {"word": "gpu", "count": 2, "name": "b"})
    for shared, claims in ((None, 3), ({}, 1)):
        instance = cluster([GPU] * 4, [("g", *choices), ("h", "gpu")], pods=3, shared=shared)
        model = build(instance)
        assert ASSIGNMENT.cells(instance) == 3 + claims * 12
        assert model.claims.give.cols.size == claims * 12


def test_instances_without_claims_have_no_block_of_them() -> None:
    instance = make_instance([{"cpu": 1}], [{"request": {"cpu": 1}}])
    milp = build(instance).milp
    assert not {"alloc", "pick", "give", "late"} & set(milp.col_blocks)
    assert not [name for name in milp.row_blocks if name.split(".")[0] in ("claims", "rank")]
