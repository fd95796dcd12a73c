"""Functions of texts: the library's, and places of regular expressions."""

from gangplan.datasets.kubernetes.cel import library, search
from gangplan.datasets.kubernetes.cel.limits import Meter
from gangplan.datasets.kubernetes.cel.operators import no_overload
from gangplan.datasets.kubernetes.cel.signature import Function
from gangplan.datasets.kubernetes.cel.values import Value, equal, type_name


def _text(name: str, *, member: bool = True) -> Function:
    """Take a function of the library for plain values."""

    def function(meter: Meter, *operands: Value) -> Value:
        if not all(map(_plain, operands)):
            raise no_overload()
        _foresee(meter, name, operands)
        return library.call(name, member, operands)

    return function


def _plain(value: Value) -> bool:
    """Tell whether the library has such a value."""
    if type_name(value) == "list":
        return all(map(_plain, value))
    return type_name(value) in ("string", "int", "bool", "double", "bytes", "null_type")


def _foresee(meter: Meter, name: str, operands: tuple[Value, ...]) -> None:
    """Ask for room for a result before it is made."""
    made = sum(len(one) for one in operands if isinstance(one, str))
    if name == "replace" and len(operands) >= 3 and all(isinstance(o, str) for o in operands[:3]):
        text, old, new = operands[:3]
        made += (len(text) // max(len(old), 1) + 1) * len(new)
    if name == "join" and isinstance(operands[0], tuple):
        between = len(operands[1]) if len(operands) > 1 and isinstance(operands[1], str) else 0
        made += sum(len(one) + between for one in operands[0] if isinstance(one, str))
    if name == "format":
        made *= 1 + (_written(operands[1]) if len(operands) > 1 else 0)
    meter.make(made)


def _written(value: Value) -> int:
    """Bound the characters of a value in a text."""
    if isinstance(value, str):
        return len(value)
    return sum(map(_written, value)) + 4 if isinstance(value, tuple) else 400


def _find(meter: Meter, text: Value, pattern: Value) -> Value:
    _valid(text, pattern)
    return search.find(meter, text, pattern)


def _find_all(meter: Meter, text: Value, pattern: Value, limit: Value = -1) -> Value:
    if type_name(limit) != "int":
        raise no_overload()
    _valid(text, pattern)
    return search.find_all(meter, text, pattern, limit)


def _valid(text: Value, pattern: Value) -> None:
    if type_name(text) != "string" or type_name(pattern) != "string":
        raise no_overload()
    library.call("matches", True, ("", pattern))


def _index_of(last: bool) -> Function:
    """Make ``indexOf`` or ``lastIndexOf``, of a list or (the library's) of a text."""
    name = "lastIndexOf" if last else "indexOf"

    def function(meter: Meter, one: Value, *others: Value) -> Value:
        if type_name(one) != "list":
            return _text(name)(meter, one, *others)
        if len(others) != 1:
            raise no_overload()
        places = range(len(one) - 1, -1, -1) if last else range(len(one))
        return next((at for at in places if equal(one[at], others[0])), -1)

    return function


_NAMES = (
    "contains", "startsWith", "endsWith", "matches", "charAt", "format", "join", "lowerAscii",
    "upperAscii", "replace", "split", "substring", "trim",
)  # fmt: skip
TEXTS: dict[str, Function] = {
    **{name: _text(name) for name in _NAMES},
    "strings.quote": _text("strings.quote", member=False),
    "find": _find,
    "findAll": _find_all,
    "indexOf": _index_of(False),
    "lastIndexOf": _index_of(True),
}
