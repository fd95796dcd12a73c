import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.errors import InstanceError, PlanError
from gangplan.models.marks import marks
from gangplan.models.plan import Plan, empty_plan, plan_from_counts
from tests.placing import place
from tests.strategies import instances, plans
from tests.tiny import Row, make_instance

NODES: list[Row] = [{"gpu": 8}, {"gpu": 8}]
GROUPS: list[Row] = [{"wanted": 3}, {"wanted": 2}]


def test_counts_are_sparse_and_sorted() -> None:
    instance = make_instance(NODES, GROUPS)
    plan = place(instance, [1, 0, 1, -1, 0])
    role, node, pods = plan.counts(instance)
    assert (role.tolist(), node.tolist(), pods.tolist()) == ([0, 0, 1], [0, 1, 0], [1, 2, 1])
    assert plan.placed_per_role(instance).tolist() == [3, 1]


def test_the_empty_plan_places_nothing() -> None:
    instance = make_instance(NODES, GROUPS)
    assert empty_plan(instance).placed_per_role(instance).tolist() == [0, 0]


def test_more_pods_than_wait_are_refused() -> None:
    instance = make_instance(NODES, GROUPS)
    with pytest.raises(PlanError, match="3 pods of role 1, 2 wait"):
        plan_from_counts(instance, np.array([1, 1]), np.array([0, 1]), np.array([2, 1]))


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (([0], [], []), "plan.node: shape"),
        (([0, 0, 0, 0, 2], [], []), "plan.node: 2 is out of range"),
        (([0, 0, 0, 0, 0], [0], [0]), "plan.device: 0 is out of range"),
    ],
)
def test_a_plan_of_another_instance_does_not_fit(
    plan: tuple[list[int], list[int], list[int]], message: str
) -> None:
    instance = make_instance(NODES, GROUPS)
    node, pod, device = (np.array(column, dtype=np.int64) for column in plan)
    made = Plan(node, pod, device)
    with pytest.raises(InstanceError, match=message):
        made.fits(instance)


def test_devices_are_sorted_by_pod() -> None:
    with pytest.raises(InstanceError, match="sorted"):
        Plan(np.array([0, 0]), np.array([1, 0]), np.array([0, 1]))


@settings(max_examples=50)
@given(st.data())
def test_a_plan_from_its_own_counts_has_the_same_counts(data: st.DataObject) -> None:
    instance = data.draw(instances())
    plan = data.draw(plans(instance))
    counts = plan.counts(instance)
    again = plan_from_counts(instance, *counts)
    for left, right in zip(counts, again.counts(instance), strict=True):
        assert left.tolist() == right.tolist()


def test_marks_take_role_minima_then_the_pods_with_the_fewest_devices() -> None:
    roles: list[Row] = [
        {"wanted": 2, "minimum": 1, "request": {"gpu": 4}},
        {"wanted": 2, "request": {"gpu": 2}},
        {"wanted": 2, "request": {"gpu": 1}},
    ]
    instance = make_instance(NODES, [{"roles": roles, "minimum": 4}])
    assert marks(instance, place(instance, [0, 0, 1, 1, 0, 0])).tolist() == [
        *("minimum", "elastic"),
        *("minimum", "elastic"),
        *("minimum", "minimum"),
    ]
    assert marks(instance, place(instance, [-1, 0, 1, 1, 0, -1])).tolist() == [
        *("", "minimum"),
        *("minimum", "minimum"),
        *("minimum", ""),
    ]
