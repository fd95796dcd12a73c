import numpy as np

from gangplan.models.plan import Plan, empty_plan
from gangplan.models.verify import check
from gangplan.models.verify.assign import check as check_assign
from tests.placing import place
from tests.tiny import Row, make_instance

NODES: list[Row] = [{"gpu": 8}, {"gpu": 8}]


def test_the_plan_that_places_nothing_is_always_allowed() -> None:
    instance = make_instance(NODES, [{"request": {"gpu": 9}, "minimum": 1}])
    assert check(instance, empty_plan(instance)) == ()


def test_a_pod_on_a_node_its_role_may_not_use_is_named_with_the_node() -> None:
    instance = make_instance(NODES, [{"request": {"gpu": 1}, "eligible": [0]}])
    (found,) = check(instance, place(instance, [1]))
    assert found.family == "assign"
    assert found.sentence == "pod test/g0-0-0: node n1 is not eligible for it"
    assert check(instance, place(instance, [0])) == ()


def test_a_held_group_that_places_pods_is_named_with_the_reason() -> None:
    instance = make_instance(NODES, [{"held": True, "wanted": 2}])
    (found,) = check(instance, place(instance, [0, 1]))
    assert (found.family, found.what, found.have, found.need) == ("assign", "test/g0", 2, 0)
    assert "held by the test" in found.sentence


def test_a_plan_of_another_instance_gets_that_one_violation_only() -> None:
    instance = make_instance(NODES, [{"wanted": 2}])
    none = np.zeros(0, dtype=np.int64)
    for wrong in (
        Plan(np.array([0]), none, none),
        Plan(np.array([0, 2]), none, none),
        Plan(np.array([0, 1]), np.array([0]), np.array([0])),
        Plan(np.array([0, 1]), np.array([-1]), np.array([-1])),
    ):
        (found,) = check(instance, wrong)
        assert found.sentence.startswith("the plan does not belong to this instance")
        assert check_assign(instance, wrong) == [found]
