"""Levels, domains, rules with running members, and the holds they lead to."""

from typing import Any

from gangplan.models.topology import PREFERRED, REQUIRED
from tests.datasets.kubernetes.objects import (
    basic,
    faults,
    gang,
    held,
    instance,
    node,
    obj,
    pod,
    pods,
)

RACKS = [node("n1", labels={"rack": "a"}), node("n2", labels={"rack": "b"}), node("n3")]


def wish(**annotations: str) -> dict[str, Any]:
    return {
        "annotations": {f"gangplan.io/{k.replace('_', '-')}": v for k, v in annotations.items()}
    }


def kueue(**annotations: str) -> dict[str, Any]:
    return {
        "annotations": {
            f"kueue.x-k8s.io/podset-{k.replace('_', '-')}": v for k, v in annotations.items()
        }
    }


def test_a_node_without_the_label_is_in_no_domain() -> None:
    built = instance(*RACKS, gang("g", 1, **wish(required_topology="rack")), *pods("g", 1))
    assert built.topology.domain.tolist() == [[0, 1, -1]]
    assert built.names.domains == ("a", "b")


def test_undeclared_keys_cut_by_value_and_declared_ones_by_path() -> None:
    nodes = [
        node("n1", labels={"block": "b1", "rack": "r"}),
        node("n2", labels={"block": "b2", "rack": "r"}),
        node("n3", labels={"rack": "r"}),
    ]
    group = [gang("g", 1, **wish(required_topology="rack")), *pods("g", 1)]
    flat = instance(*nodes, *group)
    assert flat.topology.domain.tolist() == [[0, 0, 0]]
    built = instance(*nodes, *group, levels=("block", "rack"))
    assert built.names.levels == ("block", "rack")
    assert built.names.domains == ("b1", "b2", "b1/r", "b2/r")
    assert built.topology.domain.tolist() == [[0, 1, -1], [2, 3, -1]]


def test_a_kueue_topology_declares_the_levels() -> None:
    levels = {"levels": [{"nodeLabel": "block"}, {"nodeLabel": "rack"}]}
    topology = obj("kueue.x-k8s.io/v1beta2", "Topology", "default", levels)
    nodes = [node(f"n{n}", labels={"block": f"b{n}", "rack": "r"}) for n in (1, 2)]
    assert instance(*nodes, topology).names.domains == ("b1", "b2", "b1/r", "b2/r")
    given = instance(*nodes, topology, levels=("rack",))
    assert given.names.domains == ("r",)
    assert "Topology default is not used: levels are given" in given.names.notes


def test_two_kueue_topologies_that_differ_are_refused() -> None:
    def topology(name: str, *labels: str) -> dict[str, Any]:
        spec = {"levels": [{"nodeLabel": label} for label in labels]}
        return obj("kueue.x-k8s.io/v1beta2", "Topology", name, spec)

    (fault,) = faults(topology("a", "x", "y"), topology("b", "x"))
    assert "Topology b: spec.levels: other levels than Topology a" in fault
    assert instance(topology("a", "x", "y"), topology("b", "x"), levels=("x",)).names.levels == (
        "x",
    )
    assert "the same label twice" in faults(topology("a", "x", "x"))[0]
    assert "spec.levels: missing" in faults(topology("a"))[0]


def test_a_declared_level_without_nodes_is_told() -> None:
    built = instance(node("n1"), levels=("block",))
    assert "no node lies in a domain of the declared level block" in built.names.notes


def test_our_annotations_add_required_preferred_and_slices() -> None:
    asked = wish(
        required_topology="block, zone",
        preferred_topology="rack",
        slice_size="2",
        slice_required_topology="rack",
    )
    labels = {"block": "b", "zone": "z", "rack": "r"}
    built = instance(node("n1", labels=labels), gang("g", 2, **asked), *pods("g", 4))
    level = [built.names.levels[n] for n in built.rules.level]
    assert level == ["block", "zone", "rack", "rack"]
    assert built.rules.mode.tolist() == [REQUIRED, REQUIRED, PREFERRED, REQUIRED]
    assert built.rules.slice.tolist() == [0, 0, 0, 2]
    assert held(built) == {}


def test_kueue_annotations_count_when_all_pods_agree() -> None:
    asked = kueue(required_topology="rack", slice_size="2", slice_required_topology="rack")
    built = instance(*RACKS, gang("g", 2), *pods("g", 2, **asked))
    assert (built.rules.mode.tolist(), built.rules.slice.tolist()) == ([REQUIRED] * 2, [0, 2])
    preferred = instance(*RACKS, gang("g", 2), *pods("g", 2, **kueue(preferred_topology="rack")))
    assert preferred.rules.mode.tolist() == [PREFERRED]


def test_pods_that_disagree_in_kueue_annotations_hold_the_group() -> None:
    built = instance(
        *RACKS, gang("g", 2), pod("g-0", "g", **kueue(required_topology="rack")), pod("g-1", "g")
    )
    assert held(built) == {"lab/g": "its pods disagree in their topology annotations"}


