"""Ten random runs of work and misfortune; ``make fuzz-cluster`` runs 200 of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.faults.fuzz import run
from tests.cluster.live import Live
from tests.controlplane.plane import ControlPlane

pytestmark = [pytest.mark.cluster, pytest.mark.alike]


@pytest.fixture(scope="module")
def mortal(version: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A control plane whose parts can be killed: etcd syncs to disk."""
    folder = tmp_path_factory.mktemp(f"mortal-{version}-")
    with ControlPlane(version, folder, durable=True) as plane:
        yield plane


@pytest.mark.parametrize("seed", range(1, 11))
def test_all_is_well_after_misfortune(seed: int, mortal: ControlPlane, tmp_path: Path) -> None:
    live = Live(mortal, tmp_path)
    try:
        run(live, seed)
    finally:
        live.close()
