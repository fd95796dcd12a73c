"""What a part takes along, what it holds, and what it refuses."""

from dataclasses import replace
from time import process_time

import numpy as np
import pytest

from gangplan.datasets.generate import generate
from gangplan.models.errors import FormulationError, InstanceError
from gangplan.models.instance import Instance
from gangplan.models.part import Part, inside, joined, part_of
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.verify import check
from tests.placing import place
from tests.tiny import make_instance
from tests.tiny_running import with_running

TWO = [{"gpu": 8, "rack": "r0"}, {"gpu": 8, "rack": "r1"}]


def cut(instance: Instance, plan: Plan, nodes: list[int], groups: list[int]) -> Part:
    return part_of(instance, plan, np.array(nodes), np.array(groups, dtype=np.int64))


def test_everything_is_a_part_of_itself() -> None:
    instance = make_instance(
        [*TWO, {"gpu": 4, "shared": [1000, 400]}],
        [
            {"request": {"gpu": 2}, "wanted": 3, "rules": [("rack", "required")]},
            {"kind": "bare", "request": {"gpu": 1}, "wanted": 2, "priority": 3},
            {"parent": 0, "request": {"gpu": 1}},
        ],
        [{"rules": [("rack", "preferred")]}],
    )
    part = cut(instance, empty_plan(instance), [2, 0, 1, 1], [2, 1, 0])
    assert part.instance.digest() == instance.digest()


def test_what_others_have_is_not_free() -> None:
    instance = make_instance(
        TWO, [{"request": {"gpu": 3}}, {"request": {"gpu": 5}}, {"request": {"gpu": 5}}]
    )
    part = cut(instance, place(instance, [0, 1, -1]), [0], [2])
    assert part.instance.nodes.free.tolist() == [[5]]
    assert not part.instance.nodes.intact[0]
    assert part.groups.tolist() == [2]
    whole = joined(instance, place(instance, [0, 1, -1]), part, place(part.instance, [0]))
    assert whole.node.tolist() == [0, 1, 0]


def test_a_gang_with_pods_elsewhere_is_no_candidate() -> None:
    instance = make_instance(TWO, [{"request": {"gpu": 3}, "wanted": 2}, {"request": {"gpu": 1}}])
    plan = place(instance, [0, 1, -1])
    assert inside(instance, plan, np.array([0])).tolist() == [False, True]
    with pytest.raises(FormulationError, match="group test/g0: has pods on nodes"):
        cut(instance, plan, [0], [0])


def test_of_a_bare_group_the_pods_elsewhere_stay_there() -> None:
    bare = {"kind": "bare", "request": {"gpu": 1}, "wanted": 3}
    instance = make_instance(TWO, [bare])
    plan = place(instance, [1, 0, -1])
    assert inside(instance, plan, np.array([0])).all()
    part = cut(instance, plan, [0], [0])
    assert part.pods.tolist() == [1, 2]
    assert part.start.node.tolist() == [0, -1]
    whole = joined(instance, plan, part, place(part.instance, [-1, 0]))
    assert whole.node.tolist() == [1, -1, 0]


def test_a_basic_group_with_a_rule_is_not_cut() -> None:
    basic = {"kind": "basic", "request": {"gpu": 1}, "wanted": 2, "rules": [("rack", "preferred")]}
    instance = make_instance(TWO, [basic])
    assert not inside(instance, place(instance, [0, 1]), np.array([0])).any()
    assert inside(instance, place(instance, [0, 0]), np.array([0])).all()


def test_a_tree_is_in_the_part_or_not() -> None:
    child = {"parent": 0, "request": {"gpu": 1}}
    instance = make_instance(TWO, [child, child], [{}])
    assert not inside(instance, place(instance, [0, 1]), np.array([0])).any()
    with pytest.raises(FormulationError, match="composite test/h0: a part has the whole tree"):
        cut(instance, empty_plan(instance), [0], [0])


