"""Rule 9: what could come back is named, with the fewest pods that may; nothing else is."""

from collections.abc import Sequence
from dataclasses import replace
from time import process_time
from typing import Any

import numpy as np
import pytest

from gangplan.datasets.generate import generate
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.verify import check, search
from gangplan.models.verify.needless import returning
from tests.models.verify.claimed import ask
from tests.placing import give, place
from tests.tiny import Row, make_instance
from tests.tiny_devices import with_devices
from tests.tiny_running import with_running


def back(instance: Instance, plan: Plan, units: Sequence[int]) -> list[tuple[int, ...]]:
    evicted = replace(plan, evicted=np.array(units, dtype=np.int64))
    return [part.units for part in returning(instance, evicted)]


def bare(priority: int, gpu: int, **more: Any) -> Row:
    return {"kind": "bare", "priority": priority, "request": {"gpu": gpu}, **more}


def pod(node: int = 0, gpu: int = 4, **more: Any) -> Row:
    return {"node": node, "request": {"gpu": gpu}, **more}


def gang(nodes: Sequence[int], minimum: int, **more: Any) -> Row:
    return {"running": list(nodes), "minimum": minimum, "roles": [], **more}


def test_the_sentence_names_unit_and_node_and_that_it_could_come_back() -> None:
    instance = with_running(
        make_instance([{"gpu": 4}], [bare(5, 4)]), [pod(name="a/old", gpu=2), pod(gpu=2)]
    )
    plan = replace(place(instance, [0]), evicted=np.array([0]))
    (found,) = check(instance, plan)
    assert (found.family, found.what, found.have, found.need) == ("preemption", "a/old", 1, 0)
    assert found.sentence == (
        "unit a/old (node n0): evicted, but could come back: no pod that a higher priority needs "
        "is in the way"
    )
    (part,) = returning(instance, plan)
    assert (part.units, part.pods) == ((0,), (0,))


@pytest.mark.parametrize(("priority", "comes"), [(5, False), (1, False), (0, True), (-1, True)])
def test_only_what_a_higher_priority_needs_is_in_the_way(priority: int, comes: bool) -> None:
    instance = with_running(make_instance([{"gpu": 0}], [bare(priority, 1)]), [pod()])
    assert back(instance, place(instance, [0]), [0]) == [(0,)] * comes


def test_elastic_pods_are_not_in_the_way_at_any_priority() -> None:
    new: Row = {"priority": 9, "wanted": 2, "minimum": 1, "request": {"gpu": 4}}
    instance = with_running(make_instance([{"gpu": 0}, {"gpu": 4}], [new]), [pod()])
    assert back(instance, place(instance, [1, 0]), [0]) == [(0,)]
    assert back(instance, place(instance, [0, 1]), [0]) == []
    assert back(instance, place(instance, [0, -1]), [0]) == []


def test_two_victims_where_one_would_do_are_each_named() -> None:
    instance = with_running(make_instance([{"gpu": 0}], [bare(5, 4)]), [pod(), pod()])
    assert back(instance, place(instance, [0]), [0, 1]) == [(0,), (1,)]
    assert back(instance, place(instance, [0]), [0]) == []


def test_every_resource_has_to_have_room() -> None:
    old: Row = {"node": 0, "request": {"gpu": 1, "cpu": 1}}
    instance = with_running(
        make_instance(
            [{"gpu": 9, "cpu": 0}], [{"kind": "bare", "priority": 5, "request": {"cpu": 1}}]
        ),
        [old],
    )
    assert back(instance, place(instance, [0]), [0]) == []
    assert back(instance, place(instance, [-1]), [0]) == [(0,)]


def test_a_pod_on_an_unknown_node_finds_it_as_it_left_it() -> None:
    instance = with_running(make_instance([{"gpu": 0}], [bare(5, 4)]), [pod(), pod(-1)])
    assert back(instance, place(instance, [0]), [0, 1]) == [(1,)]


def test_a_group_that_falls_as_one_comes_back_as_one() -> None:
    pods = [pod(n, group=0, unit="one") for n in (0, 1)]
    groups = [gang([0, 1], 1), bare(5, 4)]
    instance = with_running(make_instance([{"gpu": 0}, {"gpu": 0}], groups), pods)
    assert back(instance, place(instance, [0]), [0]) == []
    roomy = replace(instance, nodes=replace(instance.nodes, free=np.array([[4], [0]])))
    assert back(roomy, place(roomy, [0]), [0]) == [(0,)]


