"""What the documents say of the code is so."""

import json
import re
from pathlib import Path

import pytest

import gangplan
from gangplan.cli import codes
from gangplan.cli.app import app
from gangplan.cli.claimed import REQUESTS
from gangplan.cluster.scheduler.metrics import Metrics
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
from tests.datasets.kubernetes.objects import node

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


def _options(command: str) -> dict[str, object]:
    """Give the options of a command of ``gangplan``, long ones, with their defaults."""
    from typer.main import get_command

    found = get_command(app).commands[command]  # type: ignore[attr-defined]
    return {name: one.default for one in found.params for name in one.opts if name[:2] == "--"}


def _rows(text: str, head: str) -> list[list[str]]:
    """Cells of the rows of the table that begins with ``head``."""
    lines = text[text.index(head) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


OPERATE = (ROOT / "docs" / "operate.md").read_text()


def test_the_flags_of_the_scheduler_are_those_of_the_document() -> None:
    options = _options("scheduler")
    told = {
        flag: default
        for flags, default, _ in _rows(OPERATE, "| flag | default |")
        for flag, default in zip(
            re.findall(r"`(--[a-z-]+)`", flags), default.split(", ") * 3, strict=False
        )
    }
    assert told.keys() == options.keys() - {"--help"}
    for flag, default in told.items():
        number = re.fullmatch(r"([0-9.]+)(?: s)?", default)
        if number:
            assert options[flag] == float(number[1]), flag


def test_flags_that_the_operators_document_names_exist() -> None:
    every = {name for one in ("snapshot", "plan", "apply", "scheduler") for name in _options(one)}
    told = {
        flag
        for command in re.findall(r"gangplan (?:snapshot|plan|apply|scheduler)\b[^\n`]*", OPERATE)
        for flag in re.findall(r"--[a-z-]+", command)
    }
    assert {"--pdb", "--plan", "--yes"} <= told <= every
    for flag in re.findall(r"`(?:snapshot |apply )?(--[a-z-]+)", OPERATE):
        assert flag in every, flag


def test_the_metrics_of_the_document_are_those_of_the_code() -> None:
    found = Metrics()
    code = {one.name for one in vars(found).values() if hasattr(one, "name")}
    assert code
    assert set(re.findall(r"`(gangplan_[a-z_]+)", OPERATE)) == code


def test_the_exit_codes_of_the_documents_are_those_of_the_code() -> None:
    told = {row[0] for row in _rows((ROOT / "README.md").read_text(), "| exit code |")}
    code = {value for name, value in vars(codes).items() if name.isupper()}
    assert told == {str(one) for one in code - {codes.PIPE_CLOSED}}
    line = OPERATE[OPERATE.index("Exit codes: ") :].split("\n\n")[0]
    numbers = re.findall(r"(?:: |; )([0-9]+) ", line)
    assert numbers == [str(codes.GOOD), str(codes.CLUSTER), str(codes.INTERRUPTED)]


def test_every_room_of_the_adapter_has_a_row() -> None:
    text = (ROOT / "docs" / "adapter.md").read_text()
    for path in sorted((ROOT / "cluster").iterdir()):
        if path.suffix == ".py" and path.stem != "__init__":
            assert f"`{path.name}`" in text, path.name
        elif (path / "__init__.py").exists():
            assert f"| `{path.name}/` |" in text, path.name


def test_the_gang_of_the_operators_document_is_one(tmp_path: Path) -> None:
    (text,) = (block for block in re.findall(r"```yaml\n(.*?)```", OPERATE, re.S) if "Job" in block)
    (tmp_path / "nodes.json").write_text(json.dumps(node("n1")))
    (tmp_path / "gang.yaml").write_text(text)
    instance = gangplan.load([str(tmp_path / "nodes.json"), str(tmp_path / "gang.yaml")])
    assert instance.names.groups == ("default/train",)
    assert instance.groups.minimum.tolist() == [2]
    assert gangplan.plan(instance).plan.node.tolist() == [0, 0]
