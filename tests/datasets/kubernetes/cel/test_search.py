"""find and findAll: where RE2 matches at all, and as Python's re where both have one meaning."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.datasets.kubernetes.cel import library
from gangplan.datasets.kubernetes.cel.errors import Failed, TooDear
from gangplan.datasets.kubernetes.cel.limits import Meter
from gangplan.datasets.kubernetes.cel.search import find, find_all


def patterns(depth: int) -> st.SearchStrategy[str]:
    atoms = st.sampled_from(["a", "b", "c", ".", "[ab]", "[^a]", r"\d", r"\w", r"\b", "^", "$"])
    if depth == 0:
        return atoms
    less = patterns(depth - 1)
    return st.one_of(
        atoms,
        st.tuples(less, less).map("".join),
        st.tuples(less, less).map(lambda p: f"(?:{p[0]}|{p[1]})"),
        st.tuples(st.sampled_from(["a", "b", "[ab]", "(?:ab|a)", r"\d"]),
                  st.sampled_from(["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{1,}?"]))
        .map("".join),
        less.map(lambda p: f"({p})"),
    )  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(patterns(3), st.text("abc1 \n", max_size=8))
def test_the_first_match_is_that_of_a_backtracking_search(pattern: str, text: str) -> None:
    # Python's $ is also before a last newline; RE2's is not.
    expected = re.search(pattern.replace("$", r"\Z"), text, re.ASCII)
    assert find(Meter(), text, pattern) == (expected[0] if expected else "")
    assert library.call("matches", True, (text, pattern)) is bool(expected)


@pytest.mark.parametrize(
    ("text", "pattern", "found"),
    [
        ("A1a1", "(?i)a1", ("A1", "a1")),
        ("xAbab", "x(?i:ab)|ab", ("xAb", "ab")),
        ("a.b a+b", r"\Qa.b\E", ("a.b",)),
        ("a.b+", r"\Qa.b+\E", ("a.b+",)),
        ("x\ny", "(?m)^.$", ("x", "y")),
        ("x\ny", "(?s).+", ("x\ny",)),
        ("aaa", "(?U)a+", ("a", "a", "a")),
        ("ab12", "[[:alpha:]]+", ("ab",)),
        ("ab12", "[[:^alpha:]]+", ("12",)),
        ("A B", r"\x41|\x{42}|\103", ("A", "B")),
        ("a-]", r"[\]\-]+", ("-]",)),
        ("]a", "[]a]+", ("]a",)),
        ("a{2}", "a{", ("a{",)),
        ("é😀x", ".", ("é", "😀", "x")),
        ("\u017fK", "(?i)sk", ("\u017fK",)),
        ("k\u212a", "(?i)k", ("k", "\u212a")),
        ("abab", "(?P<one>ab)(?<two>a)?", ("aba",)),
        ("aab", "(a*)*b", ("aab",)),
        ("", "a*", ("",)),
        ("ab", "", ("", "", "")),
        ("a\tb", r"\s", ("\t",)),
        ("a|b", r"a\|b", ("a|b",)),
    ],
)
def test_syntax_of_re2(text: str, pattern: str, found: tuple[str, ...]) -> None:
    assert library.call("matches", True, (text, pattern)) is bool(found)
    assert find_all(Meter(), text, pattern) == found


def test_a_pattern_that_backtracking_never_ends_takes_linear_time() -> None:
    assert find(Meter(), "a" * 2000, "(a*)*b") == ""
    assert find(Meter(), "a" * 200, "(?:a?){100}a{100}") == "a" * 200


def test_a_huge_program_or_text_is_stopped() -> None:
    with pytest.raises(Failed, match="too large"):
        find(Meter(), "a", "(?:(?:a{100}){100}){100}")
    with pytest.raises(TooDear):
        find(Meter(), "a" * 100_000, "(?:a?){300}b")
