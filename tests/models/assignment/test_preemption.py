"""Small clusters with a known answer: who falls, rule by rule of docs/preemption.md."""

from collections.abc import Sequence

import numpy as np
import pytest

from gangplan.models.assignment.formulation import build
from gangplan.models.assignment.kind import ASSIGNMENT
from gangplan.models.errors import FormulationError, PlanError
from gangplan.models.formulation import WHOLE, Formulation
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.tiers import tiers_of
from gangplan.models.verify.check import check
from tests import brute_preemption as brute
from tests.models.solve import best_plan
from tests.tiny import Row, make_instance
from tests.tiny_devices import with_devices
from tests.tiny_running import with_running

FULL = {"gpu": 0}
BIG = {"gpu": 8}
NEW = {"priority": 5, "request": BIG}


def full(n: int) -> list[Row]:
    """Nodes without any room."""
    return [FULL] * n


def old(running: Sequence[int], minimum: int = 1, **more: object) -> Row:
    """Make a group that only runs."""
    return {"roles": [], "running": running, "minimum": minimum, **more}


def pods(group: int, nodes: Sequence[int], **more: object) -> list[Row]:
    """Make running pods of 8 GPUs each."""
    return [{"node": n, "request": BIG, "group": group, **more} for n in nodes]


def best(instance: Instance, on: Formulation = WHOLE) -> tuple[Plan, dict[str, int]]:
    """Return the optimum, which keeps the rules and is a point that decodes to itself."""
    tiers = tiers_of(instance)
    plan, have = best_plan(instance, tiers, on, ASSIGNMENT)
    assert not check(instance, plan)
    assert brute.allowed(instance, plan)
    model = build(instance, on)
    point = ASSIGNMENT.encode(model, plan)
    assert not len(model.milp.violated_rows(point))
    again = ASSIGNMENT.decode(model, point)
    assert again.evicted.tolist() == plan.evicted.tolist()
    assert again.node.tolist() == plan.node.tolist()
    return plan, dict(zip((tier.name for tier in tiers), have, strict=True))


def test_a_group_of_mode_all_falls_whole_where_one_of_its_nodes_would_do() -> None:
    instance = with_running(make_instance(full(2), [old([0, 1]), NEW]), pods(0, [0, 1], unit="all"))
    plan, have = best(instance)
    assert plan.evicted.tolist() == [0]
    assert (have["admitted(5)"], have["lost-gpus(0)"], have["lost-pods(0)"]) == (1, 16, 2)


def test_a_tree_of_mode_all_falls_with_every_group_below() -> None:
    tree = [old([0], parent=0), old([1], parent=0)]
    instance = with_running(
        make_instance(full(2), [*tree, NEW], [{"minimum": 1}]),
        [*pods(0, [0], unit="tree"), *pods(1, [1], unit="tree")],
    )
    assert best(instance)[1]["lost-pods(0)"] == 2


def test_the_spare_member_falls_before_a_gang_that_needs_its_own() -> None:
    instance = with_running(
        make_instance(full(6), [old([0, 1], 2), old([2, 3]), old([4, 5]), NEW]),
        [*pods(0, [0, 1]), *pods(1, [2, 3], unit="all"), *pods(2, [4, 5])],
    )
    plan, have = best(instance)
    assert have["lost-pods(0)"] == 1
    assert plan.evicted.tolist() in ([3], [4])  # units: 2 pods, the group, 2 pods


@pytest.mark.parametrize(("priority", "admitted"), [(4, 1), (5, 0), (6, 0)])
def test_only_what_is_strictly_lower_falls(priority: int, admitted: int) -> None:
    running = [{"node": 0, "request": BIG, "priority": priority}]
    _, have = best(with_running(make_instance(full(1), [NEW]), running))
    assert have["admitted(5)"] == admitted


def test_the_priority_of_the_root_counts() -> None:
    instance = with_running(
        make_instance(
            full(2),
            [{**NEW, "priority": 1, "parent": 0}, old([0], parent=1, priority=9), old([1])],
            [{"priority": 5}, {"priority": 0}],
        ),
        [*pods(1, [0]), *pods(2, [1], priority=6)],
    )
    plan, have = best(instance)
    assert have["admitted(5)"] == 1
    assert plan.evicted.tolist() == [0]


