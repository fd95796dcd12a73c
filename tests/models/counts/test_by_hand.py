"""Cases from public reports, written as instances, with the answer worked out by hand."""

import pytest

from gangplan.models.counts.decode import decode, encode
from gangplan.models.counts.formulation import build
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan, plan_from_counts
from gangplan.models.tiers import tiers_of, value
from gangplan.models.verify.check import check
from tests.models.solve import best_plan
from tests.tiny import Row, make_instance


def solved(instance: Instance) -> tuple[Plan, dict[str, int]]:
    """Optimal plan and the value of each tier; the plan is verified."""
    tiers = tiers_of(instance)
    plan, values = best_plan(instance, tiers)
    assert not check(instance, plan)
    assert build(instance).milp.violated_rows(encode(build(instance), plan)).size == 0
    return plan, {tier.name: v for tier, v in zip(tiers, values, strict=True)}


def nodes_of(instance: Instance, plan: Plan, group: int) -> list[int]:
    mine = instance.roles.group[instance.pod_role] == group
    return sorted(plan.node[mine & (plan.node >= 0)].tolist())


def test_leaders_and_workers_of_two_replicas_get_the_nodes_that_suit_them() -> None:
    replica = {
        "minimum": 2,
        "roles": [
            {"request": {"cpu": 2, "gpu": 1}, "name": "worker"},
            {"request": {"cpu": 6, "gpu": 1}, "name": "leader"},
        ],
    }
    fat, thin = {"cpu": 8, "gpu": 1}, {"cpu": 4, "gpu": 1}
    instance = make_instance(nodes=[fat, fat, thin, thin], groups=[replica] * 3)
    plan, values = solved(instance)
    assert values["admitted(0)"] == 2
    role, node, _ = plan.counts(instance)
    assert {int(n) for k, n in zip(role, node, strict=True) if k % 2 == 0} == {2, 3}
    assert {int(n) for k, n in zip(role, node, strict=True) if k % 2 == 1} == {0, 1}


def test_running_members_count_towards_the_minimum() -> None:
    instance = make_instance(
        nodes=[{"gpu": 0}, {"gpu": 0}, {"gpu": 0}, {"gpu": 8}],
        groups=[
            {"priority": 10, "minimum": 3, "running": [0, 1], "request": {"gpu": 8}},
            {"priority": 0, "request": {"gpu": 8}},
        ],
    )
    plan, values = solved(instance)
    assert plan.node.tolist() == [3, -1]
    assert (values["admitted(10)"], values["admitted(0)"]) == (1, 0)


def test_a_gang_that_cannot_be_placed_holds_nothing() -> None:
    small = {"request": {"gpu": 4}}
    big = {"priority": 100, "minimum": 3, "wanted": 3, "request": {"gpu": 4}}
    instance = make_instance(nodes=[{"gpu": 4}] * 2, groups=[big, small, small])
    plan, _ = solved(instance)
    assert plan.placed_per_role(instance).tolist() == [0, 1, 1]
    assert build(instance).pairs.closed.tolist() == [True, False, False]


def test_running_members_fix_the_rack() -> None:
    instance = make_instance(
        nodes=[
            {"gpu": g, "rack": r} for r, g in zip("aaabbbb", (0, 0, 8, 8, 8, 8, 8), strict=True)
        ],
        groups=[
            {
                "minimum": 2,
                "running": [0, 1],
                "wanted": 2,
                "request": {"gpu": 8},
                "rules": [("rack", "required")],
            }
        ],
    )
    plan, values = solved(instance)
    assert nodes_of(instance, plan, 0) == [2]
    assert values["elastic(0)"] == 1


def test_preferred_levels_take_the_fewest_leaves_and_one_spine() -> None:
    where = [("s0", "l0"), ("s0", "l0"), ("s1", "l2"), ("s0", "l1"), ("s1", "l2"), ("s0", "l1")]
    instance = make_instance(
        nodes=[{"gpu": 8, "spine": s, "leaf": leaf} for s, leaf in where],
        groups=[
            {
                "minimum": 4,
                "wanted": 4,
                "request": {"gpu": 8},
                "rules": [("spine", "preferred"), ("leaf", "preferred")],
            }
        ],
    )
    plan, values = solved(instance)
    assert nodes_of(instance, plan, 0) == [0, 1, 3, 5]
    assert values["preferred"] == 1


def test_a_required_block_and_a_preferred_rack_for_two_gangs() -> None:
    where = [("b1", "r1"), ("b1", "r1"), ("b1", "r2"), ("b1", "r2"), *[("b2", "r3")] * 3]
    rules = [("block", "required"), ("rack", "preferred")]
    gangs = [{"minimum": n, "wanted": n, "request": {"gpu": 8}, "rules": rules} for n in (3, 4)]
    instance = make_instance(
        nodes=[{"gpu": 8, "block": b, "rack": r} for b, r in where], groups=gangs
    )
    plan, values = solved(instance)
    assert nodes_of(instance, plan, 0) == [4, 5, 6]
    assert nodes_of(instance, plan, 1) == [0, 1, 2, 3]
    assert values["preferred"] == 1


def test_slices_of_two_inside_one_block() -> None:
    racks = ["1a", "1a", "1a", "1b", "2a", "2a", "2b", "2b"]
    instance = make_instance(
        nodes=[{"gpu": 8, "block": rack[0], "rack": rack} for rack in racks],
        groups=[
            {
                "minimum": 4,
                "wanted": 4,
                "request": {"gpu": 8},
                "rules": [("block", "required"), ("rack", "required", 2)],
            }
        ],
    )
    plan, _ = solved(instance)
    assert nodes_of(instance, plan, 0) == [4, 5, 6, 7]


