"""A Snapshot object keeps the reader to the pods of one scheduler, and to claims that exist."""

from typing import Any

import pytest

from gangplan.models.plan import empty_plan
from gangplan.models.status import statuses
from tests.datasets.kubernetes import objects as make
from tests.datasets.kubernetes.devices.claims import claim, device_class, slice_, template
from tests.datasets.kubernetes.objects import Obj, faults, gang, held, instance, node, pod, pods
from tests.datasets.kubernetes.running.work import ALL, DAEMON, NODES, nominated, reserved, units

TAKEN = "2026-02-01T00:00:00Z"
LATE: Obj = {"creationTimestamp": "2026-01-31T23:50:00Z"}
OURS: Obj = {"schedulerName": "gangplan"}
UID: Obj = {"uid": "u-1"}


def snapshot(**spec: Any) -> Obj:
    """A Snapshot object as ``gangplan snapshot`` writes it."""
    made = {
        "cluster": "c-1",
        "version": "v1.37.2",
        "taken": TAKEN,
        "resourceVersion": "7",
        "schedulerName": "gangplan",
        "evictForeign": False,
    }
    return {
        "apiVersion": "gangplan.io/v1",
        "kind": "Snapshot",
        "metadata": {"name": "snapshot"},
        "spec": made | spec,
    }


def test_waiting_pods_of_others_are_left_out_and_counted() -> None:
    built = instance(
        snapshot(),
        *NODES,
        pod("ours", spec=OURS),
        pod("theirs"),
        pod("its", spec={"schedulerName": "volcano"}),
        gang("g", 2),
        *pods("g", 2),
    )
    assert built.names.pods == ("lab/ours",)
    assert built.names.groups == ("lab/ours",)
    note = "waiting pods of other schedulers, not placed: 3 pods of default-scheduler, 1 pod of "
    assert note + "volcano" in built.names.notes


def test_a_group_without_any_pod_does_not_wait_and_one_with_gated_pods_of_ours_does() -> None:
    gates = OURS | {"schedulingGates": [{"name": "x"}]}
    built = instance(
        snapshot(), *NODES, gang("empty", 2), gang("gated", 1), *pods("gated", 1, spec=gates)
    )
    assert built.names.groups == ("lab/gated",)


def test_a_group_of_several_schedulers_waits() -> None:
    built = instance(
        snapshot(), *NODES, gang("g", 2), *pods("g", 2, spec=OURS), *pods("g", 1, start=2)
    )
    assert "several schedulers: default-scheduler, gangplan" in held(built)["lab/g"]
    assert built.names.pods == ("lab/g-0", "lab/g-1")


def test_running_pods_of_others_hold_room_and_never_fall() -> None:
    running = [
        pod("theirs", on="n1", gpus=3),
        pod("ours", on="n1", gpus=2, spec=OURS),
        pod("agent", on="n1", gpus=0, spec=OURS, ownerReferences=DAEMON),
        gang("whole", 1, spec=ALL),
        *pods("whole", 2, on="n2"),
        gang("mixed", 1, spec=ALL),
        *pods("mixed", 1, on="n2", spec=OURS),
        *pods("mixed", 1, start=1, on="n2"),
    ]
    waits = pod("waits", spec=OURS | {"priority": 9})
    built = instance(snapshot(), *NODES, *running, waits)
    assert list(units(built)) == ["lab/ours"]
    alone = instance(*NODES, *running, waits)
    assert built.nodes.free.tolist() == alone.nodes.free.tolist()
    notes = " ".join(built.names.notes)
    assert "running pods of other schedulers, never evicted: 4 pods of default-schedul" in notes
    assert "PodGroup lab/mixed is never evicted" in notes
    assert "PodGroup lab/whole is never evicted" not in notes
    every = instance(snapshot(evictForeign=True), *NODES, *running, waits)
    assert list(units(every)) == ["lab/mixed", "lab/ours", "lab/theirs", "lab/whole"]


def test_what_another_scheduler_nominated_is_kept_for_its_pods() -> None:
    spec = {"priority": 5}
    group = [gang("g", 1, spec=spec), nominated(pod("g-0", "g", gpus=3), "n2")]
    loose = nominated(pod("p", gpus=2, spec={"priority": 7}), "n1")
    ours = pod("ours", spec=OURS)
    built = instance(snapshot(), *NODES, *group, loose, ours)
    assert reserved(built) == [("n1", 7, "", 2), ("n2", 0, "", 3)]


