"""Expressions that compile and are turned away all the same.

Some Kubernetes refuses too (it is stricter than the library): no bool, lists of mixed types, a
regular expression that is none, an unknown field of ``device``. The others are not supported here;
they are named, and never evaluated wrongly.
"""

import re

from gangplan.datasets.kubernetes.cel import library, pattern
from gangplan.datasets.kubernetes.cel.errors import CelError, Failed
from gangplan.datasets.kubernetes.cel.evaluation import SPECIAL
from gangplan.datasets.kubernetes.cel.functions import FUNCTIONS
from gangplan.datasets.kubernetes.cel.record import FIELDS
from gangplan.datasets.kubernetes.cel.tree import (
    Call,
    Ident,
    Literal,
    MakeList,
    MakeMap,
    Message,
    Node,
    Select,
    Type,
    walk,
)

_TEXT = re.compile(
    r"[bBrR]{0,2}(?:\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''"
    r"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|//[^\n]*",
    re.DOTALL,
)
_HAS_FIELD = re.compile(r"\bhas\s*\(\s*device\s*\.\s*\w+\s*\)")
_TWO_VARIABLES = re.compile(
    r"\.\s*(?:all|exists|exists_one|existsOne|transform\w+)\s*\(\s*\w+\s*,\s*\w+\s*,"
)
_LIBRARIES = {
    "macros with two variables": _TWO_VARIABLES,
    "the format library": re.compile(r"\bformat\s*\."),
    "the image library": re.compile(r"\b(?:image|isImage)\s*\("),
    "authorizer": re.compile(r"\bauthorizer\b"),
    "mul, div and divInt of a quantity": re.compile(r"\.\s*(?:mul|div|divInt)\s*\("),
    "string() of an address or a network": re.compile(r"overload for 'string'.*\(net\."),
}
_TYPES = ("uint", "timestamp", "duration", "any")
_REGEX = ("matches", "find", "findAll")
_ONE_TYPE = ("indexOf", "lastIndexOf", "sets.contains", "sets.equivalent", "sets.intersects")


def before(expression: str) -> None:
    """Turn away what the library would misread: has() of a field of the device itself."""
    if _HAS_FIELD.search(_TEXT.sub('""', expression)):
        raise CelError("not supported: has() of a field of device, which is always there")


def explained(expression: str, error: CelError) -> CelError:
    """Name what Kubernetes has and the library does not, if that is why it does not compile."""
    plain = _TEXT.sub('""', expression) + f"\n{error}"
    for name, written in _LIBRARIES.items():
        if written.search(plain):
            return CelError(f"not supported: {name} ({error})")
    return error


def check(tree: Node) -> None:
    """Turn away a compiled expression.

    Raises
    ------
    CelError : why.
    """
    if tree.type.name not in ("bool", "dyn") or (isinstance(tree, Call) and tree.function == "dyn"):
        raise CelError(f"must evaluate to bool or the unknown type, not {tree.type}")
    for node in walk(tree):
        _types(node.type)
    for node in walk(tree):
        if isinstance(node, Message):
            raise CelError(f"not supported: the message {node.name}")
        if isinstance(node, MakeList):
            _one_type(node.elements, "a list")
        if isinstance(node, MakeMap):
            _one_type(tuple(key for key, _, _ in node.entries), "the keys of a map")
            _one_type(tuple(value for _, value, _ in node.entries), "the values of a map")
        if isinstance(node, Select):
            _field(node)
        if isinstance(node, Call):
            _call(node)


def _types(kind: Type) -> None:
    if kind.name in _TYPES:
        raise CelError(f"not supported: values of type {kind.name}")
    for one in kind.of:
        _types(one)


def _one_type(nodes: tuple[Node, ...], what: str) -> None:
    kinds = {str(_inner(node.type)) for node in nodes} - {"dyn"}
    kinds = {kind for kind in kinds if "dyn" not in kind}
    if len(kinds) > 1:
        raise CelError(f"{what} mixes {' and '.join(sorted(kinds))}")


def _inner(kind: Type) -> Type:
    """Give the type of an element, which may be written ``?e``."""
    return kind.of[0] if kind.name == "optional_type" and kind.of else kind


def _field(node: Select) -> None:
    if isinstance(node.operand, Ident) and node.operand.name == "device":
        if node.field not in FIELDS:
            raise CelError(f"undefined field '{node.field}' of device")
        if node.test:
            raise CelError("not supported: has() of a field of device, which is always there")


def _call(node: Call) -> None:
    if node.function not in FUNCTIONS and node.function not in SPECIAL:
        raise CelError(f"not supported: {node.function}()")
    if node.function in _ONE_TYPE and node.operands[0].type.name == "list":
        _elements(node)
    if node.function in _REGEX:
        _regex(node)


def _elements(node: Call) -> None:
    """Compare the types of elements, which the library's declarations leave open."""
    first = node.operands[0].type.of[0]
    second = node.operands[1].type
    if node.function.startswith("sets."):
        second = second.of[0] if second.of else second
    if "dyn" not in f"{first}{second}" and first != second:
        kinds = ", ".join(str(one.type) for one in node.operands)
        raise CelError(f"found no matching overload for '{node.function}' applied to '({kinds})'")


def _regex(node: Call) -> None:
    written = node.operands[1]
    if not isinstance(written, Literal) or not isinstance(written.value, str):
        return
    try:
        library.call("matches", True, ("", written.value))
    except Failed as error:
        raise CelError(str(error)) from None
    if node.function != "matches":
        try:
            pattern.program(written.value)
        except Failed as error:
            raise CelError(str(error)) from None
