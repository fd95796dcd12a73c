"""CompositePodGroups and Workloads: trees that stand, and trees that wait and say why."""

from typing import Any

from gangplan.models.columns import GANG
from tests.datasets.kubernetes.objects import (
    child,
    composite,
    faults,
    gang,
    held,
    instance,
    node,
    obj,
    pod,
    pods,
)

Obj = dict[str, Any]


def held_trees(*objects: Obj, **options: Any) -> dict[str, str]:
    built = instance(node("n1"), *objects, **options)
    pairs = zip(built.names.composites, built.names.held_composites, strict=True)
    return {name: why for name, why in pairs if why}


def test_parents_stand_before_their_children() -> None:
    built = instance(
        node("n1"),
        child("a", "inner", 2),
        child("b", "inner", 1),
        composite("inner", 2, parent="outer"),
        composite("outer", 1),
        *pods("a", 2),
        *pods("b", 1),
    )
    assert built.names.composites == ("lab/outer", "lab/inner")
    assert built.composites.parent.tolist() == [-1, 0]
    assert built.composites.minimum.tolist() == [1, 2]
    assert built.groups.parent.tolist() == [1, 1]
    assert held(built) == {}


def test_a_basic_group_in_a_tree_is_a_gang_of_one() -> None:
    built = instance(
        node("n1"),
        composite("top", 1),
        child("a", "top", schedulingPolicy={"basic": {}}),
        *pods("a", 3),
    )
    assert (built.groups.kind.tolist(), built.groups.minimum.tolist()) == ([GANG], [1])


def test_a_basic_composite_needs_one_child() -> None:
    built = instance(
        node("n1"),
        composite("top", schedulingPolicy={"basic": {}}),
        child("a", "top"),
        pod("p", "a"),
    )
    assert built.composites.minimum.tolist() == [1]


def test_a_missing_parent_holds_the_group() -> None:
    built = instance(node("n1"), child("a", "top"), *pods("a", 1))
    assert held(built) == {"lab/a": "CompositePodGroup lab/top does not exist"}
    assert built.groups.parent.tolist() == [-1]


def test_a_missing_parent_of_a_composite_holds_all_below_it() -> None:
    objects = [composite("top", 1, parent="ghost"), child("a", "top"), *pods("a", 1)]
    reason = "its parent CompositePodGroup lab/ghost does not exist"
    assert held_trees(*objects) == {"lab/top": reason}
    assert held(instance(*objects)) == {"lab/a": f"CompositePodGroup lab/top: {reason}"}


def test_a_cycle_holds_everything_on_and_below_it() -> None:
    objects = [
        composite("x", 1, parent="y"),
        composite("y", 1, parent="x"),
        composite("z", 1, parent="y"),
        child("a", "z"),
        *pods("a", 1),
    ]
    ring = "a cycle of parents: lab/x -> lab/y -> lab/x"
    assert held_trees(*objects) == {
        "lab/x": ring,
        "lab/y": ring,
        "lab/z": f"CompositePodGroup lab/y: {ring}",
    }
    assert held(instance(*objects)) == {"lab/a": f"CompositePodGroup lab/y: {ring}"}


def test_a_composite_that_is_its_own_parent_is_a_cycle() -> None:
    assert "lab/x -> lab/x" in held_trees(composite("x", 1, parent="x"))["lab/x"]


def test_four_levels_stand_and_five_are_too_deep() -> None:
    three = [composite("c1"), composite("c2", parent="c1"), composite("c3", parent="c2")]
    assert held_trees(*three, child("a", "c3"), *pods("a", 1)) == {}
    found = held_trees(*three, composite("c4", parent="c3"), child("a", "c4"), *pods("a", 1))
    assert found["lab/c1"] == "the tree is 5 levels deep, 4 are allowed"
    assert found["lab/c4"] == "CompositePodGroup lab/c1: the tree is 5 levels deep, 4 are allowed"


def test_several_workloads_in_a_tree_hold_it() -> None:
    found = held_trees(composite("top"), child("a", "top", workload="other"), *pods("a", 1))
    assert found == {"lab/top": "the tree is of several Workloads: other, w"}


def test_mixed_priorities_hold_a_tree() -> None:
    found = held_trees(composite("top", priority=5), child("a", "top", priority=7), *pods("a", 1))
    assert found == {"lab/top": "the tree has mixed priorities: 5, 7"}


def test_fewer_children_than_the_minimum_hold_with_numbers() -> None:
    found = held_trees(composite("top", 2), child("a", "top"), *pods("a", 1))
    assert found == {"lab/top": "needs 2 groups, has 1"}


def test_a_held_leaf_leaves_its_siblings_alone() -> None:
    built = instance(
        node("n1"), composite("top"), child("a", "top", 2), child("b", "top"), pod("p", "b")
    )
    assert list(held(built)) == ["lab/a"]
    assert built.names.held_composites == ("",)


