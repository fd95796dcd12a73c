"""Random expressions without Kubernetes' objects, and what the library itself says of them."""

from typing import Any

from cel_expr_python import cel  # type: ignore[import-untyped, unused-ignore] # no py.typed
from cel_expr_python.ext import (  # type: ignore[import-untyped, unused-ignore] # no py.typed
    ext_bindings,
    ext_optional,
    ext_strings,
)
from hypothesis import strategies as st

ENVIRONMENT = cel.NewEnv(
    extensions=[ext_bindings.ExtBindings(), ext_optional.ExtOptional(), ext_strings.ExtStrings(2)]
)
ERROR = object()


def library_says(expression: str) -> Any:
    value = ENVIRONMENT.compile(expression).eval()
    return ERROR if value.type().name() == "ERROR" else frozen(value.plain_value())


def frozen(value: Any) -> Any:
    """Tuples for lists, and bools kept apart from integers."""
    if isinstance(value, list | tuple):
        return tuple(map(frozen, value))
    if isinstance(value, dict):
        return {key: frozen(one) for key, one in value.items()}
    return type(value).__name__, value


INTEGERS = st.sampled_from(["0", "1", "-7", "3", "9223372036854775807", "-9223372036854775808"])
TEXTS = st.sampled_from(['""', '"a"', '"abcab"', '"é😀"', "'A B'"])
BOOLS = st.sampled_from(["true", "false"])
DOUBLES = st.sampled_from(["0.0", "1.5", "-2.0", "1e300"])


def integers(depth: int) -> st.SearchStrategy[str]:
    if depth == 0:
        return INTEGERS
    less = integers(depth - 1)
    return st.one_of(
        INTEGERS,
        st.tuples(less, st.sampled_from("+-*/%"), less).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        texts(depth - 1).map(lambda t: f"size({t})"),
        lists(depth - 1).map(lambda t: f"{t}[0]"),
        lists(depth - 1).map(lambda t: f"size({t})"),
        st.tuples(bools(depth - 1), less, less).map(lambda p: f"({p[0]} ? {p[1]} : {p[2]})"),
        st.tuples(texts(depth - 1), texts(depth - 1)).map(lambda p: f"{p[0]}.indexOf({p[1]})"),
        st.tuples(less, less).map(lambda p: f"cel.bind(v, {p[0]}, v + {p[1]})"),
        st.tuples(texts(depth - 1), less).map(lambda p: f'{{"a": {p[1]}}}[?{p[0]}].orValue(5)'),
    )


def texts(depth: int) -> st.SearchStrategy[str]:
    if depth == 0:
        return TEXTS
    less = texts(depth - 1)
    return st.one_of(
        TEXTS,
        st.tuples(less, less).map(lambda p: f"({p[0]} + {p[1]})"),
        less.map(lambda t: f"{t}.upperAscii()"),
        st.tuples(less, less, less).map(lambda p: f"{p[0]}.replace({p[1]}, {p[2]})"),
        st.tuples(less, integers(depth - 1)).map(lambda p: f"{p[0]}.substring({p[1]})"),
        integers(depth - 1).map(lambda t: f"string({t})"),
        bools(depth - 1).map(lambda t: f"string({t})"),
        st.tuples(less, less).map(lambda p: f'[{p[0]}, {p[1]}].join("-")'),
    )


def lists(depth: int) -> st.SearchStrategy[str]:
    plain = st.lists(INTEGERS, max_size=4).map(lambda parts: f"[{', '.join(parts)}]")
    if depth == 0:
        return plain
    less = lists(depth - 1)
    return st.one_of(
        plain,
        st.tuples(less, less).map(lambda p: f"({p[0]} + {p[1]})"),
        st.tuples(less, bools(depth - 1)).map(lambda p: f"{p[0]}.filter(i, i > 0 || {p[1]})"),
        st.tuples(less, integers(depth - 1)).map(lambda p: f"{p[0]}.map(i, i % 3 + {p[1]})"),
    )


def bools(depth: int) -> st.SearchStrategy[str]:
    if depth == 0:
        return BOOLS
    less, numbers, words = bools(depth - 1), integers(depth - 1), texts(depth - 1)
    order = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
    return st.one_of(
        BOOLS,
        st.tuples(less, st.sampled_from(["&&", "||"]), less).map(
            lambda p: f"({p[0]} {p[1]} {p[2]})"
        ),
        less.map(lambda t: f"!{t}"),
        st.tuples(numbers, order, numbers).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        st.tuples(words, order, words).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        st.tuples(DOUBLES, order, DOUBLES).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        st.tuples(numbers, lists(depth - 1)).map(lambda p: f"({p[0]} in {p[1]})"),
        st.tuples(lists(depth - 1), numbers).map(lambda p: f"{p[0]}.exists(i, 6 / i > {p[1]})"),
        st.tuples(lists(depth - 1), numbers).map(lambda p: f"{p[0]}.all(i, 6 / i > {p[1]})"),
        st.tuples(lists(depth - 1), numbers).map(lambda p: f"{p[0]}.exists_one(i, i == {p[1]})"),
        st.tuples(words, words).map(lambda p: f"{p[0]}.contains({p[1]})"),
        st.tuples(words, words).map(lambda p: f"{p[0]}.startsWith({p[1]})"),
        st.tuples(numbers, words).map(lambda p: f"(dyn({p[0]}) == dyn({p[1]}))"),
        words.map(lambda t: f"(has({{'a': 1}}.a) && {t}.size() > 1)"),
        words.map(lambda t: f"bool({t})"),
        words.map(lambda t: f"(int({t}) > 1)"),
    )
