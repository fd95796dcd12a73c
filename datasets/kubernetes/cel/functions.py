"""Every function by its name in the tree; what is not here is not supported."""

from gangplan.datasets.kubernetes.cel import conversions, operators
from gangplan.datasets.kubernetes.cel.errors import Failed
from gangplan.datasets.kubernetes.cel.limits import Meter
from gangplan.datasets.kubernetes.cel.list_functions import LISTS
from gangplan.datasets.kubernetes.cel.object_functions import OBJECTS
from gangplan.datasets.kubernetes.cel.operators import no_overload
from gangplan.datasets.kubernetes.cel.signature import Function, of_optional
from gangplan.datasets.kubernetes.cel.text_functions import TEXTS
from gangplan.datasets.kubernetes.cel.values import Maybe, Value, equal, type_name


def _value(one: Maybe) -> Value:
    if not one.there:
        raise Failed("optional.none() dereference")
    return one.value


def _non_zero(_: Meter, one: Value) -> Maybe:
    """``optional.ofNonZeroValue(x)``."""
    if type_name(one) in ("int", "double", "bool", "string", "bytes", "list", "map", "null_type"):
        return Maybe(one) if one else Maybe()
    raise no_overload()


FUNCTIONS: dict[str, Function] = {
    "_+_": operators.add,
    "_-_": operators.subtract,
    "_*_": operators.multiply,
    "_/_": operators.divide,
    "_%_": operators.modulo,
    "-_": operators.negate,
    "!_": operators.invert,
    "_==_": lambda _, one, other: equal(one, other),
    "_!=_": lambda _, one, other: not equal(one, other),
    "_<_": operators.LESS,
    "_<=_": operators.LESS_EQUALS,
    "_>_": operators.GREATER,
    "_>=_": operators.GREATER_EQUALS,
    "_[_]": operators.index,
    "_?._": operators.maybe_at,
    "_[?_]": operators.maybe_at,
    "@in": operators.within,
    "size": operators.sized,
    "int": conversions.to_int,
    "double": conversions.to_double,
    "bool": conversions.to_bool,
    "string": conversions.to_string,
    "bytes": conversions.to_bytes,
    "type": conversions.type_of,
    "dyn": lambda _, one: one,
    "optional.of": lambda _, one: Maybe(one),
    "optional.none": lambda _: Maybe(),
    "optional.ofNonZeroValue": _non_zero,
    "hasValue": of_optional(lambda one: one.there),
    "value": of_optional(_value),
}
FUNCTIONS |= OBJECTS | LISTS | TEXTS
