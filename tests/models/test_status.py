import numpy as np

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.status import statuses
from tests.tiny import make_instance


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
