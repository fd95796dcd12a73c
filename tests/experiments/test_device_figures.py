"""Figures of devices: their clusters are read without a fault, and what is missing is said."""

import os
from pathlib import Path

import pytest

from gangplan.datasets.kubernetes.read import read
from gangplan.experiments import deviceclusters, realslices
from gangplan.experiments.figures import devices
from gangplan.experiments.manifests import dump
from gangplan.models.counting import ceilings
from gangplan.models.instance import Instance
from gangplan.models.tiers import tiers_of, values
from gangplan.models.verify.check import check
from gangplan.solvers.planners.greedy import greedy_plan

ROOT = Path(__file__).parents[2]
PUBLIC = Path(os.environ.get("GANGPLAN_DATA", ROOT.parent / "shared" / "data"))
FOLDER = PUBLIC / "dra-resourceslices"


def all_placed(instance: Instance) -> bool:
    """Greedy places every gang, within the rules and the bound."""
    tiers = tiers_of(instance, "weighted-gpus")
    plan = greedy_plan(instance, tiers, 1e-9)
    assert check(instance, plan) == ()
    value, bound = values(instance, plan, tiers)[0], ceilings(instance, tiers)[0]
    assert bound is not None
    assert value <= bound
    return bool((plan.placed_per_group(instance) > 0).all())


def test_a_gang_that_shares_a_claim_of_its_group_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "PODS", 300)
    monkeypatch.setattr(devices, "FABRIC_NODES", 20)
    for line in devices.group_claim():
        assert (line.value, line.bound) == (1, 1)
        assert line.note == "optimal; 1 device for all of them"


def test_a_plain_cluster_is_read_and_planned(tmp_path: Path) -> None:
    path = tmp_path / "cluster.json"
    dump(path, deviceclusters.aligned(nodes=40, gangs=3, seed=1))
    instance = read([str(path)])
    assert (len(instance.nodes), len(instance.devices), len(instance.groups)) == (40, 640, 3)
    assert not instance.groups.held.any()
    assert all_placed(instance)


def test_public_slices_that_are_not_there_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GANGPLAN_DATA", str(tmp_path))
    (line,) = devices.real_slices()
    assert line.note.startswith("left out: oci-gb200_gpu.nvidia.com.yaml, ")
    assert line.value is None


@pytest.mark.public_data
@pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no public slices in {FOLDER} (GANGPLAN_DATA)")
def test_public_slices_are_read_and_planned(tmp_path: Path) -> None:
    path = tmp_path / "cluster.json"
    dump(path, realslices.objects(FOLDER, nodes=144, groups=12, seed=1))
    instance = read([str(path)])
    # 36 nodes of each machine, without NICs that no claim can take; 16 channels a rack of 18.
    assert len(instance.devices) == 36 * (4 + 8 + 8 + 8 + 8 + 4 + 2) + 2 * 16
    assert not instance.groups.held.any()
    assert all_placed(instance)
