"""What is left out of objects changes no Instance, and hides no rule."""

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from gangplan.cluster.trimmed import trim
from gangplan.datasets.kubernetes.assemble.build import build
from gangplan.datasets.kubernetes.read import snapshot_of
from gangplan.datasets.kubernetes.text.documents import Document, load
from gangplan.datasets.kubernetes.text.fields import Faults
from gangplan.experiments.dump import write_dump
from gangplan.models.errors import InputError
from gangplan.models.instance import Instance
from tests.cluster import devices, workloads
from tests.datasets.kubernetes import cluster
from tests.datasets.kubernetes.devices.world import world
from tests.datasets.kubernetes.mutate import RICH_POD, manifest

Object = dict[str, Any]
ROOT = Path(__file__).resolve().parents[3]


def instance(objects: list[Object]) -> Instance:
    faults = Faults()
    documents = [Document("cluster", obj) for obj in objects]
    snapshot = snapshot_of(documents, faults)
    faults.check()
    return build(snapshot)


def faults_of(objects: list[Object]) -> list[str]:
    try:
        instance(objects)
    except InputError as error:
        return [str(fault) for fault in error.faults]
    return []


def documents(*paths: str) -> list[Object]:
    faults = Faults()
    found = [document.obj for document in load([str(ROOT / path) for path in paths], faults)]
    faults.check()
    return found


def admitted(objects: list[Object]) -> list[Object]:
    """Objects with what a server and a kubelet add, which nobody reads."""
    found = copy.deepcopy(objects)
    for number, obj in enumerate(found):
        obj.setdefault("metadata", {})
        obj["metadata"]["managedFields"] = [{"manager": "kubectl", "fieldsV1": {"f:spec": {}}}]
        obj["metadata"]["annotations"] = {
            **(obj["metadata"].get("annotations") or {}),
            "kubectl.kubernetes.io/last-applied-configuration": "{}",
        }
        if obj["kind"] == "Pod":
            spec = obj["spec"]
            spec |= {"serviceAccountName": "default", "dnsPolicy": "ClusterFirst"}
            spec["volumes"] = [{"name": "t", "projected": {"sources": []}}]
            spec["affinity"] = spec.get("affinity") or {
                "nodeAffinity": {
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                        {"weight": 1, "preference": {"matchExpressions": []}}
                    ]
                }
            }
            for container in spec["containers"]:
                container |= {"image": f"i{number}", "env": [{"name": "A", "value": "b"}]}
        if obj["kind"] == "Node":
            obj.setdefault("status", {})["images"] = [{"names": ["a"], "sizeBytes": 1}]
    return found


@pytest.mark.parametrize(
    "objects",
    [
        cluster.objects(),
        world(),
        documents("examples/cluster.json"),
        documents("examples/devices.yaml"),
        documents("examples/preemption.yaml"),
        documents("tests/data/devices"),
    ],
    ids=["everything", "devices", "cluster.json", "devices.yaml", "preemption.yaml", "samples"],
)
def test_trimmed_objects_give_the_same_instance(objects: list[Object]) -> None:
    whole = admitted(objects)
    before = json.dumps(whole)
    small = [trim(obj) for obj in whole]
    assert instance(small).digest() == instance(whole).digest()
    assert json.dumps(whole) == before, "the objects themselves are not changed"
    assert [trim(obj) for obj in small] == small, "trimming twice is trimming once"


def test_a_dump_of_a_cluster_gives_the_same_instance_in_half_the_text(tmp_path: Path) -> None:
    write_dump(tmp_path / "d.json", 50, 400)
    whole = documents(str(tmp_path / "d.json"))
    small = [trim(obj) for obj in whole]
    assert instance(small).digest() == instance(whole).digest()
    assert len(json.dumps(small)) < len(json.dumps(whole)) / 2


def test_the_objects_of_the_tests_on_servers_give_the_same_instance() -> None:
    whole = [
        *workloads.racks(2, 4, gpus=4),
        *(workloads.pod(f"p{n}", cpu="2") for n in range(4)),
        devices.device_class(),
        devices.gpus_of("n0", 2),
        devices.claim("shared"),
        workloads.pod("user", claims={"gpu": devices.named("shared")}),
    ]
    assert instance([trim(obj) for obj in whole]).digest() == instance(whole).digest()


