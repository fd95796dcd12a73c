"""Every row of preemption bites: left out, less is lost or more is admitted than may be."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from gangplan.models.assignment.formulation import Model, build
from gangplan.models.assignment.kind import ASSIGNMENT
from gangplan.models.formulation import Formulation, Kind
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.tiers import tiers_of
from gangplan.models.verify.check import check
from tests import brute_preemption as brute
from tests.models.solve import best_plan, optimum
from tests.tiny import Row, make_instance
from tests.tiny_devices import with_devices
from tests.tiny_running import with_running

FULL = {"gpu": 0}
BIG = {"gpu": 8}
NEW = {"priority": 5, "request": BIG}
CPU = {"priority": 5, "request": {"cpu": 1}}
SHOWN = ("admitted(5)", "admitted(3)", "lost-pods(0)", "elastic(0)")

ON_0: Row = {"node": 0, "request": BIG}
ON_1: Row = {"node": 1, "request": BIG}


def old(group: Row, *, parent: int = -1) -> Row:
    return {"roles": [], "parent": parent, **group}


GANG = with_running(
    make_instance([FULL, FULL], [old({"minimum": 2, "running": [0, 1]}), NEW]),
    [{**ON_0, "group": 0}, {**ON_1, "group": 0}],
)
"""A gang of two that needs both; one of their nodes is enough for the newcomer."""

TREE = with_running(
    make_instance(
        [FULL, FULL],
        [old({"running": [0]}, parent=0), old({"running": [1]}, parent=0), NEW],
        [{"minimum": 2}],
    ),
    [{**ON_0, "group": 0}, {**ON_1, "group": 1}],
)
"""The same, of two children that both have to stand."""

NONE = np.zeros(0, dtype=np.int64)
BARE_TREE = replace(
    TREE,
    running=replace(
        TREE.running,
        floor_group=NONE,
        floor_least=NONE,
        floor_running=NONE,
        member_floor=NONE,
        member_pod=NONE,
    ),
)
"""No floor says that a child is taken with its only pod."""

SLICES = with_running(
    make_instance(
        [{**FULL, "rack": "r0"}] * 4,
        [
            old({"minimum": 2, "running": [0, 1, 2, 3], "rules": [("rack", "required", 2)]}),
            NEW,
        ],
    ),
    [{"node": n, "request": BIG, "group": 0} for n in range(4)],
)

GROWS = with_running(
    make_instance(
        [{"gpu": 0, "cpu": 1}, {"gpu": 0}],
        [{"running": [0, 1], "request": {"cpu": 1}}, NEW],
    ),
    [{**ON_0, "group": 0}, {**ON_1, "group": 0}],
)
"""A gang with one pod to spare, which would like one more."""


def cards(
    devices: Sequence[Row],
    holds: Sequence[Row],
    *,
    groups: Sequence[Row] = (CPU,),
    own: Sequence[int] = (0,),
    shared: Sequence[Row] = (),
    uses: Mapping[str, int] | None = None,
    **counters: int,
) -> Instance:
    """One node with room to spare, a running pod with devices, and newcomers that ask for one."""
    choice = {"word": "card", "uses": uses} if uses else "card"
    instance = with_devices(
        make_instance([{"cpu": 9}], list(groups)),
        [{"node": 0, "card": True, **device} for device in devices],
        [{"requests": [("r", choice)]}],
        {k: [0] for k in own},
        shared,
        counters=counters,
    )
    return with_running(instance, [{"node": 0, "request": {"cpu": 1}}], holds=holds)


HELD = cards([{"taken": True}], [{"users": [0], "devices": [0]}])

BITES: dict[str, tuple[Instance, dict[str, int], dict[str, int]]] = {
    # row: (instance, what differs with all rows, and without this one)
    "preemption.floor": (GANG, {"lost-pods(0)": 2}, {"lost-pods(0)": 1}),
    "preemption.whole": (GANG, {"lost-pods(0)": 2}, {"lost-pods(0)": 1}),
    "preemption.below": (TREE, {"lost-pods(0)": 2}, {"lost-pods(0)": 1}),
    "preemption.children": (TREE, {"lost-pods(0)": 2}, {"lost-pods(0)": 1}),
    "preemption.taken": (BARE_TREE, {"lost-pods(0)": 2}, {"lost-pods(0)": 1}),
    "preemption.slices": (SLICES, {"lost-pods(0)": 2}, {"lost-pods(0)": 1}),
    "preemption.either": (GROWS, {"elastic(0)": 0}, {"elastic(0)": 1}),
    "preemption.free": (HELD, {"lost-pods(0)": 1}, {"lost-pods(0)": 0}),
    "preemption.used": (
        cards(
            [{"taken": True}],
            [{"users": [0], "devices": [0], "shared": 0}],
            groups=[CPU, CPU],
            own=[1],
            shared=[{"roles": [0], "nodes": [0]}],
        ),
        {"admitted(5)": 1, "lost-pods(0)": 0},
        {"admitted(5)": 2, "lost-pods(0)": 1},
    ),
    "preemption.budget": (
        with_running(
            make_instance([FULL], [NEW]),
            [ON_0],
            [{"allowed": 0, "pods": [0], "hard": True}],
        ),
        {"admitted(5)": 0, "lost-pods(0)": 0},
        {"admitted(5)": 1, "lost-pods(0)": 1},
    ),
    "capacity.fits": (
        with_running(make_instance([FULL], [NEW]), [ON_0]),
        {"lost-pods(0)": 1},
        {"lost-pods(0)": 0},
    ),
    # The first of the two gets what was free; the second could only have what falls.
    "capacity.never": (
        with_running(
            make_instance(
                [{"gpu": 2}],
                [NEW, *({"priority": 3, "request": {"gpu": 2}} for _ in range(2))],
            ),
            [{"node": 0, "request": {"gpu": 16}}],
            never=[1, 2],
        ),
        {"admitted(3)": 1},
        {"admitted(3)": 2},
    ),
    "capacity.kept": (
        with_running(
            make_instance([{"gpu": 8}], [NEW]),
            [ON_0],
            reserved=[{"node": 0, "priority": 5, "request": BIG}],
        ),
        {"lost-pods(0)": 1},
        {"lost-pods(0)": 0},
    ),
    "claims.device": (HELD, {"lost-pods(0)": 1}, {"lost-pods(0)": 0}),
    "claims.counter": (
        cards([{"draws": {"c": 3}}], [{"users": [0], "counters": {0: 2}}], c=1),
        {"lost-pods(0)": 1},
        {"lost-pods(0)": 0},
    ),
    "claims.pot": (
        cards(
            [{"multi": True, "pots": {"memory": 1}}],
            [{"users": [0], "pots": {0: 2}}],
            uses={"memory": 3},
        ),
        {"lost-pods(0)": 1},
        {"lost-pods(0)": 0},
    ),
}  # fmt: skip


def without(row: str) -> Kind:
    """Write the formulation with both sides of a block of rows open."""

    def cut(instance: Instance, on: Formulation) -> Model:
        model = build(instance, on)
        first, last = model.milp.row_blocks[row]
        assert last > first, f"{row} is not written"
        lower, upper = model.milp.row_lower.copy(), model.milp.row_upper.copy()
        lower[first:last], upper[first:last] = -np.inf, np.inf
        return replace(model, milp=replace(model.milp, row_lower=lower, row_upper=upper))

    return replace(ASSIGNMENT, build=cut)


def best(instance: Instance, kind: Kind = ASSIGNMENT) -> tuple[Plan, dict[str, int]]:
    tiers = tiers_of(instance)
    plan, have = best_plan(instance, tiers, kind=kind)
    found = {tier.name: value for tier, value in zip(tiers, have, strict=True)}
    return plan, {name: found[name] for name in SHOWN if name in found}


@pytest.mark.parametrize("row", BITES)
def test_a_row_left_out_does_what_no_plan_may(row: str) -> None:
    instance, expected, loose = BITES[row]
    plan, have = best(instance)
    assert expected.items() <= have.items()
    assert brute.allowed(instance, plan)
    assert not check(instance, plan)
    plan, less = best(instance, without(row))
    assert {**have, **loose} == less
    assert not brute.allowed(instance, plan)
    assert {v.family for v in check(instance, plan)} & {"preemption", "capacity", "claims"}


def test_every_row_of_preemption_has_its_bite() -> None:
    rows = {name for name in build(HELD).milp.row_blocks if name.startswith("preemption.")}
    assert rows - set(BITES) == {"preemption.whom", "preemption.beyond"}


def test_nobody_falls_for_nobody() -> None:
    instance = with_running(make_instance([FULL], [NEW]), [ON_0])
    for kind, fallen in ((ASSIGNMENT, 0), (without("preemption.whom"), 1)):
        model = kind.build(instance, Formulation())
        cost = np.zeros(model.milp.n_cols)
        cost[model.falls.e.cols], cost[model.x.cols] = -1, 9
        plan = kind.decode(model, optimum(model.milp.with_cost(cost)))
        assert len(plan.evicted) == fallen
        assert brute.allowed(instance, plan) == (not fallen)


def test_who_is_protected_falls_after_more_who_are_not() -> None:
    instance = with_running(
        make_instance([FULL, FULL], [NEW]),
        [ON_0, *({"node": 1, "request": {"gpu": 4}} for _ in range(2))],
        [{"allowed": 0, "pods": [0]}],
    )
    plan, _ = best(instance)
    assert plan.evicted.tolist() == [1, 2]
    plan, _ = best(instance, without("preemption.beyond"))
    assert plan.evicted.tolist() == [0]