def test_a_group_of_others_that_runs_in_part_counts_as_running() -> None:
    built = instance(snapshot(), *NODES, gang("g", 3), *pods("g", 1, on="n1"), *pods("g", 2, 1))
    assert built.names.groups == ("lab/g",)
    assert built.n_pods == 0
    assert statuses(built, empty_plan(built)) == ("running",)


def test_a_tree_of_others_is_left_out_and_one_with_a_pod_of_ours_is_kept_whole() -> None:
    theirs = [make.composite("c"), make.child("x", "c"), *pods("x", 1)]
    shared = [
        make.composite("d", 2),
        make.child("y", "d"),
        make.child("z", "d"),
        *pods("y", 1),
        *pods("z", 1, spec=OURS),
    ]
    built = instance(snapshot(), *NODES, *theirs, *shared)
    assert built.names.composites == ("lab/d",)
    assert built.names.groups == ("lab/y", "lab/z")
    assert "needs 2 groups, 1 can be admitted" in held(built)["lab/z"]


def test_groups_are_as_old_as_the_moment_of_the_snapshot_says() -> None:
    waits = pod("waits", spec=OURS, **LATE)
    assert instance(snapshot(), *NODES, waits).groups.age.tolist() == [600]
    assert instance(*NODES, waits).groups.age.tolist() == [0]


def test_a_pod_waits_until_its_claim_is_made() -> None:
    claims = [{"name": "gpu", "resourceClaimTemplateName": "t"}]
    world = [snapshot(), *NODES, device_class(), slice_("s", "d1"), template("t")]
    waits = pod("a", gpus=0, spec=OURS | {"resourceClaims": claims}, **UID)
    assert held(instance(*world, waits)) == {"lab/a": "the claim gpu of pod a is not made yet"}
    assert not held(instance(*world[1:], waits))
    made = claim("a-gpu-x", owner=("Pod", "a"))
    made["metadata"]["annotations"] = {"resource.kubernetes.io/pod-claim-name": "gpu"}
    assert held(instance(*world, waits, made))
    says = {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "a-gpu-x"}]}
    assert not held(instance(*world, waits | {"status": says}, made))


def test_a_group_waits_until_its_claim_is_made() -> None:
    claims = [{"name": "gpu", "resourceClaimTemplateName": "t"}]
    world = [snapshot(), *NODES, device_class(), slice_("s", "d1"), template("t")]
    group = gang("g", 1, spec={"resourceClaims": claims}, **UID)
    member = pod("g-0", "g", gpus=0, spec=OURS | {"resourceClaims": claims}, uid="u-2")
    why = "the claim gpu of PodGroup g is not made yet"
    assert held(instance(*world, group, member)) == {"lab/g": why}
    made = claim("g-gpu-x", owner=("PodGroup", "g"))
    says = {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "g-gpu-x"}]}
    assert not held(instance(*world, group | {"status": says}, member, made))


def test_a_pod_waits_whose_extended_resources_need_a_claim_that_nobody_makes() -> None:
    world = [
        snapshot(),
        node("n1", allocatable={}),
        device_class(extendedResourceName="example.com/gpu"),
        slice_("s", "d1"),
    ]
    asks = {"containers": [{"name": "c", "resources": {"requests": {"example.com/gpu": "1"}}}]}
    waits = pod("a", spec=OURS | asks, **UID)
    why = held(instance(*world, waits))["lab/a"]
    assert why == "no claim is made for extended resources that devices serve: example.com/gpu"
    assert not held(instance(*world[1:], waits))


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ({"cluster": None}, "spec.cluster: missing"),
        ({"taken": "soon"}, "spec.taken"),
        ({"schedulerName": ""}, "spec.schedulerName"),
        ({"evictForeign": "no"}, "spec.evictForeign"),
        ({"evictOthers": True}, "spec.evictOthers: unknown field"),
    ],
)
def test_each_field_that_cannot_be_read_is_one_fault(spec: Obj, fault: str) -> None:
    (found,) = faults(snapshot(**spec), *NODES)
    assert fault in found


def test_two_snapshot_objects_are_one_too_many() -> None:
    (found,) = faults(snapshot(), *NODES, snapshot())
    assert "a plan is of one cluster at one moment" in found


def test_another_version_of_the_object_is_refused() -> None:
    (found,) = faults(snapshot() | {"apiVersion": "gangplan.io/v2"}, *NODES)
    assert "Snapshot v2 is not known; known: v1" in found
