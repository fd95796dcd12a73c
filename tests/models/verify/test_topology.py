from gangplan.models.verify import Violation, check
from tests.placing import place
from tests.tiny import Row, make_instance

NODES: list[Row] = [
    {"gpu": 8, "block": "b0", "rack": "r0"},
    {"gpu": 8, "block": "b0", "rack": "r1"},
    {"gpu": 8, "block": "b1", "rack": "r2"},
    {"gpu": 8},
]


def families(found: tuple[Violation, ...]) -> set[str]:
    return {v.family for v in found}


def test_a_gang_in_two_racks_is_named_with_both() -> None:
    rules = [("rack", "required")]
    instance = make_instance(NODES, [{"wanted": 2, "minimum": 2, "rules": rules}])
    (found,) = check(instance, place(instance, [0, 1]))
    assert found.sentence == (
        "group test/g0: one rack required, 2 used: r0 (1 new, 0 running), r1 (1 new, 0 running)"
    )
    assert check(instance, place(instance, [1, 1])) == ()


def test_a_node_without_the_label_is_excluded() -> None:
    instance = make_instance(NODES, [{"wanted": 2, "rules": [("rack", "required")]}])
    (found,) = check(instance, place(instance, [3, 3]))
    assert found.sentence == "group test/g0: 2 pods on node n3, which has no label rack"


def test_running_members_fix_the_domain() -> None:
    group = {"wanted": 1, "minimum": 2, "running": [0], "rules": [("block", "required")]}
    instance = make_instance(NODES, [group])
    assert families(check(instance, place(instance, [2]))) == {"topology"}
    assert check(instance, place(instance, [1])) == ()


def test_basic_groups_are_bound_together() -> None:
    group = {"kind": "basic", "wanted": 2, "rules": [("rack", "required")]}
    instance = make_instance(NODES, [group])
    assert families(check(instance, place(instance, [0, 1]))) == {"topology"}
    assert check(instance, place(instance, [0, -1])) == ()


def test_each_level_is_a_rule_of_its_own() -> None:
    rules = [("block", "required"), ("rack", "required")]
    instance = make_instance(NODES, [{"wanted": 2, "rules": rules}])
    assert len(check(instance, place(instance, [0, 2]))) == 2
    assert len(check(instance, place(instance, [0, 1]))) == 1


def test_slices_are_whole_in_every_domain() -> None:
    group = {"wanted": 4, "minimum": 4, "rules": [("rack", "required", 2)]}
    instance = make_instance(NODES, [group])
    found = check(instance, place(instance, [0, 0, 0, 1]))
    assert [v.sentence for v in found] == [
        "group test/g0: 3 pods (0 running, 3 new) in rack r0 are not whole slices of 2",
        "group test/g0: 1 pods (0 running, 1 new) in rack r1 are not whole slices of 2",
    ]
    assert check(instance, place(instance, [0, 0, 2, 2])) == ()


def test_running_members_are_part_of_a_slice() -> None:
    group = {"wanted": 3, "minimum": 2, "running": [0], "rules": [("rack", "required", 2)]}
    instance = make_instance(NODES, [group])
    assert check(instance, place(instance, [0, -1, -1])) == ()
    # The begun slice in r0 must be completed by any plan that places a pod of the group.
    assert "topology" in families(check(instance, place(instance, [1, 1, -1])))
    assert check(instance, place(instance, [-1, -1, -1])) == ()


def test_a_rule_of_a_composite_binds_all_groups_below_it() -> None:
    groups: list[Row] = [{"parent": 0}, {"parent": 1}]
    composites: list[Row] = [{"minimum": 2, "rules": [("block", "required")]}, {"parent": 0}]
    instance = make_instance(NODES, groups, composites)
    (found,) = check(instance, place(instance, [0, 2]))
    assert found.sentence.startswith("composite test/h0: one block required, 2 used")
    assert check(instance, place(instance, [0, 1])) == ()


def test_a_preferred_rule_forbids_nothing() -> None:
    instance = make_instance(NODES, [{"wanted": 2, "rules": [("rack", "preferred")]}])
    assert check(instance, place(instance, [0, 3])) == ()
