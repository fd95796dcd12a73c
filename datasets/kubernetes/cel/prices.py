"""What a call costs at run time, as Kubernetes and cel-go count it."""

from typing import Any

from gangplan.datasets.kubernetes.cel.values import size

LIST, MAP = 10, 30
"""Cost of making a list and a map."""
_FREE = ("_&&_", "_||_", "_?_:_")
_TRAVERSED = ("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf")
_TENTH = (
    "url", "lowerAscii", "upperAscii", "substring", "trim", "cidr", "isIP", "isCIDR", "ip",
    "quantity", "isQuantity", "format", "strings.quote",
)  # fmt: skip
_TWICE = ("replace", "split", "ip.isCanonical")
_LEAST = ("_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_")


def tenths(amount: float, factor: int = 1) -> int:
    """Give the cost of passing over characters: a tenth each, rounded up."""
    return -int(-amount * factor // 10)


def price(function: str, operands: tuple[Any, ...]) -> int:
    """Give the cost of a call, before it is made."""
    first = size(operands[0]) if operands else 1
    if function in _FREE:
        return 0
    if function in _TENTH:
        return tenths(first)
    if function in _TWICE:
        return tenths(first, 2)
    if function in _TRAVERSED:
        return traversal(operands[0])
    if function in _LEAST:
        return tenths(min(map(size, operands)))
    if function in ("startsWith", "endsWith"):
        return tenths(size(operands[1]))
    if function == "_+_" and isinstance(operands[0], str | bytes):
        return tenths(sum(map(size, operands)))
    if function in ("matches", "find", "findAll"):
        return tenths(first + 1) * -(-size(operands[1]) // 4)
    if function == "contains":
        return tenths(first) * tenths(size(operands[1]))
    if function == "join" and isinstance(operands[0], tuple):
        return tenths(sum(map(size, operands[0])), 2)
    if function == "@in" and isinstance(operands[1], tuple):
        return size(operands[1])
    if function.startswith("sets."):
        return 1 + size(operands[0]) * size(operands[1])
    return 1


def traversal(value: Any) -> int:
    """Give the cost of passing over a value and all in it."""
    if isinstance(value, str | bytes):
        return len(value) // 10
    if isinstance(value, tuple):
        return sum(map(traversal, value))
    if isinstance(value, dict):
        return sum(traversal(part) for item in value.items() for part in item)
    return 1
