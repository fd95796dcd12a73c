"""What the documents say of the code is so."""

import re
from pathlib import Path

import pytest

from gangplan.cli.claimed import REQUESTS
from gangplan.datasets import traces
from gangplan.datasets.generate import catalogue
from gangplan.datasets.kubernetes.assemble.devices.shared import MOST_USERS
from gangplan.datasets.kubernetes.objects.counters import COMPATIBILITY
from gangplan.datasets.kubernetes.objects.devicerequests import DERIVED
from gangplan.models.claims import MOST_RESULTS
from gangplan.models.options.sites import MOST_ZONES
from gangplan.models.options.ways import MOST_WAYS
from gangplan.models.result import COUNTING, LP_DUAL, SEARCH, SEARCH_TWICE
from gangplan.models.tiers import OBJECTIVES
from gangplan.solvers.planners.greedy.allocator.search import STEPS
from gangplan.solvers.writer import RELAX_CELLS, SEARCH_CELLS

ROOT = Path(__file__).parent.parent
NUMBER = {4: "four"}
DOCS = [*sorted((ROOT / "docs").glob("*.md")), *sorted(ROOT.glob("*.md"))]


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_every_link_inside_the_project_leads_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text()):
        if not target.startswith("http"):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_every_trace_has_its_folder_and_repository_in_the_docs() -> None:
    text = (ROOT / "docs" / "data.md").read_text()
    for trace in traces.catalogue():
        for public in trace.files:
            row = [
                line for line in text.splitlines() if f"`{public.path.rpartition('/')[0]}/`" in line
            ]
            assert any(public.repository in line and public.where in line for line in row), public


def test_every_generator_is_in_the_docs() -> None:
    text = (ROOT / "docs" / "data.md").read_text()
    for name in catalogue():
        assert f"`{name}`" in text


def test_every_kind_of_proof_and_objective_is_explained() -> None:
    text = (ROOT / "docs" / "proofs.md").read_text()
    for word in (COUNTING, LP_DUAL, SEARCH, SEARCH_TWICE, *OBJECTIVES):
        assert f"`{word}`" in text


def test_contributing_is_one_page() -> None:
    assert len((ROOT / "CONTRIBUTING.md").read_text().splitlines()) <= 50


def test_the_limits_of_big_models_are_those_of_the_code() -> None:
    text = (ROOT / "docs" / "proofs.md").read_text()
    for limit in (SEARCH_CELLS, RELAX_CELLS):
        assert f"{limit:,}" in text


def test_the_limits_of_devices_are_those_of_the_code() -> None:
    text = (ROOT / "docs" / "devices.md").read_text()
    for limit in (MOST_WAYS, MOST_ZONES, MOST_RESULTS, MOST_USERS, STEPS):
        assert f"\n| {limit:,} " in text, limit
    assert f"at most {NUMBER[REQUESTS]} requests a group" in text
    for field in (COMPATIBILITY, DERIVED, "nodeAllocatableResources", "bindsToNode"):
        assert f"`{field}`" in text
