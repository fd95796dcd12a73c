"""Whatever is broken in an object of resource.k8s.io: records or faults; never anything else."""

import random
from copy import deepcopy
from typing import Any

import pytest
import yaml

from gangplan.datasets.kubernetes.devicerecords import DeviceObjects
from tests.datasets.kubernetes.device_objects import DATA, snapshot
from tests.datasets.kubernetes.test_group_mutations import mutate

PODS: list[dict[str, Any]] = [
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a-0", "namespace": "ml", "uid": "uid-a-0"},
        "spec": {
            "containers": [{"name": "c", "resources": {"claims": [{"name": "g", "request": "r"}]}}],
            "resourceClaims": [
                {"name": "g", "resourceClaimTemplateName": "one-gpu"},
                {"name": "s", "resourceClaimName": "shared"},
            ],
        },
        "status": {
            "resourceClaimStatuses": [{"name": "g", "resourceClaimName": "a-0-g"}],
            "extendedResourceClaimStatus": {"resourceClaimName": "a-0-x", "requestMappings": []},
        },
    },
    {
        "apiVersion": "scheduling.k8s.io/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": "g", "namespace": "ml"},
        "spec": {
            "schedulingPolicy": {"gang": {"minCount": 1}},
            "resourceClaims": [{"name": "s", "resourceClaimName": "shared"}],
        },
        "status": {"resourceClaimStatuses": []},
    },
]
CALM = [
    document
    for name in ("node.yaml", "v1beta1.yaml")
    for document in yaml.safe_load_all((DATA / name).read_text(encoding="utf-8"))
] + PODS


def count(found: DeviceObjects) -> int:
    return (
        len(found.slices)
        + len(found.classes)
        + len(found.claims)
        + len(found.templates)
        + len(found.taint_rules)
    )


def test_the_objects_are_valid_before_they_are_broken() -> None:
    found, wrong = snapshot(*deepcopy(CALM))
    assert wrong == []
    assert count(found.devices) == 9


@pytest.mark.parametrize("seed", range(4))
def test_broken_objects_are_records_or_faults(seed: int) -> None:
    rng = random.Random(seed)
    told = 0
    for _ in range(250):
        tree = deepcopy(CALM)
        for _ in range(rng.randint(1, 3)):
            mutate(tree, rng)
        found, wrong = snapshot(*tree)
        assert not any("\n" in line for line in wrong)
        for record in found.devices.claims:
            hash(record.spec)
        told += bool(wrong)
    assert told > 125
