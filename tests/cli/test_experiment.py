import json
from pathlib import Path

import pytest

from gangplan.cli import codes, main
from gangplan.experiments import plots, records
from tests.experiments.record_cases import record

Captured = pytest.CaptureFixture[str]

GREEDY = """
seeds = [1, 2]
[[instances]]
generator = "training"
nodes = 16
groups = 2
[[planners]]
planner = "greedy"
[limits]
seconds = 5
"""


def test_run_writes_records_and_runs_nothing_twice(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "e.toml").write_text(GREEDY)
    argv = ["run", str(tmp_path / "e.toml"), "-o", str(tmp_path / "results")]
    assert main(argv) == codes.GOOD
    path = tmp_path / "results" / "e.jsonl"
    first = path.read_bytes()
    assert len(records.load(path).records) == 2
    said = capsys.readouterr()
    assert said.out.splitlines()[2].split()[:3] == ["greedy", "greedy", "2"]
    assert said.err == f"2 cells, 0 of them known before; records: {path}\n"
    assert main([*argv, "--json"]) == codes.GOOD
    said = capsys.readouterr()
    assert "2 cells, 2 of them known before" in said.err
    assert len(json.loads(said.out)["records"]) == 2
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GREEDY.replace("seeds = [1, 2]", "seeds = []"), "seeds: at least one expected"),
        (GREEDY.replace('"training"', '"no"'), "instances[0].generator: no generator 'no'"),
        (GREEDY.replace("[limits]", "[limit]"), "limit: unknown key"),
        ("[", "not TOML"),
    ],
)
def test_a_bad_file_is_one_line(tmp_path: Path, capsys: Captured, text: str, said: str) -> None:
    path = tmp_path / "e.toml"
    path.write_text(text)
    assert main(["run", str(path), "-o", str(tmp_path / "r")]) == codes.USAGE
    err = capsys.readouterr().err
    assert err.startswith(f"error: {path}: {said}")
    assert err.count("\n") == 1
    assert not (tmp_path / "r").exists()


def test_a_missing_file_and_no_workers_are_one_line_each(tmp_path: Path, capsys: Captured) -> None:
    assert main(["run", str(tmp_path / "none.toml")]) == codes.USAGE
    assert capsys.readouterr().err.endswith(
        "none.toml: cannot be read: No such file or directory\n"
    )
    assert main(["run", "e.toml", "--workers", "0"]) == codes.USAGE
    assert capsys.readouterr().err.startswith("error: --workers: ")


def test_a_full_disk_is_one_line(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "e.toml").write_text(GREEDY)
    (tmp_path / "e.jsonl").symlink_to("/dev/full")
    assert main(["run", str(tmp_path / "e.toml"), "-o", str(tmp_path)]) == codes.USAGE
    said = f"error: {tmp_path}/e.jsonl: cannot be written: No space left on device\n"
    assert capsys.readouterr().err == said


def test_report_writes_tables_and_plots(tmp_path: Path, capsys: Captured) -> None:
    records.append(tmp_path / "hand.jsonl", record())
    assert main(["report", str(tmp_path), "-o", str(tmp_path / "out")]) == codes.GOOD
    names = {"hand.md", "hand.json", "hand-backends.csv", "hand-instances.csv", "hand-runs.csv"}
    if plots.available():
        names |= {"hand-time.svg", "hand-gap.svg", "hand-profile.svg"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names
    said = capsys.readouterr()
    assert "highs/counts" in said.out
    assert said.err.count("written: ") == len(names)


def test_without_matplotlib_one_line_says_so(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plots, "find_spec", lambda name: None)
    records.append(tmp_path / "hand.jsonl", record())
    assert main(["report", str(tmp_path), "-o", str(tmp_path / "out")]) == codes.GOOD
    assert "note: no plots: matplotlib is not installed" in capsys.readouterr().err
    assert not list((tmp_path / "out").glob("*.svg"))


def test_no_records_are_one_line(tmp_path: Path, capsys: Captured) -> None:
    assert main(["report", str(tmp_path), "-o", str(tmp_path / "out")]) == codes.USAGE
    assert capsys.readouterr().err == (
        f"error: {tmp_path}: no records there (files *.jsonl, written by 'gangplan run')\n"
    )
    assert main(["report", str(tmp_path / "none"), "-o", str(tmp_path / "out")]) == codes.USAGE
    assert "cannot be read: No such file" in capsys.readouterr().err


def test_what_gave_no_plan_is_said_with_its_reason(
    tmp_path: Path, not_installed: str, capsys: Captured
) -> None:
    text = GREEDY.replace('"greedy"', f'["greedy", "exact"]\nsolver = "{not_installed}"')
    (tmp_path / "e.toml").write_text(text)
    assert main(["run", str(tmp_path / "e.toml"), "-o", str(tmp_path)]) == codes.GOOD
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("skipped")]
    assert len(said) == 1
    assert said[0].startswith(
        "skipped: absent/counts, 2 cells (training 16/2 seed 1, ...): no-such-library is not"
    )
