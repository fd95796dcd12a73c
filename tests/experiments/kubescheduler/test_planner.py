"""The real kube-scheduler as a planner of experiments."""

from pathlib import Path

import pytest

from gangplan.experiments import peers, run, spec
from gangplan.experiments.executors import Serial
from gangplan.experiments.kubescheduler.behind import pairs
from gangplan.experiments.records import SKIPPED
from gangplan.experiments.spec import choices

FILE = """
name = "small"
seeds = [1]
[[instances]]
generator = "training"
nodes = 16
groups = 8
[[planners]]
planner = ["kube-scheduler[default]", "kube-scheduler[packed]", "auto"]
objective = "gpus"
[limits]
seconds = 20
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(FILE)
    return path


def test_without_its_programs_its_cells_say_so_and_the_others_run(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBEBUILDER_ASSETS", "/nowhere")
    found = run.run(spec.read(small), tmp_path / "results", Serial()).records
    assert {record.planner: record.reason for record in found if record.status == SKIPPED} == {
        name: "no etcd of Kubernetes 1.37 in KUBEBUILDER_ASSETS=/nowhere: make cluster builds it"
        for name in peers.KUBE_SCHEDULERS
    }
    assert sum(bool(record.verified) for record in found) == 1


def test_a_peer_has_no_solver_and_no_formulation() -> None:
    (one,) = choices(["kube-scheduler[packed]"], ["highs"], ["counts"])
    assert (one.solver, one.formulation) == ("", "")


@pytest.mark.cluster
def test_ours_is_not_behind_the_real_one(small: Path, tmp_path: Path) -> None:
    found = run.run(spec.read(small), tmp_path / "results", Serial()).records
    assert [record.violations for record in found] == [(), (), ()]
    compared = list(pairs(found))
    assert len(compared) == 2
    assert all(pair.ahead for pair in compared)
    assert found[0].versions["kube-scheduler"] == "v1.37.2"
    assert {"load", "solve"} <= found[0].seconds.keys()
