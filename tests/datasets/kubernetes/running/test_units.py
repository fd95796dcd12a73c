"""Which running pods fall together, at what priority, and what they leave."""

from typing import Any

import pytest

from gangplan.models.running import UNKNOWN
from tests.datasets.kubernetes.objects import (
    basic,
    child,
    composite,
    gang,
    group_number,
    instance,
    node,
    pod,
    pods,
)
from tests.datasets.kubernetes.running.work import (
    ALL,
    DAEMON,
    NODES,
    Falls,
    pod_number,
    priority_class,
    released,
    units,
)

DELETED = "2026-01-01T00:00:00Z"


def test_a_bare_pod_falls_alone_at_its_own_priority() -> None:
    built = instance(
        *NODES,
        priority_class("high", 7),
        pod("b", on="n1", spec={"priority": 3}),
        pod("a", on="n1", spec={"priorityClassName": "high"}),
    )
    assert units(built) == {"lab/a": Falls("pod", 7, ["a"]), "lab/b": Falls("pod", 3, ["b"])}
    assert built.running.pod_group.tolist() == [-1, -1]


def test_pods_of_a_group_fall_one_by_one_at_its_priority() -> None:
    built = instance(
        *NODES, gang("g", 1, spec={"priority": 5}), *pods("g", 2, on="n1", spec={"priority": 5})
    )
    assert units(built) == {
        "lab/g-0": Falls("pod", 5, ["g-0"]),
        "lab/g-1": Falls("pod", 5, ["g-1"]),
    }
    assert built.running.pod_group.tolist() == [group_number(built, "lab/g")] * 2


@pytest.mark.parametrize(
    ("version", "mode", "together"),
    [
        ("v1alpha2", None, False),
        ("v1alpha2", "Pod", False),
        ("v1alpha2", "PodGroup", True),
        ("v1beta1", None, False),
        ("v1beta1", {"single": {}}, False),
        ("v1beta1", {"all": {}}, True),
        ("v1alpha3", {"all": {}}, True),
    ],
)
def test_every_version_says_whether_a_group_falls_as_a_whole(
    version: str, mode: Any, together: bool
) -> None:
    group = gang("g", 1, version, spec={} if mode is None else {"disruptionMode": mode})
    built = instance(*NODES, group, pod("g-0", "g", "n1"), pod("g-1", "g", "n2"))
    whole = {"lab/g": Falls("group", 0, ["g-0", "g-1"])}
    assert (units(built) == whole) == together
    assert len(built.running) == (1 if together else 2)


def test_a_basic_group_may_fall_as_a_whole_too() -> None:
    built = instance(*NODES, basic("g", spec=ALL), *pods("g", 2, on="n1"))
    assert units(built) == {"lab/g": Falls("group", 0, ["g-0", "g-1"])}


def test_the_highest_composite_of_mode_all_takes_its_tree_along() -> None:
    tree = [
        composite("top", priority=4),
        composite("mid", parent="top", priority=4, **ALL),
        composite("low", parent="mid", priority=4, **ALL),
        child("a", "low", priority=4),
        child("b", "mid", priority=4),
        child("c", "top", priority=4, **ALL),
        child("d", "top", priority=4),
    ]
    running = [pod(f"{name}-0", name, "n1") for name in "abcd"]
    built = instance(*NODES, *tree, *running)
    assert units(built) == {
        "lab/c": Falls("group", 4, ["c-0"]),
        "lab/d-0": Falls("pod", 4, ["d-0"]),
        "lab/mid": Falls("tree", 4, ["a-0", "b-0"]),
    }


def test_the_priority_of_the_root_counts_as_far_as_it_is_known() -> None:
    mixed = [composite("top", priority=9), child("a", "top", priority=1), pod("a-0", "a", "n1")]
    assert units(instance(*NODES, *mixed))["lab/a-0"].priority == 9
    orphan = [
        composite("mid", parent="ghost", priority=8),
        child("b", "mid"),
        pod("b-0", "b", "n1"),
    ]
    assert units(instance(*NODES, *orphan))["lab/b-0"].priority == 8
    lost = [child("c", "ghost", priority=3), pod("c-0", "c", "n1")]
    assert units(instance(*NODES, *lost))["lab/c-0"].priority == 3


def test_finished_pods_and_those_being_deleted_are_no_units() -> None:
    built = instance(
        *NODES,
        pod("done", on="n1", phase="Succeeded"),
        pod("gone", on="n1", deletionTimestamp=DELETED),
        pod("stays", on="n1"),
    )
    assert built.names.running == ("lab/stays",)


@pytest.mark.parametrize(
    "metadata",
    [
        {"ownerReferences": DAEMON},
        {"ownerReferences": [{"kind": "Node", "name": "n1", "controller": True}]},
        {"annotations": {"kubernetes.io/config.mirror": "x"}},
        {"annotations": {"kubernetes.io/config.source": "file"}},
    ],
)
def test_daemon_static_and_mirror_pods_are_no_units(metadata: dict[str, Any]) -> None:
    built = instance(*NODES, pod("p", on="n1", **metadata), pod("w"))
    assert len(built.running) == 0
    assert built.nodes.free[0].tolist() == [7, 109]
    moved: dict[str, Any] = {"annotations": {"kubernetes.io/config.source": "api"}}
    assert len(instance(*NODES, pod("p", on="n1", **moved)).running) == 1