def test_hard_kueue_annotations_that_are_not_honoured_hold() -> None:
    built = instance(*RACKS, gang("g", 2), *pods("g", 2, **kueue(group_name="lead")))
    path = "metadata.annotations[kueue.x-k8s.io/podset-group-name]"
    assert held(built) == {"lab/g": f"unsupported {path}"}


def test_unreadable_annotations_are_refused() -> None:
    for fields, words in (
        (wish(required_topology="rack,,zone"), "node-label keys expected"),
        (wish(slice_size="2"), "needs gangplan.io/slice-required-topology"),
        (wish(slice_required_topology="rack"), "needs gangplan.io/slice-size"),
        (wish(slice_size="0", slice_required_topology="rack"), "an integer of at least 1"),
        (wish(slice_size="1_0", slice_required_topology="rack"), "an integer of at least 1"),
        (wish(slice_size="9" * 5000, slice_required_topology="rack"), "an integer of at least 1"),
        (wish(required_topolgy="rack"), "unknown annotation"),
        (wish(role_minimum="leader"), "leader=1,worker=2 expected"),
        (wish(role_minimum="leader=1,leader=2"), "each role once"),
        (wish(role_minimum="leader=0"), "leader=1,worker=2 expected"),
    ):
        (fault,) = faults(gang("g", 2, **fields))
        assert words in fault, fault
        assert "PodGroup lab/g: metadata.annotations[gangplan.io/" in fault


def test_annotations_on_the_wrong_object_are_refused() -> None:
    (fault,) = faults(node("n1"), pod("p", **wish(role_minimum="a=1")))
    assert "Pod lab/p: metadata.annotations[gangplan.io/role-minimum]: has no meaning" in fault


def test_a_key_that_no_node_carries_holds_a_required_rule() -> None:
    built = instance(node("n1"), gang("g", 1, **wish(required_topology="rack")), *pods("g", 1))
    assert held(built) == {"lab/g": "no node carries the topology label rack"}


def test_a_key_that_no_node_carries_is_told_for_a_preferred_rule() -> None:
    built = instance(node("n1"), gang("g", 1, **wish(preferred_topology="rack")), *pods("g", 1))
    assert held(built) == {}
    assert len(built.rules) == 0
    assert "no node carries the topology label rack that lab/g prefers" in built.names.notes


def test_running_members_fix_the_domain() -> None:
    built = instance(
        *RACKS, basic("g", **wish(required_topology="rack")), pod("g-0", "g", "n2"), pod("g-1", "g")
    )
    assert [built.names.domains[d] for d in built.rules.fixed()] == ["b"]
    assert built.rules.member_count.tolist() == [1]


def test_running_members_in_two_domains_hold() -> None:
    built = instance(
        *RACKS,
        gang("g", 1, **wish(required_topology="rack")),
        pod("g-0", "g", "n1"),
        pod("g-1", "g", "n2"),
        pod("g-2", "g"),
    )
    assert held(built) == {"lab/g": "running members are in several domains of rack: a, b"}


def test_a_running_member_on_a_node_without_the_label_holds() -> None:
    built = instance(
        *RACKS,
        gang("g", 1, **wish(required_topology="rack")),
        pod("g-0", "g", "n3"),
        pod("g-1", "g"),
    )
    assert held(built) == {"lab/g": "running member lab/g-0 is on node n3, which has no label rack"}


def test_a_running_member_on_an_unknown_node_holds() -> None:
    rule = wish(required_topology="rack")
    built = instance(*RACKS, gang("g", 1, **rule), pod("g-0", "g", "n9"), pod("g-1", "g"))
    assert held(built) == {
        "lab/g": "running member lab/g-0 is on node n9, which is not in the snapshot"
    }


def test_a_group_with_nothing_waiting_is_not_held_for_its_domains() -> None:
    built = instance(
        *RACKS,
        gang("g", 1, **wish(required_topology="rack")),
        pod("g-0", "g", "n1"),
        pod("g-1", "g", "n2"),
    )
    assert held(built) == {}


def test_slices_must_divide_the_minimum_and_the_size() -> None:
    rule = wish(slice_size="2", slice_required_topology="rack")
    assert held(instance(*RACKS, gang("g", 3, **rule), *pods("g", 4))) == {
        "lab/g": "slices of 2 pods do not divide minCount 3"
    }
    assert held(instance(*RACKS, gang("g", 2, **rule), *pods("g", 3))) == {
        "lab/g": "slices of 2 pods do not divide its 3 pods (3 waiting, 0 running)"
    }
    odd = instance(*RACKS, gang("g", 2, **rule), pod("g-0", "g", "n1"), pod("g-1", "g"))
    assert held(odd) == {}
    assert odd.rules.member_count.tolist() == [1]
