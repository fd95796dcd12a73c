from gangplan.models.verify import check
from tests.placing import place
from tests.tiny import Row, make_instance

NODES: list[Row] = [{"gpu": 8}]


def test_too_few_children_are_named_with_the_composite() -> None:
    groups: list[Row] = [{"parent": 0}, {"parent": 0}, {"parent": 0}]
    instance = make_instance(NODES, groups, [{"minimum": 2}])
    (found,) = check(instance, place(instance, [-1, 0, -1]))
    assert found.sentence == (
        "composite test/h0: 1 children (0 standing, 1 newly admitted) of the 2 it needs at least, "
        "yet test/g1 places pods"
    )
    assert (found.family, found.have, found.need) == ("hierarchy", 1, 2)
    assert check(instance, place(instance, [0, 0, -1])) == ()


def test_standing_children_count() -> None:
    groups: list[Row] = [{"parent": 0, "running": [0]}, {"parent": 0}]
    instance = make_instance(NODES, groups, [{"minimum": 2}])
    assert check(instance, place(instance, [-1, 0])) == ()


def test_elastic_pods_of_a_standing_gang_wait_for_its_composite() -> None:
    groups: list[Row] = [{"parent": 0, "running": [0]}, {"parent": 0}]
    instance = make_instance(NODES, groups, [{"minimum": 2}])
    (found,) = check(instance, place(instance, [0, -1]))
    assert "1 children (1 standing, 0 newly admitted) of the 2" in found.sentence


def test_an_inner_composite_must_be_admitted_for_its_children() -> None:
    groups: list[Row] = [{"parent": 0}, {"parent": 1}, {"parent": 1}]
    composites: list[Row] = [{"minimum": 1}, {"parent": 0, "minimum": 2}]
    instance = make_instance(NODES, groups, composites)
    (found,) = check(instance, place(instance, [0, 0, -1]))
    assert found.what == "test/h1"
    assert check(instance, place(instance, [0, -1, -1])) == ()
    assert check(instance, place(instance, [-1, 0, 0])) == ()


def test_an_admitted_inner_composite_is_one_child() -> None:
    groups: list[Row] = [{"parent": 0}, {"parent": 1}, {"parent": 1}]
    composites: list[Row] = [{"minimum": 2}, {"parent": 0, "minimum": 1}]
    instance = make_instance(NODES, groups, composites)
    (found,) = check(instance, place(instance, [-1, 0, 0]))
    assert (found.what, found.have, found.need) == ("test/h0", 1, 2)


def test_a_standing_inner_composite_still_needs_its_root() -> None:
    groups: list[Row] = [{"parent": 1, "running": [0]}, {"parent": 1}, {"parent": 0}]
    composites: list[Row] = [{"minimum": 2}, {"parent": 0, "minimum": 1}]
    instance = make_instance(NODES, groups, composites)
    (found,) = check(instance, place(instance, [-1, 0, -1]))
    assert found.what == "test/h0"
    assert check(instance, place(instance, [-1, 0, 0])) == ()


def test_nothing_is_placed_below_a_held_composite() -> None:
    groups: list[Row] = [{"parent": 1}]
    composites: list[Row] = [{"held": True}, {"parent": 0}]
    instance = make_instance(NODES, groups, composites)
    (found,) = check(instance, place(instance, [0]))
    assert found.sentence == "composite test/h0: test/g0 places pods, but held by the test"