def test_pods_beyond_the_minimum_take_what_is_left_over_and_cost_nobody() -> None:
    group = {"priority": 5, "minimum": 1, "wanted": 4, "request": {"gpu": 4}}
    running = [{"node": n, "request": BIG} for n in (0, 1)]
    plan, have = best(with_running(make_instance(full(2), [group]), running))
    assert len(plan.evicted) == 1
    assert have["elastic(5)"] == 1


def test_the_minimum_costs_one_victim_and_the_third_pod_none() -> None:
    stretch = {**NEW, "minimum": 2, "wanted": 3}
    instance = with_running(
        make_instance([BIG, FULL, FULL], [old([1]), old([2]), stretch]),
        [*pods(0, [1]), *pods(1, [2])],
    )
    plan, have = best(instance)
    assert (have["admitted(5)"], have["elastic(5)"], len(plan.evicted)) == (1, 0, 1)


def test_a_group_of_policy_never_evicts_nobody_and_can_be_a_victim() -> None:
    instance = with_running(
        make_instance(full(1), [{**NEW, "running": [0], "minimum": 2}, {**NEW, "priority": 9}]),
        pods(0, [0]),
        never=[0],
    )
    plan, have = best(instance)
    assert (have["admitted(9)"], have["lost-pods(5)"], len(plan.evicted)) == (1, 1, 1)
    alone = with_running(make_instance(full(1), [NEW]), [{"node": 0, "request": BIG}], never=[0])
    assert best(alone)[1]["admitted(5)"] == 0


def test_a_pod_outside_the_snapshot_falls_with_its_unit_and_frees_nothing() -> None:
    instance = with_running(
        make_instance(full(1), [old([0, 0]), NEW]),
        [*pods(0, [0], unit="all"), *pods(0, [-1], unit="all")],
    )
    assert best(instance)[1]["lost-pods(0)"] == 2
    away = with_running(make_instance(full(1), [NEW]), [{"node": -1, "request": BIG}])
    assert best(away)[1]["admitted(5)"] == 0


def test_a_member_that_nobody_may_evict_keeps_its_gang() -> None:
    groups = [old([0, 1], 2), NEW]
    assert best(with_running(make_instance(full(2), groups), pods(0, [0])))[1]["admitted(5)"] == 0


def test_a_role_keeps_its_own_minimum() -> None:
    groups = [old([0, 1], 1), NEW]
    instance = with_running(make_instance(full(2), groups), pods(0, [0, 1]), floors=[(0, 1, [0])])
    assert best(instance)[0].evicted.tolist() == [1]


def test_a_tree_loses_the_child_to_spare_and_then_everything() -> None:
    tree = [old([n], parent=0) for n in range(3)]
    running = [pod for g in range(3) for pod in pods(g, [g])]
    for wanted, lost in ((1, 1), (2, 3)):
        new = {**NEW, "minimum": wanted, "wanted": wanted}
        instance = with_running(make_instance(full(3), [*tree, new], [{"minimum": 2}]), running)
        assert best(instance)[1]["lost-pods(0)"] == lost


def test_whole_slices_leave_a_domain_or_all_of_the_group() -> None:
    nodes = [{**FULL, "rack": f"r{n // 2}"} for n in range(5)]
    new = {**NEW, "eligible": [0]}
    rules = [("rack", "required", 2)]
    some = make_instance(nodes, [old([0, 1, 2, 3], 2, rules=rules), new])
    plan, _ = best(with_running(some, pods(0, [0, 1, 2, 3])))
    assert plan.evicted.tolist() == [0, 1]
    broken = make_instance(nodes, [old([0, 2, 3], 2, rules=rules), new])
    assert best(with_running(broken, pods(0, [0, 2, 3])))[1]["lost-pods(0)"] == 3


