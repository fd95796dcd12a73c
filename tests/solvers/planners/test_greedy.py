"""What a good greedy planner gets right: the easy cases, each of them by hand."""

import numpy as np
import pytest

from gangplan.datasets.generate import generate
from gangplan.models.instance import Instance
from gangplan.models.result import COUNTING
from gangplan.models.tiers import tiers_of, values
from gangplan.models.verify.check import check
from gangplan.solvers.base import Limits, Planner
from gangplan.solvers.planners.greedy import Greedy, greedy_plan, runs
from gangplan.solvers.planners.greedy.attempt import run
from gangplan.solvers.planners.greedy.book import book_of
from gangplan.solvers.planners.greedy.orders import units_of
from gangplan.solvers.planners.greedy.style import Style
from tests.tiny import make_instance


def placed(instance: Instance, objective: str = "groups") -> list[int]:
    """(G,) new pods of each group in a plan that has been checked."""
    plan = greedy_plan(instance, tiers_of(instance, objective))
    assert check(instance, plan) == ()
    by_role = plan.placed_per_role(instance)
    return [int(by_role[instance.roles_of(g)].sum()) for g in range(len(instance.groups))]


def test_leaders_that_fit_few_nodes_leave_the_others_to_the_workers() -> None:
    fat, thin = {"cpu": 8, "gpu": 1}, {"cpu": 4, "gpu": 1}
    replica = {
        "minimum": 2,
        "roles": [{"request": {"cpu": 2, "gpu": 1}}, {"request": {"cpu": 6, "gpu": 1}}],
    }
    assert sorted(placed(make_instance([fat, fat, thin, thin], [replica] * 3))) == [0, 2, 2]


def test_roles_get_another_order_where_the_first_one_fails() -> None:
    """The role with more devices may use both nodes, the lighter one only the tighter node."""
    group = {
        "minimum": 2,
        "roles": [
            {"request": {"gpu": 2}},
            {"request": {"gpu": 1}, "eligible": [0]},
        ],
    }
    assert placed(make_instance([{"gpu": 2}, {"gpu": 3}], [group])) == [2]


def test_a_gang_that_does_not_fit_holds_nothing() -> None:
    big = {"priority": 9, "wanted": 3, "minimum": 3, "request": {"gpu": 4}}
    small = {"request": {"gpu": 4}}
    assert placed(make_instance([{"gpu": 4}, {"gpu": 4}], [big, small, small])) == [0, 1, 1]


def test_running_members_count_towards_the_minimum() -> None:
    group = {"wanted": 1, "minimum": 3, "running": [0, 0], "request": {"gpu": 8}}
    late = {"request": {"gpu": 8}}
    instance = make_instance([{"gpu": 0}, {"gpu": 8}], [group | {"priority": 1}, late])
    assert placed(instance) == [1, 0]


def test_elastic_pods_come_after_every_minimum() -> None:
    stretchy = {"priority": 5, "wanted": 4, "minimum": 1, "request": {"gpu": 1}}
    rigid = {"priority": 0, "wanted": 2, "minimum": 2, "request": {"gpu": 1}}
    assert placed(make_instance([{"gpu": 4}], [stretchy, rigid])) == [2, 2]


def test_a_gang_that_stands_only_grows() -> None:
    stands = {"wanted": 3, "minimum": 1, "running": [0], "request": {"gpu": 1}}
    assert placed(make_instance([{"gpu": 2}], [stands])) == [2]


def test_a_role_keeps_its_own_minimum() -> None:
    group = {
        "minimum": 2,
        "roles": [
            {"name": "leader", "minimum": 1, "request": {"gpu": 2}},
            {"name": "worker", "wanted": 3, "request": {"gpu": 1}},
        ],
    }
    assert placed(make_instance([{"gpu": 1}, {"gpu": 1}], [group])) == [0]
    assert placed(make_instance([{"gpu": 2}, {"gpu": 2}], [group])) == [3]


def test_required_levels_that_cross_are_met_together() -> None:
    nodes = [
        {"gpu": 1, "rack": "r0", "zone": "z0"},
        {"gpu": 1, "rack": "r0", "zone": "z1"},
        {"gpu": 1, "rack": "r1", "zone": "z1"},
        {"gpu": 1, "rack": "r1", "zone": "z1"},
    ]
    rules = [("rack", "required"), ("zone", "required")]
    group = {"wanted": 2, "minimum": 2, "request": {"gpu": 1}, "rules": rules}
    instance = make_instance(nodes, [group, group])
    assert sorted(placed(instance)) == [0, 2]


