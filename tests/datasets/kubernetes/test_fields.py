from typing import Any

import pytest

from gangplan.datasets.kubernetes.text.faults import Faults
from gangplan.datasets.kubernetes.text.fields import Fields
from tests.datasets.kubernetes.manifests import lines

OBJ: dict[str, Any] = {
    "kind": "Pod",
    "metadata": {"name": "a", "namespace": "ml"},
    "spec": {
        "text": "x",
        "number": 3,
        "flag": True,
        "nothing": None,
        "empty": "",
        "list": [{"a": 1}, {"b": "y"}],
        "texts": ["p", "q"],
        "labels": {"k": "v", "e": None},
        "amounts": {"cpu": "0.5", "memory": "1Ki", "nvidia.com/gpu": 2},
        "basic": {},
    },
}


def spec(changes: dict[str, Any] | None = None) -> Fields:
    obj = {**OBJ, "spec": {**OBJ["spec"], **(changes or {})}}
    return Fields(obj, "f.yaml", Faults()).section("spec")


def test_right_types_are_given_without_a_fault() -> None:
    s = spec()
    assert s.text("text", required=True) == "x"
    assert s.integer("number", 0, minimum=1, maximum=3) == 3
    assert s.boolean("flag") is True
    assert [entry.obj for entry in s.items("list")] == [{"a": 1}, {"b": "y"}]
    assert s.texts("texts") == ("p", "q")
    assert s.labels("labels") == {"k": "v", "e": ""}
    assert s.quantities("amounts", round_up=True) == {
        "cpu": 500,
        "memory": 1024,
        "nvidia.com/gpu": 2,
    }
    assert lines(s.faults) == []


@pytest.mark.parametrize("key", ["nothing", "absent"])
def test_null_is_the_same_as_absent(key: str) -> None:
    s = spec()
    assert s.text(key, "d") == "d"
    assert s.integer(key, None) is None
    assert s.boolean(key, True) is True
    assert s.mapping(key) is None
    assert s.section(key).obj == {}
    assert (s.items(key), s.texts(key), s.labels(key)) == ([], (), {})
    assert s.quantity(key, 7, milli=False, round_up=True) == 7
    assert s.quantities(key, round_up=True) == {}
    assert s.timestamp(key) is None
    assert not s.has(key)
    assert lines(s.faults) == []


def test_an_empty_mapping_is_there() -> None:
    assert spec().has("basic")
    assert spec().mapping("basic") is not None
    assert spec().one_of("basic", "gang") == "basic"


def test_a_required_field_that_is_missing_is_named() -> None:
    s = spec()
    s.text("empty", required=True)
    s.integer("nothing", 0, required=True)
    s.mapping("absent", required=True)
    s.items("none", required=True)
    s.texts("no", required=True)
    prefix = "f.yaml: Pod ml/a: spec."
    names = ["empty", "nothing", "absent", "none", "no"]
    assert lines(s.faults) == [f"{prefix}{name}: missing" for name in names]


def test_a_wrong_type_is_named_with_its_path_and_reading_goes_on() -> None:
    s = spec({"list": [{"a": 1}, 5]})
    s.text("number")
    s.integer("text", 0)
    s.integer("flag", 0)
    s.boolean("number")
    s.mapping("list")
    s.section("text")
    assert len(s.items("list")) == 1
    s.items("list")[0].text("a")
    s.texts("list")
    s.items("text")
    s.labels("texts")
    s.quantities("texts", round_up=True)
    assert [line.removeprefix("f.yaml: Pod ml/a: spec.") for line in lines(s.faults)] == [
        "number: text expected, got the number 3",
        "text: an integer expected, got the text 'x'",
        "flag: an integer expected, got true",
        "number: true or false expected, got the number 3",
        "list: a mapping expected, got a list",
        "text: a mapping expected, got the text 'x'",
        "list[1]: a mapping expected, got the number 5",
        "list[0].a: text expected, got the number 1",
        "list[0]: text expected, got a mapping",
        "list[1]: text expected, got the number 5",
        "text: a list expected, got the text 'x'",
        "texts: a mapping expected, got a list",
    ]


def test_bounds_and_choices_are_told() -> None:
    s = spec()
    assert s.integer("number", 0, minimum=4) == 0
    assert s.integer("number", 0, maximum=2) == 0
    assert s.text("text", choices=("", "y", "z")) == ""
    assert [line.rpartition("spec.")[2] for line in lines(s.faults)] == [
        "number: at least 4 expected, got the number 3",
        "number: at most 2 expected, got the number 3",
        "text: one of y, z expected, got 'x'",
    ]


def test_an_unknown_field_names_the_nearest_known_one() -> None:
    s = spec({"nodeSelectr": {}, "zzz": 1, "null": None})
    s.only(frozenset({*OBJ["spec"], "nodeSelector"}))
    assert lines(s.faults) == [
        "f.yaml: Pod ml/a: spec.nodeSelectr: unknown field, is it nodeSelector?",
        "f.yaml: Pod ml/a: spec.zzz: unknown field",
    ]


def test_a_union_takes_exactly_one() -> None:
    s = spec()
    assert s.one_of("text", "flag") == ""
    assert s.one_of("absent", "nothing") == ""
    assert s.one_of("absent", "nothing", required=False) == ""
    assert lines(s.faults) == [
        "f.yaml: Pod ml/a: spec: only one of text, flag may be set, got text, flag",
        "f.yaml: Pod ml/a: spec: one of absent, nothing must be set",
    ]


def test_labels_and_amounts_name_the_entry() -> None:
    s = spec({"labels": {"k": 5}, "amounts": {"cpu": "fast", "nvidia.com/gpu": "0.5"}})
    assert s.labels("labels") == {}
    s.quantities("amounts", round_up=True)
    assert [line.rpartition("spec.")[2] for line in lines(s.faults)] == [
        "labels.k: text expected, got the number 5",
        "amounts.cpu: a quantity expected, such as 500m or 2Gi, got 'fast'",
        "amounts.nvidia.com/gpu: a whole number expected, got '0.5'",
    ]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:01:00Z", 60.0),
        ("1970-01-01T01:00:00+01:00", 0.0),
        ("1970-01-01T00:00:01.5Z", 1.5),
    ],
)
def test_times_are_seconds_since_the_epoch(text: str, seconds: float) -> None:
    assert spec({"t": text}).timestamp("t") == seconds


def test_what_is_no_time_is_a_fault() -> None:
    s = spec({"t": "yesterday"})
    assert s.timestamp("t") is None
    assert lines(s.faults) == [
        "f.yaml: Pod ml/a: spec.t: an RFC 3339 time expected, got the text 'yesterday'"
    ]
