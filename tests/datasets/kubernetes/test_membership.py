"""Bare pods, their merging, and the room that bound pods hold."""

from typing import Any

import pytest

from gangplan.models.columns import BARE
from tests.datasets.kubernetes.objects import (
    GPU,
    faults,
    gang,
    group_number,
    held,
    instance,
    node,
    obj,
    pod,
    pods,
)

OWNER = [{"kind": "ReplicaSet", "name": "web-1", "apiVersion": "apps/v1", "controller": True}]


def free(built: Any, name: str, resource: str = GPU) -> int:
    n, r = built.names.nodes.index(name), built.names.resources.index(resource)
    return int(built.nodes.free[n, r])


def test_equal_bare_pods_are_one_group_named_by_the_first() -> None:
    built = instance(node("n1"), pod("p-10"), pod("p-2"), pod("p-1"))
    assert built.names.groups == ("lab/p-1",)
    assert built.groups.kind.tolist() == [BARE]
    assert built.names.pods == ("lab/p-1", "lab/p-2", "lab/p-10")


@pytest.mark.parametrize(
    "other",
    [
        {"gpus": 2},
        {"namespace": "prod"},
        {"ownerReferences": OWNER},
        {"spec": {"priority": 7}},
        {"spec": {"nodeSelector": {"a": "b"}}},
        {"spec": {"hostNetwork": True, "volumes": [{"name": "v", "persistentVolumeClaim": {}}]}},
    ],
)
def test_bare_pods_that_differ_are_apart(other: dict[str, Any]) -> None:
    assert len(instance(node("n1"), pod("p-0"), pod("p-1", **other)).groups) == 2


def test_a_bare_pod_named_as_a_group_is_told_apart() -> None:
    built = instance(node("n1"), gang("g", 1), pod("g-0", "g"), pod("g"))
    assert sorted(built.names.groups) == ["lab/g", "lab/g (pod)"]


def test_bound_pods_hold_room_and_finished_ones_do_not() -> None:
    built = instance(
        node("n1", 8),
        pod("a", on="n1", gpus=2),
        pod("b", on="n1", gpus=1, phase="Pending"),
        pod("c", on="n1", gpus=4, phase="Failed"),
        pod("d"),
    )
    assert free(built, "n1") == 5
    assert free(built, "n1", "pods") == 108


def test_room_is_never_below_zero() -> None:
    built = instance(node("n1", 1), pod("a", on="n1", gpus=2), pod("d"))
    assert free(built, "n1") == 0


def test_a_terminating_pod_holds_room_and_is_leaving() -> None:
    gone: dict[str, Any] = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
    built = instance(
        node("n1", 8), pod("old", on="n1", gpus=3, **gone), pod("new"), pod("x", **gone)
    )
    assert free(built, "n1") == 5
    assert built.names.leaving == ("lab/old",)
    assert built.leaving.node.tolist() == [0]
    assert built.leaving.request[0, built.names.resources.index(GPU)] == 3
    assert built.names.pods == ("lab/new",)


def test_pods_on_unknown_nodes_are_told_and_hold_nothing() -> None:
    built = instance(node("n1", 8), pod("a", on="n9"), pod("b"))
    assert free(built, "n1") == 8
    assert "1 pod bound to nodes not in the sources: lab/a" in built.names.notes


def test_no_node_and_no_pod_are_no_faults() -> None:
    built = instance()
    assert (len(built.nodes), built.n_pods) == (0, 0)
    assert built.names.notes == (
        "no node in the sources: nothing can be placed",
        "no pod waits: nothing is to be placed",
    )
    assert instance(pod("a")).n_pods == 1


def test_resources_are_what_waiting_pods_ask_and_pods() -> None:
    built = instance(node("n1", allocatable={"memory": "1Gi"}), pod("a"), pod("b", on="n1"))
    assert built.names.resources == (GPU, "pods")
    assert built.roles.request.tolist() == [[1, 1]]


