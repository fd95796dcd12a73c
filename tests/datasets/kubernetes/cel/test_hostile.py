"""Expressions meant to hang, fill memory or crash: refused or failed, in a bounded time."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.datasets.kubernetes.cel import (
    CelError,
    CelFailure,
    Selector,
    compile_selector,
    evaluate,
)
from gangplan.datasets.kubernetes.cel import library as cel_library
from gangplan.datasets.kubernetes.cel.errors import Failed, TooDear
from gangplan.datasets.kubernetes.cel.evaluation import evaluated
from gangplan.datasets.kubernetes.cel.limits import COST, STEPS, Meter
from gangplan.datasets.kubernetes.cel.record import device_value
from gangplan.datasets.kubernetes.cel.tree import Node, read
from tests.datasets.kubernetes.cel.devices import A100, DRIVER, answer, device

TEN = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"
MOST_SECONDS = 5  # of processor time; about one on an idle machine


@contextmanager
def bounded() -> Iterator[None]:
    start = time.process_time()
    yield
    assert time.process_time() - start < MOST_SECONDS


def loops(depth: int, inner: str) -> str:
    for level in range(depth):
        inner = f"{TEN}.all(v{level}, {inner})"
    return inner


def doubled(start: str, times: int) -> str:
    inner = f"a{times}.size() > 0"
    for level in range(times, 0, -1):
        inner = f"cel.bind(a{level}, a{level - 1} + a{level - 1}, {inner})"
    return f"cel.bind(a0, {start}, {inner})"


def many(number: int, what: str = "1") -> str:
    return "[" + ",".join([what] * number) + "]"


BOMBS = {
    "seven loops": loops(7, "true"),
    "a pattern in six loops": loops(6, f'"{"a" * 64}".find("(a*)*b") == ""'),
    "a doubled text": doubled('"' + "a" * 99 + '"', 14),
    "a text in a text": f'"{"a" * 3000}".replace("", "{"b" * 3000}").replace("", "c").size() > 1',
    "a list in a list": f"{many(2000)}.map(x, {many(2000)}.map(y, y)).size() > 0",
    "a search in a list": f"{many(2000)}.all(x, !(3 in {many(2000)}))",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_stopped_even_if_it_were_accepted(name: str) -> None:
    # Most are refused by their estimate; the evaluation must be safe without it.
    tree = read(cel_library.check(BOMBS[name]))
    with bounded(), pytest.raises(TooDear):
        evaluated(tree, device_value(A100, DRIVER), Meter())


def test_the_cost_limit_is_a_failure_with_its_reason_and_nothing_absorbs_it() -> None:
    tree = read(cel_library.check(f"true || {loops(7, 'true')}"))
    assert evaluated(tree, device_value(A100, DRIVER), Meter()) is True
    tree = read(cel_library.check(f"{loops(7, 'true')} || true"))
    with pytest.raises(TooDear, match="actual cost limit exceeded"):
        evaluated(tree, device_value(A100, DRIVER), Meter(cost=COST - 10))
    with pytest.raises(TooDear, match="steps"):
        evaluated(tree, device_value(A100, DRIVER), Meter(steps=STEPS))


def test_a_doubled_list_stays_small_enough() -> None:
    with bounded():
        assert answer(doubled("[1, 1]", 14)) is True


def test_long_expressions_compile_in_a_bounded_time() -> None:
    with bounded():
        assert answer(" || ".join(["false"] * 1000)) is False
        assert answer(f"{many(4900)}.size() == 4900") is True
        assert answer('"' + "x" * 10_000 + '" != "y"') is True


@pytest.mark.parametrize(
    "expression",
    [
        '"\\u00e9\\U0001f600".size() == 2 && "é" == "\\u00e9"',
        'size(device.attributes["ключ"]) == 0',
        '"a\\u0000b".size() == 3',
        "'\\'' == \"'\"",
        '"""a\nb""" == "a\\nb"',
        'r"\\d" == "\\\\d"',
    ],
)
def test_unicode_and_quotes(expression: str) -> None:
    assert answer(expression) is True


def test_names_have_ascii_letters_only() -> None:
    with pytest.raises(CelError, match="Syntax error"):
        compile_selector('device.attributes["ключ"].имя == 1')


def test_values_of_devices_are_never_patterns_or_expressions() -> None:
    one = device({"d/x": "(" * 60, "d/y": '" || true || "'})
    assert "invalid regular expression" in str(answer('"a".matches(device.attributes["d"].x)', one))
    assert answer('device.attributes["d"].y == "x"', one) is False


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_any_text_compiles_or_is_refused_in_one_line(text: str) -> None:
    _compile_and_run(text)


FRAGMENTS = st.sampled_from(
    ["device", ".driver", ".attributes", '["d"]', ".x", ".?x", "[?", "]", "(", ")", "&&", "||",
     "==", "<", "+", "-", "1", "1.5", '"a"', "true", "null", "has(", "size(", ".exists(v, ",
     ".map(v, ", "v", "? ", ": ", "quantity(", "semver(", ".compareTo(", ".matches(", "[", "{",
     "}", ",", "in", "!", "cel.bind(b, ", "optional.of(", ".orValue(", "dyn(", "type(", "ip("]
)  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(st.lists(FRAGMENTS, max_size=14).map(" ".join))
def test_any_words_of_the_language_compile_or_are_refused_in_one_line(text: str) -> None:
    _compile_and_run(text)


def _compiled(text: str) -> Selector | CelError:
    try:
        return compile_selector(text)
    except CelError as error:
        return error


def _compile_and_run(text: str) -> None:
    selector = _compiled(text)
    if isinstance(selector, CelError):
        assert str(selector)
        assert "\n" not in str(selector)
        return
    found = evaluate(selector, A100, DRIVER)
    assert isinstance(found, bool | CelFailure)
    with bounded():
        assert evaluate(selector, A100, DRIVER) == found


X = 'device.attributes["d"].x'
PARSERS = (
    f"isQuantity({X}) == (sign(quantity({X})) < 2)",
    f"quantity({X}).add(1).isGreaterThan(quantity({X}))",
    f"quantity({X}).asApproximateFloat() >= 0.0",
    f"!isSemver({X}) || semver({X}) == semver({X}, true)",
    f"isSemver({X}, true) || true",
    f"isIP({X}) == (ip({X}).family() > 0)",
    f"isCIDR({X}) == (cidr({X}).masked().prefixLength() >= 0)",
    f"isURL({X}) == (url({X}).getQuery().size() >= 0)",
    f"url({X}).getHost().contains(url({X}).getHostname())",
    f"url({X}).getEscapedPath().size() >= 0",
    f"{X}.matches({X}) == ({X}.find({X}) != '' || {X}.matches({X}))",
    f"{X}.findAll({X}).size() >= 0",
    f"int({X}) < 1 || double({X}) < 1.0 || bool({X})",
    f"{X}.split('a').join('a') == {X}",
    f"{X}.format([{X}]).size() > 0",
)
TRICKY = st.one_of(
    st.text(max_size=20),
    st.text("0123456789.+-eEkKMGTPinumv", max_size=12),
    st.text("0123456789abcdef:./%[]", max_size=20),
    st.text("ahtps:/@?#&=%2[]1. ", max_size=24).map("http://".__add__),
    st.text("ab(|)[]^-*+?{}1,\\\\dwsbQExP<>i:$.", max_size=14),
)


@cache
def _tree(expression: str) -> Node:
    return read(cel_library.check(expression))


@settings(max_examples=200, deadline=None)
@given(TRICKY)
def test_any_text_of_an_attribute_gives_an_answer(text: str) -> None:
    # Some could not be compiled as selectors: nothing bounds the size of a URL's parts.
    one = device_value(device({"d/x": text}), DRIVER)
    for expression in PARSERS:
        try:
            found = evaluated(_tree(expression), one, Meter())
        except (Failed, TooDear):
            continue
        assert found is True or (found is False and "==" not in expression)


def test_a_failure_is_no_bool() -> None:
    with pytest.raises(TypeError):
        bool(CelFailure("x"))
    assert str(CelFailure("no such key: x")) == "no such key: x"


def test_errors_of_plain_calls_are_errors_of_the_evaluation() -> None:
    with pytest.raises(Failed):
        cel_library.call("substring", True, ("a", 5))
