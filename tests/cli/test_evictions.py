"""Evictions on the command line: the table of victims, what is lost, and the options."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gangplan.cli import codes, main
from gangplan.cli.tables import console
from gangplan.cli.victims import lost, show_victims
from gangplan.datasets.io import write_instance
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan, empty_plan
from tests.tiny import make_instance
from tests.tiny_running import with_running

Captured = pytest.CaptureFixture[str]

GPUS: dict[str, Any] = {"request": {"gpu": 8}}


def full(**more: Any) -> Instance:
    """Two nodes, a pod of 8 GPUs on each, and an urgent pod."""
    base = make_instance([{"gpu": 0}] * 2, [{"name": "ml/now", "priority": 9} | GPUS])
    pods = [
        {"name": f"ml/old-{n}", "node": n, "minutes": m} | GPUS for n, m in ((0, 3000), (1, 90))
    ]
    return with_running(base, pods, **more)


def falling(instance: Instance, *units: int) -> Plan:
    return replace(empty_plan(instance), evicted=np.array(units, dtype=np.int64))


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = str(tmp_path / "full.json")
    write_instance(full(budgets=[{"name": "ml/keep", "pods": [1]}]), path)
    return path


def test_what_is_lost_is_one_line() -> None:
    budgets = [{"name": "ml/a", "pods": [0, 1], "allowed": 1}, {"name": "ml/b", "pods": [1]}]
    instance = full(budgets=budgets)
    assert lost(instance, falling(instance, 0)) == (
        "lost: 1 pod, 8 GPUs, 400.0 GPU-hours; PDBs touched: ml/a (1 of 1 allowed)"
    )
    assert lost(instance, falling(instance, 0, 1)) == (
        "lost: 2 pods, 16 GPUs, 412.0 GPU-hours; "
        "PDBs touched: ml/a (2 of 1 allowed), ml/b (1 of 0 allowed)"
    )


def test_hours_are_of_pods_with_a_known_start() -> None:
    instance = full()
    minutes = instance.running.pod_minutes.copy()
    minutes[0] = -1
    half = replace(instance, running=replace(instance.running, pod_minutes=minutes))
    assert lost(half, falling(half, 0, 1)) == (
        "lost: 2 pods, 16 GPUs, 12.0 GPU-hours (of the 1 with a known start)"
    )
    assert lost(half, falling(half, 0)) == "lost: 1 pod, 8 GPUs"


def test_parts_of_devices_are_told_as_devices() -> None:
    instance = replace(full(), device_unit=1000)
    assert lost(instance, falling(instance, 1)) == "lost: 1 pod, 0.008 GPUs, 0.0 GPU-hours"


def test_many_victims_are_counted(capsys: Captured) -> None:
    instance = full()
    assert show_victims(console(), instance, falling(instance, 0, 1), rows=1) == 2
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split() == ["ml/old-0", "pod", "0", "1", "8", "2d2h"]
    assert lines[3] == "... and 1 eviction more (-o FILE writes them all)"


def test_nobody_falls_without_a_word(capsys: Captured) -> None:
    instance = full()
    assert show_victims(console(), instance, empty_plan(instance), rows=1) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("planner", ["exact", "greedy"])
def test_the_table_says_who_falls_for_whom(source: str, planner: str, capsys: Captured) -> None:
    """The budget keeps the younger pod, which would cost less."""
    assert main(["plan", source, "--planner", planner]) == codes.GOOD
    out = capsys.readouterr().out
    row = next(line for line in out.splitlines() if line.startswith("ml/old-0 "))
    assert row.split() == ["ml/old-0", "pod", "0", "1", "8", "2d2h", "ml/now"]
    assert "lost: 1 pod, 8 GPUs, 400.0 GPU-hours\n" in out


@pytest.mark.parametrize("planner", ["exact", "greedy"])
def test_nobody_is_evicted_where_nobody_may_be(
    source: str, planner: str, tmp_path: Path, capsys: Captured
) -> None:
    file = str(tmp_path / "plan.json")
    main(["plan", source, "--planner", planner, "--no-preemption", "-o", file])
    out = capsys.readouterr().out
    assert "evicted" not in out
    assert "lost-" not in out
    document = json.loads(Path(file).read_text())
    assert document["evictions"] == []
    assert document["planner"]["preemption"] is False
    assert main(["verify", source, "--plan", file]) == codes.GOOD


@pytest.mark.parametrize("planner", ["exact", "greedy"])
def test_an_objective_that_evicts_nobody_is_said(
    source: str, planner: str, tmp_path: Path, capsys: Captured
) -> None:
    argv = ["--planner", planner, "--objective", "weighted-gpus"]
    assert main(["plan", source, *argv]) == codes.GOOD
    assert "warning: weighted-gpus evicts nobody: what is proven" in capsys.readouterr().err
    empty = str(tmp_path / "empty.json")
    write_instance(make_instance([{"gpu": 8}], [{"priority": 9} | GPUS]), empty)
    assert main(["plan", empty, *argv]) == codes.GOOD
    assert "evicts nobody" not in capsys.readouterr().err


def test_a_plan_under_hard_budgets_is_checked_under_hard_budgets(
    source: str, tmp_path: Path, capsys: Captured
) -> None:
    hard, other = str(tmp_path / "hard.json"), str(tmp_path / "other.json")
    assert main(["plan", source, "--pdb", "hard", "-o", hard]) == codes.GOOD
    assert main(["verify", source, "--plan", hard, "--proof"]) == codes.GOOD
    document = json.loads(Path(hard).read_text())
    assert document["planner"]["pdb"] == "hard"
    entry = document["evictions"][0]
    entry["unit"], entry["pods"] = "ml/old-1", ["ml/old-1"]
    for group in document["groups"]:
        for pod in group["pods"]:
            pod["node"] = "n1"
    Path(other).write_text(json.dumps(document))
    capsys.readouterr()
    assert main(["verify", source, "--plan", other]) == codes.VERIFICATION_FAILED
    assert "PodDisruptionBudget ml/keep: 1 victims, 0 allowed" in capsys.readouterr().out


def test_evictions_are_counted_by_verify(source: str, tmp_path: Path, capsys: Captured) -> None:
    file = str(tmp_path / "plan.json")
    assert main(["plan", source, "-o", file]) == codes.GOOD
    assert main(["verify", source, "--plan", file]) == codes.GOOD
    assert "keeps every rule (1 pods placed, 1 eviction, " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--pdb", "medium"], "pdb medium: no pdb of this name: one of soft, hard"),
        (["--preview", "--no-preemption"], "--preview: not with --no-preemption"),
        (["--preview", "--objective", "weighted-gpus"], "--preview: weighted-gpus evicts nobody"),
    ],
)
def test_options_that_say_nothing_are_refused_in_one_line(
    source: str, options: list[str], message: str, capsys: Captured
) -> None:
    assert main(["plan", source, *options]) == codes.USAGE
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_a_preview_of_a_cluster_without_victims_plans_once(
    tmp_path: Path, capsys: Captured
) -> None:
    path = str(tmp_path / "empty.json")
    write_instance(make_instance([{"gpu": 8}], [GPUS]), path)
    assert main(["plan", path, "--preview"]) == codes.GOOD
    assert capsys.readouterr().out.endswith("no group fares differently\n")


def test_both_ways_are_compared_side_by_side(source: str, capsys: Captured) -> None:
    argv = ["compare", source, "--planners", "greedy", "--preemption", "on,off"]
    assert main(argv) == codes.GOOD
    lines = [line.split("  ") for line in capsys.readouterr().out.splitlines()]
    rows = {line[0]: [word.strip() for word in line if word.strip()] for line in lines}
    assert rows["planner"] == ["planner", "backend", "GPUs lost", "pods lost", "beyond budgets"]
    assert rows["greedy"] == ["greedy", "greedy", "8", "1", "0"]
    assert rows["greedy, no evictions"][2:] == ["0", "0", "0"]
    assert main(["compare", source, "--preemption", "maybe"]) == codes.USAGE
    assert "--preemption: on, off or both expected" in capsys.readouterr().err
