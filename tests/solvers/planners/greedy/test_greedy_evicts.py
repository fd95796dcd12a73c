"""Greedy plans with evictions: the easy cases by hand, who falls and who stays."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from gangplan.datasets.generate import generate
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.tiers import tiers_of, values
from gangplan.models.verify.check import check
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.greedy import Greedy, greedy_plan
from tests.tiny import make_instance
from tests.tiny_running import with_running

EIGHT = {"gpu": 8}


def full(
    nodes: Sequence[Mapping[str, Any]],
    old: Sequence[Mapping[str, Any]],
    new: Sequence[Mapping[str, Any]],
) -> Instance:
    """Nodes without free GPUs, running gangs of 8-GPU pods (no roles), and gangs that wait."""
    groups = [{"minimum": len(g["running"]), "roles": []} | dict(g) for g in old]
    pods = [
        {"node": n, "request": EIGHT, "group": g}
        for g, one in enumerate(old)
        for n in one["running"]
    ]
    return with_running(make_instance([{"gpu": 0} | dict(n) for n in nodes], [*groups, *new]), pods)


def planned(instance: Instance) -> Plan:
    plan = greedy_plan(instance, tiers_of(instance))
    assert [v.sentence for v in check(instance, plan)] == []
    return plan


def urgent(pods: int, **more: Any) -> dict[str, Any]:
    return {"priority": 9, "minimum": pods, "wanted": pods, "request": EIGHT} | more


def test_free_room_is_taken_before_anybody_falls() -> None:
    plan = planned(full([{}, {"gpu": 8}], [{"running": [0]}], [urgent(1)]))
    assert plan.evicted.tolist() == []
    assert plan.node.tolist() == [1]


def test_an_equal_falls_for_nobody() -> None:
    plan = planned(full([{}], [{"running": [0], "priority": 9}], [urgent(1)]))
    assert plan.evicted.tolist() == []
    assert plan.node.tolist() == [-1]


def test_the_lower_of_two_falls() -> None:
    old = [{"running": [0], "priority": 5}, {"running": [1], "priority": 1}]
    assert planned(full([{}, {}], old, [urgent(1)])).evicted.tolist() == [1]


def test_a_spare_member_falls_before_a_gang() -> None:
    old: list[dict[str, Any]] = [{"running": [0, 1]}, {"running": [2, 3], "minimum": 1}]
    (unit,) = planned(full([{}] * 4, old, [urgent(1)])).evicted.tolist()
    assert unit in (2, 3)


def test_a_gang_without_spare_members_is_taken_whole() -> None:
    plan = planned(full([{}, {}], [{"running": [0, 1]}], [urgent(1)]))
    assert plan.evicted.tolist() == [0, 1]


def test_what_is_left_over_is_the_next_gangs() -> None:
    """The first one takes two pods of a gang down; the second one needs nobody else."""
    old = [{"running": [0, 1]}, {"running": [2]}, {"running": [3]}]
    plan = planned(full([{}] * 4, old, [urgent(1), urgent(1)]))
    assert len(plan.evicted) == 2
    assert sorted(plan.node.tolist())[0] >= 0


def test_a_gang_bound_to_a_rack_takes_the_cheaper_one() -> None:
    """Of three racks, the second has fewer GPUs to lose, and a gang that crosses is dear."""
    nodes = [{"rack": f"r{n // 2}"} for n in range(6)]
    old = [
        {"running": [0, 2, 4], "priority": 1},
        {"running": [1], "priority": 2},
        {"running": [3], "priority": 1},
        {"running": [5], "priority": 2},
    ]
    plan = planned(full(nodes, old, [urgent(2, rules=[("rack", "required")])]))
    assert sorted(plan.node.tolist()) == [2, 3]


def test_elastic_pods_evict_nobody() -> None:
    old = [{"running": [0]}, {"running": [1]}]
    plan = planned(full([{}, {}], old, [urgent(1, wanted=2)]))
    assert len(plan.evicted) == 1
    assert (plan.node >= 0).sum() == 1


def test_a_group_that_never_preempts_uses_no_freed_room() -> None:
    """One pod falls for the first group; half its node is left, but not for the second group."""
    new = [urgent(1, request={"gpu": 4}), urgent(1, request={"gpu": 4}, priority=8)]
    old = [{"minimum": 1, "running": [0], "roles": []}]
    pods = [{"node": 0, "request": EIGHT, "group": 0}]
    instance = make_instance([{"gpu": 0}], [*old, *new])
    assert planned(with_running(instance, pods)).node.tolist() == [0, 0]
    assert planned(with_running(instance, pods, never=[2])).node.tolist() == [0, -1]


def test_a_reservation_keeps_room_but_from_its_own_group() -> None:
    instance = make_instance([{"gpu": 8}], [urgent(1)])
    kept = {"node": 0, "priority": 9, "request": EIGHT}
    assert planned(with_running(instance, [], reserved=[kept])).node.tolist() == [-1]
    assert planned(with_running(instance, [], reserved=[kept | {"group": 0}])).node.tolist() == [0]


def test_single_pods_make_room_one_by_one() -> None:
    old = [{"running": [n]} for n in range(3)]
    new = {"kind": "bare", "priority": 9, "wanted": 2, "request": EIGHT}
    plan = planned(full([{}] * 3, old, [new]))
    assert (plan.node >= 0).all()
    assert len(plan.evicted) == 2


def test_a_tree_makes_room_for_its_children() -> None:
    old = [{"minimum": 1, "running": [n], "roles": []} for n in range(3)]
    children = [urgent(1, parent=0) for _ in range(2)]
    instance = make_instance([{"gpu": 0}] * 3, [*old, *children], [{"minimum": 2, "priority": 9}])
    pods = [{"node": n, "request": EIGHT, "group": n} for n in range(3)]
    plan = planned(with_running(instance, pods))
    assert (plan.node >= 0).all()
    assert len(plan.evicted) == 2


def test_of_a_tree_nobody_comes_back_without_those_whom_its_group_needs() -> None:
    groups = [
        {"minimum": 2, "running": [0, 0], "roles": [], "parent": 0},
        {"minimum": 2, "running": [0, 0], "roles": [], "parent": 0},
        {"minimum": 1, "running": [0, 0], "roles": [], "parent": 0},
        {"priority": 9, "minimum": 3, "wanted": 3, "request": {"gpu": 1}},
    ]
    instance = make_instance([{"gpu": 0}], groups, [{"minimum": 3}])
    # Beside the new gang there is room for 3 + 3, one of 2 and one of 1.
    each = (2, 2, 3, 3, 1, 1)
    pods = [{"node": 0, "request": {"gpu": n}, "group": v // 2} for v, n in enumerate(each)]
    instance = with_running(instance, pods)
    plan = greedy_plan(instance, tiers_of(instance))
    assert [v.sentence for v in check(instance, plan)] == []
    assert plan.evicted.tolist() == [0, 1, 2, 3, 4, 5]


def test_a_budget_turns_the_choice_and_a_hard_one_forbids_it() -> None:
    old = [{"minimum": 1, "running": [0], "roles": []}, {"minimum": 1, "running": [1], "roles": []}]
    instance = make_instance([{"gpu": 0}] * 2, [*old, urgent(1)])
    pods = [{"node": n, "request": EIGHT, "group": n} for n in range(2)]
    one = with_running(instance, pods, budgets=[{"allowed": 0, "pods": [0]}])
    assert planned(one).evicted.tolist() == [1]
    both = with_running(instance, pods, budgets=[{"allowed": 0, "pods": [0, 1]}])
    assert len(planned(both).evicted) == 1
    assert Greedy(pdb="hard").plan(both).plan.evicted.tolist() == []


def test_where_a_hard_budget_lets_one_of_several_fall_it_is_one_that_is_enough() -> None:
    new = {"priority": 9, "minimum": 2, "wanted": 2, "request": {"gpu": 1}}
    old = {"minimum": 3, "running": [0, 1, 2, 3], "roles": []}
    pods = [{"node": n, "request": {"gpu": g}, "group": 0} for n, g in enumerate((1, 1, 1, 2))]
    budgets = [{"allowed": 0, "pods": [1]}, {"allowed": 1, "pods": [0, 1, 2, 3]}]
    instance = with_running(make_instance([{"gpu": 0}] * 4, [old, new]), pods, budgets=budgets)
    result = Greedy(pdb="hard").plan(instance)
    assert result.plan.evicted.tolist() == [3]
    assert (result.plan.node == 3).all()


def test_without_preemption_nobody_falls_and_the_result_says_so() -> None:
    result = Greedy(preemption=False).plan(full([{}], [{"running": [0]}], [urgent(1)]))
    assert result.plan.evicted.tolist() == []
    assert result.planner["preemption"] is False
    assert any("preemption is off" in line for line in result.warnings)


def test_options_that_are_not_used_are_not_written_down() -> None:
    result = Greedy().plan(full([{}], [{"running": [0]}], [urgent(1)]))
    assert result.plan.evicted.tolist() == [0]
    assert not {"preemption", "pdb"} & set(result.planner)


@pytest.mark.parametrize("name", ["victims", "storm", "urgent-rack"])
def test_generated_clusters_full_of_work_get_a_plan(name: str) -> None:
    """Whoever asks for all the cluster can give gets a part of it; a storm gets in."""
    instance = generate(name, nodes=64)
    result = Greedy().plan(instance, Limits(seconds=1.0))
    assert check(instance, result.plan) == ()
    assert len(result.plan.evicted)
    calm = Greedy(preemption=False).plan(instance, Limits(seconds=1.0)).plan
    tiers = tiers_of(instance)
    assert values(instance, result.plan, tiers)[0] > values(instance, calm, tiers)[0]


def test_the_same_instance_gets_the_same_plan() -> None:
    instance = generate("urgent-rack", nodes=64)
    plans = [greedy_plan(instance, tiers_of(instance), 60.0) for _ in range(2)]
    assert plans[0].node.tolist() == plans[1].node.tolist()
    assert plans[0].evicted.tolist() == plans[1].evicted.tolist()
