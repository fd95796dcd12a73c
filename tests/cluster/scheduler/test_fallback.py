"""A planner that fails: pods have to go somewhere all the same."""

from pathlib import Path

import pytest

from tests.cluster.live import Live
from tests.cluster.scheduler.running import Scheduler, free_port, page
from tests.cluster.workloads import gang, node

pytestmark = pytest.mark.cluster

_MODULE = """
class Breaks:
    name = "breaks"

    def __init__(self, **options):
        self.options = options

    def plan(self, instance, limits, progress=None):
        raise RuntimeError("it breaks")
"""


def _install(folder: Path) -> None:
    """Write what ``pip`` leaves behind of a package with a planner."""
    (folder / "breaking.py").write_text(_MODULE)
    about = folder / "breaking-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: breaking\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[gangplan.planners]\nbreaks = breaking:Breaks\n")


def test_where_the_planner_breaks_the_greedy_one_places(
    cluster: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    cluster.create(node("n0", cpu="8"), *gang(cluster.served.group_version, "g", 3))
    port = free_port()
    scheduler = Scheduler(cluster, "--planner", "breaks", "--listen", f"127.0.0.1:{port}")
    scheduler.bound(3)
    (told,) = [line for line in scheduler.lines() if line["level"] == "error"][:1]
    assert told["message"] == "the planner failed, the greedy one takes over"
    assert told["error"] == "RuntimeError: it breaks"
    assert "gangplan_fallbacks_total 0" not in page(port, "/metrics")
    assert scheduler.end() == 0


def test_a_planner_that_nobody_knows_is_refused_at_the_start(cluster: Live) -> None:
    refused = cluster.run("scheduler", "--planner", "nobody")
    assert refused.returncode == 1, refused
    assert "no planner of this name: one of auto, anytime, exact, greedy" in refused.stderr