def test_a_whole_group_with_a_member_that_nobody_evicts_never_falls() -> None:
    members = [pod("g-0", "g", "n1"), pod("g-1", "g", "n1", ownerReferences=DAEMON)]
    built = instance(*NODES, gang("g", 1, spec=ALL), *members)
    assert len(built.running) == 0
    assert (
        "PodGroup lab/g is never evicted: it falls only as a whole, and 1 DaemonSet pod among its"
        " members never: lab/g-1"
    ) in built.names.notes
    assert units(instance(*NODES, gang("g", 1), *members)) == {"lab/g-0": Falls("pod", 0, ["g-0"])}


def test_a_whole_group_that_spans_a_node_nobody_knows_falls_with_it() -> None:
    built = instance(
        *NODES, gang("g", 1, spec=ALL), pod("g-0", "g", "n1"), pod("g-1", "g", "ghost")
    )
    assert units(built) == {"lab/g": Falls("group", 0, ["g-0", "g-1"])}
    assert built.running.pod_node.tolist() == [0, -1]
    assert (
        "PodGroup lab/g falls only as a whole, with 1 pod on nodes not in the sources, which free"
        " nothing: lab/g-1"
    ) in built.names.notes


def test_members_over_several_priorities_fall_at_the_groups_and_are_named() -> None:
    built = instance(
        *NODES,
        gang("g", 1, spec={"priority": 4}),
        pod("g-0", "g", "n1", spec={"priority": 9}),
        pod("g-1", "g", "n1", spec={"priority": 4}),
    )
    assert built.running.priority.tolist() == [4, 4]
    assert (
        "PodGroup lab/g has priority 4, which stands for its pods; 1 pod with another: lab/g-0"
        " (kube-scheduler 1.37 refuses such a group)"
    ) in built.names.notes


def test_a_pod_whose_group_does_not_exist_falls_alone() -> None:
    built = instance(*NODES, pod("p", "ghost", "n1", spec={"priority": 2}))
    assert units(built) == {"lab/p": Falls("pod", 2, ["p"])}


def test_standing_pods_of_a_bare_owner_are_members_of_its_first_unit() -> None:
    owned: dict[str, Any] = {
        "ownerReferences": [{"kind": "ReplicaSet", "name": "r", "controller": True}],
        "annotations": {"gangplan.io/required-topology": "rack"},
    }
    hosts = [node("n1", labels={"rack": "a"})]
    wait = [pod("w-0", **owned), pod("x-0", gpus=2, **owned)]
    built = instance(*hosts, *wait, pod("r-0", on="n1", **owned))
    assert built.groups.running.tolist() == [1, 1]
    assert built.running.pod_group.tolist() == [0]


def test_a_pod_leaves_what_it_requests_of_what_others_wait_for() -> None:
    built = instance(*NODES, pod("p", on="n2", gpus=3), pod("w"))
    assert (released(built, "p"), released(built, "p", "pods")) == (3, 1)
    assert built.running.pod_node.tolist() == [1]
    assert built.running.pod_devices.tolist() == [3]
    none_waits = instance(*NODES, pod("p", on="n2", gpus=3))
    assert none_waits.running.pod_devices.tolist() == [3]


def test_an_overcommitted_node_gets_back_less() -> None:
    built = instance(
        node("n1", 8), pod("a", on="n1", gpus=6), pod("b", on="n1", gpus=4), pod("w", gpus=1)
    )
    assert built.nodes.free[0].tolist() == [0, 108]
    assert (released(built, "a"), released(built, "b")) == (4, 2)
    assert built.running.pod_devices.tolist() == [6, 4]


def test_minutes_are_counted_up_to_the_newest_stamp() -> None:
    def started(name: str, at: str) -> dict[str, Any]:
        made = pod(name, on="n1")
        return made | {"status": {"phase": "Running", **({"startTime": at} if at else {})}}

    built = instance(
        *NODES,
        started("a", "2026-01-01T00:00:00Z"),
        started("b", "2026-01-01T02:00:59Z"),
        started("c", ""),
        pod("w", creationTimestamp="2026-01-01T01:30:30Z"),
    )
    minutes = built.running.pod_minutes
    assert [int(minutes[pod_number(built, name)]) for name in "abc"] == [120, 0, UNKNOWN]


def test_the_order_of_the_objects_changes_nothing() -> None:
    objects = [
        *NODES,
        gang("g", 1, spec=ALL),
        *pods("g", 3, on="n1"),
        gang("h", 1),
        *pods("h", 12, on="n2"),
        pod("w"),
    ]
    assert instance(*objects).digest() == instance(*reversed(objects)).digest()


def test_what_nobody_runs_on_says_nothing_of_units() -> None:
    never = priority_class("n", 5, preemptionPolicy="Never")
    built = instance(*NODES, never, gang("g", 1, spec={"priorityClassName": "n"}), pod("g-0", "g"))
    assert (len(built.running), built.running.never.tolist()) == (0, [])
