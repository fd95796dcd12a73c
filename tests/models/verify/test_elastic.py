import numpy as np
import pytest

from gangplan.models.instance import Instance
from gangplan.models.marks import marks
from gangplan.models.verify.elastic import check, check_marks
from tests.placing import place
from tests.tiny import Row, make_instance

NODES: list[Row] = [{"gpu": 8, "rack": "r0"}, {"gpu": 8, "rack": "r1"}]
MIN, MORE, NOT = "minimum", "elastic", ""


@pytest.fixture
def gang() -> Instance:
    roles = [{"minimum": 1, "request": {"gpu": 2}}, {"wanted": 3, "request": {"gpu": 1}}]
    return make_instance(NODES, [{"roles": roles, "minimum": 3}])


def test_the_marks_that_follow_from_a_plan_are_accepted(gang: Instance) -> None:
    plan = place(gang, [0, 0, 1, 1])
    assert marks(gang, plan).tolist() == [MIN, MIN, MIN, MORE]
    assert check(gang, plan) == []


@pytest.mark.parametrize(
    ("marked", "sentence"),
    [
        ([MIN, MIN, MORE, MORE], "2 elastic pods beside 2 pods for its minimum, which lacks 3"),
        ([MORE, MIN, MIN, MIN], "0 pods marked minimum, its own minimum lacks 1"),
        ([MIN, MIN, MIN, NOT], "marked '', placed"),
    ],
)
def test_marks_that_do_not_carry_the_minimum_are_refused(
    gang: Instance, marked: list[str], sentence: str
) -> None:
    found = check_marks(gang, place(gang, [0, 0, 1, 1]), np.array(marked))
    assert len(found) == 1
    assert sentence in found[0].sentence


def test_a_mark_on_a_pod_that_is_not_placed_is_refused(gang: Instance) -> None:
    (found,) = check_marks(gang, place(gang, [0, 0, 1, -1]), np.array([MIN, MIN, MIN, MORE]))
    assert "marked 'elastic', not placed" in found.sentence


def test_the_new_pods_of_a_standing_gang_are_all_elastic() -> None:
    instance = make_instance(NODES, [{"wanted": 2, "minimum": 2, "running": [0, 1]}])
    plan = place(instance, [0, -1])
    assert marks(instance, plan).tolist() == [MORE, NOT]
    assert check(instance, plan) == []


def test_pods_of_loose_groups_are_their_own_minimum() -> None:
    instance = make_instance(NODES, [{"kind": "bare", "wanted": 2}])
    plan = place(instance, [0, 1])
    assert marks(instance, plan).tolist() == [MIN, MIN]
    (found,) = check_marks(instance, plan, np.array([MIN, MORE]))
    assert "it is no gang" in found.sentence


def test_elastic_pods_that_break_a_slice_are_counted() -> None:
    rules = [("rack", "required", 2)]
    instance = make_instance(NODES, [{"wanted": 4, "minimum": 2, "rules": rules}])
    (found,) = check(instance, place(instance, [0, 0, 1, -1]))
    assert found.sentence == (
        "group test/g0: 3 pods with its 1 elastic ones are not whole slices of 2"
    )
    assert check(instance, place(instance, [0, 0, 1, 1])) == []
