"""Every command and snippet of the README is run, and its output is what comes out."""

import contextlib
import io
import re
import shlex
import shutil
from pathlib import Path

import pytest

from gangplan.cli import codes, main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def commands(block: str) -> list[list[str]]:
    lines = block.replace("\\\n", "").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "experiments").mkdir()
    for file in (ROOT / "experiments").glob("*.toml"):
        shutil.copy(file, tmp_path / "experiments")
    shutil.copytree(ROOT / "experiments" / "results", tmp_path / "experiments" / "results")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def recipe(target: str) -> list[list[str]]:
    """Commands of a Makefile target."""
    found = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert found is not None, target
    return [shlex.split(line) for line in found[1].replace("$(BIN)/", "").splitlines()]


def run(words: list[str]) -> str:
    """Run one command the way a shell would; return its standard output."""
    out = io.StringIO()
    target = None
    if ">" in words:
        target = Path(words[-1])
        words = words[: words.index(">")]
    if words[0] == "kubectl":
        # The cluster is the example: what is dumped is what its script wrote.
        assert words[1] in {"get", "api-resources"}
        if words[1] == "get":
            assert {"-A", "-o", "json"} <= set(words)
            out.write(Path("examples/cluster.json").read_text())
    elif words[0] == "make":
        (made,) = recipe(words[1])
        if words[1] != "test":
            return run(made)
        assert made[:3] == ["python", "-m", "pytest"]
    else:
        assert words[0] == "gangplan"
        with contextlib.redirect_stdout(out):
            assert main(words[1:]) == codes.GOOD, words
    if target is not None:
        target.write_text(out.getvalue())
    return out.getvalue()


LIVE = {"apply", "snapshot", "scheduler"}
"""Commands that need a cluster: tests/cluster/test_readme.py runs their blocks."""


def needs_cluster(block: str) -> bool:
    return any(words[0] == "gangplan" and words[1] in LIVE for words in commands(block))


@pytest.mark.parametrize(
    "block",
    [block for block in blocks("sh") if not needs_cluster(block)],
    ids=lambda block: block.splitlines()[0][:40],
)
def test_every_command_runs(block: str, here: Path) -> None:
    shutil.copy(here / "examples" / "cluster.json", here / "cluster.json")
    for words in commands(block):
        run(words)


@pytest.mark.parametrize("block", blocks("python"), ids=lambda block: block.splitlines()[0])
def test_every_snippet_runs(block: str, here: Path) -> None:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(block, "README.md", "exec"), {})
    assert "ml/huge waits: cannot be placed" in out.getvalue()


def test_the_output_shown_is_what_comes_out(here: Path) -> None:
    """Values, bounds and the verdict; which of several equal plans comes out may differ."""
    shown, _, _ = blocks("text")
    real = run(["make", "run"])
    assert (here / "plan.json").is_file()
    assert _settled(shown) == _settled(real)
    (lost,) = (line for line in real.splitlines() if line.startswith("lost: "))
    assert lost in shown
    rows = {line.split()[0] for line in real.splitlines() if "/" in line[:20].strip()}
    for line in shown.splitlines():
        if re.match(r"(serve|ml|lab)/", line):
            assert line.split()[0] in rows


def test_the_devices_shown_are_what_comes_out(here: Path) -> None:
    """As above; also why `ml/tune` waits, and the shape of the lines."""
    _, shown, _ = blocks("text")
    real = run(["gangplan", "plan", "examples/devices.yaml"])
    assert _settled(shown) == _settled(real)
    waits = shown[shown.index("ml/tune ") : shown.index("\ntier ")]
    assert waits in real
    for start in ("gpu/gpu/a100 (choice 2): ", "ml/pretrain:channel/channel (shared):"):
        assert start in shown
        assert start in real


def test_the_evictions_shown_are_what_comes_out(here: Path) -> None:
    """Line by line: who falls for whom and what is lost is the only optimum."""
    _, _, shown = blocks("text")
    real = run(["gangplan", "plan", "examples/preemption.yaml"])
    assert _settled(shown) == _settled(real)
    victims = shown[shown.index("\nevicted ") : shown.index("\ntier ")]
    assert "\nlost: " in victims
    assert victims in real
    assert shown[: shown.index("\n...")] in real


def _settled(output: str) -> list[list[str]]:
    """Name, value and bound of each tier, and the closing lines without seconds."""
    lines = output[output.index("\ntier ") :].splitlines()
    tiers = [line.split()[:3] for line in lines if re.match(r"[a-z-]+(\(\d+\))? +\d", line)]
    closing = lines[next(i for i, line in enumerate(lines) if line.startswith("groups: ")) :]
    closing = [re.sub(r"\(.*\)", "", line).rstrip() for line in closing]
    return [*tiers, closing]


def test_the_first_screen_is_the_two_commands_and_what_came_out() -> None:
    assert README.index("make run") < README.index("make test") < README.index("```text")
    assert README.index("What it means") < README.index("## ")