def test_the_tightest_rack_that_holds_a_gang_is_taken() -> None:
    racks = ["wide", "wide", "narrow", "broad", "broad"]
    nodes = [{"gpu": 4, "rack": rack} for rack in racks]
    rules = [("rack", "required")]
    small = {"priority": 1, "wanted": 4, "minimum": 4, "request": {"gpu": 1}, "rules": rules}
    large = {"wanted": 2, "minimum": 2, "request": {"gpu": 4}, "rules": rules}
    assert placed(make_instance(nodes, [small, large, large])) == [4, 2, 2]


def test_elastic_pods_stay_in_the_rack_of_the_others() -> None:
    nodes = [{"gpu": 2, "rack": "r0"}, {"gpu": 3, "rack": "r1"}]
    rules = [("rack", "required")]
    group = {"wanted": 4, "minimum": 1, "request": {"gpu": 1}, "rules": rules}
    assert placed(make_instance(nodes, [group])) == [3]


def test_slices_are_whole_in_each_rack() -> None:
    nodes = [{"gpu": 3, "rack": "r0"}, {"gpu": 3, "rack": "r1"}]
    group = {"wanted": 6, "minimum": 4, "request": {"gpu": 1}, "rules": [("rack", "required", 2)]}
    assert placed(make_instance(nodes, [group])) == [4]


def test_a_begun_slice_is_completed_where_its_members_run() -> None:
    nodes = [{"gpu": 1, "rack": "r0"}, {"gpu": 4, "rack": "r1"}]
    group = {
        "wanted": 3,
        "minimum": 4,
        "running": [0],
        "request": {"gpu": 1},
        "rules": [("rack", "required", 2)],
    }
    instance = make_instance(nodes, [group])
    assert placed(instance) == [3]
    assert placed(make_instance([nodes[0] | {"gpu": 0}, nodes[1]], [group])) == [0]


def test_children_of_a_composite_share_its_domain() -> None:
    nodes = [{"gpu": 2, "block": "b0"}, {"gpu": 3, "block": "b1"}, {"gpu": 1, "block": "b1"}]
    child = {"wanted": 2, "minimum": 2, "request": {"gpu": 1}, "parent": 0}
    tree = {"minimum": 2, "rules": [("block", "required")]}
    instance = make_instance(nodes, [child, child], [tree])
    plan = greedy_plan(instance, tiers_of(instance))
    assert placed(instance) == [2, 2]
    assert set(plan.node.tolist()) == {1, 2}


def test_a_composite_that_lacks_a_child_places_nothing() -> None:
    child = {"wanted": 2, "minimum": 2, "request": {"gpu": 1}, "parent": 0}
    other = {"wanted": 1, "request": {"gpu": 1}}
    instance = make_instance([{"gpu": 3}], [child, child, other], [{"minimum": 2}])
    assert placed(instance) == [0, 0, 1]


def test_further_children_join_an_admitted_composite_last() -> None:
    child = {"wanted": 2, "minimum": 2, "request": {"gpu": 1}, "parent": 0}
    other = {"wanted": 1, "request": {"gpu": 1}}
    instance = make_instance([{"gpu": 5}], [child, child, other], [{"minimum": 1}])
    assert placed(instance) == [2, 2, 1]
    tight = make_instance([{"gpu": 4}], [child, child, other], [{"minimum": 1}])
    assert placed(tight)[2] == 1


def test_bare_pods_are_placed_one_by_one_and_basic_ones_stay_together() -> None:
    nodes = [{"gpu": 2, "rack": "r0"}, {"gpu": 3, "rack": "r1"}]
    bare = {"kind": "bare", "wanted": 9, "request": {"gpu": 1}}
    assert placed(make_instance(nodes, [bare])) == [5]
    basic = bare | {"kind": "basic", "rules": [("rack", "required")]}
    assert placed(make_instance(nodes, [basic])) == [3]


def test_preferred_levels_use_few_domains() -> None:
    nodes = [{"gpu": 1, "rack": "r0"}, {"gpu": 2, "rack": "r1"}, {"gpu": 2, "rack": "r1"}]
    group = {"wanted": 4, "minimum": 4, "request": {"gpu": 1}, "rules": [("rack", "preferred")]}
    instance = make_instance(nodes, [group])
    plan = greedy_plan(instance, tiers_of(instance))
    assert placed(instance) == [4]
    assert set(plan.node.tolist()) == {1, 2}


def test_parts_go_to_begun_devices_and_leave_whole_ones_empty() -> None:
    part = {"priority": 1, "request": {}, "share": 400}
    whole = {"request": {}, "whole": 1}
    instance = make_instance([{"shared": [1000, 500]}], [part, whole], device_unit=1000)
    plan = greedy_plan(instance, tiers_of(instance))
    assert placed(instance) == [1, 1]
    assert plan.device.tolist() == [1, 0]


