"""Members that stay: the minimum of gangs that run, and minima of their roles."""

from tests.datasets.kubernetes.objects import basic, child, composite, gang, instance, pod, pods
from tests.datasets.kubernetes.running.work import DAEMON, NODES, floors

ROLES = {"gangplan.io/role-minimum": "lead=1"}


def test_a_gang_that_runs_has_a_floor_whether_or_not_pods_of_it_wait() -> None:
    runs = [gang("g", 2), *pods("g", 3, on="n1")]
    assert floors(instance(*NODES, *runs)) == [("g", 2, 3, ["g-0", "g-1", "g-2"])]
    waits = [*runs, pod("g-9", "g")]
    assert floors(instance(*NODES, *waits)) == [("g", 2, 3, ["g-0", "g-1", "g-2"])]


def test_members_that_nobody_evicts_count_as_running() -> None:
    members = [pod("g-0", "g", "n1"), pod("g-1", "g", "n1", ownerReferences=DAEMON)]
    assert floors(instance(*NODES, gang("g", 1), *members)) == [("g", 1, 2, ["g-0"])]


def test_members_being_deleted_do_not_count() -> None:
    members = [
        pod("g-0", "g", "n1"),
        pod("g-1", "g", "n1", deletionTimestamp="2026-01-01T00:00:00Z"),
    ]
    assert floors(instance(*NODES, gang("g", 1), *members)) == [("g", 1, 1, ["g-0"])]


def test_a_role_has_a_floor_of_its_own() -> None:
    lead = pod("g-0", "g", "n1", labels={"gangplan.io/role": "lead"})
    built = instance(*NODES, gang("g", 2, annotations=ROLES), lead, pod("g-1", "g", "n1"))
    assert floors(built) == [("g", 2, 2, ["g-0", "g-1"]), ("g", 1, 1, ["g-0"])]


def test_groups_without_a_minimum_have_none_but_in_a_tree_they_need_one_pod() -> None:
    alone = [basic("b"), pod("b-0", "b", "n1"), pod("p", on="n1")]
    assert floors(instance(*NODES, *alone)) == []
    tree = [composite("top"), child("c", "top"), pod("c-0", "c", "n1")]
    tree[1]["spec"]["schedulingPolicy"] = {"basic": {}}
    assert floors(instance(*NODES, *tree)) == [("c", 1, 1, ["c-0"])]
