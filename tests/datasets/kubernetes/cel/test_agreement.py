"""What the library can evaluate itself, our evaluation must evaluate alike."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.datasets.kubernetes.cel import library
from gangplan.datasets.kubernetes.cel.errors import Failed
from gangplan.datasets.kubernetes.cel.evaluation import evaluated
from gangplan.datasets.kubernetes.cel.limits import Meter
from gangplan.datasets.kubernetes.cel.record import device_value
from gangplan.datasets.kubernetes.cel.tree import read
from gangplan.datasets.kubernetes.devicerecords import DeviceRecord
from tests.datasets.kubernetes.cel.agreement import (
    ERROR,
    bools,
    frozen,
    integers,
    library_says,
    lists,
    texts,
)

ANY = st.one_of(bools(3), integers(2), texts(2), lists(2))


def ours(expression: str) -> Any:
    try:
        return frozen(
            evaluated(
                read(library.check(expression)), device_value(DeviceRecord("d"), "x"), Meter()
            )
        )
    except Failed:
        return ERROR


@settings(max_examples=300, deadline=None)
@given(ANY)
def test_random_expressions_have_the_value_that_the_library_gives(expression: str) -> None:
    assert ours(expression) == library_says(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "string(1.5)",
        "string(1e30)",
        "string(1000000.0)",
        "string(123456.0)",
        "string(0.0001)",
        "string(0.00001)",
        "string(-0.25)",
        "string(b'abc')",
        "string(b'\\xff')",
        "bytes('é') == b'é'",
        "int(1.9)",
        "int(-1.9)",
        "int(1e30)",
        "double('1.5')",
        "double('x')",
        "1.0 / 0.0",
        "-7 / 2",
        "-7 % 2",
        "7 % -2",
        "dyn(1) == 1.5",
        "[1, 2] == [1, 2]",
        "{'a': 1} == {'a': 1}",
        "{'a': [1]}.a[0]",
        "{1: 'a'}[dyn(1.0)]",
        "{true: 'a'}[dyn(1)]",
        "[1, 2][dyn(1.0)]",
        "[1][5]",
        "'a' + 'b' == 'ab' ? [1] : [2]",
        "[[1, 2], [3]].map(l, l.map(i, i * 2))",
        "[1, 2, 3].map(i, i > 1, i * 10)",
        "cel.bind(a, 1 / 0, true)",
        "cel.bind(a, 1 / 0, a == 1)",
        "true || 1 / 0 == 1",
        "1 / 0 == 1 || true",
        "1 / 0 == 1 && false",
        "1 / 0 == 1 && true",
        "[0, 1].exists(i, 1 / i == 1)",
        "[0, 1].all(i, 1 / i == 2)",
        "[0].all(i, 1 / i == 2)",
        "optional.of(1).or(optional.of(2)).value()",
        "optional.none().orValue(3)",
        "optional.none().value()",
        "optional.of(1).optMap(v, v + 1).value()",
        "optional.of(1).optFlatMap(v, optional.of(v + 2)).value()",
        "optional.ofNonZeroValue(0).hasValue()",
        "[?optional.of(1), ?optional.none()]",
        "{?'a': optional.of(1), ?'b': optional.none()}",
        "{'a': {'b': 1}}.?a.?b.value()",
        "{'a': {'b': 1}}.?a.b.value()",
        "{'a': {'b': 1}}.?c.b.hasValue()",
        "[1, 2][?5].hasValue()",
        "optional.of([1, 2])[1].value()",
        "has({'a': 1}.b)",
        "type(1) == int",
        "type('a') == type(1)",
        "null == null",
        "'%s is %d' .format(['a', 3])",
        "'a,b'.split(',')",
        "' a '.trim()",
        "'abc'.charAt(1)",
        "'abcabc'.lastIndexOf('b')",
        "strings.quote('a\"b')",
        "'é😀'.size()",
        "'b' > 'a'",
        "false < true",
    ],
)
def test_one_expression_has_the_value_that_the_library_gives(expression: str) -> None:
    assert ours(expression) == library_says(expression)
