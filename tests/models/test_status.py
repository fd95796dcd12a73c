from dataclasses import replace

import numpy as np

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.status import statuses
from tests.tiny import make_instance
from tests.tiny_running import with_running


def plan_of(instance: Instance, node: list[int]) -> Plan:
    none = np.zeros(0, dtype=np.int64)
    return Plan(np.array(node), none, none)


def test_a_gang_is_admitted_pending_or_running() -> None:
    instance = make_instance(
        nodes=[{"gpu": 8}],
        groups=[
            {"minimum": 1, "wanted": 1, "request": {"gpu": 1}},
            {"minimum": 1, "wanted": 1, "request": {"gpu": 1}},
            {"minimum": 1, "wanted": 1, "request": {"gpu": 1}, "running": [0]},
            {"kind": "basic", "wanted": 1, "request": {"gpu": 1}, "running": [0]},
        ],
    )
    assert statuses(instance, empty_plan(instance)) == ("pending", "pending", "running", "pending")
    plan = plan_of(instance, [0, -1, 0, 0])
    assert statuses(instance, plan) == ("admitted", "pending", "running", "admitted")
    assert plan.placed_per_group(instance).tolist() == [1, 0, 1, 1]


def test_a_group_that_runs_and_waits_for_nothing_is_running() -> None:
    instance = make_instance(
        nodes=[{"gpu": 8}], groups=[{"kind": "basic", "roles": [], "running": [0, 0]}]
    )
    assert statuses(instance, empty_plan(instance)) == ("running",)


def test_an_empty_cluster_has_no_status() -> None:
    instance = make_instance(nodes=[{"gpu": 8}], groups=[])
    assert statuses(instance, empty_plan(instance)) == ()


def test_a_gang_that_is_taken_whole_is_evicted_and_one_that_loses_some_runs_on() -> None:
    instance = with_running(
        make_instance(
            nodes=[{"gpu": 0}],
            groups=[
                {"name": "whole", "minimum": 2, "running": [0, 0], "roles": []},
                {"name": "some", "minimum": 1, "running": [0, 0], "roles": []},
                {"name": "loose", "kind": "basic", "running": [0], "roles": []},
                {"name": "new", "priority": 5, "minimum": 1, "wanted": 1, "request": {"gpu": 4}},
            ],
        ),
        [{"node": 0, "request": {"gpu": 1}, "group": g} for g in (0, 0, 1, 1, 2)],
    )
    plan = replace(plan_of(instance, [0]), evicted=np.array([0, 1, 2, 4]))
    assert statuses(instance, plan) == ("evicted", "running", "running", "admitted")
    assert statuses(instance, empty_plan(instance)) == ("running", "running", "running", "pending")
