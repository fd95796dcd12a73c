"""The example of preemption: what docs/preemption.md says of it is so."""

import contextlib
import io
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from gangplan import Result, load, plan, verify
from gangplan.cli import codes, main
from gangplan.datasets.eviction_entries import eviction_entries
from gangplan.models.instance import Instance
from gangplan.models.status import statuses

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "preemption.yaml"
USE = (ROOT / "docs" / "preemption.md").read_text().partition("\n## Use\n")[2]


def block(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", USE, re.MULTILINE | re.DOTALL)
    return str(found)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "examples").mkdir()
    shutil.copy(EXAMPLE, tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def instance() -> Instance:
    return load(str(EXAMPLE))


@pytest.fixture(scope="module")
def result(instance: Instance) -> Result:
    return plan(instance)


def run(*words: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(list(words)) == codes.GOOD, words
    return out.getvalue()


def test_it_is_small_and_full_and_read_without_a_note(instance: Instance) -> None:
    assert len(instance.nodes) == 6
    assert len(instance.running) == 8
    assert instance.names.notes == ()
    gpu = instance.names.resources.index("nvidia.com/gpu")
    assert not instance.nodes.free[:, gpu].any()
    assert len(EXAMPLE.read_text().splitlines()) < 150


def test_the_smallest_harm_is_proven(instance: Instance, result: Result) -> None:
    assert verify(instance, result.plan) == ()
    assert all(tier.proven for tier in result.tiers)
    entries = eviction_entries(instance, result.plan)
    assert [(e["unit"], e["kind"]) for e in entries] == [
        ("ml/chat-2", "pod"),
        ("ml/chat-3", "pod"),
        ("ml/eval", "group"),
    ]
    assert all(entry["for"] == ["ml/urgent"] for entry in entries)
    status = dict(zip(instance.names.groups, statuses(instance, result.plan), strict=True))
    assert status["ml/eval"] == "evicted"
    assert status["ml/chat"] == "running"


def test_every_command_of_the_page_runs(here: Path) -> None:
    for line in block("sh").splitlines():
        words = shlex.split(line)
        assert words[0] == "gangplan"
        run(*words[1:])


def test_the_output_of_the_page_is_what_comes_out(here: Path) -> None:
    assert block("text").rstrip() in run("plan", "examples/preemption.yaml")


def test_without_preemption_nobody_falls(instance: Instance) -> None:
    result = plan(instance, preemption=False)
    assert not len(result.plan.evicted)
    assert not (result.plan.node >= 0).any()


def test_the_preview_shows_both(here: Path) -> None:
    shown = run("plan", "examples/preemption.yaml", "--preview")
    tail = shown[shown.index("With evictions, and without:") :]
    assert re.search(r"^admitted\(1000\) +1 +0 +differs$", tail, re.MULTILINE)
    assert re.search(r"^lost-gpus\(100\) +16 +0 +differs$", tail, re.MULTILINE)
    assert re.search(r"^ml/eval +evicted \(2\) +running$", tail, re.MULTILINE)
    assert "ml/etl" not in tail
    document = json.loads(run("plan", "examples/preemption.yaml", "--preview", "--json"))
    preview = document["preview"]
    assert preview["tiers"][0] == {
        "name": "admitted(1000)",
        "with": {"value": 1, "proven": True},
        "without": {"value": 0, "proven": True},
    }
    assert [entry["group"] for entry in preview["groups"]] == ["ml/chat", "ml/eval", "ml/urgent"]
    assert preview["groups"][1] == {
        "group": "ml/eval",
        "with": {"status": "evicted", "pods": 0, "evicted": 2},
        "without": {"status": "running", "pods": 0, "evicted": 0},
    }
    assert document["policy"] == "fewest victims first"


def test_hard_budgets_are_never_broken(tmp_path: Path) -> None:
    """With one disruption allowed the chat servers stay; etl falls, in both racks."""
    text = EXAMPLE.read_text()
    assert text.count("disruptionsAllowed: 2") == 1
    tight = tmp_path / "tight.yaml"
    tight.write_text(text.replace("disruptionsAllowed: 2", "disruptionsAllowed: 1"))
    instance = load(str(tight))
    for pdb in ("soft", "hard"):
        result = plan(instance, pdb=pdb)
        fallen = {str(entry["unit"]) for entry in eviction_entries(instance, result.plan)}
        assert fallen == {"ml/etl", "ml/eval"}
        assert result.stop == "optimal"
