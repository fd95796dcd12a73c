import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gangplan.datasets.io import PLAN_SCHEMA, read_plan, read_result, write_plan
from gangplan.datasets.plan_claims import false_claims
from gangplan.datasets.plan_file import plan_document, result_of
from gangplan.models.errors import InputError
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.result import COUNTING, Result, TierReport
from gangplan.models.tiers import tiers_of, values
from tests.tiny import make_instance


def small() -> Instance:
    return make_instance(
        nodes=[{"gpu": 8, "shared": [1000, 1000]}, {"gpu": 4, "shared": [400, 1000]}],
        groups=[
            {"minimum": 2, "wanted": 3, "request": {"gpu": 4}},
            {"kind": "bare", "wanted": 3, "request": {"gpu": 0}, "share": 600},
            {"minimum": 1, "wanted": 1, "request": {"gpu": 4}, "running": [1]},
            {"minimum": 1, "wanted": 1, "request": {"gpu": 1}, "held": True},
            {"minimum": 9, "wanted": 9, "request": {"gpu": 1}},
        ],
    )


def a_result(instance: Instance) -> Result:
    """Three pods of the first group, two shared pods; the fifth group waits."""
    plan = Plan(np.array([0, 0, 1, 0, -1, 1, *[-1] * 11]), np.array([3, 5]), np.array([1, 3]))
    tiers = tiers_of(instance)
    return Result(
        plan=plan,
        tiers=tuple(
            TierReport(t.name, t.maximise, v, v, COUNTING, True)
            for t, v in zip(tiers, values(instance, plan, tiers), strict=True)
        ),
        stop="optimal",
        planner={"name": "exact", "objective": "groups"},
        reasons={4: "9 GPUs asked, 12 free in all (a test's reason)", 1: "one pod is left"},
        warnings=("a warning",),
        seconds={"solve": 0.25},
        versions={"gangplan": "0.1.0"},
    )


def document_of(instance: Instance) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(plan_document(instance, a_result(instance))))
    return document


def test_a_plan_file_says_who_goes_where_and_why_not() -> None:
    document = document_of(small())
    assert document["schema"] == PLAN_SCHEMA
    assert document["instance"] == small().digest()
    assert document["evictions"] == []
    groups = {entry["group"]: entry for entry in document["groups"]}
    first = groups["test/g0"]
    assert first["status"] == "admitted"
    assert [pod["mark"] for pod in first["pods"]] == ["minimum", "minimum", "elastic"]
    assert [pod["node"] for pod in first["pods"]] == ["n0", "n0", "n1"]
    assert first["reason"] is None
    assert groups["test/g2"] == {
        "group": "test/g2",
        "status": "running",
        "pods": [],
        "reason": None,
    }
    assert groups["test/g3"]["reason"] == "held by the test"
    assert groups["test/g4"]["status"] == "pending"
    assert groups["test/g4"]["reason"].startswith("9 GPUs asked")


def test_bare_pods_are_listed_one_by_one_with_their_devices() -> None:
    groups = {entry["group"]: entry for entry in document_of(small())["groups"]}
    assert "test/g1" not in groups
    assert groups["test/g1-1-0"]["pods"] == [
        {
            "pod": "test/g1-1-0",
            "node": "n0",
            "devices": [{"node": "n0", "device": 1}],
            "mark": "minimum",
        }
    ]
    assert groups["test/g1-1-1"] == {
        "group": "test/g1-1-1",
        "status": "pending",
        "pods": [],
        "reason": "one pod is left",
    }
    assert groups["test/g1-1-2"]["pods"][0]["devices"] == [{"node": "n1", "device": 1}]


@pytest.mark.parametrize("name", ["plan.json", "plan.json.gz"])
def test_a_round_trip_keeps_the_plan_and_all_that_is_said_of_it(name: str, tmp_path: Path) -> None:
    instance, result = small(), a_result(small())
    path = str(tmp_path / name)
    write_plan(instance, result, path)
    again = read_result(path, instance)
    assert (read_plan(path, instance).node == result.plan.node).all()
    assert (again.plan.device_pod == result.plan.device_pod).all()
    assert (again.plan.device == result.plan.device).all()
    for what in ("tiers", "stop", "planner", "warnings", "seconds", "versions"):
        assert getattr(again, what) == getattr(result, what)
    assert again.reasons == {3: "held by the test", **result.reasons}


def test_the_empty_plan_of_the_empty_cluster_comes_back(tmp_path: Path) -> None:
    instance = make_instance(nodes=[], groups=[])
    result = Result(empty_plan(instance), (), "optimal", {"name": "greedy"})
    write_plan(instance, result, str(tmp_path / "p.json"))
    assert len(read_plan(str(tmp_path / "p.json"), instance).node) == 0


