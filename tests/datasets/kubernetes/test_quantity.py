from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangplan.datasets.kubernetes.text.quantity import MAX, exact, parse


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1E", 10**18),
        ("1e3", 1000),
        ("1E3", 1000),
        ("129e6", 129_000_000),
        ("42991616000m", 42_991_616),
        ("1Ki", 1024),
        ("1.5Gi", 3 * 2**29),
        ("7Ei", 7 * 2**60),
        ("0", 0),
        ("+3", 3),
        ("5.", 5),
        (".5k", 500),
        ("1000000u", 1),
        ("2000000000n", 2),
        ("1T", 10**12),
        ("1P", 10**15),
        ("3M", 3_000_000),
        ("25e-1", 3),
        ("-0", 0),
        ("0e999999999999", 0),
        ("1e-999999999999", 1),
        (12, 12),
    ],
)
def test_every_form_is_exact_bytes(text: str | int, value: int) -> None:
    assert parse(text) == value


@pytest.mark.parametrize(
    ("text", "value"), [("0.1", 100), ("100m", 100), ("2", 2000), ("1k", 10**6), (3, 3000)]
)
def test_cpu_is_counted_in_thousandths(text: str | int, value: int) -> None:
    assert parse(text, milli=True) == value


def test_three_tenths_are_exactly_300m() -> None:
    assert 3 * parse("0.1", milli=True) == parse("300m", milli=True)


def test_requests_round_up_and_capacity_rounds_down() -> None:
    assert parse("1m", round_up=True) == 1
    assert parse("1m", round_up=False) == 0
    assert parse("-1500m", round_up=True, minimum=-10) == -1
    assert parse("-1500m", round_up=False, minimum=-10) == -2


@pytest.mark.parametrize(
    "text",
    ["", ".", "-", "1 Gi", "1gi", "1K", "Gi", "0x10", "1_000", "1e", "1Gi2", "NaN", "1ee3", "१"],
)
def test_garbage_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a quantity expected"):
        parse(text)


@pytest.mark.parametrize("value", [True, 1.5, None, [], {}])
def test_other_types_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match="a quantity expected"):
        parse(value)


def test_negative_amounts_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 0 expected, got -1"):
        parse("-1")


@pytest.mark.parametrize("text", ["8Ei", "1e19", "9223372036854775808", "1e999999999999"])
def test_more_than_an_int64_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="above 2\\^63 - 1"):
        parse(text)
    assert parse("9223372036854775807") == MAX


def test_an_integer_above_an_int64_is_refused() -> None:
    with pytest.raises(ValueError, match="above 2\\^63 - 1 thousandths"):
        parse(2**62, milli=True)


@given(
    st.integers(0, 10**6),
    st.text("0123456789", max_size=6),
    st.sampled_from(["", "n", "u", "m", "k", "M", "G", "Ki", "Mi", "Gi", "e3", "e-3"]),
)
def test_the_value_is_that_of_exact_fractions(whole: int, part: str, suffix: str) -> None:
    scale = {
        "": Fraction(1),
        "n": Fraction(1, 10**9),
        "u": Fraction(1, 10**6),
        "m": Fraction(1, 1000),
        "k": Fraction(10**3),
        "M": Fraction(10**6),
        "G": Fraction(10**9),
        "Ki": Fraction(2**10),
        "Mi": Fraction(2**20),
        "Gi": Fraction(2**30),
        "e3": Fraction(1000),
        "e-3": Fraction(1, 1000),
    }[suffix]
    exact = (whole + Fraction(int(part or 0), 10 ** len(part))) * scale
    text = f"{whole}.{part}{suffix}"
    assert parse(text, round_up=True) == -(-exact.numerator // exact.denominator)
    assert parse(text, round_up=False) == exact.numerator // exact.denominator


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5Gi", Fraction(3 * 2**29)),
        ("100m", Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        ("1n", Fraction(1, 10**9)),
        ("1.5n", Fraction(2, 10**9)),
        ("1e-999999999999", Fraction(1, 10**9)),
        ("40Gi", Fraction(40 * 2**30)),
        (7, Fraction(7)),
    ],
)
def test_exact_keeps_fractions_down_to_a_billionth(text: str | int, value: Fraction) -> None:
    assert exact(text) == value


@pytest.mark.parametrize(
    "text", ["", "x", "-1", "1 Gi", True, None, 1.5, [], "8Ei", "9223372036854775808"]
)
def test_exact_refuses_what_no_capacity_has(text: object) -> None:
    with pytest.raises(ValueError, match=r"quantity|at least 0"):
        exact(text)


@given(st.integers(0, 10**12), st.sampled_from(["", "m", "k", "Ki", "Mi", "G", "n", "u"]))
def test_exact_and_whole_agree(number: int, suffix: str) -> None:
    value = exact(f"{number}{suffix}")
    assert parse(f"{number}{suffix}", round_up=False) == value.numerator // value.denominator