def test_held_groups_are_no_candidates_unless_their_tree_is() -> None:
    instance = make_instance(
        TWO,
        [
            {"request": {"gpu": 1}, "held": True},
            {"parent": 0, "request": {"gpu": 1}, "held": True},
            {"parent": 0, "request": {"gpu": 1}},
        ],
        [{}],
    )
    nodes = np.array([0])
    assert inside(instance, empty_plan(instance), nodes).tolist() == [False, True, True]
    part = cut(instance, empty_plan(instance), [0], [1, 2])
    assert part.instance.groups.held.tolist() == [True, False]


def test_members_elsewhere_still_fix_the_domain() -> None:
    group = {"request": {"gpu": 1}, "running": [1], "minimum": 2, "rules": [("rack", "required")]}
    instance = make_instance(TWO, [group])
    part = cut(instance, empty_plan(instance), [0], [0])
    assert part.instance.names.domains == ("r0", "r1")
    assert check(part.instance, place(part.instance, [0]))


def test_shared_devices_are_what_others_leave() -> None:
    instance = make_instance(
        [{"shared": [1000]}, {"shared": [1000, 700]}],
        [{"share": 300}, {"share": 300}, {"whole": 1}],
        device_unit=1000,
    )
    plan = place(instance, [1, -1, 1], {0: [2], 2: [1]})
    part = cut(instance, plan, [1], [1, 2])
    assert part.instance.shared.free.tolist() == [1000, 400]
    assert part.shared.tolist() == [1, 2]
    better = place(part.instance, [0, 0], {0: [1], 1: [0]})
    whole = joined(instance, plan, part, better)
    assert whole.device_pod.tolist() == [0, 1, 2]
    assert whole.device.tolist() == [2, 2, 1]
    assert not check(instance, whole)


def test_numbers_out_of_range_are_an_error() -> None:
    instance = make_instance(TWO, [{"request": {"gpu": 1}}])
    with pytest.raises(InstanceError, match="nodes of a part: 2 is out of range, there are 2"):
        cut(instance, empty_plan(instance), [2], [])
    with pytest.raises(InstanceError, match="groups of a part: -1 is below 0"):
        cut(instance, empty_plan(instance), [0], [-1])


def test_a_part_may_have_no_nodes_or_no_groups() -> None:
    instance = make_instance(TWO, [{"request": {"gpu": 1}}])
    plan = place(instance, [0])
    assert len(cut(instance, plan, [], []).instance.nodes) == 0
    alone = cut(instance, plan, [0, 1], [])
    assert alone.instance.n_pods == 0
    assert joined(instance, plan, alone, alone.start).node.tolist() == [0]


def full(**more: object) -> Instance:
    """Two full nodes of 8 GPUs, on which one gang runs, and two gangs that wait."""
    waiting = {"name": "new", "priority": 9, "request": {"gpu": 4}, "wanted": 1}
    old = {"name": "old", "minimum": 1, "running": [0, 0, 1, 1], "roles": []}
    return with_running(
        make_instance(
            nodes=[{"gpu": 0, "rack": "r0"}, {"gpu": 0, "rack": "r1"}],
            groups=[waiting, old | more, waiting | {"name": "too"}],
        ),
        pods=[{"node": n, "request": {"gpu": 4}, "group": 1} for n in (0, 0, 1, 1)],
        budgets=[{"allowed": 2, "pods": [0, 1, 2, 3]}],
    )


def test_evictions_elsewhere_count_for_floors_and_budgets() -> None:
    instance = full()
    plan = replace(place(instance, [1, -1]), evicted=np.array([2]))
    part = cut(instance, plan, [0], [2])
    running = part.instance.running
    assert part.units.tolist() == [0, 1]
    assert part.groups.tolist() == [1, 2]
    assert part.instance.groups.running.tolist() == [3, 0]
    assert (running.floor_running.tolist(), running.floor_least.tolist()) == ([3], [1])
    assert running.budget_allowed.tolist() == [1]
    better = replace(place(part.instance, [0]), evicted=np.array([1]))
    whole = joined(instance, plan, part, better)
    assert whole.evicted.tolist() == [1, 2]
    assert not check(instance, whole)


def test_who_fell_for_others_that_stay_does_not_come_back() -> None:
    instance = full()
    plan = replace(place(instance, [1, -1]), evicted=np.array([2]))
    part = cut(instance, plan, [1], [2])
    assert part.units.tolist() == [3]
    assert part.instance.nodes.free.tolist() == [[0]]
    # Once the group it fell for is a candidate, the unit is open as well.
    assert cut(instance, plan, [1], [0, 2]).units.tolist() == [2, 3]
    assert cut(instance, plan, [1], [0, 2]).start.evicted.tolist() == [0]


