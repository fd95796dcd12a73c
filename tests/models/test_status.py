import numpy as np

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.status import minimum_pods, placed_per_group, statuses
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
    assert placed_per_group(instance, plan).tolist() == [1, 0, 1, 1]


def test_role_minima_come_before_the_gangs_own() -> None:
    instance = make_instance(
        nodes=[{"gpu": 8}],
        groups=[
            {
                "minimum": 3,
                "roles": [
                    {"wanted": 3, "request": {"gpu": 1}},
                    {"wanted": 2, "request": {"gpu": 2}, "minimum": 1},
                ],
            }
        ],
    )
    marks = minimum_pods(instance, plan_of(instance, [0, 0, 0, -1, 0]))
    assert marks.tolist() == [True, True, False, False, True]


def test_pods_of_a_standing_gang_are_elastic_and_loose_pods_never() -> None:
    instance = make_instance(
        nodes=[{"gpu": 8}],
        groups=[
            {"minimum": 1, "wanted": 2, "request": {"gpu": 1}, "running": [0]},
            {"kind": "bare", "wanted": 2, "request": {"gpu": 1}},
            {"minimum": 2, "wanted": 2, "request": {"gpu": 1}, "running": [0]},
        ],
    )
    marks = minimum_pods(instance, plan_of(instance, [0, 0, -1, 0, 0, 0]))
    assert marks.tolist() == [False, False, False, True, True, False]


def test_nothing_waits_nothing_is_marked() -> None:
    instance = make_instance(nodes=[{"gpu": 8}], groups=[])
    assert minimum_pods(instance, empty_plan(instance)).tolist() == []
    assert statuses(instance, empty_plan(instance)) == ()
