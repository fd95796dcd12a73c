"""Preemption in counts: each rule on a hand-made cluster, and each row's bite."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.counts import serving
from gangplan.models.counts.decode import decode, encode
from gangplan.models.counts.formulation import Model, build, tier_cost
from gangplan.models.errors import FormulationError, PlanError
from gangplan.models.formulation import Formulation
from gangplan.models.gone import without_units
from gangplan.models.instance import Instance
from gangplan.models.milp import INFINITY, Milp, row_block
from gangplan.models.plan import empty_plan
from gangplan.models.tiers import tiers_of, values
from gangplan.models.verify.check import check
from tests.models.solve import optimum, relaxation
from tests.strategies_preemption import preempting
from tests.tiny import make_instance
from tests.tiny_running import with_running

Row = dict[str, Any]

GPUS: Row = {"request": {"gpu": 8}}
URGENT: Row = {"name": "new", "priority": 10, **GPUS}


def full(nodes: int, *groups: Row, **more: Any) -> Instance:
    """Full nodes of 8 GPUs, each with a pod of one of the groups (``unit``: they fall as one)."""
    urgent = URGENT | more.pop("new", {})
    rows = [{"roles": []} | {k: v for k, v in g.items() if k != "unit"} for g in groups]
    pods = [
        {"node": n, "group": g} | GPUS | ({"unit": g} if "unit" in group else {})
        for g, group in enumerate(groups)
        for n in group["running"]
    ]
    trees = more.pop("trees", [])
    racks = [{"gpu": 0, "rack": f"r{n // 2}"} for n in range(nodes)]
    return with_running(make_instance(racks, [*rows, urgent], trees), pods, **more)


RACK: Row = {"minimum": 2, "wanted": 2, "rules": [("rack", "required")]}
SMALL: Row = {"name": "small", "priority": 1, "request": {"gpu": 2}}


def pods(*runs: tuple[int, Row], new: Any = (URGENT,), free: int = 0, **more: Any) -> Instance:
    """Pods of no group, each on the node of its number."""
    nodes = [
        {"gpu": free, "intact": False} for _ in range(max([n for n, _ in runs], default=0) + 1)
    ]
    return with_running(
        make_instance(nodes, new), [{"node": n} | GPUS | row for n, row in runs], **more
    )


def without(model: Model, *names: str) -> Milp:
    """Drop rows by the name of their block."""
    lower, upper = model.milp.row_lower.copy(), model.milp.row_upper.copy()
    for name in names:
        start, end = model.milp.row_blocks[name]
        assert end > start, name
        lower[start:end], upper[start:end] = -INFINITY, INFINITY
    return replace(model.milp, row_lower=lower, row_upper=upper)


def best(instance: Instance, *dropped: str, on: Formulation | None = None) -> dict[str, int]:
    """Values of the lexicographic optimum that are not 0; whole models' plans are verified."""
    model, tiers = build(instance, on or Formulation()), tiers_of(instance)
    milp, plan = without(model, *dropped), empty_plan(instance)
    for number, tier in enumerate(tiers):
        cost, offset = tier_cost(model, tier)
        point = optimum(milp.with_cost(cost, offset))
        plan, used = decode(model, point), np.flatnonzero(cost)
        side = round(float(cost @ point))
        row = row_block(
            f"held.{number}", np.zeros(len(used)), used, cost[used].astype(np.int64), -np.inf,
            side, 1,
        )  # fmt: skip
        milp = milp.with_rows(row)
    if not dropped and on is None:
        assert not check(instance, plan)
        assert not len(model.milp.violated_rows(encode(model, plan)))
    found = zip(tiers, values(instance, plan, tiers), strict=True)
    return {t.name: v for t, v in found if v and not t.name.startswith("admitted-pods")}


def lost(pods: int, priority: int = 0) -> Row:
    return {f"lost-gpus({priority})": 8 * pods, f"lost-pods({priority})": pods}


IN = {"admitted(10)": 1}
TIGHT: Row = {"minimum": 2, "running": [0, 1]}
SLICED: Row = {"minimum": 2, "running": [0, 1, 2, 3], "rules": [("rack", "required", 2)]}
CHILD: Row = {"minimum": 1, "parent": 0}
TREE = [CHILD | {"running": [n]} for n in range(3)]

