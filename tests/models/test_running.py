"""Columns of running work, and what follows from them."""

from dataclasses import replace

import numpy as np
import pytest

from gangplan.datasets.running import Budget, Floor, Hold, Pod, Unit, running
from gangplan.models.errors import InstanceError, PlanError
from gangplan.models.gone import LOSES, after, loosened, without_units
from gangplan.models.instance import Instance
from gangplan.models.losses import lost_tiers, lost_value
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.restrict import as_planned, restricted
from gangplan.models.running import GROUP, NO_RUNNING, POD, TREE
from gangplan.models.tiers import tiers_of, values
from gangplan.models.victims import losing_roots, victims_of
from tests.tiny import make_instance
from tests.tiny_devices import with_devices
from tests.tiny_running import with_running


def full(**more: object) -> Instance:
    """Two nodes held by a gang of two with a minimum of two, and a pod of nobody."""
    return with_running(
        make_instance(
            nodes=[{"gpu": 0}, {"gpu": 1}],
            groups=[
                {"name": "old", "minimum": 2, "running": [0, 1], "roles": []},
                {"name": "new", "priority": 5, "request": {"gpu": 8}},
            ],
        ),
        pods=[
            {"node": 0, "request": {"gpu": 4}, "group": 0, "minutes": 1800},
            {"node": 1, "request": {"gpu": 4}, "group": 0, "minutes": 1800},
            {"node": 0, "request": {"gpu": 2}, "priority": 3},
        ],
        **more,  # type: ignore[arg-type]
    )


def falls(instance: Instance, *units: int) -> Plan:
    return replace(empty_plan(instance), evicted=np.array(units, dtype=np.int64))


def test_no_running_work_leaves_the_digest_as_it_was() -> None:
    bare = make_instance(nodes=[{"gpu": 1}], groups=[{"request": {"gpu": 1}}])
    assert with_running(bare, pods=[]).digest() == bare.digest()
    some = with_running(bare, pods=[{"node": 0, "request": {"gpu": 1}}])
    assert some.digest() != bare.digest()
    assert without_units(some).digest() == bare.digest()


def test_tiers_of_what_is_lost_stand_before_what_is_admitted_of_the_same_priority() -> None:
    instance = full(budgets=[{"pods": [0, 1], "allowed": 1}])
    assert [tier.name for tier in tiers_of(instance)][:11] == [
        "admitted(5)",
        "admitted-pods(5)",
        "lost-gpus(3)",
        "lost-pods(3)",
        "lost-budgets(0)",
        "lost-gpus(0)",
        "lost-pods(0)",
        "lost-hours(0)",
        "admitted(0)",
        "admitted-pods(0)",
        "elastic(5)",
    ]
    assert not any(t.kind == "lost" for t in tiers_of(instance, "weighted-gpus", {0: 1, 5: 2}))


def test_values_of_what_is_lost() -> None:
    instance = full(budgets=[{"pods": [0, 2], "allowed": 1}])
    tiers = tiers_of(instance)
    named = dict(
        zip([t.name for t in tiers], values(instance, falls(instance, 0, 2), tiers), strict=True)
    )
    lost = {name: value for name, value in named.items() if name.startswith("lost")}
    assert lost == {
        "lost-gpus(3)": 2,
        "lost-pods(3)": 1,
        "lost-budgets(0)": 1,
        "lost-gpus(0)": 4,
        "lost-pods(0)": 1,
        "lost-hours(0)": 120,
    }


def test_budgets_are_cumulative_over_priorities() -> None:
    instance = full(budgets=[{"pods": [0, 1, 2], "allowed": 1}, {"pods": [2], "allowed": 0}])
    tiers = {tier.name: tier for found in lost_tiers(instance).values() for tier in found}
    plan = falls(instance, 0, 1, 2)
    assert lost_value(instance, plan, tiers["lost-budgets(3)"]) == 1
    assert lost_value(instance, plan, tiers["lost-budgets(0)"]) == 3


