from copy import deepcopy
from typing import Any

import pytest

from gangplan.cluster.scheduler.wakes import matters
from gangplan.cluster.world import Object
from tests.cluster.scheduler.worlds import running
from tests.cluster.workloads import budget, gang, node, pod

OURS = "gangplan"


def test_a_pod_of_ours_that_arrives_matters_and_one_of_others_does_not() -> None:
    assert matters("Pod", pod("a"), None, OURS)
    assert not matters("Pod", pod("a", scheduler="default-scheduler"), None, OURS)
    assert not matters("Pod", running(pod("a"), "n0"), None, OURS)


def test_room_that_comes_free_matters_whoever_had_it() -> None:
    held = running(pod("a", scheduler="default-scheduler"), "n0")
    assert matters("Pod", None, held, OURS)
    assert matters("Pod", _with(held, "status", phase="Succeeded"), held, OURS)
    done = _with(held, "status", phase="Succeeded")
    assert not matters("Pod", None, done, OURS)


def test_our_own_words_and_bindings_matter_to_nobody() -> None:
    before = pod("a")
    before["status"] = {"phase": "Pending"}
    told = _with(before, "status", conditions=[{"type": "PodScheduled", "status": "False"}])
    assert not matters("Pod", told, before, OURS)
    assert not matters("Pod", _with(before, "status", nominatedNodeName="n0"), before, OURS)
    assert not matters("Pod", running(before, "n0"), before, OURS)


@pytest.mark.parametrize(
    "change",
    [
        ("spec", {"schedulingGates": [{"name": "g"}]}),
        ("metadata", {"deletionTimestamp": "2027-01-01T00:00:00Z"}),
        ("metadata", {"labels": {"app": "x"}}),
        ("status", {"resourceClaimStatuses": [{"name": "a", "resourceClaimName": "b"}]}),
    ],
)
def test_a_waiting_pod_that_asks_for_something_else_matters(
    change: tuple[str, dict[str, Any]],
) -> None:
    before = pod("a")
    assert matters("Pod", _with(before, change[0], **change[1]), before, OURS)


def test_heartbeats_of_nodes_do_not_matter_and_taints_do() -> None:
    before = node("n0")
    beat = deepcopy(before)
    beat["metadata"]["resourceVersion"] = "9"
    beat["status"]["conditions"][0]["lastHeartbeatTime"] = "2027-01-01T00:00:00Z"
    assert not matters("Node", beat, before, OURS)
    assert matters("Node", _with(before, "spec", unschedulable=True), before, OURS)
    lost = deepcopy(before)
    lost["status"]["conditions"][0]["status"] = "Unknown"
    assert matters("Node", lost, before, OURS)


def test_a_group_matters_for_its_spec_and_not_for_its_conditions() -> None:
    before = gang("v1beta1", "g", 2)[0]
    told = _with(before, "status", conditions=[{"type": "PodGroupInitiallyScheduled"}])
    assert not matters("PodGroup", told, before, OURS)
    assert matters("PodGroup", _with(before, "spec", priority=7), before, OURS)


def test_a_budget_matters_when_it_allows_more() -> None:
    before = budget("b", {"app": "x"}, 1)
    before["status"] = {"disruptionsAllowed": 1}
    assert matters(
        "PodDisruptionBudget", _with(before, "status", disruptionsAllowed=2), before, OURS
    )
    assert not matters(
        "PodDisruptionBudget", _with(before, "status", disruptionsAllowed=0), before, OURS
    )


def test_a_claim_matters_when_it_comes_free() -> None:
    before: Object = {
        "metadata": {"name": "c", "namespace": "default"},
        "spec": {},
        "status": {"allocation": {"devices": {}}, "reservedFor": [{"uid": "1"}, {"uid": "2"}]},
    }
    assert matters(
        "ResourceClaim", _with(before, "status", reservedFor=[{"uid": "1"}]), before, OURS
    )
    assert matters("ResourceClaim", {**before, "status": {}}, before, OURS)
    assert not matters("ResourceClaim", before, {**before, "status": {}}, OURS)


def test_anything_else_matters_when_more_than_its_version_changed() -> None:
    before: Object = {"metadata": {"name": "s", "resourceVersion": "1"}, "spec": {"pool": 1}}
    same = _with(before, "metadata", resourceVersion="2")
    assert not matters("ResourceSlice", same, before, OURS)
    assert matters("ResourceSlice", _with(before, "spec", pool=2), before, OURS)
    assert matters("ResourceSlice", None, before, OURS)


def _with(obj: Object, section: str, **fields: Any) -> Object:
    return {**obj, section: {**(obj.get(section) or {}), **fields}}