def test_of_a_gang_taken_whole_as_many_as_its_minimum_come_back() -> None:
    groups = [gang([0, 0, 1, 1], 3), bare(5, 4, wanted=2)]
    instance = with_running(
        make_instance([{"gpu": 0}, {"gpu": 0}], groups), [pod(n, group=0) for n in (0, 0, 1, 1)]
    )
    assert back(instance, place(instance, [0, 1]), [0, 1, 2, 3]) == []
    assert back(instance, place(instance, [0, -1]), [0, 1, 2, 3]) == [(0, 2, 3)]
    (part,) = returning(
        instance, replace(place(instance, [-1, 0]), evicted=np.arange(4, dtype=np.int64))
    )
    assert part.sentence.startswith("units test/run0, test/run2, test/run3 (nodes n0, n1): ")


def test_members_that_fit_together_are_searched_for() -> None:
    """On node 0 the first member leaves no room for the two others: these come back."""
    pods = [pod(0, 5, group=0), pod(0, 3, group=0), pod(0, 3, group=0)]
    instance = with_running(make_instance([{"gpu": 0}], [gang([0] * 3, 2), bare(5, 5)]), pods)
    assert back(instance, place(instance, [0]), [0, 1, 2]) == [(1, 2)]


def test_floors_of_roles_come_back_too() -> None:
    pods = [pod(n, group=0) for n in (0, 1, 1)]
    groups = [gang([0, 1, 1], 2), bare(5, 4)]
    bare_one = make_instance([{"gpu": 0}, {"gpu": 0}], groups)
    instance = with_running(bare_one, pods, floors=[(0, 1, [0])])
    assert back(instance, place(instance, [0]), [0, 1, 2]) == []
    assert back(instance, place(instance, [1]), [0, 1, 2]) == [(0, 1)]
    without = with_running(bare_one, pods)
    assert back(without, place(without, [0]), [0, 1, 2]) == [(1, 2)]


def test_one_slice_comes_back() -> None:
    nodes: list[Row] = [{"gpu": 0, "rack": "r0"}, {"gpu": 0, "rack": "r1"}]
    rules = [("rack", "required", 2)]
    groups = [gang([0, 0, 1, 1], 2, rules=rules), bare(5, 4, wanted=2)]
    instance = with_running(make_instance(nodes, groups), [pod(n, group=0) for n in (0, 0, 1, 1)])
    assert back(instance, place(instance, [0, -1]), [0, 1]) == []
    assert back(instance, place(instance, [1, -1]), [0, 1]) == [(0, 1)]
    assert back(instance, place(instance, [0, 1]), [0, 1, 2, 3]) == []
    assert back(instance, place(instance, [0, -1]), [0, 1, 2, 3]) == [(2, 3)]


def test_of_a_tree_taken_whole_the_fewest_children_come_back() -> None:
    groups = [gang([g], 1, parent=0) for g in range(3)]
    nodes: list[Row] = [{"gpu": 0}] * 3
    instance = with_running(
        make_instance(nodes, [*groups, bare(5, 4, wanted=2)], [{"minimum": 2}]),
        [pod(g, group=g) for g in range(3)],
    )
    assert back(instance, place(instance, [0, 1]), [0, 1, 2]) == []
    assert back(instance, place(instance, [1, -1]), [0, 1, 2]) == [(0, 2)]
    assert back(instance, place(instance, [-1, -1]), [1]) == [(1,)]


def test_a_tree_that_falls_as_one_comes_back_as_one() -> None:
    groups = [gang([g], 1, parent=0) for g in range(2)]
    instance = with_running(
        make_instance([{"gpu": 0}] * 2, [*groups, bare(5, 4)], [{"minimum": 1}]),
        [pod(g, group=g, unit="tree") for g in range(2)],
    )
    assert back(instance, place(instance, [0]), [0]) == []
    assert back(instance, place(instance, [-1]), [0]) == [(0,)]


def test_kept_room_is_not_there_for_what_comes_back() -> None:
    kept: Row = {"node": 0, "priority": 5, "request": {"gpu": 4}}
    bare_one = make_instance([{"gpu": 4}], [bare(5, 4)])
    instance = with_running(bare_one, [pod()], reserved=[kept])
    assert back(instance, place(instance, [0]), [0]) == []
    assert back(instance, place(instance, [-1]), [0]) == [(0,)]
    lower = with_running(bare_one, [pod()], reserved=[{**kept, "priority": 4}])
    assert back(lower, place(lower, [0]), [0]) == [(0,)]


def test_a_pod_of_a_group_that_evicts_nobody_is_in_the_way() -> None:
    instance = with_running(
        make_instance([{"gpu": 4}], [bare(5, 4), bare(5, 4)]), [pod()], never=[0]
    )
    assert back(instance, place(instance, [0, 0]), [0]) == []
    assert back(instance, place(instance, [0, -1]), [0]) == [(0,)]


