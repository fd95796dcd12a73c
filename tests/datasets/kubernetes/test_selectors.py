from typing import Any

import pytest

from gangplan.datasets.kubernetes.objects.selectors import (
    label_selector,
    matches,
    node_terms,
    selects,
)
from gangplan.datasets.kubernetes.records import LabelSelector, Requirement
from gangplan.datasets.kubernetes.text.fields import Faults
from tests.datasets.kubernetes.manifests import fields_of, lines

LABELS = {"gpu": "h100", "memory": "80", "empty": ""}


@pytest.mark.parametrize(
    ("key", "operator", "values", "expected"),
    [
        ("gpu", "In", ("a100", "h100"), True),
        ("gpu", "In", ("a100",), False),
        ("none", "In", ("",), False),
        ("empty", "In", ("",), True),
        ("gpu", "NotIn", ("a100",), True),
        ("gpu", "NotIn", ("h100",), False),
        ("none", "NotIn", ("h100",), True),
        ("empty", "Exists", (), True),
        ("none", "Exists", (), False),
        ("none", "DoesNotExist", (), True),
        ("empty", "DoesNotExist", (), False),
        ("memory", "Gt", ("79",), True),
        ("memory", "Gt", ("80",), False),
        ("memory", "Gt", ("-1",), True),
        ("memory", "Lt", ("81",), True),
        ("memory", "Lt", ("80",), False),
        ("gpu", "Gt", ("1",), False),
        ("none", "Lt", ("1",), False),
        ("empty", "Lt", ("1",), False),
    ],
)
def test_every_operator(key: str, operator: str, values: tuple[str, ...], expected: bool) -> None:
    assert matches(Requirement(key, operator, values), LABELS) is expected


def test_a_label_above_64_bits_is_no_integer() -> None:
    assert not matches(Requirement("x", "Gt", ("1",)), {"x": str(2**63)})
    assert matches(Requirement("x", "Gt", ("1",)), {"x": str(2**63 - 1)})


def test_numbers_in_other_scripts_are_no_integers() -> None:
    assert not matches(Requirement("x", "Gt", ("1",)), {"x": "٤٢"})


def test_a_field_requirement_reads_the_name() -> None:
    one = Requirement("metadata.name", "In", ("n1",), field=True)
    assert matches(one, {"metadata.name": "n2"}, "n1")
    assert not matches(one, {"metadata.name": "n1"}, "n2")


def test_match_labels_are_folded_into_requirements() -> None:
    obj = {
        "matchLabels": {"b": "2", "a": "1"},
        "matchExpressions": [{"key": "c", "operator": "Exists"}],
    }
    selector = label_selector(fields_of(obj))
    assert selector == LabelSelector(
        (
            Requirement("a", "In", ("1",)),
            Requirement("b", "In", ("2",)),
            Requirement("c", "Exists", ()),
        )
    )
    assert selects(selector, {"a": "1", "b": "2", "c": ""})
    assert not selects(selector, {"a": "1", "b": "2"})


def test_an_empty_label_selector_selects_everything() -> None:
    assert selects(label_selector(fields_of({})), {})


def test_terms_are_read_one_by_one_the_empty_one_too() -> None:
    obj = {
        "nodeSelectorTerms": [
            {},
            {
                "matchExpressions": [{"key": "gpu", "operator": "In", "values": ["h100"]}],
                "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n1"]}],
            },
        ]
    }
    terms = node_terms(fields_of(obj))
    assert [len(term) for term in terms] == [0, 2]
    assert [matches(one, LABELS, "n2") for one in terms[1]] == [True, True]
    assert [matches(one, LABELS, "n1") for one in terms[1]] == [True, False]


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ({"key": "a", "operator": "In"}, "values: In needs at least one value"),
        ({"key": "a", "operator": "NotIn", "values": []}, "values: NotIn needs at least one value"),
        ({"key": "a", "operator": "Exists", "values": ["x"]}, "values: Exists takes no values"),
        ({"key": "a", "operator": "Gt", "values": ["x"]}, "values: Gt needs exactly one integer"),
        ({"key": "a", "operator": "Lt", "values": ["1", "2"]}, "values: Lt needs exactly one"),
        ({"key": "a", "operator": "in", "values": ["x"]}, "operator: one of In, NotIn, Exists"),
        ({"key": "a", "values": ["x"]}, "operator: missing"),
        ({"operator": "Exists"}, "key: missing"),
        ({"key": "a", "operator": "In", "values": [1]}, "values[0]: text expected, got the number"),
        ({"key": "a", "operator": "Exists", "vals": []}, "vals: unknown field, is it values?"),
    ],
)
def test_a_requirement_that_kubernetes_refuses_is_a_fault(
    entry: dict[str, Any], fault: str
) -> None:
    faults = Faults()
    terms = node_terms(fields_of({"nodeSelectorTerms": [{"matchExpressions": [entry]}]}, faults))
    assert terms == ((),)
    assert lines(faults)[0].startswith(f"f.yaml: nodeSelectorTerms[0].matchExpressions[0].{fault}")


def test_label_selectors_do_not_compare_numbers() -> None:
    faults = Faults()
    entry = {"key": "a", "operator": "Gt", "values": ["1"]}
    label_selector(fields_of({"matchExpressions": [entry]}, faults))
    assert len(faults) == 1


@pytest.mark.parametrize(
    "entry",
    [
        {"key": "metadata.uid", "operator": "In", "values": ["x"]},
        {"key": "metadata.name", "operator": "Exists"},
        {"key": "metadata.name", "operator": "In", "values": ["x", "y"]},
    ],
)
def test_fields_other_than_one_name_are_faults(entry: dict[str, Any]) -> None:
    faults = Faults()
    node_terms(fields_of({"nodeSelectorTerms": [{"matchFields": [entry]}]}, faults))
    assert len(faults) >= 1


def test_a_node_selector_needs_terms() -> None:
    faults = Faults()
    node_terms(fields_of({"nodeSelectorTerms": []}, faults))
    assert lines(faults) == ["f.yaml: nodeSelectorTerms: missing"]