def test_a_group_that_loses_a_slice_elsewhere_loses_nothing_here() -> None:
    instance = full(rules=[("rack", "required", 2)])
    plan = replace(place(instance, [1, -1]), evicted=np.array([2, 3]))
    assert not len(cut(instance, plan, [0], [2]).units)


def test_a_unit_with_pods_elsewhere_falls_as_one() -> None:
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 0}, {"gpu": 0}],
            groups=[
                {"priority": 9, "request": {"gpu": 4}},
                {"running": [0, 1], "minimum": 2, "roles": []},
            ],
        ),
        pods=[{"node": n, "request": {"gpu": 4}, "group": 1, "unit": "one"} for n in (0, 1)],
    )
    part = cut(instance, empty_plan(instance), [0], [0])
    assert part.instance.running.pod_node.tolist() == [0, -1]
    assert part.instance.running.pod_devices.tolist() == [4, 4]
    better = replace(place(part.instance, [0]), evicted=np.array([0]))
    assert not check(part.instance, better)
    plan = joined(instance, empty_plan(instance), part, better)
    assert not check(instance, plan)
    # Evicted for somebody here, with pods elsewhere: it stays evicted, and its room is free.
    again = cut(instance, plan, [1], [])
    assert not len(again.units)
    assert again.instance.nodes.free.tolist() == [[4]]


def test_whoever_gains_elsewhere_loses_nothing_here() -> None:
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 0}, {"gpu": 4}],
            groups=[
                {"priority": 9, "request": {"gpu": 4}},
                {"running": [0], "minimum": 1, "request": {"gpu": 4}},
            ],
        ),
        pods=[{"node": 0, "request": {"gpu": 4}, "group": 1}],
    )
    assert not len(cut(instance, place(instance, [-1, 1]), [0], [0]).units)
    assert len(cut(instance, empty_plan(instance), [0], [0]).units) == 1


def test_who_evicts_nobody_is_no_candidate_where_somebody_falls() -> None:
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 0}, {"gpu": 4}],
            groups=[{"priority": 9, "request": {"gpu": 4}}, {"priority": 9, "request": {"gpu": 1}}],
        ),
        pods=[{"node": 0, "request": {"gpu": 4}}],
        never=[1],
    )
    plan = replace(place(instance, [0, -1]), evicted=np.array([0]))
    assert inside(instance, plan, np.array([0])).tolist() == [True, False]
    assert inside(instance, plan, np.array([1])).tolist() == [False, True]
    with pytest.raises(FormulationError, match="group test/g1: evicts nobody"):
        cut(instance, plan, [0], [1])


def test_kept_room_is_less_what_others_have_of_it() -> None:
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 8}],
            groups=[
                {"priority": 9, "request": {"gpu": 3}},
                {"priority": 5, "request": {"gpu": 2}},
                {"priority": 5, "request": {"gpu": 4}},
            ],
        ),
        pods=[],
        reserved=[{"node": 0, "priority": 5, "request": {"gpu": 4}}],
    )
    plan = place(instance, [0, -1, -1])
    part = cut(instance, plan, [0], [1, 2])
    assert part.instance.reserved.request.tolist() == [[1]]
    for nodes in ([0, -1], [-1, 0], [0, 0]):
        whole = joined(instance, plan, part, place(part.instance, nodes))
        broken = check(part.instance, place(part.instance, nodes))
        assert bool(broken) == bool(check(instance, whole))


def test_a_cut_of_a_large_cluster_costs_little() -> None:
    instance = generate("training-5k")
    plan, nodes = empty_plan(instance), np.arange(1024, 1152)
    groups = np.flatnonzero(inside(instance, plan, nodes))[:300]
    seconds = []
    for _ in range(5):
        begin = process_time()
        part = part_of(instance, plan, nodes, groups)
        joined(instance, plan, part, part.start)
        seconds.append(process_time() - begin)
    assert min(seconds) < 0.05  # 3 ms on an idle core
