"""The README's commands that need a cluster, on a cluster, as the README has them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cluster.live import ROOT, Live
from tests.cluster.workloads import gang, node
from tests.test_readme import blocks, commands, needs_cluster

pytestmark = pytest.mark.cluster


@pytest.mark.parametrize(
    "block",
    [block for block in blocks("sh") if needs_cluster(block)],
    ids=lambda block: block.splitlines()[0][:40],
)
def test_every_command_runs_and_the_gang_is_bound(block: str, cluster: Live) -> None:
    cluster.create(*(node(f"n{n}", gpus=4) for n in range(2)))
    cluster.create(*gang(cluster.served.group_version, "ring", 2, gpus=4))
    (cluster.folder / "cluster").mkdir()
    shutil.copytree(ROOT / "cluster" / "deploy", cluster.folder / "cluster" / "deploy")
    for words in commands(block):
        done = _run(words, cluster)
        assert done.returncode == 0, f"{' '.join(words)}: {done.stderr}"
    assert set(cluster.bound()) == {"ring-0", "ring-1"}


def _run(words: list[str], cluster: Live) -> "subprocess.CompletedProcess[str]":
    # Manifests are installed by an administrator, all else is done by the adapter's own user.
    admin = words[0] == "kubectl"
    config = cluster.plane.admin if admin else cluster.plane.user
    command = words if admin else [sys.executable, "-m", "gangplan", *words[1:]]
    found = shutil.which(command[0])
    assert found is not None, command[0]
    return subprocess.run(
        [found, *command[1:]],
        cwd=Path(cluster.folder),
        env={**os.environ, "KUBECONFIG": str(config)},
        capture_output=True,
        text=True,
        timeout=120,
    )