CASES = [
    ("preemption.floor", full(2, TIGHT), IN | lost(2), IN | lost(1)),
    ("preemption.whole", full(2, TIGHT), IN | lost(2), IN | lost(1)),
    ("preemption.slices", full(4, SLICED), IN | lost(2), IN | lost(1)),
    (
        "preemption.children", full(3, *TREE, trees=[{"minimum": 3}]), IN | lost(3), IN | lost(1),
    ),
    (
        "preemption.either",
        full(1, {"minimum": 1, "running": [0], "roles": [{"request": {"cpu": 0}}]}, new=GPUS),
        IN | lost(1),
        IN | lost(1) | {"elastic(0)": 1},
    ),
    (
        "preemption.budget",
        full(1, {"minimum": 1, "running": [0]}, budgets=[{"pods": [0], "hard": True}]),
        {},
        IN | lost(1) | {"lost-budgets(0)": 1},
    ),
    (
        "preemption.beyond",
        pods((0, {"minutes": 300}), (1, {"minutes": 540}), budgets=[{"pods": [0]}]),
        IN | lost(1) | {"lost-hours(0)": 72},
        IN | lost(1) | {"lost-hours(0)": 40, "lost-budgets(0)": 1},
    ),
    (
        "capacity.never",
        pods(
            (0, {"request": {"gpu": 6}}), free=2, never=[1, 2],
            new=[URGENT | {"request": {"gpu": 4}}, SMALL, SMALL],
        ),
        IN | {"lost-gpus(0)": 6, "lost-pods(0)": 1, "admitted(1)": 1},
        IN | {"lost-gpus(0)": 6, "lost-pods(0)": 1, "admitted(1)": 2},
    ),
    (
        "capacity.kept",
        pods(new=[SMALL], free=4, reserved=[{"node": 0, "priority": 1, "request": {"gpu": 4}}]),
        {},
        {"admitted(1)": 1},
    ),
    (
        "capacity.made",
        pods(
            (0, {"request": {"gpu": 2}}), (1, {"priority": 1}),
            reserved=[{"node": 0, "priority": 1, "request": {"gpu": 2}}], new=[SMALL],
        ),
        {},
        {"admitted(1)": 1, "lost-gpus(0)": 2, "lost-pods(0)": 1},
    ),
    ("capacity.fits", full(1, {"minimum": 1, "running": [0]}), IN | lost(1), IN),
]  # fmt: skip


@pytest.mark.parametrize(("row", "instance", "whole", "less"), CASES, ids=[c[0] for c in CASES])
def test_the_row_bites(row: str, instance: Instance, whole: Row, less: Row) -> None:
    assert best(instance) == whole
    assert best(instance, row) == less


def test_room_that_nominated_pods_lack_is_made_first() -> None:
    """Two GPUs are kept and none is free: of the four that fall, two are the newcomer's."""
    kept = [{"node": 0, "priority": 1, "request": {"gpu": 2}}]
    instance = pods((0, {"request": {"gpu": 4}}), new=[SMALL], reserved=kept)
    assert best(instance) == {"admitted(1)": 1, "lost-gpus(0)": 4, "lost-pods(0)": 1}
    friend = pods((0, {"request": {"gpu": 2}}), new=[SMALL], reserved=[kept[0] | {"group": 0}])
    assert best(friend) == {"admitted(1)": 1, "lost-gpus(0)": 2, "lost-pods(0)": 1}
    above = pods((0, {"request": {"gpu": 2}}), new=[SMALL | {"priority": 2}], reserved=kept)
    assert best(above) == {"admitted(2)": 1, "lost-gpus(0)": 2, "lost-pods(0)": 1}


@pytest.mark.parametrize(
    ("instance", "found"),
    [
        (full(2, TIGHT | {"unit": 1}), IN | lost(2)),
        (full(2, TIGHT | {"priority": 10}), {}),
        (full(2, TIGHT, never=[1]), {}),
        (full(3, *TREE, trees=[{"minimum": 2}]), IN | lost(1)),
        (full(4, SLICED | {"minimum": 3}), IN | lost(4)),
        (full(2, TIGHT, new={"minimum": 1, "wanted": 2}), IN | lost(2) | {"elastic(10)": 1}),
        (full(2, {"minimum": 1, "running": [0, 1]}, new={"wanted": 2}), IN | lost(1)),
        (pods((0, {"request": {"gpu": 2}}), (0, {"request": {"gpu": 6}})), IN | {
            "lost-gpus(0)": 8, "lost-pods(0)": 2}),
        (pods((0, {"unit": 0}), (-1, {"unit": 0}), (1, {})), IN | lost(1)),
    ],
)  # fmt: skip
def test_the_fewest_that_may_fall(instance: Instance, found: dict[str, int]) -> None:
    assert best(instance) == found


def test_off_nobody_falls_and_the_model_is_that_of_an_instance_without_units() -> None:
    instance = full(2, TIGHT)
    off = Formulation(preemption=False)
    model = build(instance, off)
    assert model.milp.digest() == build(without_units(instance)).milp.digest()
    assert best(instance, on=off) == {}
    somebody = replace(empty_plan(instance), evicted=np.array([0]))
    with pytest.raises(PlanError, match="leaves preemption out"):
        encode(model, somebody)


