from typing import Any

import pytest

from gangplan.datasets.kubernetes.text.text import Malformed
from gangplan.datasets.kubernetes.text.yamltext import values


def objects(text: str) -> list[Any]:
    return [value.obj for value in values(text)]


@pytest.mark.parametrize(
    "text", ["129e6", "0.1", "1_000", "1:30", "2024-01-01", "0x10", "0o17", "017", ".inf", "yes"]
)
def test_only_decimal_integers_are_numbers(text: str) -> None:
    assert objects(f"a: {text}") == [{"a": text}]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("-3", -3),
        ("+4", 4),
        ("0", 0),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("'12'", "12"),
        ('"true"', "true"),
        ("!!str 12", "12"),
        ('!!int "12"', 12),
        ("!!float 1.5", "1.5"),
        ("|\n  x\n", "x\n"),
    ],
)
def test_plain_words_are_resolved_and_quoted_ones_are_not(text: str, value: object) -> None:
    assert objects(f"a: {text}") == [{"a": value}]


def test_keys_stay_text() -> None:
    assert objects("{1: a, true: b, null: c}") == [{"1": "a", "true": "b", "null": "c"}]


def test_documents_know_their_line_and_empty_ones_are_passed_over() -> None:
    found = list(values("# c\n---\n---\na: 1\n---\nnull\n---\n\n- 2\n"))
    assert [(value.obj, value.line) for value in found] == [({"a": 1}, 4), ([2], 9)]


def test_anchors_aliases_and_merge_keys() -> None:
    text = "base: &b {x: 1, y: 2}\nuse: {<<: *b, y: 3}\nboth: {<<: [*b, {z: 4}]}\nsame: *b\n"
    assert objects(text) == [
        {
            "base": {"x": 1, "y": 2},
            "use": {"x": 1, "y": 3},
            "both": {"x": 1, "y": 2, "z": 4},
            "same": {"x": 1, "y": 2},
        }
    ]


def test_anchors_end_with_their_document() -> None:
    with pytest.raises(Malformed, match="the anchor 'x' is not defined"):
        objects("a: &x 1\n---\nb: *x\n")


def test_a_scalar_anchor_may_be_a_key() -> None:
    assert objects("a: &k name\n*k : 1\n") == [{"a": "name", "name": 1}]


def test_a_billion_laughs_are_refused_fast() -> None:
    text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12)
    )
    with pytest.raises(Malformed, match="aliases stand for more than"):
        objects(text)


def test_an_anchor_inside_itself_is_refused() -> None:
    with pytest.raises(Malformed, match="the anchor 'a' contains itself"):
        objects("x: &a [*a]\n")


@pytest.mark.parametrize("char", ["[", "{a: ", "- "])
def test_deep_nesting_is_refused(char: str) -> None:
    with pytest.raises(Malformed):
        objects(char * 100_000)


def test_a_key_that_comes_twice_is_refused_at_any_depth() -> None:
    with pytest.raises(Malformed, match="line 3, column 3: the key 'x' appears twice"):
        objects("a:\n  x: 1\n  x: 2\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("!Ref a", "the tag !Ref is not supported"),
        ("!!python/object:os.system {}", "is not supported"),
        ("!!binary aGk=", "is not supported"),
        ("!!int x", "'x' is not of the type of its tag"),
        ("? [1]\n: 2", "a mapping key must be text"),
        ("<<: 3", "<< takes a mapping"),
        ("a: &x [1]\n*x : 2", "a mapping key must be text"),
        ("a: 'b", "found unexpected end of stream"),
        ("\tx: 1", "found character that cannot start any token"),
        ("%YAML 3.0\n---\na: 1", "found incompatible YAML document"),
    ],
)
def test_what_kubernetes_would_not_take_is_refused(text: str, message: str) -> None:
    with pytest.raises(Malformed, match=message.replace("(", "\\(")):
        objects(text)


def test_a_huge_integer_stays_text() -> None:
    assert objects("a: " + "9" * 5000) == [{"a": "9" * 5000}]
