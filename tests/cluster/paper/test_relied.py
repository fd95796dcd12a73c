"""What a plan relied on: every change that matters is told, and nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest

import gangplan
from gangplan.cli.entry import main
from gangplan.cluster.instances import instance_of
from gangplan.cluster.relied import changes, relied_on
from gangplan.cluster.trimmed import trim
from gangplan.cluster.world import World
from gangplan.datasets.io import read_result
from gangplan.datasets.plan_file import plan_document
from gangplan.models.errors import InputError
from tests.cluster.paper.worlds import OURS, changed, without, world
from tests.datasets.kubernetes.devices.claims import (
    DRIVER,
    asks,
    claim,
    device_class,
    request,
    slice_,
)
from tests.datasets.kubernetes.objects import child, composite, gang, node, pod, pods

BY_NAME = {"resourceClaims": [{"name": "gpu", "resourceClaimName": "c"}]}
EXTRA = {
    "env": [{"name": "KEY", "value": "secret"}],
    "image": "example.invalid/i",
    "command": ["c"],
}


def busy() -> World:
    """A gang of a tree that evicts a pod, and a pod with a claim."""
    plain = pod("user", gpus=0, spec=OURS | BY_NAME)
    plain["spec"]["containers"][0] |= EXTRA
    return world(
        node("n1", 2, labels={"rack": "r1"}),
        node("n2", 0),
        node("far", 0),
        composite("tree", 1),
        child("g", "tree", 2, priority=9),
        *pods("g", 2, spec=OURS | {"priority": 9}),
        pod("victim", on="n1", gpus=2, spec=OURS),
        pod("other", on="n2", gpus=0, spec=OURS),
        plain,
        claim("c", asks(request())),
        device_class(),
        slice_("s", "d1", on="n2", pool="n2"),
    )


def high(before: World) -> World:
    """The tree has the priority of its group."""
    return changed(before, "CompositePodGroup", "tree", spec__priority=9)


def document_of(of: World) -> dict[str, Any]:
    instance = instance_of(of)
    return plan_document(instance, gangplan.plan(instance, "exact"))


@pytest.fixture(scope="module")
def before() -> World:
    return high(busy())


@pytest.fixture(scope="module")
def entry(before: World) -> dict[str, Any]:
    document = document_of(before)
    assert [e["unit"] for e in document["evictions"]] == ["lab/victim"]
    found: dict[str, Any] = json.loads(json.dumps(relied_on(before, document)))
    return found


def test_the_entry_names_what_the_plan_touches_and_nothing_else(entry: dict[str, Any]) -> None:
    relied = entry["relied"]
    assert set(relied["Node"]) == {"n1", "n2"}
    assert set(relied["Pod"]) == {"lab/g-0", "lab/g-1", "lab/user", "lab/victim"}
    assert set(relied["PodGroup"]) == {"lab/g"}
    assert set(relied["CompositePodGroup"]) == {"lab/tree"}
    assert set(relied["ResourceClaim"]) == {"lab/c"}
    assert set(relied["DeviceClass"]) == {"gpu"}
    assert set(relied["Device"]) == {f"{DRIVER}/n2/d1"}
    assert entry["uid"] == "c-1"
    assert entry["taken"] == "2026-02-01T00:00:00Z"


def test_nothing_has_changed_in_the_same_world_trimmed_or_not(
    before: World, entry: dict[str, Any]
) -> None:
    assert changes(before, entry) == ()
    trimmed = {kind: [trim(obj) for obj in found] for kind, found in before.objects.items()}
    assert changes(before.with_objects(trimmed), entry) == ()
    again = relied_on(before.with_objects(trimmed), document_of(before))
    assert json.loads(json.dumps(again)) == entry


@pytest.mark.parametrize(
    ("kind", "name", "parts", "sentence"),
    [
        ("Node", "n1", {"spec__taints": [{"key": "k", "effect": "NoSchedule"}]}, "its taints"),
        ("Node", "n1", {"spec__unschedulable": True}, "its taints"),
        ("Node", "n1", {"metadata__labels": {"rack": "r2"}}, "its labels"),
        ("Node", "n1", {"status__allocatable": {"cpu": "1"}}, "its allocatable"),
        ("Node", "n1", {"metadata__uid": "new"}, "it was made again"),
        ("Pod", "g-0", {"metadata__uid": "new"}, "it was made again"),
        ("Pod", "g-0", {"spec__nodeName": "n2"}, "its node is another one"),
        ("Pod", "g-0", {"spec__tolerations": [{"operator": "Exists"}]}, "its spec"),
        ("Pod", "g-0", {"metadata__deletionTimestamp": "2026-02-01T00:00:00Z"}, "it is being del"),
        ("Pod", "g-0", {"metadata__labels": {"gangplan.io/role": "x"}}, "its role"),
        ("Pod", "victim", {"status__phase": "Succeeded"}, "it has finished"),
        ("Pod", "victim", {"spec__priority": 3}, "its spec"),
        ("PodGroup", "g", {"spec__schedulingPolicy": {"basic": {}}}, "its spec"),
        ("CompositePodGroup", "tree", {"spec__priority": 3}, "its spec"),
        ("ResourceClaim", "c", {"status__allocation": {"devices": {}}}, "its allocation"),
        ("ResourceClaim", "c", {"status__reservedFor": [{"uid": "u"}]}, "its users"),
        ("DeviceClass", "gpu", {"spec__selectors": []}, "its spec"),
    ],
)
def test_each_change_is_one_sentence(
    before: World, entry: dict[str, Any], kind: str, name: str, parts: Any, sentence: str
) -> None:
    (found,) = changes(changed(before, kind, name, **parts), entry)
    space = "" if kind in ("Node", "DeviceClass") else "lab/"
    assert found.startswith(f"{kind} {space}{name}: {sentence}")


@pytest.mark.parametrize(
    ("kind", "name", "parts"),
    [
        ("Node", "n1", {"metadata__resourceVersion": "9", "metadata__annotations": {"a": "b"}}),
        ("Node", "n1", {"status__conditions": [{"type": "Ready", "status": "True"}]}),
        ("Node", "far", {"spec__unschedulable": True}),
        ("Pod", "g-0", {"status__conditions": [{"type": "PodScheduled", "status": "False"}]}),
        ("Pod", "g-0", {"metadata__labels": {"app": "web"}}),
        ("Pod", "other", {"metadata__uid": "new"}),
        ("PodGroup", "g", {"status__conditions": []}),
    ],
)
def test_what_no_plan_uses_may_change(
    before: World, entry: dict[str, Any], kind: str, name: str, parts: Any
) -> None:
    assert changes(changed(before, kind, name, **parts), entry) == ()


@pytest.mark.parametrize(
    ("kind", "name"), [("Node", "n1"), ("Pod", "victim"), ("PodGroup", "g"), ("ResourceClaim", "c")]
)
def test_an_object_that_is_gone_is_told(
    before: World, entry: dict[str, Any], kind: str, name: str
) -> None:
    (found,) = changes(without(before, kind, name), entry)
    assert found.endswith("it is not there any more")


def test_a_device_that_is_gone_or_another_is_told(before: World, entry: dict[str, Any]) -> None:
    gone = without(before, "ResourceSlice", "s")
    assert changes(gone, entry) == (f"Device {DRIVER}/n2/d1: it is not there any more",)
    slice_now = slice_("s", {"name": "d1", "taints": []}, on="n2", pool="n2")
    (found,) = changes(before.with_objects({"ResourceSlice": [slice_now]}), entry)
    assert found == f"Device {DRIVER}/n2/d1: it changed, or its ResourceSlice did"


def test_another_cluster_is_told_alone(entry: dict[str, Any]) -> None:
    assert changes(world(cluster="c-2"), entry) == ("the plan is of another cluster: c-1, not c-2",)


def test_an_entry_that_nobody_wrote_is_refused(before: World) -> None:
    with pytest.raises(InputError, match=r"cluster\.relied"):
        changes(before, {"uid": "c-1", "relied": []})


def test_plan_writes_the_same_entry_from_a_file(
    before: World, entry: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    snapshot, out = tmp_path / "s.json", tmp_path / "p.json"
    items = list(before.documents())
    snapshot.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    assert main(["plan", str(snapshot), "--planner", "exact", "-o", str(out)]) == 0
    written = json.loads(out.read_text())
    assert written["cluster"] == entry
    assert read_result(str(out), gangplan.load(snapshot)).plan.node.tolist()
    assert main(["verify", str(snapshot), "--plan", str(out)]) == 0
    capsys.readouterr()
    assert main(["plan", str(snapshot), "--planner", "exact", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cluster"] == entry


def test_a_plan_of_manifests_has_no_entry_and_what_is_no_object_of_the_cluster_no_uid(
    before: World, tmp_path: Path
) -> None:
    manifests, snapshot = tmp_path / "m.yaml", tmp_path / "s.json"
    extra = [node("extra", 4), pod("late", gpus=3, spec=OURS)]
    manifests.write_text("\n---\n".join(json.dumps(one) for one in extra))
    items = list(before.documents())
    snapshot.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    alone, both = tmp_path / "a.json", tmp_path / "b.json"
    assert main(["plan", str(manifests), "-o", str(alone)]) == 0
    assert "cluster" not in json.loads(alone.read_text())
    assert main(["plan", str(manifests), str(snapshot), "-o", str(both)]) == 0
    written = json.loads(both.read_text())["cluster"]
    assert written["relied"]["Node"]["extra"] == {"uid": ""}
    assert "Node extra: it is not there any more" in changes(before, written)


def test_a_group_that_is_not_in_a_tree_has_no_parents() -> None:
    alone = world(node("n1"), gang("g", 1), *pods("g", 1, spec=OURS))
    entry = relied_on(alone, document_of(alone))
    assert set(entry["relied"]) == {"Node", "Pod", "PodGroup"}
