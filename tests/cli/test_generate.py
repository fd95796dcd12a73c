import json
from pathlib import Path

import pytest

from gangplan.cli import codes, main
from gangplan.datasets.generate import generate
from gangplan.datasets.io import read_instance

Captured = pytest.CaptureFixture[str]


def test_a_generated_file_is_the_generated_instance(tmp_path: Path, capsys: Captured) -> None:
    path = str(tmp_path / "i.json.gz")
    argv = ["generate", "vectors", "--nodes", "32", "--groups", "5", "--seed", "7", "-o", path]
    assert main(argv) == codes.GOOD
    wanted = generate("vectors", nodes=32, groups=5, seed=7).digest()
    assert read_instance(path).digest() == wanted
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("vectors: 32 nodes, 5 groups, ")
    assert wanted[:12] in said.err


def test_a_dash_writes_to_standard_output(capsys: Captured) -> None:
    assert main(["generate", "training", "--nodes", "16", "--groups", "2", "-o", "-"]) == codes.GOOD
    assert json.loads(capsys.readouterr().out)["schema"] == "gangplan/instance/v1"


def test_datasets_lists_generators_and_presets(capsys: Captured) -> None:
    assert main(["datasets"]) == codes.GOOD
    out = capsys.readouterr().out
    for name in ("training", "racks", "vectors", "training-5k", "vectors-512"):
        assert f"\n{name} " in out
    assert "openb" in out


def test_solvers_lists_highs_with_its_version(capsys: Captured) -> None:
    from importlib.metadata import version

    assert main(["solvers"]) == codes.GOOD
    line = next(x for x in capsys.readouterr().out.splitlines() if x.startswith("highs"))
    assert version("highspy") in line
    assert line.rstrip().endswith("yes")