def change(document: dict[str, Any], path: list[Any], value: object) -> dict[str, Any]:
    inner: Any = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["instance"], "0" * 64, "instance: this plan was made for another instance"),
        (["schema"], "gangplan/plan/v9", "schema: gangplan/plan/v9 is not known here"),
        (["groups"], {}, "groups: a list of objects expected"),
        (["groups", 0, "pods"], None, "groups[0].pods: a list of objects expected"),
        (["groups", 0, "pods", 0, "pod"], "test/x", "groups[0].pods[0].pod: test/x is no pending"),
        (["groups", 0, "pods", 0, "pod"], 7, "groups[0].pods[0].pod: ? is no pending pod here"),
        (["groups", 0, "pods", 0, "node"], "n9", "groups[0].pods[0].node: n9 is no node here"),
        (
            ["groups", 0, "pods", 0, "pod"],
            "test/g0-0-1",
            "groups[0].pods[1].pod: test/g0-0-1 is pl",
        ),
        (
            ["groups", 1, "pods", 0, "devices"],
            [{"node": "n0", "device": 7}],
            "groups[1].pods[0].dev",
        ),
        (
            ["groups", 1, "pods", 0, "devices"],
            [{"node": "n0", "device": []}],
            "groups[1].pods[0].dev",
        ),
        (["groups", 0, "group"], "x/y", "groups[0].group: x/y is no group here"),
        (["tiers", 0, "value"], 1.5, "tiers: admitted(0): an integer value and bound expected"),
        (["tiers", 0, "proven"], "true", "tiers: admitted(0): proven: true or false expected"),
        (["tiers", 0, "given"], 1, "tiers: admitted(0): given: true or false expected"),
        (["tiers", 0, "maximise"], None, "tiers: admitted(0): maximise: true or false expected"),
        (["tiers", 0, "proof"], ["search"], "tiers: admitted(0): proof: a text expected"),
        (["evictions"], None, "evictions: a list of objects expected"),
        (["evictions"], [{}], "evictions[0].kind: a text expected"),
        (["planner"], [], "planner: an object expected"),
    ],
)
def test_a_plan_that_does_not_fit_is_refused_in_one_line(
    path: list[Any], value: object, message: str
) -> None:
    document = change(document_of(small()), path, value)
    with pytest.raises(InputError) as caught:
        result_of(document, small(), "plan.json")
    assert str(caught.value).startswith("plan.json: " + message)
    assert "\n" not in str(caught.value)


def test_a_missing_entry_is_named() -> None:
    document = document_of(small())
    del document["groups"]
    with pytest.raises(InputError, match="groups: missing"):
        result_of(document, small(), "plan.json")


def test_an_honest_file_has_no_false_claim() -> None:
    assert false_claims(document_of(small()), small(), "p") == ()


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (["tiers", 0, "value"], 99, "tier admitted(0): reported 99, the plan has 3"),
        (["tiers", 0, "bound"], 2, "tier admitted(0): value 3 is better than its bound 2"),
        (["tiers", 0, "proven"], False, "called optimal, but admitted(0) is not proven"),
        (["tiers", 0, "name"], "admitted(7)", "the tiers listed are not those of the planner"),
        (["groups", 0, "status"], "pending", "group test/g0: the file says pending, its pods say"),
        (["groups", 0, "pods", 0, "mark"], "elastic", "group test/g0: pods are marked minimum or"),
    ],
)
def test_a_false_claim_is_said_in_a_sentence(path: list[Any], value: object, sentence: str) -> None:
    claims = false_claims(change(document_of(small()), path, value), small(), "p")
    assert any(claim.startswith(sentence) for claim in claims)


def test_pods_that_stand_below_another_group_are_a_false_claim() -> None:
    document = document_of(small())
    groups = {entry["group"]: entry for entry in document["groups"]}
    one, other = groups["test/g1-1-0"], groups["test/g1-1-2"]
    one["pods"], other["pods"] = other["pods"], one["pods"]
    said = "the pods listed are not the ones of its own that are placed"
    assert false_claims(document, small(), "p") == (
        f"group test/g1-1-0: {said}",
        f"group test/g1-1-2: {said}",
    )


def test_a_group_listed_twice_is_a_false_claim() -> None:
    document = document_of(small())
    document["groups"].insert(0, document["groups"][-1] | {"reason": "cannot be placed: a lie"})
    assert "group test/g4 is listed 2 times" in false_claims(document, small(), "p")


def test_a_group_of_single_pods_beside_its_pods_is_a_false_claim() -> None:
    document = document_of(small())
    entry = {"group": "test/g1", "status": "pending", "pods": [], "reason": "one pod is left"}
    document["groups"].append(entry)
    assert false_claims(document, small(), "p") == ("group test/g1 is listed beside its pods",)


def test_a_reason_to_wait_of_who_does_not_wait_is_a_false_claim() -> None:
    document = change(document_of(small()), ["groups", 0, "reason"], "cannot be placed: a lie")
    said = "group test/g0: a reason to wait, and all its pods are placed"
    assert false_claims(document, small(), "p") == (said,)


def test_equal_pods_that_wait_for_different_reasons_are_a_false_claim() -> None:
    instance = make_instance(
        nodes=[{"gpu": 1}], groups=[{"kind": "bare", "wanted": 2, "request": {"gpu": 2}}]
    )
    nothing = empty_plan(instance)
    document: dict[str, Any] = json.loads(
        json.dumps(plan_document(instance, Result(nothing, (), "optimal", {}, {0: "no room"})))
    )
    document["groups"][0]["reason"] = "cannot be placed: a lie"
    said = "group test/g0-0-0: another reason to wait than equal pods have"
    assert said in false_claims(document, instance, "p")


@pytest.mark.parametrize(
    "weights", [{"0": 1.5}, {"0": True}, {"0": "1"}, {"0": 1, "00": 2}, [1], "0=1", {"x": 1}]
)
def test_weights_that_are_no_whole_numbers_are_refused(weights: object) -> None:
    document = document_of(small())
    document["planner"] = {"objective": "weighted-gpus", "weights": weights}
    with pytest.raises(InputError, match=r"p: planner: .*") as caught:
        false_claims(document, small(), "p")
    assert "\n" not in str(caught.value)


def test_a_group_left_out_is_a_false_claim() -> None:
    document = document_of(small())
    del document["groups"][-1]
    assert false_claims(document, small(), "p") == ("group test/g4 is not listed",)
