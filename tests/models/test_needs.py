from gangplan.models.needs import Needs, needs_of
from tests.tiny import Row, make_instance

NODES: list[Row] = [{"gpu": 8}]


def one(group: Row) -> Needs:
    return needs_of(make_instance(NODES, [group]))


def test_running_members_count_towards_the_minimum() -> None:
    needs = one({"wanted": 5, "minimum": 4, "running": [0], "request": {"gpu": 2}})
    assert (needs.group.tolist(), needs.group_devices.tolist()) == ([3], [6])
    assert not needs.stands[0]


def test_a_gang_whose_running_members_meet_the_minimum_stands() -> None:
    needs = one({"minimum": 1, "running": [0, 0]})
    assert (needs.group.tolist(), needs.stands.tolist()) == ([0], [True])


def test_roles_of_their_own_minimum_can_ask_more_than_the_group() -> None:
    roles: list[Row] = [
        {"wanted": 2, "minimum": 2, "request": {"gpu": 1}},
        {"wanted": 2, "minimum": 3, "running": [0, 0], "request": {"gpu": 4}},
    ]
    needs = one({"roles": roles, "minimum": 1})
    assert needs.role.tolist() == [2, 1]
    assert (needs.group.tolist(), needs.group_devices.tolist()) == ([3], [6])


def test_a_role_short_of_its_minimum_keeps_a_gang_from_standing() -> None:
    roles: list[Row] = [{"minimum": 1}, {"wanted": 1}]
    needs = one({"roles": roles, "minimum": 2, "running": [0, 0]})
    assert (needs.group.tolist(), needs.stands.tolist()) == ([1], [False])


def test_devices_are_those_of_the_cheapest_pods_beyond_role_minima() -> None:
    roles: list[Row] = [
        {"wanted": 3, "minimum": 1, "request": {"gpu": 4}},
        {"wanted": 2, "request": {"gpu": 1}},
    ]
    assert one({"roles": roles, "minimum": 3}).group_devices.tolist() == [6]
    assert one({"roles": roles, "minimum": 4}).group_devices.tolist() == [10]


def test_loose_groups_need_nothing_as_a_group() -> None:
    needs = needs_of(make_instance(NODES, [{"kind": "basic", "wanted": 3}, {"kind": "bare"}]))
    assert needs.group.tolist() == [0, 0]
    assert needs.stands.tolist() == [False, False]


def test_composites_take_the_cheapest_missing_children() -> None:
    groups: list[Row] = [
        {"parent": 0, "wanted": 3, "minimum": 3, "request": {"gpu": 1}},
        {"parent": 1, "wanted": 2, "minimum": 2, "request": {"gpu": 4}},
        {"parent": 1, "wanted": 1, "minimum": 1, "request": {"gpu": 8}},
        {"parent": 0, "running": [0]},
    ]
    composites: list[Row] = [{"minimum": 2}, {"parent": 0, "minimum": 1}]
    needs = needs_of(make_instance(NODES, groups, composites))
    assert needs.composite.tolist() == [1, 1]
    assert needs.composite_pods.tolist() == [1, 1]
    assert needs.composite_devices.tolist() == [3, 8]


def test_a_composite_with_enough_standing_children_stands() -> None:
    groups: list[Row] = [{"parent": 1, "running": [0]}, {"parent": 1}]
    needs = needs_of(make_instance(NODES, groups, [{"minimum": 1}, {"parent": 0, "minimum": 1}]))
    assert needs.composite_stands.tolist() == [True, True]
    assert needs.composite_pods.tolist() == [0, 0]


def test_children_that_cannot_be_admitted_are_no_way_to_admit_a_composite() -> None:
    groups: list[Row] = [
        {"parent": 0, "wanted": 1, "minimum": 2},
        {"parent": 0, "held": True},
        {"parent": 0, "roles": [{"wanted": 1, "minimum": 2}, {"wanted": 1}], "minimum": 1},
        {"parent": 0, "wanted": 4, "minimum": 4, "request": {"gpu": 2}},
        {"parent": 1},
    ]
    composites: list[Row] = [{"minimum": 1}, {"parent": 0, "minimum": 2}]
    needs = needs_of(make_instance(NODES, groups, composites))
    assert needs.composite_pods[0] == 4
    assert needs.composite_devices[0] == 8
