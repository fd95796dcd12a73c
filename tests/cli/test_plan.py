import json
from pathlib import Path

import pytest

from gangplan.cli import codes, main
from gangplan.datasets.io import read_plan, write_instance
from gangplan.models.instance import Instance
from gangplan.models.plan import empty_plan
from gangplan.models.result import COUNTING, Result, TierReport
from gangplan.models.verify.check import check
from gangplan.solvers.base import Limits, Progress, silent
from tests.proofs import SEARCHED
from tests.tiny import make_instance

Captured = pytest.CaptureFixture[str]


def cluster() -> Instance:
    return make_instance(
        nodes=[{"gpu": 8, "example.com/rack": f"r{n // 4}"} for n in range(12)],
        groups=[
            {
                "name": "ml/train",
                "priority": 10,
                "minimum": 3,
                "wanted": 4,
                "request": {"gpu": 8},
                "rules": [("example.com/rack", "required")],
            },
            {
                "name": "ml/[red]big",
                "priority": 10,
                "minimum": 5,
                "wanted": 5,
                "request": {"gpu": 8},
                "rules": [("example.com/rack", "required")],
            },
            {"name": "ml/held", "minimum": 1, "request": {"gpu": 1}, "held": True},
            {"name": "ml/grows", "minimum": 1, "wanted": 2, "request": {"gpu": 2}, "running": [11]},
            {"name": "ml/notebook", "kind": "bare", "wanted": 3, "request": {"gpu": 1}},
        ],
    )


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = str(tmp_path / "cluster.json")
    write_instance(cluster(), path)
    return path


