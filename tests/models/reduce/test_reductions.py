"""What each reduction finds, and what it leaves alone, on instances made by hand."""

from dataclasses import replace

import numpy as np

from gangplan.models.plan import empty_plan
from gangplan.models.reduce import (
    components,
    idle,
    implied,
    impossible,
    lifted,
    reductions,
    settled,
    shrink,
)
from gangplan.models.verify import check
from tests.placing import place
from tests.tiny import make_instance
from tests.tiny_running import with_running


def test_a_gang_that_no_node_can_hold_is_held() -> None:
    instance = make_instance(
        [{"gpu": 8}, {"gpu": 8}],
        [{"request": {"gpu": 9}}, {"request": {"gpu": 8}, "wanted": 3, "minimum": 3}, {}],
    )
    step = impossible.shrink(instance)
    assert step.said == "2 groups and trees cannot be placed"
    assert step.instance.groups.held.tolist() == [True, True, False]
    assert step.instance.names.held[0] == impossible.WHY


def test_a_child_that_cannot_be_placed_is_not_held_its_tree_is() -> None:
    children = [
        {"parent": 0, "request": {"gpu": 9}},
        {"parent": 0, "request": {"gpu": 1}},
    ]
    one = impossible.shrink(make_instance([{"gpu": 8}], children, [{"minimum": 1}]))
    both = impossible.shrink(make_instance([{"gpu": 8}], children, [{"minimum": 2}]))
    assert not one.said
    assert both.instance.composites.held.all()
    assert not both.instance.groups.held.any()


def test_a_gang_for_which_somebody_could_fall_is_not_held() -> None:
    instance = with_running(
        make_instance([{"gpu": 0}], [{"priority": 5, "request": {"gpu": 8}}]),
        pods=[{"node": 0, "request": {"gpu": 8}}],
    )
    assert not shrink(instance).said


NESTED = [
    {"gpu": 8, "rack": rack, "block": block}
    for rack, block in (("r0", "b0"), ("r1", "b0"), ("r2", "b1"))
]


def test_a_rack_says_it_all_where_racks_nest_in_blocks() -> None:
    rules = [("block", "required"), ("rack", "required"), ("block", "preferred")]
    step = implied.shrink(make_instance(NESTED, [{"request": {"gpu": 1}, "rules": rules}]))
    assert step.said == "2 topology rules are implied by finer ones"
    names = step.instance.names.levels
    assert [names[level] for level in step.instance.rules.level] == ["rack"]


def test_a_rule_stays_where_levels_cross_or_a_label_is_missing() -> None:
    rules = [("block", "required"), ("rack", "required")]
    for last in ({"gpu": 8, "rack": "r0", "block": "b1"}, {"gpu": 8, "rack": "r2"}):
        instance = make_instance([*NESTED[:2], last], [{"request": {"gpu": 1}, "rules": rules}])
        assert not implied.shrink(instance).said


def test_a_rule_with_members_that_the_finer_one_does_not_see_stays() -> None:
    nodes = [*NESTED, {"gpu": 8, "block": "b1"}]
    rules = [("block", "required"), ("rack", "required")]
    group = {"request": {"gpu": 1}, "minimum": 2, "running": [3], "rules": rules}
    assert not implied.shrink(make_instance(nodes, [group])).said
    seen = make_instance(nodes, [group | {"running": [0]}])
    assert implied.shrink(seen).said == "1 topology rule is implied by finer ones"


def test_two_equal_rules_leave_one() -> None:
    rules = [("rack", "required"), ("rack", "required")]
    step = implied.shrink(make_instance(NESTED, [{"request": {"gpu": 1}, "rules": rules}]))
    assert len(step.instance.rules) == 1


def test_nodes_that_hold_no_waiting_pod_are_left_out() -> None:
    instance = make_instance(
        [{"gpu": 1}, {"gpu": 8}, {"gpu": 8}],
        [{"request": {"gpu": 2}, "wanted": 2, "minimum": 1, "eligible": [0, 1]}],
    )
    step = idle.shrink(instance)
    assert step.said == "2 nodes can hold no waiting pod"
    assert step.instance.names.nodes == ("n1",)
    assert step.lift(place(step.instance, [0, -1])).node.tolist() == [1, -1]