def test_no_root_both_loses_and_gains() -> None:
    tree = [old([0], parent=0), {"request": {"cpu": 1}, "parent": 0}]
    nodes = [{"gpu": 0, "cpu": 1}]
    composites: list[Row] = [{"minimum": 1}]
    plan, have = best(with_running(make_instance(nodes, [*tree, NEW], composites), pods(0, [0])))
    assert (have["admitted(5)"], have["elastic(0)"]) == (1, 0)
    assert plan.node.tolist() == [-1, 0]


def claiming(never: Sequence[int] = ()) -> Instance:
    """One card, which two running pods hold by a claim of their group; two newcomers want it."""
    cpu = {"priority": 5, "request": {"cpu": 1}}
    instance = with_devices(
        make_instance([{"cpu": 9}], [old([0, 0]), cpu, cpu]),
        [{"node": 0, "card": True, "taken": True}],
        [{"requests": [("r", "card")]}],
        {0: [0], 1: [0]},
    )
    running = [{"node": 0, "request": {"cpu": 1}, "group": 0}] * 2
    return with_running(instance, running, holds=[{"users": [0, 1], "devices": [0]}], never=never)


def test_a_device_comes_free_with_the_last_user_of_its_claim() -> None:
    plan, have = best(claiming())
    assert (have["admitted(5)"], have["lost-pods(0)"]) == (1, 2)
    assert plan.allocations.device.tolist() == [0]
    _, have = best(claiming(), Formulation(preemption=False))
    assert have["admitted(5)"] == 0


def test_all_devices_of_a_node_come_free_or_none_is_given() -> None:
    cpu = {"priority": 5, "request": {"cpu": 1}}
    instance = with_devices(
        make_instance([{"cpu": 9}], [cpu]),
        [{"node": 0, "card": True}, {"node": 0, "card": True, "taken": True}],
        [{"requests": [("r", {"word": "card", "count": "all"})]}],
        {0: [0]},
    )
    held = [{"users": [0], "devices": [1]}]
    assert best(with_running(instance, [{"node": 0}]))[1]["admitted(5)"] == 0
    plan, have = best(with_running(instance, [{"node": 0}], holds=held))
    assert (have["admitted(5)"], have["lost-pods(0)"]) == (1, 1)
    assert plan.allocations.device.tolist() == [0, 1]


def test_budgets_count_victims_of_their_priority_and_above() -> None:
    running = [{"node": n, "request": BIG, "priority": n} for n in range(3)]
    new = {**NEW, "minimum": 3, "wanted": 3}
    instance = with_running(
        make_instance(full(3), [new]), running, [{"allowed": 1, "pods": [0, 1, 2]}]
    )
    _, have = best(instance)
    assert [have.get(f"lost-budgets({p})", 0) for p in (2, 1, 0)] == [0, 1, 2]


def test_minutes_decide_between_equal_victims() -> None:
    running = [{"node": n, "request": BIG, "minutes": m} for n, m in enumerate((3000, 1200, 5400))]
    plan, have = best(with_running(make_instance(full(3), [NEW]), running))
    assert plan.evicted.tolist() == [1]
    assert have["lost-hours(0)"] == 160


def kept(free: int, request: int, ask: Row, **more: object) -> dict[str, int]:
    """One node with a pod of 8 GPUs; room is kept with priority 5."""
    reserved = [{"node": 0, "priority": 5, "request": {"gpu": request}, **more}]
    instance = make_instance([{"gpu": free}], [{"priority": 5, **ask}])
    running = [{"node": 0, "request": BIG}]
    return best(with_running(instance, running, reserved=reserved))[1]


def test_room_that_is_kept_is_kept_from_the_rank_of_its_group_and_those_below() -> None:
    small = {"request": {"gpu": 4}}
    assert kept(4, 4, small)["lost-pods(0)"] == 1
    assert kept(4, 4, small | {"priority": 6})["lost-pods(0)"] == 0
    assert kept(4, 4, small, group=0)["lost-pods(0)"] == 0