def test_the_table_says_where_and_why(
    source: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert main(["plan", source]) == codes.GOOD
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert said.err == ""
    row = {line.split()[0]: line for line in lines if line.startswith("ml/")}
    assert "admitted" in row["ml/train"]
    assert " 4/4 " in row["ml/train"]
    assert "rack r" in row["ml/train"]
    assert "pending" in row["ml/[red]big"]
    assert "held by the test" in row["ml/held"]
    assert "running" in row["ml/grows"]
    assert "ml/notebook (x3) " in row["ml/notebook"]
    assert any(line.startswith("admitted(10) ") for line in lines)
    assert lines[-1].startswith("optimal: no better plan exists")
    assert lines[-3] == "groups: 1 admitted, 1 running, 2 pending; single pods: 3 of 3 placed"
    assert lines[-2].startswith("9 of 15 waiting pods get a node (")
    assert max(map(len, lines)) <= 100


def test_the_plan_file_is_written_whole_and_verified(
    source: str, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "plan.json"
    assert main(["plan", source, "-o", str(path)]) == codes.GOOD
    assert check(cluster(), read_plan(str(path), cluster())) == ()
    assert f"plan file: {path}" in capsys.readouterr().err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cluster.json", "plan.json"]


def test_json_goes_to_standard_output_and_words_to_standard_error(
    source: str, capsys: Captured
) -> None:
    assert main(["plan", source, "--json"]) == codes.GOOD
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert document["schema"] == "gangplan/plan/v1"
    assert document["stop"] == "optimal"
    assert set(document["seconds"]) >= {"read", "solve", "verify"}
    assert set(document["versions"]) >= {"gangplan", "python"}
    assert document["planner"]["name"] == "exact"
    assert "optimal: no better plan exists" in said.err


@pytest.mark.parametrize("objective", ["groups", "gpus", "age"])
def test_every_objective_is_planned_and_verified(
    objective: str, source: str, tmp_path: Path, capsys: Captured
) -> None:
    plan = str(tmp_path / "p.json")
    assert main(["plan", source, "--objective", objective, "-o", plan]) == codes.GOOD
    assert main(["verify", source, "--plan", plan]) == codes.GOOD
    assert "keeps every rule" in capsys.readouterr().out


def test_weighted_gpus_is_one_tier(source: str, tmp_path: Path, capsys: Captured) -> None:
    plan = str(tmp_path / "p.json")
    argv = ["plan", source, "--objective", "weighted-gpus", "--weights", "10=2,0=1", "-o", plan]
    assert main(argv) == codes.GOOD
    document = json.loads(Path(plan).read_text())
    assert [tier["name"] for tier in document["tiers"]] == ["weighted-gpus"]
    assert document["tiers"][0]["value"] == 3 * 8 * 2 + 3
    assert main(["verify", source, "--plan", plan]) == codes.GOOD
    assert (
        main(["plan", source, "--objective", "weighted-gpus", "--weights", "10=2"]) == codes.USAGE
    )
    assert "priority 0 needs a positive integer weight" in capsys.readouterr().err


def test_the_textbook_formulation_gives_the_same_values_and_the_plan_file_names_it(
    source: str, tmp_path: Path, capsys: Captured
) -> None:
    values = []
    for formulation in ("counts", "assignment"):
        plan = str(tmp_path / f"{formulation}.json")
        assert main(["plan", source, "--formulation", formulation, "-o", plan]) == codes.GOOD
        assert main(["verify", source, "--plan", plan]) == codes.GOOD
        document = json.loads(Path(plan).read_text())
        assert document["planner"]["kind"] == formulation
        assert document["stop"] == "optimal"
        values.append([tier["value"] for tier in document["tiers"]])
    assert values[0] == values[1]


def test_a_formulation_for_a_planner_without_a_model_is_refused(
    source: str, capsys: Captured
) -> None:
    argv = ["plan", source, "--planner", "greedy", "--formulation", "assignment"]
    assert main(argv) == codes.USAGE
    refusal = "formulation assignment: not with planner greedy: it writes no model"
    assert refusal in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "previous.json: cannot be read: No such file or directory"),
        ("no json", "previous.json: not JSON"),
        ("{}", "previous.json: schema: gangplan/plan/v1 expected, not null"),
        ('{"schema": "gangplan/instance/v1"}', "schema: gangplan/plan/v1 expected, not"),
        ('{"schema": "gangplan/plan/v1"}', "previous.json: groups: a list expected"),
    ],
)
def test_a_previous_plan_that_is_none_is_one_line(
    text: str | None, why: str, source: str, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "previous.json"
    if text is not None:
        path.write_text(text)
    assert main(["plan", source, "--previous", str(path)]) == codes.USAGE
    said = capsys.readouterr().err
    assert why in said
    assert said.startswith("error: ")
    assert said.count("\n") == 1


def test_greedy_says_what_is_not_proven(source: str, capsys: Captured) -> None:
    assert main(["plan", source, "--planner", "greedy"]) == codes.GOOD
    assert "tiers are proven" in capsys.readouterr().out


def test_an_empty_cluster_is_planned(tmp_path: Path, capsys: Captured) -> None:
    path = str(tmp_path / "empty.json")
    write_instance(make_instance(nodes=[], groups=[]), path)
    assert main(["plan", path]) == codes.GOOD
    out = capsys.readouterr().out
    assert "groups: none\n0 of 0 waiting pods get a node" in out
    assert "optimal" in out


class Idle:
    """A planner that runs out of time before it has anything."""

    name = "idle"

    def plan(self, instance: Instance, limits: Limits, progress: Progress = silent) -> Result:
        tier = TierReport("admitted(10)", True, 0, 2, COUNTING, False)
        return Result(empty_plan(instance), (tier,), "feasible", {"name": self.name})


def test_nothing_planned_in_time_is_exit_2(
    source: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr("gangplan.solvers.registry.get_planner", lambda *_, **__: Idle())
    assert main(["plan", source]) == codes.NOTHING_PLANNED
    assert "admitted(10) is 0, at most 2 is possible" in capsys.readouterr().out


@pytest.mark.parametrize("planner", ["exact", "greedy"])
def test_a_proof_that_nothing_can_be_placed_is_an_answer(
    planner: str, tmp_path: Path, capsys: Captured
) -> None:
    path = str(tmp_path / "full.json")
    groups = [{"minimum": 2, "wanted": 2, "request": {"gpu": 8}}]
    write_instance(make_instance(nodes=[{"gpu": 8}], groups=groups), path)
    assert main(["plan", path, "--planner", planner]) == codes.GOOD
    assert "cannot be placed" in capsys.readouterr().out


def test_an_unwritable_path_is_refused_before_planning(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("planned")

    monkeypatch.setattr("gangplan.api.plan", never)
    assert main(["plan", source, "-o", str(tmp_path)]) == codes.USAGE
    assert capsys.readouterr().err == f"error: {tmp_path}: cannot be written: a folder\n"


@pytest.mark.parametrize("folder", [False, True])
def test_a_source_is_not_overwritten(
    source: str, folder: bool, tmp_path: Path, capsys: Captured
) -> None:
    before = Path(source).read_bytes()
    # By another name of the same file.
    output = str(tmp_path / ".." / tmp_path.name / "cluster.json")
    assert main(["plan", str(tmp_path) if folder else source, "-o", output]) == codes.USAGE
    assert "is read as a source, and would be overwritten" in capsys.readouterr().err
    assert Path(source).read_bytes() == before


def test_a_model_is_not_written_over_a_source(
    source: str, tmp_path: Path, capsys: Captured
) -> None:
    model = Path(source).rename(tmp_path / "model.mps")
    before = model.read_bytes()
    assert main(["plan", str(model), "--write-model", str(model)]) == codes.USAGE
    said = f"error: --write-model: {model} is read as a source, and would be overwritten\n"
    assert capsys.readouterr().err == said
    assert model.read_bytes() == before


def test_a_solver_without_memory_leaves_the_greedy_plan_and_says_so(
    tmp_path: Path, capsys: Captured
) -> None:
    source, path = str(tmp_path / "cluster.json"), str(tmp_path / "plan.json")
    write_instance(SEARCHED, source)
    assert main(["plan", source, "-o", path, "--memory", "1Mi"]) == codes.GOOD
    said = capsys.readouterr()
    kept = "warning: the solver failed, its last plan and bounds are kept: highs: "
    assert f"{kept}the memory limit of 1 MiB is below the " in said.err
    document = json.loads(Path(path).read_text())
    assert document["planner"]["memory"] == 2**20
    assert not check(SEARCHED, read_plan(path, SEARCHED))


def test_memory_enough_changes_nothing(tmp_path: Path, capsys: Captured) -> None:
    source = str(tmp_path / "cluster.json")
    write_instance(SEARCHED, source)
    assert main(["plan", source, "--memory", "2Gi"]) == codes.GOOD
    said = capsys.readouterr()
    assert "warning" not in said.err
    assert "every tier is proven" in said.out


def test_the_plan_file_is_there_although_nobody_reads_the_tables(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("gangplan.cli.planning.show_plan", gone)
    path = tmp_path / "plan.json"
    assert main(["plan", source, "-o", str(path)]) == codes.PIPE_CLOSED
    assert check(cluster(), read_plan(str(path), cluster())) == ()


def test_a_missing_source_is_one_line(capsys: Captured) -> None:
    assert main(["plan", "nowhere.json"]) == codes.USAGE
    err = capsys.readouterr().err
    assert err.startswith("error: nowhere.json: ")
    assert len(err.splitlines()) == 1
