"""Functions of lists: Kubernetes' own, sets, and ``includes`` (also of a single value)."""

from collections.abc import Callable
from itertools import pairwise

from gangplan.datasets.kubernetes.cel import operators
from gangplan.datasets.kubernetes.cel.errors import Failed
from gangplan.datasets.kubernetes.cel.limits import Meter
from gangplan.datasets.kubernetes.cel.operators import no_overload
from gangplan.datasets.kubernetes.cel.signature import Function
from gangplan.datasets.kubernetes.cel.values import Maybe, Value, equal, type_name

_LONGEST_INCLUDES = 48
"""ResourceSliceMaxAttributeValuesPerDevice."""


def _includes(_: Meter, one: Value, item: Value) -> bool:
    """``x.includes(item)``: of a list, or of a single value, which includes itself."""
    if type_name(one) != "list":
        return equal(one, item)
    if any(equal(element, item) for element in one[:_LONGEST_INCLUDES]):
        return True
    if len(one) > _LONGEST_INCLUDES:
        raise Failed(
            f"'includes' function cannot be applied to lists longer than {_LONGEST_INCLUDES} values"
        )
    return False


def _each(one: Value) -> tuple[Value, ...]:
    """Give a list whose elements can be ordered."""
    if type_name(one) != "list":
        raise no_overload()
    kinds = {type_name(element) for element in one}
    if len(kinds) > 1 or not kinds <= {"int", "double", "bool", "string", "bytes"}:
        raise no_overload()
    return tuple(one)


def _is_sorted(_: Meter, one: Value) -> bool:
    each = _each(one)
    return all(not left > right for left, right in pairwise(each))


def _extreme(name: str, choose: Callable[..., Value]) -> Function:
    def function(_: Meter, one: Value) -> Value:
        if not one:
            raise Failed(f"{name} called on empty list")
        return choose(_each(one))

    return function


def _sum(meter: Meter, one: Value) -> Value:
    each = _each(one)
    total: Value = 0.0 if each and type_name(each[0]) == "double" else 0
    for element in each:
        total = operators.add(meter, total, element)
    return total


def _sets(test: Callable[[Value, Value], bool]) -> Function:
    """Make a function of two lists as sets, in steps of their product."""

    def function(meter: Meter, one: Value, other: Value) -> bool:
        if type_name(one) != "list" or type_name(other) != "list":
            raise no_overload()
        meter.step(len(one) * len(other))
        return test(one, other)

    return function


def _subset(one: Value, other: Value) -> bool:
    return all(any(equal(a, b) for b in other) for a in one)


def _end(last: bool) -> Function:
    """Make ``first`` or ``last`` of a list."""

    def function(_: Meter, one: Value) -> Maybe:
        if type_name(one) != "list":
            raise no_overload()
        return Maybe(one[-1 if last else 0]) if one else Maybe()

    return function


LISTS: dict[str, Function] = {
    "isSorted": _is_sorted,
    "min": _extreme("min", min),
    "max": _extreme("max", max),
    "sum": _sum,
    "sets.contains": _sets(lambda one, other: _subset(other, one)),
    "sets.equivalent": _sets(lambda one, other: _subset(one, other) and _subset(other, one)),
    "sets.intersects": _sets(lambda one, other: any(_subset((a,), other) for a in one)),
    "includes": _includes,
    "first": _end(False),
    "last": _end(True),
}