def test_a_unit_that_nobody_can_evict_has_no_column() -> None:
    instance = pods((0, {"priority": 10}), (1, {"name": "test/low"}))
    model = build(instance)
    assert model.evictions.e.index.tolist() == [[1]]
    with pytest.raises(PlanError, match="test/run0: no column says that it falls"):
        encode(model, replace(empty_plan(instance), evicted=np.array([0])))


@pytest.mark.parametrize("off", ["assign", "capacity", "gang", "elastic", "topology", "hierarchy"])
def test_other_families_can_be_off(off: str) -> None:
    for instance in (full(4, SLICED), full(3, *TREE, trees=[{"minimum": 2}]), full(2, TIGHT)):
        model = build(instance, replace(Formulation(), **{off: False}))
        plan = decode(model, optimum(model.milp))
        assert not [v for v in check(instance, plan) if v.family not in (off, "preemption")]
        assert not len(model.milp.violated_rows(encode(model, empty_plan(instance))))


def racks() -> Instance:
    """Two racks of two nodes; two gangs that fall as one, each across both; one for a rack."""
    gangs = [{"minimum": 1, "running": at, "unit": 1} for at in ([0, 2], [1, 3])]
    return full(4, *gangs, new=RACK)


def test_the_relaxation_sees_that_victims_are_needed_where_the_gang_goes() -> None:
    instance = racks()
    model, tiers = build(instance), {tier.name: tier for tier in tiers_of(instance)}
    assert best(instance) == IN | lost(4)
    cost, _ = tier_cost(model, tiers["admitted(10)"])
    used = np.flatnonzero(cost)
    gpus = tier_cost(model, tiers["lost-gpus(0)"])

    def bound(*dropped: str) -> float:
        row = row_block("held", np.zeros(len(used)), used, cost[used], -np.inf, -1, 1)
        return relaxation(without(model, *dropped).with_rows(row).with_cost(*gpus))

    assert bound() == pytest.approx(32)
    every = ("preemption.serves", "preemption.once", "preemption.room")
    assert bound(*every) == pytest.approx(16)
    assert best(instance, *every, "preemption.domain") == best(instance)


@pytest.mark.parametrize("few", [0, 500])
def test_above_a_number_only_units_in_several_domains_have_columns(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "FEW", few)
    instance = with_running(racks(), [
        {"node": n, "group": g, "unit": g} | GPUS for g, n in ((0, 0), (0, 2), (1, 1), (1, 3))
    ] + [{"node": 3, "request": {"gpu": 0}}])  # fmt: skip
    assert best(instance) == IN | lost(4)
    one = full(4, *({"minimum": 1, "running": [n]} for n in range(4)), new=RACK)
    assert best(one) == IN | lost(2)
    assert len(build(one).serving.ev) == (4 if few else 0)


@settings(max_examples=25, deadline=None)
@given(preempting(), st.integers(0, 99))
def test_any_integral_point_is_a_plan(instance: Instance, seed: int) -> None:
    model, random = build(instance), np.random.default_rng(seed)
    cost = random.integers(-5, 6, model.milp.n_cols).astype(np.float64)
    cost[model.x.cols] -= 3
    plan = decode(model, optimum(model.milp.with_cost(cost)))
    found = check(instance, plan)
    # Victims that fall for nobody are a matter of the optimum.
    assert not [v for v in found if v.family != "preemption"]
    point = encode(model, plan)
    assert not len(model.milp.violated_rows(point))
    assert (point <= model.milp.upper).all()
    again = decode(model, point)
    assert again.evicted.tolist() == plan.evicted.tolist()
    assert again.node.tolist() == plan.node.tolist()


def test_big_numbers_are_divided_by_requests_and_what_units_hold() -> None:
    gib = 2**30
    asks = {"kind": "bare", "wanted": 9, "priority": 1, "request": {"memory": 4 * gib}}
    instance = with_running(
        make_instance([{"memory": 3 * gib + 5}], [asks]),
        [{"node": 0, "request": {"memory": 6 * gib}}],
    )
    model = build(instance)
    start, end = model.milp.row_blocks["capacity.fits"]
    assert model.milp.matrix.toarray()[start:end].tolist() == [[2, -3]]
    assert model.milp.row_upper[start:end].tolist() == [1]
    odd = replace(instance, running=replace(
        instance.running, pod_request=np.array([[2**52 + 1]]),
    ))  # fmt: skip
    asked = replace(odd, roles=replace(odd.roles, request=np.array([[2**50]])))
    with pytest.raises(FormulationError, match=r"node n0: memory: a quantity above 2\^40"):
        build(asked)
