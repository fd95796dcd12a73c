import json
from pathlib import Path

import numpy as np
import pytest

from gangplan.datasets.traces.openb import openb
from gangplan.experiments.arrivals import inflated, listed, main, run
from gangplan.models.errors import InputError
from gangplan.models.instance import Instance
from gangplan.models.verify.check import check

DATA = Path(__file__).parents[1] / "data" / "traces"
PLANNERS = ("fgd", "filling", "together", "greedy")


def small() -> Instance:
    return openb(DATA / "openb_nodes.csv", DATA / "openb_pods.csv")


@pytest.mark.parametrize("planner", [*PLANNERS, "exact"])
def test_the_arrivals_together_keep_every_rule(planner: str) -> None:
    instance = small()
    course = run(instance, inflated(instance, 1), planner, batch=3)
    assert check(course.whole, course.plan) == ()
    assert course.whole.n_pods == len(course.role)
    held = course.whole.roles.devices[course.whole.pod_role[course.plan.node >= 0]].sum()
    assert held == course.held[-1]
    assert course.placed.sum() == (course.plan.node >= 0).sum()


@pytest.mark.parametrize("planner", PLANNERS)
def test_what_is_placed_never_moves(planner: str) -> None:
    instance = small()
    order = inflated(instance, 2)
    whole = run(instance, order, planner, batch=4)
    for end in range(4, len(order), 4):
        part = run(instance, order[:end], planner, batch=4)
        assert (part.placed == whole.placed[:end]).all()
        assert (part.held == whole.held[: end // 4]).all()
        for role in range(len(instance.roles)):
            first = spots(part.whole, part.plan.node, instance.names.groups[role])
            assert (
                spots(whole.whole, whole.plan.node, instance.names.groups[role])[: len(first)]
                == first
            )


def spots(instance: Instance, node: np.ndarray, group: str) -> list[int]:
    """Nodes of a group's pods, in the order in which they arrived."""
    mine = np.array([instance.names.groups[g] == group for g in instance.roles.group], dtype=bool)
    found: list[int] = node[mine[instance.pod_role]].tolist()
    return found


def test_a_run_repeats_itself() -> None:
    instance = small()
    order = inflated(instance, 3)
    assert (order == inflated(instance, 3)).all()
    one, two = (run(instance, order, "together", batch=5) for _ in range(2))
    assert (one.plan.node == two.plan.node).all()
    assert (one.plan.device == two.plan.device).all()


def test_the_published_order_has_every_pod_and_then_some_again() -> None:
    instance = small()
    order = inflated(instance, 1)
    counts = np.bincount(order, minlength=len(instance.roles))
    assert (counts >= instance.roles.wanted).all()
    capacity = int(instance.shared.free.sum())
    assert 0.5 * capacity < instance.roles.devices[order].sum() <= 1.3 * capacity


def test_a_list_can_arrive_as_it_stands() -> None:
    instance = small()
    assert listed(instance).tolist() == [0, 0, 1, 2, 3, 4, 4]


def test_a_pod_that_does_not_fit_is_gone() -> None:
    instance = small()
    course = run(instance, np.full(9, 2), "fgd", batch=1)
    assert course.placed.tolist() == [True] + [False] * 8
    assert course.held.tolist() == [8000] * 9


def test_rates_are_parts_of_the_whole_cluster() -> None:
    instance = small()
    course = run(instance, inflated(instance, 1), "fgd", batch=1)
    assert course.capacity == 16000
    assert all(0 <= rate <= 100 for rate in course.rates().values())


def test_unknown_words_are_refused() -> None:
    instance = small()
    with pytest.raises(InputError, match="one of fgd"):
        run(instance, listed(instance), "best")
    with pytest.raises(InputError, match="below 1"):
        run(instance, listed(instance), "fgd", batch=0)


def test_the_command_prints_one_line_a_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "alibaba-gpu-v2023"
    folder.mkdir()
    (folder / "openb_node_list_gpu_node.csv").write_text((DATA / "openb_nodes.csv").read_text())
    (folder / "openb_pod_list_default.csv").write_text((DATA / "openb_pods.csv").read_text())
    monkeypatch.setenv("GANGPLAN_DATA", str(tmp_path))
    assert main(["openb", "--planner", "fgd", "--batch", "1", "--seeds", "1", "2"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["seed"] for line in lines] == [1, 2]
    assert main(["openb-nowhere"]) == 2
    assert "unknown" in capsys.readouterr().err


def test_nobody_arrives() -> None:
    course = run(small(), np.zeros(0, dtype=np.int64), "together")
    assert course.rates() == {}
    assert course.whole.n_pods == 0
