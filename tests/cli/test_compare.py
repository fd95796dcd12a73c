import json
from pathlib import Path

import pytest

from gangplan.cli import codes, main
from gangplan.cli.records import tiers_to_show
from gangplan.datasets.io import write_instance
from gangplan.experiments.records import TierRecord
from tests.experiments.record_cases import record
from tests.proofs import SEARCHED

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("compare") / "i.json")
    assert main(["generate", "training", "--nodes", "16", "--groups", "2", "-o", path]) == 0
    return path


def test_one_table_side_by_side_and_a_missing_backend_is_a_row(
    source: str, not_installed: str, capsys: Captured
) -> None:
    solvers = f"highs,{not_installed}"
    argv = ["compare", source, "--planners", "greedy,exact", "--solvers", solvers]
    assert main([*argv, "--objective", "weighted-gpus", "--time-limit", "10"]) == codes.GOOD
    head, _, *rows = capsys.readouterr().out.splitlines()
    assert head.split()[:4] == ["planner", "solver", "formulation", "weighted-gpus"]
    assert [row.split()[:3] for row in rows[:3]] == [
        ["greedy", "-", "-"],
        ["exact", "highs", "counts"],
        ["exact", not_installed, "counts"],
    ]
    assert "1/1" in rows[1]
    assert "skipped: no-such-library" in rows[2]


def test_json_goes_to_stdout_and_words_to_stderr(source: str, capsys: Captured) -> None:
    assert main(["compare", source, "--planners", "greedy", "--json"]) == codes.GOOD
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert document["schema"] == "gangplan/compare/v1"
    (found,) = document["records"]
    assert (found["planner"], found["solver"], found["verified"]) == ("greedy", "", True)
    assert found["digest"] == document["instance"]
    assert said.err.startswith("planner")


def test_nothing_that_could_run_is_nothing_planned(
    source: str, not_installed: str, capsys: Captured
) -> None:
    argv = ["compare", source, "--planners", "exact", "--solvers", not_installed]
    assert main(argv) == codes.NOTHING_PLANNED


def test_a_misspelt_solver_is_refused_before_any_work(source: str, capsys: Captured) -> None:
    assert main(["compare", source, "--solvers", "highs,hihgs"]) == codes.USAGE
    assert capsys.readouterr().err.startswith("error: solver hihgs: no solver of this name")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--planners", "greed"],
            "error: planner greed: no planner of this name: one of auto, anytime, exact, greedy",
        ),
        (["--formulations", "no"], "error: formulation no: no formulation of this name: one of"),
        (["--objective", "no"], "error: objective no: no objective of this name: one of groups"),
        (["--solvers", "highs,"], "error: --solvers: names expected, comma separated"),
        (["--time-limit", "0"], "error: --time-limit: seconds, a number above 0 expected, not 0"),
        (["--threads", "0"], "error: --threads: an integer of at least 1 expected, not 0"),
    ],
)
def test_bad_options_are_one_line(
    source: str, capsys: Captured, options: list[str], said: str
) -> None:
    assert main(["compare", source, *options]) == codes.USAGE
    err = capsys.readouterr().err
    assert err.startswith(said)
    assert err.count("\n") == 1


def test_a_missing_source_is_one_line(tmp_path: Path, capsys: Captured) -> None:
    assert main(["compare", str(tmp_path / "none.json")]) == codes.USAGE
    assert capsys.readouterr().err.count("\n") == 1


def test_the_first_tier_and_the_first_that_differs_are_shown() -> None:
    def tiers(*values: int) -> tuple[TierRecord, ...]:
        return tuple(
            TierRecord(name, True, value, None, "", False)
            for name, value in zip("abc", values, strict=True)
        )

    found = [record(tiers=tiers(1, 2, 3)), record(tiers=tiers(1, 2, 4)), record(tiers=())]
    assert tiers_to_show(found) == ["a", "c"]
    assert tiers_to_show([record(tiers=())]) == []


def test_a_memory_limit_holds_for_each_run(tmp_path: Path, capsys: Captured) -> None:
    source = str(tmp_path / "cluster.json")
    write_instance(SEARCHED, source)
    assert main(["compare", source, "--memory", "1Mi"]) == codes.GOOD
    err = capsys.readouterr().err
    assert "warning: highs/counts: the solver failed, its last plan and bounds are kept: " in err
    assert "the memory limit of 1 MiB is below the " in err