def pod_slots(rules: list[tuple[str, str]]) -> Instance:
    roles: list[Row] = [
        {"request": {"cpu": 1, "pods": 1}},
        {"request": {"gpu": 1, "pods": 1}, "wanted": 2},
    ]
    return make_instance(
        nodes=[
            {"cpu": 16, "gpu": 8, "pods": 1, "host": "n1"},
            {"cpu": 16, "gpu": 8, "pods": 2, "host": "n2"},
        ],
        groups=[{"minimum": 3, "roles": roles, "rules": rules}],
    )


def test_two_roles_share_the_pod_slots_of_a_node() -> None:
    plan, _ = solved(pod_slots([]))
    assert sorted(plan.node.tolist()) == [0, 1, 1]
    plan, _ = solved(pod_slots([("host", "required")]))
    assert plan.node.tolist() == [-1, -1, -1]


def test_a_composite_in_one_block_with_each_child_in_one_rack() -> None:
    child = {"minimum": 2, "wanted": 2, "request": {"gpu": 8}, "parent": 0}
    racks = ["1a", "1a", "1b", "2a", "2a", "2b", "2b"]
    instance = make_instance(
        nodes=[{"gpu": 8, "block": rack[0], "rack": rack} for rack in racks],
        groups=[child | {"rules": [("rack", "required")]}] * 2,
        composites=[{"minimum": 2, "rules": [("block", "required")]}],
    )
    plan, values = solved(instance)
    assert values["admitted(0)"] == 1
    assert sorted(plan.node.tolist()) == [3, 4, 5, 6]


def test_levels_that_cross_are_partitions_of_their_own() -> None:
    where = [("b0", "z0"), ("b0", "z1"), ("b1", "z1"), ("b1", "z1")]
    both = {"request": {"gpu": 8}, "rules": [("block", "required"), ("zone", "required")]}
    instance = make_instance(
        nodes=[{"gpu": 8, "block": b, "zone": z} for b, z in where],
        groups=[both | {"minimum": 2, "wanted": 2}, both | {"minimum": 2, "wanted": 2}],
    )
    plan, values = solved(instance)
    assert values["admitted(0)"] == 1
    assert {2, 3} == set(plan.node[plan.node >= 0].tolist())


def test_an_unfinished_slice_of_running_members_is_completed_first() -> None:
    instance = make_instance(
        nodes=[{"gpu": 1, "rack": "r0"}, {"gpu": 4, "rack": "r1"}],
        groups=[
            {
                "minimum": 1,
                "running": [0],
                "wanted": 4,
                "request": {"gpu": 1},
                "rules": [("rack", "required", 2)],
            }
        ],
    )
    plan, values = solved(instance)
    assert values["elastic(0)"] == 3
    assert sorted(plan.node.tolist()) == [-1, 0, 1, 1]


def test_members_in_two_domains_cost_only_once_pods_are_placed() -> None:
    member = {"minimum": 1, "running": [0, 1], "request": {"gpu": 8}}
    nodes = [{"gpu": 0, "rack": "r0"}, {"gpu": 0, "rack": "r1"}, {"gpu": 8, "rack": "r2"}]
    instance = make_instance(nodes, [member | {"rules": [("rack", "preferred")]}])
    _, values = solved(instance)
    assert (values["elastic(0)"], values["preferred"]) == (1, 2)


def test_nodes_without_the_label_are_domains_of_their_own() -> None:
    pods = {"minimum": 3, "wanted": 3, "request": {"gpu": 8}, "rules": [("rack", "preferred")]}
    instance = make_instance([{"gpu": 8, "rack": "r0"}, {"gpu": 8}, {"gpu": 8}], [pods])
    assert solved(instance)[1]["preferred"] == 2


def test_shares_and_whole_devices_get_devices_of_their_own() -> None:
    instance = make_instance(
        nodes=[{"shared": [1000, 1000, 400]}],
        groups=[
            {"priority": 2, "whole": 1},
            {"priority": 1, "kind": "basic", "wanted": 4, "share": 400},
        ],
        device_unit=1000,
    )
    plan, values = solved(instance)
    assert (values["admitted(2)"], values["admitted(1)"]) == (1, 3)
    used = dict(zip(plan.device_pod.tolist(), plan.device.tolist(), strict=True))
    assert used[0] in (0, 1)
    assert sorted(used.values()).count(used[0]) == 1


def test_an_opened_node_is_counted_once() -> None:
    pods = {"minimum": 2, "wanted": 2, "request": {"gpu": 4}}
    instance = make_instance([{"gpu": 8}, {"gpu": 4, "intact": False}, {"gpu": 8}], [pods])
    assert solved(instance)[1]["fragmentation"] == 1


@pytest.mark.parametrize("node", [0, 1])
def test_a_plan_decodes_to_itself(node: int) -> None:
    instance = make_instance([{"gpu": 8}] * 2, [{"request": {"gpu": 8}, "wanted": 1}])
    model = build(instance)
    one = plan_from_counts(
        instance,
        *(instance.pod_start[:1], instance.pod_start[:1] + node, instance.pod_start[:1] + 1),
    )
    again = decode(model, encode(model, one))
    assert again.node.tolist() == [node]
    assert value(instance, again, tiers_of(instance)[0]) == 1
