"""Beside kube-scheduler on the same nodes: who comes second is rejected, and no gang is cut."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster import workloads
from tests.cluster.e2e.kubelet import Kubelets
from tests.cluster.e2e.ways import Way, well
from tests.cluster.live import Live
from tests.controlplane.plane import ControlPlane

pytestmark = pytest.mark.cluster


@pytest.fixture
def shared(version: str, tmp_path: Path) -> Iterator[Live]:
    """A cluster with kube-scheduler, and kubelets that admit what fits."""
    with ControlPlane(version, tmp_path / "plane", kubelets=False, scheduler="") as plane:
        live = Live(plane, tmp_path)
        live.install()
        yield live
        live.close()


def test_two_schedulers_fill_the_same_nodes(shared: Live) -> None:
    version = shared.served.group_version
    shared.create(*workloads.racks(2, 3, cpu="4"))
    kubelets = Kubelets(shared)
    way = Way(shared, "scheduler")
    way.go(lambda: True)
    for number in range(6):
        shared.create(
            workloads.pod(f"p{number}", cpu="2", scheduler="default-scheduler"),
            *workloads.gang(version, f"g{number}", 3, cpu="2"),
        )

    def some_of_both() -> bool:
        running = _running(shared)
        whole = [g for g in range(6) if {f"g{g}-{i}" for i in range(3)} <= running]
        return bool(whole) and any(name.startswith("p") for name in running)

    way.go(some_of_both)
    way.stop()
    kubelets.stop()
    well(shared)


def _running(live: Live) -> set[str]:
    return {p["metadata"]["name"] for p in live.all("Pod") if p["status"]["phase"] == "Running"}