def test_held_groups_place_nothing() -> None:
    group = {"request": {"gpu": 1}}
    instance = make_instance([{"gpu": 4}], [group | {"held": True}, group])
    assert placed(instance) == [0, 1]
    result = Greedy().plan(instance, Limits())
    assert result.reasons == {0: "held by the test"}


def test_more_groups_count_more_than_large_ones_unless_devices_are_asked_for() -> None:
    small = {"request": {"gpu": 1}}
    large = {"wanted": 3, "minimum": 3, "request": {"gpu": 1}}
    instance = make_instance([{"gpu": 3}], [large, small, small])
    assert placed(instance) == [0, 1, 1]
    assert placed(instance, "gpus") == [3, 0, 0]


def test_an_empty_cluster_and_an_empty_queue_give_empty_plans() -> None:
    assert placed(generate("racks", nodes=18, groups=0)) == []
    group = {"request": {"gpu": 1}}
    assert placed(make_instance([], [group])) == [0]


def test_a_minimised_tier_at_zero_is_proven_and_one_above_it_has_a_bound() -> None:
    roomy = make_instance(nodes=[{"gpu": 4}], groups=[{"request": {"gpu": 0}}])
    result = Greedy().plan(roomy)
    assert result.stop == "optimal"
    assert {report.proof for report in result.tiers} == {COUNTING}
    opened = make_instance(nodes=[{"gpu": 4}], groups=[{"request": {"gpu": 1}}])
    result = Greedy().plan(opened)
    last = result.tiers[-1]
    assert (last.value, last.bound, last.proof, last.proven) == (1, 0, COUNTING, False)
    assert result.stop == "feasible"


def test_the_planner_reports_exact_values_and_bounds_by_counting() -> None:
    planner: Planner = Greedy("weighted-gpus")
    instance = generate("training", nodes=64, groups=20, seed=4)
    result = planner.plan(instance, Limits())
    (report,) = result.tiers
    assert planner.name == "greedy"
    assert report.value == values(instance, result.plan, tiers_of(instance, "weighted-gpus"))[0]
    assert report.proof == COUNTING
    assert report.bound is not None
    assert report.bound >= report.value
    assert result.stop == ("optimal" if report.bound == report.value else "feasible")
    assert set(result.seconds) == {"solve", "verify", "bound"}


def test_a_plan_that_meets_every_count_is_proven() -> None:
    instance = make_instance([{"gpu": 4}], [{"wanted": 4, "minimum": 4, "request": {"gpu": 1}}])
    result = Greedy("gpus").plan(instance, Limits())
    assert [report.proven for report in result.tiers][:3] == [True, True, True]


@pytest.mark.parametrize(
    ("name", "floor"),
    [("training-5k", 92_436), ("racks-5k", 42_400), ("vectors-512", 5_566), ("vectors-5k", 56_900)],
)
def test_presets_are_packed_well_by_the_first_run(name: str, floor: int) -> None:
    instance = generate(name)
    tiers = tiers_of(instance, "weighted-gpus")
    plan = greedy_plan(instance, tiers, seconds=1e-9)
    assert check(instance, plan) == ()
    assert values(instance, plan, tiers)[0] >= floor


def test_repacking_admits_more_and_undoes_what_pays_less() -> None:
    instance = generate("vectors", nodes=128)
    tiers = tiers_of(instance, "weighted-gpus")
    book = book_of(instance)
    units = units_of(book, tiers)
    once, _ = run(book, units, Style())
    repacked, failed = run(book, units, Style(), repack=(False, float("inf")))
    assert check(instance, repacked) == ()
    assert values(instance, repacked, tiers) > values(instance, once, tiers)
    placed = repacked.placed_per_role(instance)
    assert {u.number for u in failed} == set(instance.roles.group[placed == 0].tolist())


def test_two_runs_give_the_same_plan() -> None:
    instance = generate("vectors", nodes=64)
    tiers = tiers_of(instance, "gpus")
    first, second = (greedy_plan(instance, tiers, seconds=60.0) for _ in range(2))
    assert np.array_equal(first.node, second.node)


def test_a_first_run_that_is_cut_off_gives_a_plan_that_keeps_the_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = generate("victims", nodes=256, seed=1)
    tiers = tiers_of(instance)
    admitted = []
    for least in (0.0, 0.02, 0.05, 60.0):
        monkeypatch.setattr(runs, "LEAST", least)
        plan = greedy_plan(instance, tiers, seconds=1e-9, most=0.0)
        assert not check(instance, plan)
        admitted.append(values(instance, plan, tiers)[0])
    assert admitted[0] == 0 < admitted[-1]
