"""Node classes, and which of them a pod may use."""

from typing import Any

import pytest

from tests.datasets.kubernetes.objects import eligible_nodes, instance, node, pod

NODES = [
    node("n1", labels={"pool": "a", "gen": "3"}),
    node("n2", labels={"pool": "b", "gen": "5"}),
    node("n3", labels={"gen": "x"}),
    node("down", labels={"pool": "a"}, ready=False),
    node("cordoned", labels={"pool": "a"}, spec={"unschedulable": True}),
    node("taken", labels={"pool": "a"}, spec={"taints": [{"key": "t", "effect": "NoSchedule"}]}),
]


def affinity(*terms: dict[str, Any]) -> dict[str, Any]:
    required = {"nodeSelectorTerms": list(terms)}
    return {
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    }


def label(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": operator, "values": list(values)}


def term(*requirements: dict[str, Any]) -> dict[str, Any]:
    return {"matchExpressions": list(requirements)}


FIELD = {"matchFields": [label("metadata.name", "In", "n2")]}


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ({}, ["n1", "n2", "n3"]),
        ({"nodeSelector": {"pool": "a"}}, ["n1"]),
        ({"nodeSelector": {"pool": "c"}}, []),
        (affinity(term(label("pool", "NotIn", "a"))), ["n2", "n3"]),
        (affinity(term(label("pool", "Exists"))), ["n1", "n2"]),
        (affinity(term(label("pool", "DoesNotExist"))), ["n3"]),
        (affinity(term(label("gen", "Gt", "3"))), ["n2"]),
        (affinity(term(label("gen", "Lt", "5"))), ["n1"]),
        (affinity(term(label("gen", "Gt", "2"), label("pool", "In", "a"))), ["n1"]),
        (affinity(term(label("pool", "In", "a")), term(label("pool", "In", "b"))), ["n1", "n2"]),
        (affinity({}), []),
        (affinity({}, term(label("pool", "In", "b"))), ["n2"]),
        (affinity(FIELD), ["n2"]),
        (affinity(FIELD) | {"nodeSelector": {"pool": "a"}}, []),
        ({"tolerations": [{"operator": "Exists"}]}, ["cordoned", "n1", "n2", "n3", "taken"]),
        ({"tolerations": [{"key": "t", "operator": "Exists"}]}, ["n1", "n2", "n3", "taken"]),
        ({"tolerations": [{"key": "t", "value": "no"}]}, ["n1", "n2", "n3"]),
    ],
)
def test_which_nodes_a_pod_may_use(spec: dict[str, Any], names: list[str]) -> None:
    built = instance(*NODES, pod("p", spec=spec))
    assert eligible_nodes(built) == names


def test_nodes_are_one_class_unless_something_reads_the_difference() -> None:
    many = [node(f"n{n}", labels={"serial": str(n)}) for n in range(20)]
    assert instance(*many, pod("p")).nodes.n_classes == 1
    built = instance(*many, pod("p", spec={"nodeSelector": {"serial": "7"}}))
    assert built.nodes.n_classes == 2
    assert eligible_nodes(built) == ["n7"]


def test_classes_are_numbered_by_their_first_node() -> None:
    built = instance(*NODES, pod("p"), pod("q", spec={"nodeSelector": {"pool": "b"}}))
    numbers = built.nodes.node_class.tolist()
    firsts = [numbers.index(number) for number in range(built.nodes.n_classes)]
    assert firsts == sorted(firsts)


def test_nodes_without_pods_and_pods_without_nodes_have_shapes() -> None:
    assert instance(*NODES).roles.eligible.shape[0] == 0
    assert instance(pod("p")).roles.eligible.shape == (1, 0)


def test_a_node_that_is_not_ready_is_told() -> None:
    notes = instance(*NODES, pod("p")).names.notes
    assert "1 node not ready, no pod is placed there: down" in notes
