"""A control plane for each version and worker, emptied between tests.

``GANGPLAN_KUBERNETES`` (``1.37``, ``1.36`` or both with a comma) chooses versions; the default is
all whose programs are there. A test that asks for ``cluster`` runs on each of them; one marked
``alike`` (what it is about is the same on both) on one of them, chosen by its name, unless the
variable asks for more.
"""

import os
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.live import Live
from tests.controlplane.binaries import VERSIONS, available
from tests.controlplane.plane import ControlPlane

CHOICE = "GANGPLAN_KUBERNETES"


def _versions() -> list[str]:
    asked = [v for v in os.environ.get(CHOICE, "").split(",") if v]
    return [v for v in VERSIONS if v in (asked or available())]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test of ``cluster`` on each version; one version's tests stay on one worker."""
    if "version" not in metafunc.fixturenames:
        return
    marked = metafunc.definition.get_closest_marker("versions")
    wanted = [v for v in _versions() if marked is None or v in marked.args]
    params = [pytest.param(v, marks=pytest.mark.xdist_group(v)) for v in wanted]
    metafunc.parametrize("version", params, scope="session")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run a test marked ``alike`` on one version."""
    versions = _versions()
    if os.environ.get(CHOICE) or len(versions) < 2:
        return
    left = [item for item in items if not _chosen(item, versions)]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if _chosen(item, versions)]


def _chosen(item: pytest.Item, versions: list[str]) -> bool:
    call = getattr(item, "callspec", None)
    version = str(call.params.get("version", "")) if call is not None else ""
    if not version or item.get_closest_marker("alike") is None:
        return True
    name = item.nodeid.replace(version, "")
    return versions[zlib.crc32(name.encode()) % len(versions)] == version


@pytest.fixture(scope="session")
def plane(version: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A running control plane with KWOK, without kube-scheduler."""
    with ControlPlane(version, tmp_path_factory.mktemp(f"plane-{version}-")) as found:
        yield found


@pytest.fixture(scope="session")
def still(version: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A control plane without kubelets: pods stay in the phase that a test writes."""
    folder = tmp_path_factory.mktemp(f"still-{version}-")
    with ControlPlane(version, folder, kubelets=False) as found:
        yield found


@pytest.fixture
def cluster(plane: ControlPlane, tmp_path: Path) -> Iterator[Live]:
    """An empty cluster with the adapter's rights installed."""
    live = Live(plane, tmp_path)
    live.wipe()
    live.install()
    yield live
    live.close()