def test_only_strictly_lower_units_can_fall() -> None:
    instance = full()
    assert victims_of(instance).can.tolist() == [True, True, True]
    equal = replace(
        instance, running=replace(instance.running, priority=np.array([5, 4, 6], dtype=np.int64))
    )
    assert victims_of(equal).can.tolist() == [False, True, False]
    assert victims_of(equal).evicts.tolist() == [False, True]


def test_who_waits_for_elastic_pods_only_evicts_nobody() -> None:
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 0}],
            groups=[{"priority": 5, "running": [0], "minimum": 1, "request": {"gpu": 1}}],
        ),
        pods=[{"node": 0, "request": {"gpu": 1}}],
    )
    assert not victims_of(instance).evicts.any()
    assert not victims_of(instance).can.any()
    assert lost_tiers(instance) == {}
    assert (loosened(instance).nodes.free == instance.nodes.free).all()


def test_a_never_group_evicts_nobody() -> None:
    assert not victims_of(full(never=[1])).can.any()


def test_a_tree_counts_with_the_priority_of_its_root() -> None:
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 0}],
            groups=[{"priority": 0, "parent": 1, "request": {"gpu": 1}}],
            composites=[{"priority": 9}, {"parent": 0, "priority": 1}],
        ),
        pods=[{"node": 0, "request": {"gpu": 1}, "priority": 8}],
    )
    victims = victims_of(instance)
    assert (victims.root.tolist(), victims.rank.tolist()) == ([1], [9])
    assert victims.can.tolist() == [True]


def test_the_unit_that_holds_a_whole_group_is_known() -> None:
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 0}],
            groups=[
                {"name": "all", "minimum": 2, "running": [0, 0], "roles": []},
                {"name": "one", "running": [0], "roles": []},
                {"name": "guarded", "running": [0, 0], "roles": []},
            ],
        ),
        pods=[
            {"node": 0, "group": 0, "unit": "all"},
            {"node": 0, "group": 0, "unit": "all"},
            {"node": 0, "group": 1},
            {"node": 0, "group": 2},
        ],
    )
    assert instance.running.kind.tolist() == [GROUP, POD, POD]
    assert victims_of(instance).whole.tolist() == [0, 1, -1]


def test_after_a_unit_has_fallen_its_room_is_free_and_its_root_gains_nothing() -> None:
    instance = full()
    gone = after(instance, np.array([0]))
    assert gone.nodes.free[:, 0].tolist() == [4, 1]
    assert gone.groups.held.tolist() == [True, False]
    assert gone.names.held == (LOSES, "")
    assert len(gone.running) == 0
    assert loosened(instance).nodes.free[:, 0].tolist() == [6, 5]
    assert not loosened(instance).groups.held.any()


def test_a_pod_on_a_node_that_is_not_there_frees_nothing() -> None:
    instance = full()
    lost = replace(
        instance, running=replace(instance.running, pod_node=np.array([-1, -1, 0], dtype=np.int64))
    )
    assert after(lost, np.array([0, 1])).nodes.free[:, 0].tolist() == [0, 1]


def test_free_room_is_cut_before_it_wraps_round() -> None:
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 2**61}], groups=[{"priority": 1, "request": {"gpu": 1}}], device="none"
        ),
        pods=[{"node": 0, "request": {"gpu": 2**62}}] * 4,
        device="none",
    )
    assert after(instance, np.arange(4)).nodes.free.tolist() == [[2**62]]


def with_claims(users: tuple[int, ...], shared: int = -1) -> Instance:
    claimed = with_devices(
        make_instance(
            nodes=[{"cpu": 8}], groups=[{"priority": 5, "wanted": 1, "request": {"cpu": 1}}]
        ),
        devices=[{"node": 0, "gpu": True, "taken": True, "draws": {"slots": 3}}],
        specs=[{"requests": [("g", "gpu")]}],
        own={} if shared >= 0 else {0: [0]},
        shared=[{"nodes": [0], "roles": [0]}] if shared >= 0 else (),
        counters={"slots": 1},
    )
    return with_running(
        claimed,
        pods=[{"node": 0}, {"node": 0}],
        holds=[{"users": users, "devices": [0], "counters": {0: 3}, "shared": shared}],
    )


