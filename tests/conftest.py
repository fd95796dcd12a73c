"""What all tests share: repeatable examples; slow and cluster tests only when asked for."""

import os
import shutil

import pytest
from hypothesis import HealthCheck, settings

# xdist tells its workers the width of its own terminal; tables are tested at the width of a pipe.
os.environ.pop("COLUMNS", None)

# The same examples on every run, and no deadline: a loaded machine changes nothing. Tests marked
# slow switch `derandomize` off themselves and look for new examples.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("repeatable")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests marked slow or cluster unless an expression of marks (``-m``) chooses."""
    if config.getoption("markexpr"):
        return
    left = {item for item in items for mark in ("slow", "cluster") if item.get_closest_marker(mark)}
    config.hook.pytest_deselected(items=[item for item in items if item in left])
    items[:] = [item for item in items if item not in left]


@pytest.fixture
def not_installed(monkeypatch: pytest.MonkeyPatch) -> str:
    """Name a backend that is known, and whose library is nowhere."""
    from gangplan.solvers import registry

    absent = registry.BuiltIn("gangplan.nowhere", "Absent", "no-such-library", "MIT", "absent")
    monkeypatch.setitem(registry.BACKENDS, "absent", absent)
    return "absent"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was left out, and the seeds of fresh instances, so that they can be run again."""
    if not terminalreporter.config.getoption("markexpr"):
        lacking = "" if shutil.which("go") else ", and needs Go, which is not here"
        terminalreporter.write_line(
            f"left out: tests on a real Kubernetes API server (make test-cluster{lacking})"
        )
    stats = terminalreporter.stats
    ran = [*stats.get("passed", ()), *stats.get("failed", ())]
    if any(report.nodeid.startswith("tests/fuzz/test_fresh") for report in ran):
        from tests.fuzz.fresh import sentence

        terminalreporter.write_line(sentence())
