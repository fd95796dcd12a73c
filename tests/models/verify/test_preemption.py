"""Rules 2 to 5 and hard budgets: each bites where a plan breaks it, and only there."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify import check
from tests import brute_preemption
from tests.placing import place
from tests.tiny import Row, make_instance
from tests.tiny_running import with_running

GANG_OF_TWO: Row = {"name": "a/old", "minimum": 2, "running": [0, 0], "roles": []}


def evicting(instance: Instance, nodes: Sequence[int], units: Sequence[int]) -> Plan:
    return replace(place(instance, nodes), evicted=np.array(units, dtype=np.int64))


def sentences(
    instance: Instance, nodes: Sequence[int], units: Sequence[int], *, needless: bool = False
) -> list[str]:
    """What the family preemption says, rule 9 only where it is asked for; nobody else speaks."""
    found = check(instance, evicting(instance, nodes, units))
    assert {v.family for v in found} <= {"preemption"}
    assert all(v.what in v.sentence for v in found)
    return [v.sentence for v in found if needless or "could come back" not in v.sentence]


def pod(node: int = 0, gpu: int = 4, **more: Any) -> Row:
    return {"node": node, "request": {"gpu": gpu}, **more}


def test_a_gang_falls_below_its_minimum_only_as_a_whole() -> None:
    more: Row = {"priority": 5, "request": {"gpu": 4}}
    instance = with_running(
        make_instance([{"gpu": 0}], [GANG_OF_TWO, more]), [pod(group=0), pod(group=0)]
    )
    assert sentences(instance, [0], [1]) == [
        "group a/old: 1 of 2 running members are evicted, 1 stay, its minimum is 2 (or it is taken "
        "whole)"
    ]
    assert sentences(instance, [0], [0, 1]) == []


def test_spare_members_fall_before_the_minimum() -> None:
    loose = {**GANG_OF_TWO, "minimum": 1}
    new: Row = {"priority": 5, "request": {"gpu": 4}}
    instance = with_running(make_instance([{"gpu": 0}], [loose, new]), [pod(group=0), pod(group=0)])
    assert sentences(instance, [0], [1], needless=True) == []


def test_members_that_nobody_may_evict_keep_a_gang_from_being_taken_whole() -> None:
    old = {**GANG_OF_TWO, "running": [0, 0, 0], "minimum": 2}
    new: Row = {"priority": 5, "request": {"gpu": 8}}
    instance = with_running(make_instance([{"gpu": 0}], [old, new]), [pod(group=0), pod(group=0)])
    (said,) = sentences(instance, [0], [0, 1])
    assert said.startswith("group a/old: 2 of 3 running members are evicted, 1 stay")


def test_a_floor_of_a_role_holds_while_the_group_is_not_taken_whole() -> None:
    old = {**GANG_OF_TWO, "running": [0, 0, 0], "minimum": 1}
    new: Row = {"priority": 5, "request": {"gpu": 4}}
    three = [pod(group=0), pod(group=0), pod(group=0)]
    instance = with_running(make_instance([{"gpu": 0}], [old, new]), three, floors=[(0, 1, [0])])
    (said,) = sentences(instance, [0], [0])
    assert said.startswith("group a/old: 1 of 1 running members are evicted, 0 stay")
    assert sentences(instance, [0], [1], needless=True) == []
    assert sentences(instance, [0], [0, 1, 2]) == []


def tree(minimum: int, children: int = 3) -> Instance:
    """Standing gangs of one pod each below a composite."""
    old: list[Row] = [
        {"name": f"a/c{g}", "running": [0], "roles": [], "parent": 0} for g in range(children)
    ]
    new: Row = {"priority": 5, "request": {"gpu": 4}}
    instance = make_instance([{"gpu": 0}], [*old, new], [{"minimum": minimum, "name": "a/tree"}])
    return with_running(instance, [pod(group=g) for g in range(children)])


def test_a_tree_keeps_enough_children_or_is_taken_whole() -> None:
    assert sentences(tree(2), [0], [1], needless=True) == []
    assert sentences(tree(2), [0], [0, 2]) == [
        "composite a/tree: 2 of 3 standing children are evicted, 1 stay, its minimum is 2 (or it "
        "is taken whole)"
    ]
    assert sentences(tree(2), [0], [0, 1, 2]) == []
    assert sentences(tree(3), [0], [0])[0].startswith("composite a/tree: 1 of 3")


def test_a_child_with_a_member_left_is_not_taken() -> None:
    old: list[Row] = [
        {"running": [0, 0], "roles": [], "parent": 0},
        {"running": [0], "roles": [], "parent": 0},
    ]
    new: Row = {"priority": 5, "request": {"gpu": 4}}
    instance = with_running(
        make_instance([{"gpu": 0}], [*old, new], [{"minimum": 2}]),
        [pod(group=0), pod(group=0), pod(group=1)],
    )
    assert sentences(instance, [0], [0], needless=True) == []
    assert len(sentences(instance, [0], [0, 1])) == 1
    assert len(sentences(instance, [0], [2])) == 1


def test_composites_below_composites_are_children_too() -> None:
    old: list[Row] = [{"running": [0], "roles": [], "parent": h} for h in (1, 1, 2)]
    composites: list[Row] = [
        {"minimum": 2, "name": "a/top"},
        {"parent": 0, "minimum": 1, "name": "a/left"},
        {"parent": 0, "minimum": 1, "name": "a/right"},
    ]
    new: Row = {"priority": 5, "request": {"gpu": 4}}
    instance = with_running(
        make_instance([{"gpu": 0}], [*old, new], composites), [pod(group=g) for g in range(3)]
    )
    assert sentences(instance, [0], [0], needless=True) == []
    (said,) = sentences(instance, [0], [2])
    assert said.startswith("composite a/top: 1 of 2 standing children")
    assert len(sentences(instance, [0], [0, 1])) == 1
    assert sentences(instance, [0], [0, 1, 2]) == []


def test_whole_slices_leave_a_domain() -> None:
    old: Row = {
        "name": "a/old", "minimum": 2, "running": [0, 0, 1, 1], "roles": [],
        "rules": [("rack", "required", 2)],
    }  # fmt: skip
    new: Row = {"priority": 5, "request": {"gpu": 4}}
    nodes: list[Row] = [{"gpu": 0, "rack": "r0"}, {"gpu": 0, "rack": "r1"}]
    instance = with_running(
        make_instance(nodes, [old, new]), [pod(n, group=0) for n in (0, 0, 1, 1)]
    )
    assert sentences(instance, [0], [0]) == [
        "group a/old: 1 members are evicted in rack r0, which are not whole slices of 2"
    ]
    assert len(sentences(instance, [0], [0, 2])) == 2
    assert sentences(instance, [0], [0, 1], needless=True) == []
    assert sentences(instance, [0], [0, 1, 2, 3]) == []


def test_a_group_taken_whole_leaves_no_slice_behind() -> None:
    old: Row = {
        "minimum": 2, "running": [0, 0, 0], "roles": [], "rules": [("rack", "required", 2)]
    }  # fmt: skip
    new: Row = {"priority": 5, "request": {"gpu": 12}}
    instance = with_running(
        make_instance([{"gpu": 0, "rack": "r0"}], [old, new]), [pod(group=0)] * 3
    )
    assert sentences(instance, [0], [0, 1, 2], needless=True) == []


def test_no_root_both_loses_and_gains() -> None:
    old = {**GANG_OF_TWO, "minimum": 1, "roles": [{"request": {"gpu": 4}}]}
    new: Row = {"priority": 5, "request": {"gpu": 4}}
    instance = with_running(make_instance([{"gpu": 4}], [old, new]), [pod(group=0), pod(group=0)])
    assert sentences(instance, [0, 0], [1]) == ["group a/old: loses 1 pods and gains 1 in one plan"]
    assert sentences(instance, [0, -1], []) == []


def test_a_tree_neither_loses_in_one_child_and_gains_in_another() -> None:
    old: list[Row] = [
        {"running": [0], "roles": [], "parent": 0},
        {"running": [0], "roles": [{"request": {"gpu": 4}}], "parent": 0},
    ]
    new: Row = {"priority": 5, "request": {"gpu": 4}}
    instance = with_running(
        make_instance([{"gpu": 4}], [*old, new], [{"name": "a/tree"}]),
        [pod(group=0), pod(group=1)],
    )
    assert sentences(instance, [0, 0], [0]) == [
        "composite a/tree: loses 1 pods and gains 1 in one plan"
    ]


def alone(priority: int) -> Instance:
    new: Row = {"name": "a/new", "priority": 5, "request": {"gpu": 4}}
    return with_running(make_instance([{"gpu": 0}], [new]), [pod(priority=priority)])


@pytest.mark.parametrize(("priority", "ok"), [(4, True), (5, False), (6, False)])
def test_only_a_lower_priority_falls(priority: int, ok: bool) -> None:
    said = [] if ok else [
        f"unit test/run0 of priority {priority} is evicted, but new pods that a minimum needs are "
        "of priority 5 at most"
    ]  # fmt: skip
    assert sentences(alone(priority), [0], [0]) == said


def test_nobody_falls_where_nobody_is_placed() -> None:
    (said,) = sentences(alone(0), [-1], [0])
    assert said.endswith("new pods that a minimum needs are of nobody who may evict")
    assert sentences(alone(0), [-1], []) == []


def test_the_priority_of_a_tree_is_that_of_its_root() -> None:
    old: Row = {"running": [0], "roles": [], "parent": 0, "priority": 9}
    new: Row = {"priority": 7, "request": {"gpu": 4}, "parent": 1}
    composites: list[Row] = [{"priority": 1}, {"priority": 5}]
    instance = with_running(make_instance([{"gpu": 0}], [old, new], composites), [pod(group=0)])
    assert instance.running.priority.tolist() == [1]
    assert sentences(instance, [0], [0]) == []
    fair = replace(instance.composites, priority=np.array([5, 5]))
    even = replace(instance, composites=fair)
    same = replace(even, running=replace(even.running, priority=np.array([5])))
    assert len(sentences(same, [0], [0])) == 1


def test_elastic_pods_evict_nobody() -> None:
    new: Row = {"priority": 5, "wanted": 2, "minimum": 1, "request": {"gpu": 4}}
    instance = with_running(make_instance([{"gpu": 4}], [new]), [pod()])
    assert sentences(instance, [0, 0], [0], needless=True) == [
        "unit test/run0 (node n0): evicted, but could come back: no pod that a higher priority "
        "needs is in the way"
    ]
    stands: Row = {"priority": 5, "running": [0], "request": {"gpu": 4}}
    instance = with_running(make_instance([{"gpu": 0}], [stands]), [pod()])
    (said,) = sentences(instance, [0], [0])
    assert said.endswith("nobody who may evict")


def test_a_group_that_evicts_nobody_entitles_nobody() -> None:
    instance = alone(0)
    never = replace(instance, running=replace(instance.running, never=np.array([0])))
    assert [v.sentence for v in check(never, evicting(never, [0], [0]))] == [
        "node n0: gpu 4 asked by groups that evict nobody, 0 free",
        "unit test/run0 of priority 0 is evicted, but new pods that a minimum needs are of nobody "
        "who may evict",
    ]
    assert check(never, evicting(never, [-1], [])) == ()


def test_a_hard_budget_binds_and_a_soft_one_does_not() -> None:
    new: Row = {"priority": 5, "request": {"gpu": 8}}
    bare = make_instance([{"gpu": 0}], [new])
    hard: Row = {"name": "a/pdb", "pods": [0, 1], "allowed": 1, "hard": True}
    instance = with_running(bare, [pod(), pod()], budgets=[hard])
    assert sentences(instance, [0], [0, 1]) == [
        "PodDisruptionBudget a/pdb: 2 victims, 1 allowed, and it binds"
    ]
    soft = with_running(bare, [pod(), pod()], budgets=[{**hard, "hard": False}])
    assert sentences(soft, [0], [0, 1]) == []
    more = with_running(bare, [pod(), pod()], budgets=[{**hard, "allowed": 2}])
    assert sentences(more, [0], [0, 1]) == []


def test_a_unit_of_another_instance_is_no_plan() -> None:
    (found,) = check(alone(0), evicting(alone(0), [0], [7]))
    assert found.family == "assign"
    assert "plan.evicted" in found.sentence


def test_in_a_tree_any_group_that_may_evict_entitles_and_rule_9_tells_who_is_elastic() -> None:
    """One child is enough, the one that evicts nobody: the other one is elastic."""
    child = {"priority": 10, "request": {"gpu": 4}, "parent": 0}
    base = make_instance([{"gpu": 4}, {"gpu": 0}], [child, child], [{"priority": 10}])
    instance = with_running(base, [{"node": 1, "request": {"gpu": 4}}], never=[0])
    plan = evicting(instance, [0, 1], [0])
    assert brute_preemption.allowed(instance, plan)
    (found,) = check(instance, plan)
    assert "could come back" in found.sentence