def test_devices_come_free_when_no_user_of_their_claim_remains() -> None:
    instance = with_claims((0, 1))
    one, both = (after(instance, np.array(units)) for units in ([0], [0, 1]))
    assert (one.devices.taken.tolist(), one.devices.counter_free.tolist()) == ([True], [1])
    assert (both.devices.taken.tolist(), both.devices.counter_free.tolist()) == ([False], [4])


def test_a_shared_claim_keeps_its_devices_while_somebody_may_still_use_it() -> None:
    instance = with_claims((0,), shared=0)
    assert after(instance, np.array([0])).devices.taken.tolist() == [True]
    assert loosened(instance).devices.taken.tolist() == [False]


def test_roots_that_lose_pods_are_named() -> None:
    instance = full()
    assert losing_roots(instance, np.array([2])).tolist() == [False, False]
    assert losing_roots(instance, np.array([1])).tolist() == [True, False]


def test_preemption_off_and_hard_budgets_are_told_by_the_planner_that_used_them() -> None:
    instance = full(budgets=[{"pods": [0]}])
    assert len(as_planned(instance, {"preemption": False}).running) == 0
    assert len(restricted(instance, "weighted-gpus").running) == 0
    assert as_planned(instance, {"pdb": "hard"}).running.budget_hard.tolist() == [True]
    assert as_planned(instance, {"name": "exact"}) is instance
    with pytest.raises(PlanError, match="one of soft, hard"):
        restricted(instance, pdb="firm")


POD_A = Pod("test/a", 0, (1,))
UNIT_A = Unit("test/a", 0, (POD_A,))


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ({"kind": np.array([TREE + 1])}, "running.kind"),
        ({"pod_group": np.array([-2])}, "running.pod_group"),
        ({"pod_minutes": np.array([-2])}, "running.pod_minutes"),
        ({"pod_request": np.array([[-1]])}, "running.pod_request"),
        ({"match_budget": np.array([0]), "match_pod": np.array([0])}, "running.match_budget"),
        ({"priority": np.array([0, 0]), "kind": np.array([0, 0])}, "a unit has no pod"),
        ({"hold_shared": np.array([-1])}, "a holding has no user"),
        ({"floor_running": np.array([0])}, "fewer than its pods"),
    ],
)
def test_columns_that_do_not_fit_are_refused(section: dict[str, object], words: str) -> None:
    made = running(1, [UNIT_A], [Floor(0, 1, 1, ("test/a",))]).running
    with pytest.raises(InstanceError, match=words):
        replace(made, **section)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (running(1, [Unit("u", 0, (Pod("p", 9, (1,)),))]), "running.pod_node"),
        (running(1, [Unit("u", 0, (Pod("p", 0, (1,), group=4),))]), "running.pod_group"),
        (running(2, [Unit("u", 0, (Pod("p", 0, (1, 1)),))]), "running.pod_request"),
        (running(1, [UNIT_A], never=[7]), "running.never"),
        (running(1, [UNIT_A], holds=[Hold(("test/a",), devices=(3,))]), "running.freed_device"),
        (running(1, [UNIT_A], holds=[Hold(("test/a",), pots={0: 1})]), "running.spare_pot"),
        (running(1, [Unit("u", 0, (Pod("p", 0, (1,), group=0),))]), "more members"),
    ],
)
def test_columns_outside_the_instance_are_refused(made: object, words: str) -> None:
    instance = make_instance(nodes=[{"gpu": 1}], groups=[{"request": {"gpu": 1}}])
    section = made.running  # type: ignore[attr-defined]
    names = replace(instance.names, **made.names)  # type: ignore[attr-defined]
    with pytest.raises(InstanceError, match=words):
        replace(instance, running=section, names=names)


def test_a_name_of_no_pod_is_refused() -> None:
    with pytest.raises(KeyError):
        running(1, [UNIT_A], budgets=[Budget("b", 0, ("test/b",))])


def test_evicted_units_are_sorted_and_in_range() -> None:
    instance = full()
    with pytest.raises(InstanceError, match="each once"):
        falls(instance, 1, 1)
    with pytest.raises(InstanceError, match="out of range"):
        falls(instance, 3).fits(instance)
    assert len(NO_RUNNING) == 0