def held(hold: Row, *roles: int) -> Instance:
    """A running pod holds device 0 of node 0; new pods of priorities 5 and 0 ask a device."""
    devices: list[Row] = [
        {"node": 0, "gpu": True, "taken": True, "draws": {"slots": 2}},
        {"node": 0, "gpu": True, "draws": {"slots": 2}},
        {"node": 0, "net": True, "multi": True, "pots": {"rate": 1}},
    ]
    specs = [ask(("g", "gpu")), ask(("n", {"word": "net", "uses": {"rate": 2}}))]
    own = {0: [0], 1: [0], 2: [1]}
    shared: list[Row] = [{"nodes": [0], "roles": [3]}]
    groups = [bare(5, 0), bare(0, 0), bare(5, 0), bare(5, 0)]
    instance = with_devices(
        make_instance([{"gpu": 0}], groups), devices, specs, own, shared, counters={"slots": 1}
    )
    return with_running(instance, [pod(0, 0)], holds=[{"users": [0], **hold}])


def test_a_device_that_a_higher_priority_got_is_in_the_way() -> None:
    instance = held({"devices": [0]})
    nowhere = [-1, -1, -1, -1]
    assert back(instance, place(instance, nowhere), [0]) == [(0,)]
    higher = give(place(instance, [0, -1, -1, -1]), (0, 0, 0, 0))
    lower = give(place(instance, [-1, 0, -1, -1]), (1, 1, 0, 0))
    assert back(instance, higher, [0]) == []
    assert back(instance, lower, [0]) == [(0,)]
    assert back(instance, give(place(instance, [0, -1, -1, -1]), (0, 0, 0, 1)), [0]) == [(0,)]


def test_counters_and_pots_that_a_higher_priority_draws_from_are_in_the_way() -> None:
    counters = held({"devices": [0], "counters": {0: 2}})
    assert back(counters, give(place(counters, [0, -1, -1, -1]), (0, 0, 0, 1)), [0]) == []
    assert back(counters, give(place(counters, [-1, 0, -1, -1]), (1, 1, 0, 1)), [0]) == [(0,)]
    pots = held({"pots": {0: 2}})
    assert back(pots, give(place(pots, [-1, -1, 0, -1]), (2, 2, 1, 2)), [0]) == []
    spare = held({"pots": {0: 1}})
    assert back(spare, give(place(spare, [-1, -1, 0, -1]), (2, 2, 1, 2)), [0]) == []


def test_a_user_of_a_claim_that_new_pods_use_takes_nothing_back() -> None:
    instance = held({"devices": [0], "counters": {0: 2}, "shared": 0})
    assert back(instance, place(instance, [-1, -1, -1, 0]), [0]) == [(0,)]


def test_users_of_one_claim_take_its_counters_back_once() -> None:
    devices: list[Row] = [
        {"node": 0, "gpu": True, "taken": True, "draws": {"slots": 2}},
        {"node": 0, "gpu": True, "draws": {"slots": 2}},
    ]
    groups = [gang([0, 0], 2), bare(5, 0)]
    instance = with_devices(
        make_instance([{"gpu": 0}], groups), devices, [ask(("g", "gpu"))], {0: [0]},
        counters={"slots": 2},
    )  # fmt: skip
    pods = [pod(0, 0, group=0), pod(0, 0, group=0)]
    hold: Row = {"users": [0, 1], "devices": [0], "counters": {0: 2}}
    once = with_running(instance, pods, holds=[hold])
    plan = give(place(once, [0]), (0, 0, 0, 1))
    assert back(once, plan, [0, 1]) == [(0, 1)]
    one_each = [{"users": [u], "counters": {0: 1 + u}} for u in (0, 1)]
    twice = with_running(instance, pods, holds=one_each)
    assert back(twice, plan, [0, 1]) == [(0, 1)]
    less = replace(twice, devices=replace(twice.devices, counter_free=np.array([1])))
    assert back(less, plan, [0, 1]) == []


def test_a_search_that_runs_out_of_steps_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = [gang([0, 0, 1, 1], 3), bare(5, 4)]
    instance = with_running(
        make_instance([{"gpu": 0}, {"gpu": 0}], groups), [pod(n, group=0) for n in (0, 0, 1, 1)]
    )
    assert len(back(instance, place(instance, [0]), [0, 1, 2, 3])) == 1
    monkeypatch.setattr(search, "STEPS", 3)
    assert back(instance, place(instance, [0]), [0, 1, 2, 3]) == []


def test_the_victims_of_5000_nodes_are_looked_at_in_a_fraction_of_a_second() -> None:
    instance = generate("victims", nodes=5000)
    everybody = np.arange(len(instance.running), dtype=np.int64)
    plan = replace(empty_plan(instance), evicted=everybody)
    begin = process_time()
    found = returning(instance, plan)
    assert process_time() - begin < 1.0
    assert len(found) > 1000