def test_what_falls_makes_up_for_what_is_kept_beyond_the_free_room() -> None:
    assert kept(4, 6, {"request": {"gpu": 6}})["admitted(5)"] == 1
    assert kept(4, 7, {"request": {"gpu": 6}})["admitted(5)"] == 0
    assert kept(4, 9, {"request": {"gpu": 1}, "kind": "bare", "wanted": 4})["admitted(5)"] == 3
    assert kept(4, 99, {"request": {"gpu": 1}})["admitted(5)"] == 0
    assert kept(4, 2**63 - 1, {"request": {"gpu": 1}})["admitted(5)"] == 0
    assert kept(4, 99, {"request": {"cpu": 0}})["admitted(5)"] == 1


def test_a_reservation_stays_where_nobody_can_fall() -> None:
    reserved = [{"node": 0, "priority": 5, "request": {"gpu": 5}}]
    instance = make_instance([BIG], [{"priority": 5, "request": {"gpu": 4}}] * 2)
    assert best(with_running(instance, [], reserved=reserved))[1]["admitted(5)"] == 0
    reserved[0]["request"] = {"gpu": 4}
    assert best(with_running(instance, [], reserved=reserved))[1]["admitted(5)"] == 1


def test_who_evicts_nobody_gets_of_kept_room_only_what_is_free_beside_it() -> None:
    never = {"priority": 3, "request": {"gpu": 1}, "kind": "bare", "wanted": 4}
    instance = with_running(
        make_instance([{"gpu": 3}], [NEW, never]),
        [{"node": 0, "request": {"gpu": 20}}],
        reserved=[{"node": 0, "priority": 3, "request": {"gpu": 1}}],
        never=[1],
    )
    _, have = best(instance)
    assert (have["admitted(5)"], have["admitted(3)"]) == (1, 2)


def test_off_nobody_falls_and_a_plan_with_victims_is_refused() -> None:
    instance = with_running(make_instance(full(1), [NEW]), [{"node": 0, "request": BIG}])
    plan, have = best(instance)
    assert have["admitted(5)"] == 1
    off = Formulation(preemption=False)
    assert best(instance, off)[1]["admitted(5)"] == 0
    with pytest.raises(PlanError, match="test/run0: no column for its eviction"):
        ASSIGNMENT.encode(
            build(instance, off), Plan(np.array([-1]), plan.device_pod, plan.device,
                                       evicted=plan.evicted)
        )  # fmt: skip


def test_a_unit_that_nobody_outranks_has_no_column() -> None:
    running = [{"node": 0, "request": BIG, "priority": p} for p in (5, 0)]
    instance = with_running(make_instance(full(1), [NEW]), running)
    plan, _ = best(instance)
    model = build(instance)
    assert model.milp.upper[model.falls.e.cols].tolist() == [0, 1]
    with pytest.raises(PlanError, match="test/run0: no column"):
        ASSIGNMENT.encode(model, Plan(plan.node, plan.device_pod, plan.device,
                                      evicted=np.array([0])))  # fmt: skip


def test_bytes_that_fall_are_divided_with_those_that_are_asked() -> None:
    tebi = 2**40

    def side(room: int) -> list[float]:
        nodes = [{"memory": 3 * tebi + 7}]
        new = {"priority": 5, "kind": "bare", "wanted": 3, "request": {"memory": 4 * tebi}}
        milp = build(
            with_running(make_instance(nodes, [new]), [{"node": 0, "request": {"memory": room}}])
        ).milp
        first, last = milp.row_blocks["capacity.fits"]
        return [*milp.row_upper[first:last], *milp.matrix[first:last].data]

    assert side(2 * tebi) == [1.0, 2.0, 2.0, 2.0, -1.0]
    # More than all pods together ask: cut, however much it is.
    assert side(2**62 + 1) == [0.0, 1.0, 1.0, 1.0, -3.0]
    with pytest.raises(FormulationError, match=r"n0: memory: a quantity above 2\^40"):
        side(2 * tebi + 1)


def test_the_size_counts_nodes_that_somebody_could_leave() -> None:
    instance = with_running(make_instance(full(2), [NEW]), [{"node": 0, "request": BIG}])
    assert ASSIGNMENT.cells(instance) == len(build(instance).pairs) == 1
