import io
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import gangplan
from gangplan.datasets.generate import generate
from gangplan.datasets.instance_file import instance_document
from gangplan.datasets.io import write_instance, write_plan
from gangplan.models.errors import InputError, PlanError
from gangplan.models.instance import Instance
from gangplan.models.plan import empty_plan
from gangplan.models.result import Result
from gangplan.solvers.base import Limits, Progress, silent
from gangplan.solvers.planners.greedy import Greedy
from tests.tiny import make_instance


def tiny() -> Instance:
    return make_instance(
        nodes=[{"gpu": 8}, {"gpu": 8}],
        groups=[
            {"minimum": 2, "wanted": 2, "request": {"gpu": 8}, "priority": 2},
            {"minimum": 1, "wanted": 1, "request": {"gpu": 1}, "priority": 1},
        ],
    )


NODE = """
apiVersion: v1
kind: Node
metadata: {name: n}
status: {allocatable: {cpu: "4", pods: "10"}}
"""


def test_an_instance_file_is_told_from_manifests_by_its_content(tmp_path: Path) -> None:
    write_instance(tiny(), str(tmp_path / "a.yaml"))  # the name says nothing
    (tmp_path / "b.json").write_text(NODE)
    assert gangplan.load(tmp_path / "a.yaml").digest() == tiny().digest()
    assert gangplan.load([tmp_path / "b.json"]).names.nodes == ("n",)


def test_an_instance_file_with_sorted_keys_is_still_one(tmp_path: Path) -> None:
    text = json.dumps(instance_document(generate("training", nodes=64)), sort_keys=True)
    assert text.index('"schema"') > 4096
    (tmp_path / "i.json").write_text(text)
    assert (
        gangplan.load(str(tmp_path / "i.json")).digest() == generate("training", nodes=64).digest()
    )


def test_standard_input_may_be_either(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, nodes in ((json.dumps(instance_document(tiny())), 2), (NODE, 1)):
        raw = io.BufferedReader(io.BytesIO(text.encode()))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw))
        assert len(gangplan.load("-").nodes) == nodes


def test_several_manifests_are_one_cluster(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(NODE)
    (tmp_path / "b.yaml").write_text(NODE.replace("name: n", "name: m"))
    assert gangplan.load([tmp_path / "a.yaml", tmp_path / "b.yaml"]).names.nodes == ("m", "n")


def test_an_instance_file_stands_alone(tmp_path: Path) -> None:
    write_instance(tiny(), str(tmp_path / "i.json"))
    (tmp_path / "b.yaml").write_text(NODE)
    with pytest.raises(InputError, match=r"i\.json: an instance file stands alone"):
        gangplan.load([tmp_path / "b.yaml", tmp_path / "i.json"])


def test_a_plan_file_is_no_cluster(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_plan(tiny(), Result(empty_plan(tiny()), (), "feasible", {}), str(path))
    with pytest.raises(InputError, match=r"plan\.json: a plan file, not a cluster"):
        gangplan.load(path)


@pytest.mark.parametrize("sources", [[], "", ["a.yaml", ""]])
def test_no_source_is_an_error(sources: str | list[str]) -> None:
    with pytest.raises(InputError, match="no source given"):
        gangplan.load(sources)


def test_a_plan_is_proven_and_verified() -> None:
    result = gangplan.plan(tiny())
    assert result.stop == "optimal"
    assert (result.plan.node >= 0).sum() == 2
    assert gangplan.verify(tiny(), result.plan) == ()
    broken = type(result.plan)(result.plan.node * 0, result.plan.device_pod, result.plan.device)
    assert "capacity" in {violation.family for violation in gangplan.verify(tiny(), broken)}


def test_planners_come_by_name_or_as_objects() -> None:
    by_name = gangplan.plan(tiny(), planner="greedy", objective="gpus")
    as_object = gangplan.plan(tiny(), planner=Greedy(objective="gpus"))
    assert by_name.planner == as_object.planner
    assert by_name.planner["name"] == "greedy"


class Piles:
    """A planner from outside that puts every pod on the first node."""

    name = "piles"

    def plan(self, instance: Instance, limits: Limits, progress: Progress = silent) -> Result:
        plan = empty_plan(instance)
        return Result(replace(plan, node=plan.node * 0), (), "feasible", {"name": self.name})


def test_a_planner_from_outside_is_verified_too() -> None:
    with pytest.raises(PlanError, match="planner piles: "):
        gangplan.plan(tiny(), planner=Piles())


def test_what_a_planner_leaves_unexplained_is_explained() -> None:
    instance = make_instance(
        nodes=[{"gpu": 8}], groups=[{"minimum": 2, "wanted": 2, "request": {"gpu": 8}}]
    )
    for planner in ("greedy", "exact"):
        assert "cannot be placed" in gangplan.plan(instance, planner=planner).reasons[0]


def test_progress_is_told() -> None:
    phases: list[str] = []
    gangplan.plan(tiny(), progress=lambda phase, seconds: phases.append(phase))
    assert "greedy" in phases
    assert "verify" in phases


def test_weights_must_cover_every_priority() -> None:
    with pytest.raises(InputError, match="priority 2 needs a positive integer weight"):
        gangplan.plan(tiny(), objective="weighted-gpus", weights={1: 1})
    result = gangplan.plan(tiny(), objective="weighted-gpus", weights={1: 1, 2: 3})
    assert [tier.value for tier in result.tiers] == [48]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"planner": "magic"},
            "planner magic: no planner of this name: one of auto, anytime, exact, greedy",
        ),
        ({"solver": "magic"}, "solver magic: no solver of this name: one of highs"),
        ({"objective": "magic"}, "objective magic: no objective of this name: one of groups"),
    ],
)
def test_an_unknown_name_is_refused_with_the_known_ones(
    options: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        gangplan.plan(tiny(), **options)  # type: ignore[arg-type]  # names of options, all texts


@pytest.mark.parametrize("planner", ["exact", "greedy"])
def test_every_waiting_group_has_a_reason_beside_held_ones(planner: str) -> None:
    instance = make_instance(
        nodes=[{"gpu": 8}],
        groups=[
            {"minimum": 1, "request": {"gpu": 1}, "held": True},
            {"minimum": 2, "wanted": 2, "request": {"gpu": 8}},
            {"minimum": 1, "wanted": 1, "request": {"gpu": 8}},
            {"minimum": 1, "wanted": 1, "request": {"gpu": 8}},
        ],
    )
    told = gangplan.plan(instance, planner).reasons
    assert told[0] == "held by the test"
    assert told[1].startswith("cannot be placed: 2 pods needed, 1 can be placed")
    assert len(told) == 3
