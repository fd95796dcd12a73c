"""Which new pods a minimum needs: all others are elastic, and cost no victim."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.gone import after
from gangplan.models.instance import Instance
from gangplan.models.tiers import tiers_of
from gangplan.models.verify.evictions import ranks
from gangplan.models.verify.kept import kept
from gangplan.models.verify.needless import returning
from gangplan.models.victims import victims_of
from gangplan.solvers.planners.greedy import greedy_plan
from tests.brute_staying import staying
from tests.placing import place
from tests.strategies import instances
from tests.strategies_preemption import preempting
from tests.tiny import Row, make_instance
from tests.tiny_running import with_running

NODES: list[Row] = [{"gpu": 8, "rack": f"r{n}"} for n in (0, 0, 1, 1, 2, 2)]


def needed(instance: Instance, nodes: Sequence[int]) -> list[int]:
    return np.flatnonzero(kept(instance, place(instance, nodes))).tolist()


def test_a_gang_needs_what_its_minimum_lacks() -> None:
    groups: list[Row] = [
        {"wanted": 3, "minimum": 3, "running": [0]},
        {"wanted": 2, "minimum": 1, "running": [0]},
        {"kind": "basic", "wanted": 2},
        {"kind": "bare", "wanted": 1},
    ]
    instance = make_instance(NODES, groups)
    assert needed(instance, [0, 1, 2, 0, 1, 0, 1, 0]) == [0, 1, 5, 6, 7]
    assert needed(instance, [-1, 1, 2, 0, 1, 0, -1, 0]) == [1, 2, 5, 7]


def test_roles_serve_their_own_minimum_first() -> None:
    roles = [{"wanted": 3, "request": {"gpu": 2}, "minimum": 1}, {"wanted": 2}]
    instance = make_instance(NODES, [{"roles": roles, "minimum": 2}])
    assert needed(instance, [0, 0, 0, 1, 1]) == [0, 3]


def test_elastic_pods_of_a_domain_go_in_whole_slices() -> None:
    group: Row = {"wanted": 6, "minimum": 2, "rules": [("rack", "required", 2)]}
    instance = make_instance(NODES, [group])
    # One of a rack each is marked minimum: the other one of these racks has to stay as well.
    assert needed(instance, [0, 2, 1, 3, 4, 5]) == [0, 1, 2, 3]
    assert needed(instance, [0, 1, 2, 3, 4, 5]) == [0, 1]


def test_no_plan_of_whole_slices_is_called_needless() -> None:
    """The unit has to fall for any slice; without it all three fit."""
    group: Row = {"wanted": 6, "minimum": 2, "priority": 5, "request": {"gpu": 8}}
    nodes: list[Row] = [{"gpu": 8 - n // 3 * 8, "rack": f"r{n % 3}"} for n in range(6)]
    instance = with_running(
        make_instance(nodes, [{**group, "rules": [("rack", "required", 2)]}]),
        [{"node": n, "request": {"gpu": 8}, "unit": "u"} for n in (3, 4, 5)],
    )
    plan = replace(place(instance, [0, 1, 2, 3, 4, 5]), evicted=np.array([0]))
    assert needed(instance, [0, 1, 2, 3, 4, 5]) == [0, 1, 3, 4]
    assert returning(instance, plan) == []


def test_with_two_rules_of_slices_nothing_is_elastic() -> None:
    group: Row = {"wanted": 4, "minimum": 2, "rules": [("rack", "required", 2)] * 2}
    assert needed(make_instance(NODES, [group]), [0, 1, 2, 3]) == [0, 1, 2, 3]


def test_a_tree_needs_the_children_with_the_fewest_pods() -> None:
    groups: list[Row] = [{"wanted": n, "minimum": n, "parent": 0} for n in (3, 1, 2)]
    instance = make_instance(NODES, groups, [{"minimum": 2}])
    assert needed(instance, [0, 0, 0, 1, 2, 2]) == [3, 4, 5]
    assert needed(instance, [0, 0, 0, 1, -1, -1]) == [0, 1, 2, 3]
    equal = make_instance(NODES, [{"parent": 0}] * 3, [{"minimum": 2}])
    assert needed(equal, [0, 0, 0]) == [0, 1]


def test_below_a_root_that_stands_every_pod_is_elastic() -> None:
    groups: list[Row] = [{"running": [0], "parent": 0}, {"parent": 0}, {"parent": 0}]
    instance = make_instance(NODES, groups, [{"minimum": 1}])
    assert needed(instance, [0, 0, 0]) == []
    more = make_instance(NODES, groups, [{"minimum": 2}])
    assert needed(more, [0, 0, 0]) == [1]


def test_composites_below_composites_count_what_they_keep() -> None:
    groups: list[Row] = [{"parent": h} for h in (1, 1, 2, 2)]
    composites: list[Row] = [
        {"minimum": 1},
        {"parent": 0, "minimum": 2},
        {"parent": 0, "minimum": 1},
    ]
    instance = make_instance(NODES, groups, composites)
    assert needed(instance, [0, 0, 0, 0]) == [2]
    assert needed(instance, [0, 0, -1, -1]) == [0, 1]


def same_reading(data: st.DataObject) -> None:
    """What greedy places, mostly with room for elastic pods, and the plain reading of rule 9."""
    instance = data.draw(st.one_of(preempting(), instances(max_nodes=5, max_pods=10)))
    if data.draw(st.booleans()):
        instance = after(instance, np.flatnonzero(victims_of(instance).can))
    more = instance.nodes.free + data.draw(st.integers(0, 9))
    instance = replace(instance, nodes=replace(instance.nodes, free=more))
    plan = greedy_plan(instance, tiers_of(instance), 0.0)
    needed, rank = kept(instance, plan), ranks(instance)[instance.roles.group[instance.pod_role]]
    for p in sorted({-1, *rank.tolist()}):
        assert set(np.flatnonzero(needed & (rank > p)).tolist()) == staying(instance, plan, p)


@settings(max_examples=60)
@given(st.data())
def test_a_plain_reading_of_rule_9_lets_the_same_pods_stay(data: st.DataObject) -> None:
    same_reading(data)


@pytest.mark.slow
@settings(max_examples=3000, derandomize=False)
@given(st.data())
def test_a_plain_reading_of_rule_9_lets_the_same_pods_stay_long(data: st.DataObject) -> None:
    same_reading(data)
