"""The plan of yesterday on the cluster of today."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.datasets.plan_file import plan_document
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.tiers import better, tiers_of, values
from gangplan.models.verify.check import check
from gangplan.solvers.planners.anytime.carry import carried, completed, kept
from gangplan.solvers.planners.anytime.yesterday import found_again, from_document, named
from gangplan.solvers.planners.greedy import Greedy, greedy_plan
from tests.strategies import anything, instances, plans
from tests.strategies_preemption import preempting
from tests.tiny import Row, make_instance

GROUPS: list[Row] = [
    {"name": "ns/a", "request": {"gpu": 4}, "wanted": 2, "minimum": 2},
    {"name": "ns/b", "request": {"gpu": 4}},
    {"name": "ns/c", "request": {"gpu": 2}, "kind": "basic", "wanted": 2},
]

THREE = make_instance(nodes=[{"gpu": 4}, {"gpu": 4}, {"gpu": 4}], groups=GROUPS)


def placed(*nodes: int) -> Plan:
    none = np.zeros(0, dtype=np.int64)
    return Plan(np.array(nodes, dtype=np.int64), none, none)


def test_a_plan_is_found_again_by_its_names_when_groups_have_come_and_gone() -> None:
    before = named(THREE, placed(2, 1, 0, -1, -1))
    today = make_instance(
        nodes=[{"gpu": 4}, {"gpu": 4}, {"gpu": 4}],
        groups=[GROUPS[0], {"name": "ns/new", "request": {"gpu": 1}}],
    )
    plan = found_again(today, before)
    assert plan.node.tolist() == [2, 1, -1]


def test_a_gang_whose_node_is_gone_waits_again_and_the_others_stay() -> None:
    before = named(THREE, placed(2, 1, 0, -1, -1))
    today = make_instance(nodes=[{"gpu": 4}, {"gpu": 4}], groups=GROUPS)
    plan = kept(today, found_again(today, before), 9.0)
    assert plan.node.tolist() == [-1, -1, 0, -1, -1]


def test_what_waits_is_placed_in_the_room_that_is_left() -> None:
    before = named(THREE, placed(2, 1, 0, -1, -1))
    today = make_instance(nodes=[{"gpu": 4}, {"gpu": 4}], groups=GROUPS)
    plan = carried(today, before, tiers_of(today))
    assert plan.node.tolist() == [-1, -1, 0, 1, 1]


def test_a_node_with_less_room_sends_the_least_important_back() -> None:
    groups = [
        {"name": "ns/low", "request": {"gpu": 2}, "priority": 1},
        {"name": "ns/high", "request": {"gpu": 2}, "priority": 2},
    ]
    before = named(make_instance(nodes=[{"gpu": 4}], groups=groups), placed(0, 0))
    today = make_instance(nodes=[{"gpu": 3}], groups=groups)
    assert kept(today, found_again(today, before), 9.0).node.tolist() == [-1, 0]


@settings(max_examples=60)
@given(anything(), st.data())
def test_whatever_is_carried_keeps_the_rules(instance: Instance, data: st.DataObject) -> None:
    tiers = tiers_of(instance)
    plan = carried(instance, named(instance, data.draw(plans(instance))), tiers, 0.1)
    assert not check(instance, plan)


@settings(max_examples=60)
@given(preempting())
def test_a_plan_with_evictions_is_carried_with_them(instance: Instance) -> None:
    tiers = tiers_of(instance)
    plan = greedy_plan(instance, tiers, 0.1)
    if check(instance, plan):
        return
    again = carried(instance, named(instance, plan), tiers, 0.1)
    assert not check(instance, again)
    assert not better(tiers, values(instance, plan, tiers), values(instance, again, tiers))


@settings(max_examples=40)
@given(instances())
def test_on_the_same_cluster_nothing_is_lost(instance: Instance) -> None:
    tiers = tiers_of(instance)
    plan = greedy_plan(instance, tiers, 0.1)
    again = kept(instance, found_again(instance, named(instance, plan)), 9.0)
    assert np.array_equal(again.node, plan.node)
    assert np.array_equal(again.device, plan.device)
    more = completed(instance, again, tiers, 0.1)
    assert not better(tiers, values(instance, plan, tiers), values(instance, more, tiers))


@settings(max_examples=40)
@given(instances(), st.data())
def test_with_less_room_what_stays_keeps_the_rules(instance: Instance, data: st.DataObject) -> None:
    plan = greedy_plan(instance, tiers_of(instance), 0.1)
    part = data.draw(st.integers(0, 3))
    less = replace(instance.nodes, free=instance.nodes.free * part // 4)
    today = replace(instance, nodes=less)
    again = kept(today, found_again(today, named(instance, plan)), 9.0)
    assert not check(today, again)
    stays = again.node >= 0
    assert np.array_equal(again.node[stays], plan.node[stays])


def test_a_plan_file_tells_the_same_names() -> None:
    result = Greedy().plan(THREE)
    assert from_document(plan_document(THREE, result)) == named(THREE, result.plan)


def test_what_is_no_plan_file_tells_nothing() -> None:
    said = from_document({"groups": [1, {"pods": [{"pod": 3, "devices": [{"device": "x"}]}]}]})
    assert found_again(THREE, said).node.tolist() == [-1] * 5
