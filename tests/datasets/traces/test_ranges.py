import pytest

from gangplan.datasets.traces.ranges import expand, split


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n7", ["n7"]),
        ("I[21-23]", ["I21", "I22", "I23"]),
        ("[1101-1102]", ["1101", "1102"]),
        ("srv11[01-03]", ["srv1101", "srv1102", "srv1103"]),
        ("a[8-10]", ["a8", "a9", "a10"]),
        ("a[08-10]", ["a08", "a09", "a10"]),
        ("a[1,3-4]z", ["a1z", "a3z", "a4z"]),
        ("r[1-2]n[1-2]", ["r1n1", "r1n2", "r2n1", "r2n2"]),
    ],
)
def test_an_expression_stands_for_these_names(text: str, names: list[str]) -> None:
    assert expand(text) == names


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "brackets"),
        ("a[1-2", "brackets"),
        ("a1]", "brackets"),
        ("a[[1]]", "brackets"),
        ("a[]", "no range"),
        ("a[x-y]", "no range"),
        ("a[1-2-3]", "no range"),
        ("a[-3]", "no range"),
        ("a[9-8]", "backwards"),
        ("a[0-99999999999999]", "more than"),
        ("a[1-400]b[1-400]", "more than"),
        ("a[1-60000,1-60000]", "more than"),
    ],
)
def test_a_wrong_expression_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        expand(text)


def test_the_limit_itself_is_allowed() -> None:
    assert len(expand("a[1-100]", limit=100)) == 100
    with pytest.raises(ValueError, match="more than 100"):
        expand("a[0-100]", limit=100)


def test_commas_inside_brackets_do_not_split() -> None:
    assert split("a[1,3],b2,c[4-5]") == ["a[1,3]", "b2", "c[4-5]"]
