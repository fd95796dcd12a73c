from gangplan.models.verify import check
from tests.placing import place
from tests.tiny import Row, make_instance

NODES: list[Row] = [{"gpu": 8}, {"gpu": 8}]


def test_a_gang_below_its_minimum_is_named_with_running_and_new_pods() -> None:
    instance = make_instance(NODES, [{"wanted": 3, "minimum": 4, "running": [0]}])
    (found,) = check(instance, place(instance, [0, 1, -1]))
    assert found.sentence == "group test/g0: 3 pods (1 running, 2 new) of the 4 it needs at least"
    assert (found.family, found.have, found.need) == ("gang", 3, 4)
    assert check(instance, place(instance, [0, 1, 1])) == ()


def test_a_role_below_its_own_minimum_is_named() -> None:
    roles = [{"name": "leader", "minimum": 1}, {"name": "worker", "wanted": 3}]
    instance = make_instance(NODES, [{"roles": roles, "minimum": 2}])
    (found,) = check(instance, place(instance, [-1, 0, 0, 0]))
    assert "role leader: 0 pods (0 running, 0 new) of the 1" in found.sentence
    assert check(instance, place(instance, [0, 0, -1, -1])) == ()


def test_running_members_of_a_role_meet_its_minimum() -> None:
    roles = [{"minimum": 1, "running": [1]}, {"wanted": 2}]
    instance = make_instance(NODES, [{"roles": roles, "minimum": 3}])
    assert check(instance, place(instance, [-1, 0, 0])) == ()


def test_basic_and_bare_pods_are_gangs_of_one() -> None:
    groups: list[Row] = [{"kind": "basic", "wanted": 3}, {"kind": "bare", "wanted": 3}]
    instance = make_instance(NODES, groups)
    assert check(instance, place(instance, [0, -1, -1, -1, 1, -1])) == ()
