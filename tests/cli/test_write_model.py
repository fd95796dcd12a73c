from pathlib import Path

import pytest

from gangplan.cli import codes, main
from gangplan.datasets.io import write_instance
from gangplan.solvers.export.first_tier import FORMATS
from tests.solvers.export.files import read_by_highs
from tests.tiny import make_instance


@pytest.fixture
def source(tmp_path: Path) -> str:
    """Two gangs of two pods for two nodes: one fits."""
    path = str(tmp_path / "cluster.json")
    gang = {"minimum": 2, "wanted": 2, "request": {"gpu": 8}}
    groups = [{"name": f"ml/{name}", **gang} for name in "ab"]
    write_instance(make_instance(nodes=[{"gpu": 8}, {"gpu": 8}], groups=groups), path)
    return path


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("formulation", ["counts", "assignment"])
def test_the_model_of_the_first_goal_is_written_with_readable_names(
    source: str,
    ending: str,
    formulation: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / f"model{ending}"
    arguments = ["plan", source, "--formulation", formulation, "--write-model", str(path)]
    assert main(arguments) == codes.GOOD
    assert f"model file: {path}" in capsys.readouterr().err
    (read,) = read_by_highs(path)
    assert (read["status"], read["optimum"]) == ("kOptimal", -1)
    assert any(name.startswith("capacity.") for name in read["rows"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--write-model", "m.txt"], "m.txt: a file name ending in .mps or .lp expected"),
        (["--write-model", "none/m.mps"], "none/m.mps: cannot be written: its folder does not"),
        (["--write-model", "m.mps", "--planner", "greedy"], "greedy writes no model"),
    ],
)
def test_what_cannot_be_written_is_one_line(
    source: str, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", source, *arguments]) != codes.GOOD
    err = " ".join(capsys.readouterr().err.split())
    assert said in err
    assert "Traceback" not in err
