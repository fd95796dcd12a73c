"""Shapes of functions: what their operands must be, before they see them."""

from collections.abc import Callable

from gangplan.datasets.kubernetes.cel.errors import Failed
from gangplan.datasets.kubernetes.cel.limits import Meter
from gangplan.datasets.kubernetes.cel.operators import no_overload
from gangplan.datasets.kubernetes.cel.values import Maybe, Value, type_name

Function = Callable[..., Value]
"""Takes the meter and the operands, the target first; a dyn passes the checker with any type."""


def typed(*kinds: str) -> Callable[[Callable[..., Value]], Function]:
    """Make a function of operands that have these types only, and that needs no meter."""

    def wrap(plain: Callable[..., Value]) -> Function:
        def function(_: Meter, *operands: Value) -> Value:
            if tuple(map(type_name, operands)) != kinds:
                raise no_overload()
            return plain(*operands)

        return function

    return wrap


def first_of(**by_kind: Callable[..., Value]) -> Function:
    """Choose by the type of the first operand: both a quantity and a version compare."""
    named = {f"kubernetes.{kind}": plain for kind, plain in by_kind.items()}

    def function(_: Meter, one: Value, *others: Value) -> Value:
        plain = named.get(type_name(one))
        if plain is None or any(type_name(other) != type_name(one) for other in others):
            raise no_overload()
        return plain(one, *others)

    return function


def says(parse: Callable[..., Value]) -> Callable[..., bool]:
    """Make isX of a parser."""

    def plain(*operands: Value) -> bool:
        try:
            parse(*operands)
        except Failed:
            return False
        return True

    return plain


def flagged(plain: Callable[..., Value]) -> Function:
    """Make a function of a text, or of a text and a bool."""

    def function(_: Meter, *operands: Value) -> Value:
        if tuple(map(type_name, operands)) not in (("string",), ("string", "bool")):
            raise no_overload()
        return plain(*operands)

    return function


def of_optional(plain: Callable[[Maybe], Value]) -> Function:
    """Make a function of an optional value."""

    def function(_: Meter, one: Value) -> Value:
        if not isinstance(one, Maybe):
            raise no_overload()
        return plain(one)

    return function
