"""One cluster in every version, order and shape is one instance; broken, it is one or a fault."""

import json
import random
from copy import deepcopy
from pathlib import Path

import pytest

from gangplan.datasets.kubernetes.assemble.build import build
from gangplan.datasets.kubernetes.read import read, snapshot_of
from gangplan.datasets.kubernetes.text.documents import Document
from gangplan.datasets.kubernetes.text.fields import Faults
from gangplan.models.errors import InputError
from tests.datasets.kubernetes.devices.claims import Obj
from tests.datasets.kubernetes.devices.world import world
from tests.datasets.kubernetes.objects import held, instance
from tests.datasets.kubernetes.test_group_mutations import mutate

WORLD = world()


def test_the_cluster_is_as_it_was_meant() -> None:
    built = instance(*WORLD)
    assert held(built) == {}
    assert built.names.shared == ("lab/c1", "lab/c2", "lab/g-c")
    assert len(built.devices) == 6


@pytest.mark.parametrize("version", ["v1beta2", "v1beta1"])
def test_every_version_gives_the_same_instance(version: str) -> None:
    other = world(version)
    assert other != WORLD
    assert instance(*other).digest() == instance(*WORLD).digest()


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_the_objects_changes_nothing(seed: int) -> None:
    mixed = list(WORLD)
    random.Random(seed).shuffle(mixed)
    one, other = instance(*WORLD), instance(*mixed)
    assert other.digest() == one.digest()
    assert other.names == one.names


def test_a_list_as_kubectl_prints_it_is_the_same(tmp_path: Path) -> None:
    items = deepcopy(WORLD)
    for number, item in enumerate(items):
        fields = {"manager": "kubelet", "operation": "Update", "fieldsType": "FieldsV1"}
        item["metadata"] |= {
            "managedFields": [{**fields, "fieldsV1": {"f:spec": {}}}],
            "resourceVersion": str(number),
            "generation": 1,
            "selfLink": "",
        }
        if item["kind"] == "ResourceClaim":
            item["metadata"]["finalizers"] = ["resource.kubernetes.io/delete-protection"]
            results = item.get("status", {}).get("allocation", {}).get("devices", {})
            reports = [
                {key: one[key] for key in ("driver", "pool", "device")}
                | {"conditions": [], "networkData": {"interfaceName": "eth1"}}
                for one in results.get("results", ())
            ]
            if reports:
                item["status"]["devices"] = reports
    path = tmp_path / "list.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    assert read([str(path)]).digest() == instance(*WORLD).digest()


def outcome(tree: list[Obj]) -> list[str]:
    """What is wrong with a tree that was broken; nothing where it is an instance all the same."""
    faults = Faults()
    plain = [
        Document("f", one)
        for one in tree
        if isinstance(one.get("kind"), str) and isinstance(one.get("apiVersion"), str)
    ]
    try:
        snapshot = snapshot_of(plain, faults)
        faults.check()
        build(snapshot)
    except InputError as error:
        return [str(fault) for fault in error.faults]
    return []


@pytest.mark.parametrize("seed", range(4))
def test_a_broken_cluster_is_an_instance_or_faults(seed: int) -> None:
    rng = random.Random(seed)
    told = 0
    for _ in range(100):
        tree = deepcopy(WORLD)
        for _ in range(rng.randint(1, 2)):
            mutate(tree, rng)
        wrong = outcome(tree)
        assert not any("\n" in line for line in wrong)
        told += bool(wrong)
    assert 30 < told < 100