def test_resized_pods_keep_what_the_kubelet_has_allocated() -> None:
    pod = workloads.pod("p", cpu="1")
    pod["spec"]["nodeName"] = "n"
    main = pod["spec"]["containers"][0]
    status = {"name": main["name"], "image": "i", "imageID": "x", "ready": True}
    pod["status"] = {
        "phase": "Running",
        "containerStatuses": [{**status, "allocatedResources": {"cpu": "3"}}],
    }
    node, asking = workloads.node("n", cpu="8"), workloads.pod("q")
    assert trim(pod)["status"]["containerStatuses"] == [
        {"name": main["name"], "allocatedResources": {"cpu": "3"}}
    ]
    whole, small = instance([node, asking, pod]), instance([node, asking, trim(pod)])
    assert small.digest() == whole.digest()
    pod["status"]["containerStatuses"][0]["allocatedResources"] = main["resources"]["requests"]
    assert "containerStatuses" not in trim(pod)["status"]
    assert instance([node, asking, trim(pod)]).digest() != small.digest()


def test_a_rule_that_is_misspelt_is_still_seen_on_waiting_pods() -> None:
    seen = 0
    for seed in range(300):
        whole = manifest(random.Random(seed)).get("items")
        if not isinstance(whole, list) or not all(map(typed, whole)):
            continue
        for obj in whole:
            if obj["kind"] == "Pod" and isinstance(obj.get("spec"), dict):
                obj["spec"].pop("nodeName", None)
                if isinstance(obj.get("status"), dict):
                    obj["status"]["phase"] = "Pending"
        before = [text for text in faults_of(whole) if "metadata.annotations" not in text]
        assert set(before) <= set(faults_of([trim(obj) for obj in whole])), seed
        seen += bool(before)
    assert seen > 50


def typed(obj: object) -> bool:
    return isinstance(obj, dict) and all(
        isinstance(obj.get(key), str) for key in ("kind", "apiVersion")
    )


def test_an_unknown_field_of_a_waiting_pod_is_still_refused() -> None:
    pod = copy.deepcopy(RICH_POD)
    del pod["spec"]["nodeName"]
    for place, path in (
        (pod["spec"], "spec.mustRunOn"),
        (pod["spec"]["containers"][0], "spec.containers[0].mustRunOn"),
        (pod["spec"]["volumes"][0], "spec.volumes[0].mustRunOn"),
        (pod["spec"]["affinity"], "spec.affinity.mustRunOn"),
    ):
        place["mustRunOn"] = "x"
        assert any(path in text for text in faults_of([trim(pod)])), path
        del place["mustRunOn"]


def test_an_unknown_field_of_a_bound_pod_stops_nobody() -> None:
    pod = workloads.pod("p")
    pod["spec"] |= {"nodeName": "n", "fieldOf2040": 1}
    assert faults_of([workloads.node("n"), pod])
    assert not faults_of([workloads.node("n"), trim(pod)])


def test_a_claim_stays_whole() -> None:
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "name": "c",
            "namespace": "default",
            "uid": "u",
            "resourceVersion": "7",
            "finalizers": ["resource.kubernetes.io/delete-protection"],
            "annotations": {"resource.kubernetes.io/pod-claim-name": "gpu", "other": "x"},
            "managedFields": [],
        },
        "spec": {"devices": {"requests": [], "config": [{"opaque": {}}]}},
        "status": {"devices": [{"data": {"a": 1}}]},
    }
    small = trim(claim)
    assert (small["spec"], small["status"]) == (claim["spec"], claim["status"])
    assert small["metadata"] == {
        "name": "c",
        "namespace": "default",
        "uid": "u",
        "resourceVersion": "7",
        "finalizers": ["resource.kubernetes.io/delete-protection"],
        "annotations": {"resource.kubernetes.io/pod-claim-name": "gpu"},
    }


def test_equal_parts_of_pods_are_one_object() -> None:
    one, two = (trim(copy.deepcopy(workloads.pod(name))) for name in ("a", "b"))
    assert one["spec"]["containers"] is two["spec"]["containers"]
    assert one["metadata"]["name"] != two["metadata"]["name"]
