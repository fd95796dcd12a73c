"""The cost twins: rank, preferred and fragmentation."""

import pytest

from gangplan.models import tiers
from gangplan.models.verify import check, fragmentation, preferred, rank
from gangplan.models.verify.objective import recount
from tests.placing import give, place
from tests.tiny import Row, make_instance
from tests.tiny_devices import with_devices

NODES: list[Row] = [
    {"gpu": 8, "rack": "r0"},
    {"gpu": 8, "rack": "r1"},
    {"gpu": 8},
    {"gpu": 8},
    {"gpu": 4, "rack": "r1", "intact": False},
]


@pytest.mark.parametrize(
    ("nodes", "cost"),
    [
        ([-1, -1, -1], 0),
        ([0, 0, 0], 0),
        ([0, 1, 4], 1),
        ([1, 4, -1], 0),
        ([0, 2, 3], 2),
        ([2, 2, -1], 0),
    ],
)
def test_domains_beyond_the_first_are_counted(nodes: list[int], cost: int) -> None:
    group = {"wanted": 3, "rules": [("rack", "preferred")]}
    instance = make_instance(NODES, [group])
    plan = place(instance, nodes)
    assert preferred.recount(instance, plan) == cost
    assert check(instance, plan) == ()


def test_domains_of_running_members_are_in_use_once_the_owner_places() -> None:
    group = {"running": [0], "minimum": 1, "rules": [("rack", "preferred")]}
    instance = make_instance(NODES, [group])
    assert preferred.recount(instance, place(instance, [-1])) == 0
    assert preferred.recount(instance, place(instance, [0])) == 0
    assert preferred.recount(instance, place(instance, [1])) == 1


def test_a_preferred_rule_of_a_composite_counts_all_groups_below_it() -> None:
    groups: list[Row] = [{"parent": 0}, {"parent": 0}]
    instance = make_instance(NODES, groups, [{"rules": [("rack", "preferred")]}])
    assert preferred.recount(instance, place(instance, [0, 1])) == 1


def test_intact_nodes_that_get_a_pod_with_devices_are_counted_once() -> None:
    groups: list[Row] = [{"wanted": 4, "request": {"gpu": 1}}, {"request": {"cpu": 0}}]
    instance = make_instance(NODES, groups)
    plan = place(instance, [0, 0, 1, 4, 3])
    assert fragmentation.recount(instance, plan) == 2
    assert check(instance, plan) == ()


def test_ranks_of_the_choices_taken_add_up_over_pods_requests_and_shared_claims() -> None:
    devices = [{"node": 0, "gpu": True} for _ in range(8)]
    ways = [{"word": "gpu", "count": n, "name": f"w{n}"} for n in (3, 2, 1)]
    specs = [{"requests": [("a", *ways), ("b", *ways)]}, {"requests": [("c", *ways)]}]
    instance = with_devices(
        make_instance(NODES, [{"wanted": 2}]), devices, specs, {0: [1]}, [{"roles": [0], "spec": 0}]
    )
    assert [tier.kind for tier in tiers.tiers_of(instance)][-3:] == [
        *("rank", "preferred", "fragmentation")
    ]
    first = give(place(instance, [0, -1]), *((-1, 0, 0, i) for i in range(3)), (-1, 0, 5, 3))
    assert rank.recount(instance, first) == 2
    shared = [(-1, 0, 1, 0), (-1, 0, 1, 1), (-1, 0, 5, 2)]
    plan = give(place(instance, [0, 0]), *shared, (0, 0, 7, 3), (0, 0, 7, 4), (1, 0, 8, 5))
    assert check(instance, plan) == ()
    assert rank.recount(instance, plan) == 1 + 2 + 1 + 2
    assert recount(instance, plan, tiers.Tier("rank", "rank", False)) == 6


@pytest.mark.parametrize("name", ["preferred_cost", "opened_nodes", "rank_cost"])
def test_an_objective_that_counts_otherwise_is_reported(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = make_instance(NODES, [{"request": {"gpu": 1}}])
    plan = place(instance, [0])
    monkeypatch.setattr(tiers, name, lambda instance, plan: 7)
    (found,) = check(instance, plan)
    assert found.have == 7
    families = {"preferred_cost": "preferred", "opened_nodes": "fragmentation", "rank_cost": "rank"}
    assert found.family == families[name]
