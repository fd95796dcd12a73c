"""Room on its way: what is kept for nominated pods, and from whom."""

from tests.datasets.kubernetes.objects import Obj, gang, instance, node, pod
from tests.datasets.kubernetes.running.work import NODES, nominated, reserved

GONE: Obj = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
GATED: Obj = {"schedulingGates": [{"name": "x"}]}


def test_a_nominated_pod_keeps_its_request_for_its_group() -> None:
    group = [gang("g", 1, spec={"priority": 5}), nominated(pod("g-0", "g", gpus=3), "n2")]
    built = instance(*NODES, *group)
    assert reserved(built) == [("n2", 5, "g", 3)]
    assert reserved(built, "pods") == [("n2", 5, "g", 1)]


def test_pods_of_another_scheduler_and_bare_pods_keep_theirs() -> None:
    other = nominated(pod("p", gpus=2, spec={"priority": 7, "schedulerName": "other"}), "n1")
    built = instance(*NODES, other)
    assert reserved(built) == [("n1", 7, "p", 2)]


def test_a_gated_pod_keeps_its_room_from_its_own_group_too() -> None:
    group = [
        gang("g", 1, spec={"priority": 5}),
        pod("g-1", "g"),
        nominated(pod("g-0", "g", gpus=3, spec=GATED), "n2"),
        nominated(pod("p", gpus=1, spec=GATED | {"priority": 2}), "n2"),
    ]
    assert reserved(instance(*NODES, *group)) == [("n2", 2, "", 1), ("n2", 5, "", 3)]


def test_what_leaving_pods_release_serves_the_highest_first() -> None:
    built = instance(
        *NODES,
        pod("gone", on="n1", gpus=4, **GONE),
        nominated(pod("high", gpus=3, spec={"priority": 9}), "n1"),
        nominated(pod("low", gpus=3, spec={"priority": 1}), "n1"),
    )
    assert reserved(built) == [("n1", 1, "low", 2)]
    assert reserved(built, "pods") == [("n1", 1, "low", 1)]


def test_pods_of_a_group_on_a_node_are_one_reservation() -> None:
    group = [gang("g", 2), *(nominated(pod(f"g-{n}", "g", gpus=2), "n1") for n in range(3))]
    assert reserved(instance(*NODES, *group)) == [("n1", 0, "g", 6)]


def test_no_more_is_kept_than_there_is_room() -> None:
    built = instance(
        node("n1", 8),
        pod("full", on="n1", gpus=7),
        nominated(pod("high", gpus=3, spec={"priority": 9}), "n1"),
        nominated(pod("low", gpus=3, spec={"priority": 1}), "n1"),
    )
    assert reserved(built) == [("n1", 1, "low", 0), ("n1", 9, "high", 1)]


def test_an_overcommitted_node_makes_up_first_what_it_lacks() -> None:
    built = instance(
        node("n1", 8),
        node("n2", 8),
        pod("gone", on="n1", gpus=4, **GONE),
        pod("full", on="n1", gpus=6),
        nominated(pod("p", gpus=3), "n1"),
        pod("w", gpus=1),
    )
    assert built.nodes.free[:, 0].tolist() == [0, 8]
    assert reserved(built) == []  # 2 of 3 come, and there is no room now for the third


def test_a_node_nobody_knows_keeps_nothing_and_is_told() -> None:
    built = instance(*NODES, nominated(pod("p"), "ghost"))
    assert reserved(built) == []
    assert "1 pod nominated to nodes not in the sources: lab/p" in built.names.notes


def test_bound_pods_finished_ones_and_those_being_deleted_are_not_nominated() -> None:
    bound = pod("a", on="n1") | {"status": {"phase": "Running", "nominatedNodeName": "n1"}}
    done = pod("b") | {"status": {"phase": "Failed", "nominatedNodeName": "n1"}}
    gone = nominated(pod("c", **GONE), "n1")
    assert reserved(instance(*NODES, bound, done, gone, pod("w"))) == []


def test_the_order_of_the_objects_changes_nothing() -> None:
    objects = [
        *NODES,
        pod("gone", on="n1", gpus=4, **GONE),
        *(nominated(pod(f"p{n}", gpus=3), "n1") for n in range(3)),
    ]
    assert instance(*objects).digest() == instance(*reversed(objects)).digest()