def test_device_columns_are_gpu_like_extended_resources() -> None:
    asked = {GPU: "1", "amd.com/gpu": "2", "example.com/nic": "1", "cpu": "1"}
    built = instance(
        node("n1"), pod("a", spec={"containers": [{"name": "c", "resources": {"requests": asked}}]})
    )
    assert [built.names.resources[r] for r in built.device_columns] == ["amd.com/gpu", GPU]
    assert built.roles.devices.tolist() == [3]


def test_intact_nodes_have_all_their_devices_free() -> None:
    built = instance(node("cpu", 0), node("used"), node("whole"), pod("a", on="used"), pod("b"))
    assert built.nodes.intact.tolist() == [False, False, True]


@pytest.mark.parametrize("kind", ["Node", "Pod", "PodGroup", "Job", "Topology"])
def test_an_object_that_is_there_twice_is_refused(kind: str) -> None:
    twice = {
        "Node": node("x"),
        "Pod": pod("x"),
        "PodGroup": gang("x", 1),
        "Job": obj("batch/v1", "Job", "x", {"template": {"spec": {"containers": [{"name": "c"}]}}}),
        "Topology": obj(
            "kueue.x-k8s.io/v1beta2", "Topology", "x", {"levels": [{"nodeLabel": "rack"}]}
        ),
    }[kind]
    found = faults(twice, twice)
    assert len(found) == 1
    assert found[0].startswith(f"1.yaml: {kind} ")
    assert "there twice, also in 0.yaml" in found[0]


def test_a_request_that_no_column_holds_is_refused() -> None:
    huge = {"containers": [{"name": "c", "resources": {"requests": {"memory": "7E"}}}]}
    assert "above 2^62" in faults(node("n1"), pod("a", spec=huge))[0]


def test_huge_sums_do_not_overflow() -> None:
    each = {"containers": [{"name": "c", "resources": {"requests": {"memory": "4E"}}}]}
    bound = [pod(f"b-{n}", on="n1", spec=each) for n in range(5)]
    built = instance(node("n1", allocatable={"memory": "8E"}), *bound, pod("w", spec=each))
    assert free(built, "n1", "memory") == 0


def test_running_bare_pods_of_one_owner_fix_its_domain() -> None:
    fields: dict[str, Any] = {
        "ownerReferences": OWNER,
        "annotations": {"gangplan.io/required-topology": "rack"},
    }
    nodes = [node("n1", labels={"rack": "a"}), node("n2", labels={"rack": "b"})]
    built = instance(*nodes, pod("p-0", on="n2", **fields), pod("p-1", **fields), *pods("x", 0))
    assert held(built) == {}
    assert [built.names.domains[d] for d in built.rules.fixed()] == ["b"]
    assert built.groups.running[group_number(built, "lab/p-1")] == 1


def test_ownerless_pods_with_a_rule_stay_apart() -> None:
    fields: dict[str, Any] = {"annotations": {"gangplan.io/required-topology": "rack"}}
    built = instance(node("n1", labels={"rack": "a"}), pod("p-0", **fields), pod("p-1", **fields))
    assert len(built.groups) == 2


def under(name: str, scheduler: str, **fields: Any) -> dict[str, Any]:
    """A member of the gang ``g`` that names its scheduler (an empty text: none)."""
    return pod(name, "g", spec={"schedulerName": scheduler}, **fields)


@pytest.mark.parametrize("where", [{}, {"on": "n1"}])
def test_a_group_of_several_schedulers_is_held(where: dict[str, Any]) -> None:
    members = [under("a", ""), under("b", "volcano", **where)]
    built = instance(node("n1"), gang("g", 2), *members)
    assert held(built) == {"lab/g": "its pods name several schedulers: default-scheduler, volcano"}


def test_a_scheduler_that_is_not_named_is_the_default_one() -> None:
    members = [under("a", ""), under("b", "default-scheduler"), pod("c", "g")]
    assert not held(instance(node("n1"), gang("g", 3), *members))


def test_a_finished_or_leaving_member_of_another_scheduler_holds_nothing() -> None:
    members = [
        under("a", ""),
        under("b", "volcano", phase="Succeeded"),
        under("c", "volcano", deletionTimestamp="2026-01-01T00:00:00Z"),
    ]
    assert not held(instance(node("n1"), gang("g", 1), *members))