def test_a_composite_that_too_few_children_are_left_to_is_held_up_to_the_root() -> None:
    built = instance(
        node("n1"),
        composite("root", 2),
        child("beside", "root"),
        composite("inner", 2, parent="root"),
        child("short", "inner", 2),
        child("fine", "inner"),
        *(pod(name, name) for name in ("beside", "short", "fine")),
    )
    inner = "needs 2 groups, 1 can be admitted; held: lab/short"
    root = "needs 2 groups, 1 can be admitted; held: lab/inner"
    assert built.names.held_composites[0] == root
    assert built.names.held_composites[1].startswith(inner)
    assert set(held(built)) == {"lab/beside", "lab/short", "lab/fine"}
    assert held(built)["lab/beside"] == f"CompositePodGroup lab/root: {root}"


def test_a_held_child_that_stands_still_counts_for_its_parent() -> None:
    claims: dict[str, Any] = {"resourceClaims": [{"name": "c", "resourceClaimName": "x"}]}
    built = instance(
        node("n1"),
        composite("root", 2),
        child("stands", "root", 1),
        child("waits", "root"),
        pod("a-0", "stands", on="n1"),
        pod("a-1", "stands", spec=claims),
        pod("b-0", "waits"),
    )
    assert held(built) == {"lab/stands": "ResourceClaim lab/x does not exist"}
    assert built.names.held_composites == ("",)


def test_members_below_a_composite_may_not_run_in_two_domains_of_its_rule() -> None:
    rule: Obj = {"schedulingConstraints": {"topology": [{"key": "block"}]}}
    built = instance(
        node("n1", labels={"block": "b1"}),
        node("n2", labels={"block": "b2"}),
        composite("top", 2, **rule),
        child("a", "top"),
        child("b", "top"),
        pod("a-0", "a", "n1"),
        pod("b-0", "b", "n2"),
        pod("b-1", "b"),
    )
    assert built.names.held_composites == (
        "running members are in several domains of block: b1, b2",
    )
    assert built.groups.held.all()


def test_members_below_a_composite_fix_its_domain() -> None:
    rule: Obj = {"schedulingConstraints": {"topology": [{"key": "block"}]}}
    built = instance(
        node("n1", labels={"block": "b1"}),
        node("n2", labels={"block": "b2"}),
        composite("top", 1, **rule),
        child("a", "top"),
        pod("a-0", "a", "n2"),
        pod("a-1", "a"),
    )
    assert built.rules.owner.tolist() == [1]
    assert [built.names.domains[d] for d in built.rules.fixed()] == ["b2"]


def test_a_composite_is_of_one_version_only() -> None:
    wrong = composite("top") | {"apiVersion": "scheduling.k8s.io/v1beta1"}
    assert any("v1alpha3 only" in fault for fault in faults(wrong))


def test_a_composite_has_no_claims_and_must_name_its_workload() -> None:
    wrong = composite("top", resourceClaims=[])
    del wrong["spec"]["workloadRef"]
    found = " ".join(faults(wrong))
    assert "spec.resourceClaims: unknown field" in found
    assert "spec.workloadRef: missing" in found


def workload(version: str = "v1beta1", **spec: Any) -> Obj:
    return obj(f"scheduling.k8s.io/{version}", "Workload", "w", spec)


TEMPLATE = {"name": "t", "schedulingPolicy": {"gang": {"minCount": 2}}}


def test_a_workload_alone_makes_no_group_and_a_note_says_so() -> None:
    built = instance(node("n1"), workload(podGroupTemplates=[TEMPLATE]))
    assert built.names.groups == ()
    assert any(note.startswith("Workload lab/w has no PodGroup") for note in built.names.notes)


def test_a_workload_with_a_group_needs_no_note() -> None:
    group = gang("g", 1, spec={"workloadRef": {"workloadName": "w", "templateName": "t"}})
    built = instance(node("n1"), workload(podGroupTemplates=[TEMPLATE]), group, *pods("g", 1))
    assert built.names.notes == ()


def test_a_workload_of_1_36_names_the_group_by_its_template() -> None:
    reference = {"workload": {"workloadName": "w", "podGroupTemplateName": "t"}}
    group = gang("g", 1, "v1alpha2", spec={"podGroupTemplateRef": reference})
    owner = workload("v1alpha2", podGroupTemplates=[TEMPLATE | {"disruptionMode": "PodGroup"}])
    assert instance(node("n1"), owner, group, *pods("g", 1)).names.notes == ()


def test_faulty_templates_are_refused() -> None:
    nested: Obj = {"name": "c", "schedulingPolicy": {"basic": {}}, "podGroupTemplates": [TEMPLATE]}
    for _ in range(4):
        nested = {
            "name": "c",
            "schedulingPolicy": {"basic": {}},
            "compositePodGroupTemplates": [nested],
        }
    for wrong, words in (
        (workload(), "one of podGroupTemplates, compositePodGroupTemplates"),
        (workload("v1alpha2"), "spec.podGroupTemplates: missing"),
        (workload(podGroupTemplates=[TEMPLATE] * 9), "at most 8"),
        (workload(podGroupTemplates=[TEMPLATE] * 2), "the same name"),
        (workload("v1alpha2", compositePodGroupTemplates=[nested]), "not of v1alpha2 (1.36)"),
        (workload(podGroupTemplates=[{"name": "t"}]), "schedulingPolicy: missing"),
        (workload(compositePodGroupTemplates=[nested]), "more than 4 levels deep"),
    ):
        found = faults(wrong)
        assert any(words in fault for fault in found), (words, found)
