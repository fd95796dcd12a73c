"""Evictions in a plan file: written, read back, and refused where they are not the cluster's."""

import json
from typing import Any

import numpy as np
import pytest

from gangplan.datasets.plan_claims import false_claims
from gangplan.datasets.plan_file import plan_document, result_of
from gangplan.models.errors import InputError
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.result import COUNTING, Result, TierReport
from gangplan.models.tiers import tiers_of, values
from tests.tiny import make_instance
from tests.tiny_running import with_running

GPU = {"request": {"gpu": 4}}


def full() -> Instance:
    """Two nodes: a gang that falls as one on both, a spare pod, and a pod of no group."""
    return with_running(
        make_instance(
            [{"gpu": 0}, {"gpu": 0}, {"gpu": 0}],
            [
                {"name": "ns/whole", "minimum": 1, "running": [0, 1], "roles": []},
                {"name": "ns/spare", "minimum": 1, "running": [2, 2], "roles": []},
                {"name": "ns/urgent", "priority": 9, "minimum": 2, "wanted": 2} | GPU,
                {"name": "ns/lone", "priority": 5, "kind": "bare"} | GPU,
            ],
        ),
        [
            {"name": "ns/whole-0", "node": 0, "group": 0, "unit": "w"} | GPU,
            {"name": "ns/whole-1", "node": 1, "group": 0, "unit": "w"} | GPU,
            {"name": "ns/spare-0", "node": 2, "group": 1} | GPU,
            {"name": "ns/spare-1", "node": 2, "group": 1} | GPU,
        ],
    )


def a_result(instance: Instance) -> Result:
    """The gang falls for the urgent one, the spare pod for the single pod."""
    none = np.zeros(0, dtype=np.int64)
    plan = Plan(np.array([0, 1, 2]), none, none, evicted=np.array([0, 1]))
    tiers = tiers_of(instance)
    reports = tuple(
        TierReport(t.name, t.maximise, v, v, COUNTING, True)
        for t, v in zip(tiers, values(instance, plan, tiers), strict=True)
    )
    return Result(plan, reports, "optimal", {"name": "exact", "objective": "groups"}, {})


def document_of(instance: Instance) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(plan_document(instance, a_result(instance))))
    return document


def test_a_plan_file_says_who_falls_for_whom() -> None:
    document = document_of(full())
    assert document["evictions"] == [
        {
            "unit": "unit/w",
            "kind": "group",
            "priority": 0,
            "pods": ["ns/whole-0", "ns/whole-1"],
            "for": ["ns/urgent"],
        },
        {
            "unit": "ns/spare-0",
            "kind": "pod",
            "priority": 0,
            "pods": ["ns/spare-0"],
            "for": ["ns/lone-1-0"],
        },
    ]
    status = {entry["group"]: entry["status"] for entry in document["groups"]}
    assert status["ns/whole"] == "evicted"
    assert status["ns/spare"] == "running"


def test_evictions_are_read_back() -> None:
    document = document_of(full())
    assert result_of(document, full(), "plan.json").plan.evicted.tolist() == [0, 1]
    document["evictions"].reverse()
    assert result_of(document, full(), "plan.json").plan.evicted.tolist() == [0, 1]
    assert false_claims(document, full(), "plan.json") == ()


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("unit", 7, "evictions[0].unit: a text expected"),
        ("unit", "ns/w", "evictions[0].unit: no group ns/w is there that could be evicted"),
        ("kind", "pod", "evictions[0].unit: no pod unit/w is there that could be evicted"),
        ("kind", "gang", "evictions[0].kind: one of pod, group, tree expected, not gang"),
        ("priority", 3, "evictions[0].priority: group unit/w has priority 0"),
        ("priority", False, "evictions[0].priority: group unit/w has priority 0"),
        ("pods", ["ns/whole-0"], "evictions[0].pods: not the pods of group unit/w: ns/whole-1"),
        ("pods", "ns/whole-0", "evictions[0].pods: a list of texts expected"),
        ("for", [], ""),
        ("for", ["ns/nobody"], "evictions[0].for: ns/nobody is no group here"),
        ("for", None, "evictions[0].for: a list of texts expected"),
    ],
)
def test_evictions_of_something_else_are_refused_in_one_line(
    key: str, value: object, message: str
) -> None:
    document = document_of(full())
    document["evictions"][0][key] = value
    if not message:
        result_of(document, full(), "plan.json")
        return
    with pytest.raises(InputError) as caught:
        result_of(document, full(), "plan.json")
    assert str(caught.value) == f"plan.json: {message}"


def test_nobody_is_evicted_twice() -> None:
    document = document_of(full())
    document["evictions"].append(document["evictions"][0])
    with pytest.raises(InputError, match=r"evictions\[2\].unit: unit/w is evicted twice"):
        result_of(document, full(), "plan.json")


def test_another_beneficiary_is_a_false_claim() -> None:
    document = document_of(full())
    document["evictions"][0]["for"] = ["ns/spare"]
    assert false_claims(document, full(), "p") == (
        "group unit/w: evicted for ns/urgent, and the file says for ns/spare",
    )


def test_evictions_of_a_planner_that_was_to_evict_nobody_are_a_false_claim() -> None:
    document = document_of(full())
    document["planner"]["preemption"] = False
    claims = false_claims(document, full(), "p")
    assert "evictions: 2, by a planner that was to evict nobody" in claims


def test_another_policy_than_that_of_plans_is_a_false_claim() -> None:
    document = document_of(full())
    assert not [claim for claim in false_claims(document, full(), "p") if "policy" in claim]
    document["policy"] = "elastic first"
    said = "policy: 'elastic first', and plans keep to 'fewest victims first'"
    assert said in false_claims(document, full(), "p")


@pytest.mark.parametrize("word", [0, 1, "false", None, []])
def test_a_planner_whose_preemption_is_neither_on_nor_off_is_refused(word: object) -> None:
    document = document_of(full())
    document["planner"]["preemption"] = word
    with pytest.raises(InputError, match=r"planner: preemption .*: true or false expected"):
        false_claims(document, full(), "p")


def test_a_plan_without_the_entry_evicts_nobody() -> None:
    document = document_of(full())
    del document["evictions"]
    assert not len(result_of(document, full(), "plan.json").plan.evicted)
