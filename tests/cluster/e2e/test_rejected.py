"""A kubelet that rejects a pod leaves no cut gang: elsewhere, again, or nothing at all."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster import workloads
from tests.cluster.audit.history import History
from tests.cluster.e2e.kubelet import Kubelets
from tests.cluster.e2e.ways import WAYS, Way, well
from tests.cluster.live import Live
from tests.controlplane.plane import ControlPlane

pytestmark = pytest.mark.cluster


@pytest.fixture
def bare(still: ControlPlane, tmp_path: Path) -> Iterator[Live]:
    """An empty cluster whose kubelets are ours."""
    live = Live(still, tmp_path)
    live.wipe()
    live.install()
    yield live
    live.close()


@pytest.mark.parametrize("name", WAYS)
def test_a_gang_that_cannot_be_whole_any_more_is_taken_back(name: str, bare: Live) -> None:
    group = workloads.gang(bare.served.group_version, "g", 3, cpu="2")
    bare.create(*workloads.racks(1, 3, cpu="2"), *group)
    way = Way(bare, name)
    kubelets = Kubelets(bare, rejects=1)
    way.go(lambda: kubelets.rejected and not _running(bare), code=4)
    way.stop()
    kubelets.stop()
    well(bare)


def test_a_job_is_whole_in_the_end(bare: Live) -> None:
    least = None if bare.served.group_version == "v1alpha2" else 3  # 1.36: by its shape
    bare.create(*workloads.racks(1, 4, cpu="2"), workloads.job("r", 3, cpu="2", minimum=least))
    bare.wait(lambda: len(bare.all("Pod")) == 3)
    with History(bare.admin, bare.served) as history:
        kubelets = Kubelets(bare, rejects=1)
        way = Way(bare, "scheduler")
        way.go(lambda: kubelets.rejected)
        way.go(lambda: len(_running(bare)) == 3, seconds=120.0)
        way.stop()
        kubelets.stop()
        well(bare, history)


def _running(live: Live) -> list[str]:
    return [p["metadata"]["name"] for p in live.all("Pod") if p["status"]["phase"] == "Running"]
