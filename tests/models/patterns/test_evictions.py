"""Units that fall, in patterns: rule by rule on full clusters small enough to see through."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gangplan.datasets.generate import generate
from gangplan.models.errors import FormulationError, PlanError
from gangplan.models.formulation import Formulation, Kind
from gangplan.models.gone import without_units
from gangplan.models.instance import Instance
from gangplan.models.milp import INFINITY, Milp, row_block
from gangplan.models.patterns.formulation import Model
from gangplan.models.patterns.kind import PATTERNS
from gangplan.models.plan import empty_plan
from gangplan.models.result import LP_DUAL
from gangplan.models.tiers import tiers_of
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.recheck import recheck
from gangplan.solvers.refute import CONFIRMED
from tests.models.solve import best_plan, relaxation
from tests.tiny import make_instance
from tests.tiny_running import with_running

Row = dict[str, Any]

GPUS: Row = {"request": {"gpu": 8}}
URGENT: Row = {"name": "new", "priority": 10, **GPUS}
SMALL: Row = {"name": "small", "priority": 1, "request": {"gpu": 2}}
IN = {"admitted(10)": 1}
TIGHT: Row = {"minimum": 2, "running": [0, 1]}


def full(nodes: int, *groups: Row, **more: Any) -> Instance:
    """Full nodes of 8 GPUs, each with a pod of one of the groups (``unit``: they fall as one)."""
    urgent = URGENT | more.pop("new", {})
    rows = [{"roles": []} | {k: v for k, v in g.items() if k != "unit"} for g in groups]
    running = [
        {"node": n, "group": g} | GPUS | ({"unit": g} if "unit" in group else {})
        for g, group in enumerate(groups)
        for n in group["running"]
    ]
    racks = [{"gpu": 0, "rack": f"r{n // 2}"} for n in range(nodes)]
    return with_running(make_instance(racks, [*rows, urgent]), running, **more)


def pods(*runs: tuple[int, Row], new: Any = (URGENT,), free: int = 0, **more: Any) -> Instance:
    """Pods of no group, each on the node of its number."""
    nodes = [
        {"gpu": free, "intact": False} for _ in range(max([n for n, _ in runs], default=0) + 1)
    ]
    return with_running(
        make_instance(nodes, new), [{"node": n} | GPUS | row for n, row in runs], **more
    )


def best(
    instance: Instance, on: Formulation | None = None, kind: Kind = PATTERNS
) -> dict[str, int]:
    """Values of the lexicographic optimum that are not 0."""
    tiers = [t for t in tiers_of(instance) if t.kind not in ("preferred", "fragmentation")]
    _, found = best_plan(instance, tiers, on or Formulation(), kind)
    named = {t.name: v for t, v in zip(tiers, found, strict=True) if v}
    return {name: v for name, v in named.items() if not name.startswith("admitted-pods")}


def lost(count: int, priority: int = 0) -> dict[str, int]:
    return {f"lost-gpus({priority})": 8 * count, f"lost-pods({priority})": count}


@pytest.mark.parametrize(
    ("instance", "found"),
    [
        (full(2, TIGHT), IN | lost(2)),
        (full(2, TIGHT | {"minimum": 1}), IN | lost(1)),
        (full(2, TIGHT | {"minimum": 1, "unit": 1}), IN | lost(2)),
        (full(2, TIGHT | {"priority": 10}), {}),
        (full(2, TIGHT, never=[1]), {}),
        (full(2, TIGHT, new={"minimum": 1, "wanted": 2}), IN | lost(2) | {"elastic(10)": 1}),
        (full(2, TIGHT | {"minimum": 1}, new={"wanted": 2}), IN | lost(1)),
        (full(1, {"minimum": 1, "running": [0]}, budgets=[{"pods": [0], "hard": True}]), {}),
        (
            full(2, TIGHT | {"minimum": 1}, budgets=[{"pods": [0]}, {"pods": [1], "allowed": 1}]),
            IN | lost(1),
        ),
        (
            pods((0, {"minutes": 300}), (1, {"minutes": 540}), budgets=[{"pods": [0]}]),
            IN | lost(1) | {"lost-hours(0)": 72},
        ),
        (
            pods((0, {"request": {"gpu": 2}}), (0, {"request": {"gpu": 6}})),
            IN | {"lost-gpus(0)": 8, "lost-pods(0)": 2},
        ),
        (pods((0, {"unit": 0}), (-1, {"unit": 0}), (1, {})), IN | lost(1)),
        (
            pods((0, {}), new=[URGENT | {"request": {"gpu": 4}}, SMALL, SMALL]),
            IN | lost(1) | {"admitted(1)": 2},
        ),
        (
            pods(
                (0, {"request": {"gpu": 6}}), free=2, never=[1, 2],
                new=[URGENT | {"request": {"gpu": 4}}, SMALL, SMALL],
            ),
            IN | {"lost-gpus(0)": 6, "lost-pods(0)": 1, "admitted(1)": 1},
        ),
        (
            full(1, {"minimum": 1, "running": [0], "roles": [{"request": {"cpu": 0}}]}, new=GPUS),
            IN | lost(1),
        ),
    ],
)  # fmt: skip
def test_the_fewest_that_may_fall(instance: Instance, found: dict[str, int]) -> None:
    assert best(instance) == found


def test_a_pair_is_listed_only_where_everybody_has_to_fall() -> None:
    runs = [(0, {"request": {"gpu": gpus}}) for gpus in (1, 2, 3)]
    instance = pods(*runs, new=[URGENT | {"request": {"gpu": 3}}], free=1)
    (patterns,), (gone,) = (
        getattr(PATTERNS.write(instance).model.classes, name) for name in ("patterns", "gone")
    )
    assert patterns.tolist() == [[1]] * 2
    assert sorted(gone.tolist()) == [[False, False, True], [False, True, False]]


def test_nodes_with_the_same_unit_are_one_class() -> None:
    old: Row = {"minimum": 1, "running": [0, 1], "unit": 1}
    model = PATTERNS.write(full(2, old, new={"wanted": 2, "minimum": 2})).model
    assert [nodes.tolist() for nodes in model.classes.nodes] == [[0, 1]]
    assert best(full(2, old, new={"wanted": 2, "minimum": 2})) == IN | lost(2)
    apart = PATTERNS.write(full(2, TIGHT)).model
    assert len(apart.classes) == 2


def test_the_relaxation_fills_domains_with_whole_gangs_only() -> None:
    """Two racks of three nodes: each has room for one gang of two, and half of another."""
    gang: Row = {"name": "", "minimum": 2, "wanted": 2, "rules": [("rack", "required")]}
    nodes = [{"gpu": 8 * (n > 0), "rack": f"r{n // 3}"} for n in range(6)]
    gangs = [URGENT | gang | {"name": f"new{i}"} for i in range(3)]
    instance = with_running(make_instance(nodes, gangs), [{"node": 0} | GPUS])
    model = PATTERNS.write(instance)
    admitted = next(t for t in tiers_of(instance) if t.name == "admitted(10)")
    priced = model.milp.with_cost(*model.tier_cost(admitted))
    assert relaxation(priced) == pytest.approx(-2)
    loose = with_running(make_instance(nodes, gangs), [{"node": 0, "priority": 10} | GPUS])
    assert not PATTERNS.write(loose).model.together
    assert best(instance)["admitted(10)"] == 2


def racks() -> Instance:
    """Two racks of two nodes; two gangs that fall as one, each across both; one for a rack."""
    gangs = [{"minimum": 1, "running": at, "unit": 1} for at in ([0, 2], [1, 3])]
    rack: Row = {"minimum": 2, "wanted": 2, "rules": [("rack", "required")]}
    return full(4, *gangs, new=rack)


def test_the_relaxation_sees_that_victims_are_needed_where_the_gang_goes() -> None:
    instance = racks()
    model, tiers = PATTERNS.write(instance), {tier.name: tier for tier in tiers_of(instance)}
    assert best(instance) == IN | lost(4)
    cost, _ = model.tier_cost(tiers["admitted(10)"])
    used = np.flatnonzero(cost)
    gpus = model.tier_cost(tiers["lost-gpus(0)"])

    def bound(*dropped: str) -> float:
        row = row_block("held", np.zeros(len(used)), used, cost[used], -np.inf, -1, 1)
        return relaxation(without(model.milp, *dropped).with_rows(row).with_cost(*gpus))

    assert bound() == pytest.approx(32)
    assert bound("patterns.called", "patterns.serves", "patterns.once") == pytest.approx(16)
    two = full(4, {"minimum": 1, "running": [0, 1, 2, 3]}, new={"kind": "bare"})
    assert PATTERNS.write(two).model.serving is None


def without(milp: Milp, *names: str) -> Milp:
    """Drop rows by the name of their block."""
    lower, upper = milp.row_lower.copy(), milp.row_upper.copy()
    for name in names:
        start, end = milp.row_blocks[name]
        assert end > start, name
        lower[start:end], upper[start:end] = -INFINITY, INFINITY
    return replace(milp, row_lower=lower, row_upper=upper)


BITES = [
    ("patterns.falls", full(2, TIGHT), IN),
    ("patterns.floor", full(2, TIGHT), IN | lost(1)),
    ("patterns.whole", full(2, TIGHT), IN | lost(1)),
    (
        "patterns.either",
        full(1, {"minimum": 1, "running": [0], "roles": [{"request": {"cpu": 0}}]}, new=GPUS),
        IN | lost(1) | {"elastic(0)": 1},
    ),
    (
        "patterns.budget",
        full(1, {"minimum": 1, "running": [0]}, budgets=[{"pods": [0], "hard": True}]),
        IN | lost(1) | {"lost-budgets(0)": 1},
    ),
    (
        "patterns.beyond",
        pods((0, {"minutes": 300}), (1, {"minutes": 540}), budgets=[{"pods": [0]}]),
        IN | lost(1) | {"lost-hours(0)": 40, "lost-budgets(0)": 1},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("row", "instance", "less"), BITES, ids=[b[0] for b in BITES])
def test_the_row_bites(row: str, instance: Instance, less: dict[str, int]) -> None:
    def build(seen: Instance, on: Formulation) -> Model:
        model = PATTERNS.build(seen, on)
        found: Model = replace(model, milp=without(model.milp, row))
        return found

    assert best(instance) != less
    assert best(instance, kind=replace(PATTERNS, build=build)) == less


def test_off_nobody_falls_and_the_model_is_that_of_an_instance_without_units() -> None:
    instance, off = full(2, TIGHT), Formulation(preemption=False)
    model = PATTERNS.write(instance, off)
    assert model.milp.digest() == PATTERNS.write(without_units(instance)).milp.digest()
    assert best(instance, off) == {}
    assert best(instance)["admitted(10)"] == 1
    with pytest.raises(PlanError, match="no column says that it falls"):
        model.encode(replace(empty_plan(instance), evicted=np.array([0])))


def test_a_unit_that_nobody_can_evict_has_no_column() -> None:
    model = PATTERNS.write(pods((0, {"priority": 10}), (1, {})))
    assert model.model.leaving.unit.tolist() == [1]
    with pytest.raises(PlanError, match="no column says that it falls"):
        model.encode(replace(empty_plan(model.instance), evicted=np.array([0])))


def test_what_evictions_in_patterns_lack_is_refused_by_name() -> None:
    many = pods(*[(0, {"request": {"gpu": 1}})] * 13)
    with pytest.raises(FormulationError, match="13 units on one node that can be evicted"):
        PATTERNS.write(many)
    sliced = {"minimum": 2, "running": [0, 1], "rules": [("rack", "required", 2)]}
    with pytest.raises(FormulationError, match="slices"):
        PATTERNS.write(full(2, sliced))


def test_what_is_proven_is_confirmed_again() -> None:
    instance = full(4, TIGHT, {"minimum": 1, "running": [2, 3]}, new={"wanted": 2})
    result = Exact(solver=Highs(), kind="patterns").plan(instance, Limits(seconds=20))
    lost_tiers = [t for t in result.tiers if t.name.startswith(("admitted", "lost"))]
    assert all(tier.proven for tier in lost_tiers)
    assert LP_DUAL in {tier.proof for tier in lost_tiers}
    assert {one.verdict for one in recheck(instance, result, Highs(), Limits(20))} == {CONFIRMED}


@pytest.mark.parametrize(
    ("name", "nodes", "groups", "seed", "digest"),
    [
        ("training", 32, 20, 1, "116b49ba5afa1a37"),
        ("racks", 36, 6, 1, "6954d25a75acee1c"),
        ("vectors", 32, 8, 1, "1e310deccc41d89a"),
    ],
)
def test_models_without_units_are_what_they_were(
    name: str, nodes: int, groups: int, seed: int, digest: str
) -> None:
    instance = generate(name, nodes=nodes, groups=groups, seed=seed)
    assert PATTERNS.write(instance).milp.digest().startswith(digest)