def test_a_cluster_keeps_a_node() -> None:
    instance = make_instance([{"gpu": 0}, {"gpu": 0}], [{"request": {"gpu": 1}}])
    assert len(idle.shrink(instance).instance.nodes) == 1


def test_a_node_on_which_somebody_could_fall_stays() -> None:
    instance = with_running(
        make_instance(
            [{"gpu": 0, "cpu": 9}, {"gpu": 0, "cpu": 9}, {"gpu": 0, "cpu": 9}],
            [
                {"priority": 5, "request": {"gpu": 4}},
                {"minimum": 2, "running": [0, 1], "roles": []},
            ],
        ),
        pods=[
            {"node": 0, "request": {"gpu": 4}, "group": 1},
            {"node": 1, "request": {"cpu": 1}, "group": 1},
        ],
    )
    step = idle.shrink(instance)
    assert step.instance.names.nodes == ("n0", "n1")
    plan = replace(place(step.instance, [0]), evicted=np.array([0, 1]))
    assert not check(instance, step.lift(plan))


def test_held_groups_leave_their_nodes_idle() -> None:
    instance = make_instance(
        [{"gpu": 8}, {"cpu": 8}],
        [{"request": {"gpu": 5}, "wanted": 2, "minimum": 2}, {"request": {"cpu": 1}}],
    )
    said = [step.said for step in reductions(instance)]
    assert said == ["1 group or tree cannot be placed", "1 node can hold no waiting pod"]
    plan = shrink(instance).lift(place(shrink(instance).instance, [-1, -1, 0]))
    assert plan.node.tolist() == [-1, -1, 1]


def test_groups_that_never_meet_are_components() -> None:
    instance = make_instance(
        [{"gpu": 4}, {"gpu": 4}, {"cpu": 4}, {"gpu": 0}],
        [
            {"request": {"gpu": 3}, "eligible": [0, 1]},
            {"request": {"cpu": 3}},
            {"request": {"gpu": 2}, "eligible": [1]},
            {"request": {"cpu": 9}},
        ],
    )
    parts = components(instance)
    assert [part.nodes.tolist() for part in parts] == [[0, 1], [2]]
    assert [part.groups.tolist() for part in parts] == [[0, 2], [1]]
    plans = [place(parts[0].instance, [0, 1]), place(parts[1].instance, [0])]
    assert lifted(instance, parts, plans).node.tolist() == [0, 2, 1, -1]


def test_a_budget_holds_components_together() -> None:
    waiting = [{"priority": 5, "request": {"gpu": 4}, "eligible": [n]} for n in range(2)]
    instance = make_instance([{"gpu": 0}, {"gpu": 0}], waiting)
    pods = [{"node": n, "request": {"gpu": 4}} for n in range(2)]
    assert len(components(with_running(instance, pods))) == 2
    assert len(components(with_running(instance, pods, [{"allowed": 1, "pods": [0, 1]}]))) == 1


def test_units_above_the_last_priority_that_waits_are_safe() -> None:
    instance = with_running(
        make_instance(
            [{"gpu": 4}, {"gpu": 0}],
            [
                {"priority": 9, "request": {"gpu": 4}},
                {"priority": 5, "request": {"gpu": 4}},
            ],
        ),
        pods=[
            {"node": 1, "request": {"gpu": 4}, "priority": 7},
            {"node": 1, "request": {"gpu": 4}, "priority": 3},
        ],
    )
    nobody = settled.shrink(instance, empty_plan(instance))
    assert not nobody.said  # priority 9 waits: both may have to fall
    step = settled.shrink(instance, place(instance, [0, -1]))
    assert step.said == "1 running unit keeps its place: all above are admitted without their room"
    assert step.instance.running.priority.tolist() == [3]
    plan = replace(place(step.instance, [0, 1]), evicted=np.array([0]))
    assert step.lift(plan).evicted.tolist() == [1]
    assert not check(instance, step.lift(plan))


def test_a_plan_that_breaks_a_rule_settles_nothing() -> None:
    instance = with_running(
        make_instance([{"gpu": 0}], [{"priority": 9, "request": {"gpu": 4}}]),
        pods=[{"node": 0, "request": {"gpu": 4}, "priority": 3}],
    )
    assert not settled.shrink(instance, place(instance, [0])).said
