"""The checked syntax tree of an expression, out of the library's cel.expr.CheckedExpr message.

Field numbers: ``cel/expr/syntax.proto`` and ``checked.proto`` of the CEL specification.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from gangplan.datasets.kubernetes.cel.wire import double, fields, number, packed, raw, signed, text

Constant = None | bool | int | float | str | bytes
"""A literal."""


@dataclass(frozen=True, slots=True)
class Type:
    """A type, such as ``int``, ``list`` (of one), ``map`` (of two), ``kubernetes.Quantity``."""

    name: str
    of: tuple["Type", ...] = ()

    def __str__(self) -> str:
        """Write as CEL does: ``list(int)``."""
        return f"{self.name}({', '.join(map(str, self.of))})" if self.of else self.name


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A node of the tree.

    Attributes
    ----------
    type : as the checker found it.
    """

    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class Literal(Node):
    """A constant."""

    value: Constant


@dataclass(frozen=True, slots=True, eq=False)
class Ident(Node):
    """A variable, or the name of a type."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Select(Node):
    """``operand.field``; ``test``: has(operand.field)."""

    operand: Node
    field: str
    test: bool


@dataclass(frozen=True, slots=True, eq=False)
class Call(Node):
    """A function or operator; ``operands``: its target first where it is a ``member``."""

    function: str
    operands: tuple[Node, ...]
    member: bool
    overloads: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MakeList(Node):
    """A list; ``optional``: numbers of the elements written ``?e``."""

    elements: tuple[Node, ...]
    optional: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class MakeMap(Node):
    """A map: (key, value, written ``?key``) an entry."""

    entries: tuple[tuple[Node, Node, bool], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Message(Node):
    """A message, by name."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Fold(Node):
    """A macro (all, exists, map, bind, ...) as a loop over ``range``."""

    item: str
    range: Node
    accumulator: str
    start: Node
    condition: Node
    step: Node
    result: Node


DYN = Type("dyn")
_PRIMITIVES = ("", "bool", "int", "uint", "double", "string", "bytes")
_WELL_KNOWN = ("", "any", "timestamp", "duration")


def read(message: bytes) -> Node:
    """Read a serialized CheckedExpr (inside an Any)."""
    checked = dict(fields(message)).get(2, b"")
    types: dict[int, Type] = {}
    overloads: dict[int, tuple[str, ...]] = {}
    expr = b""
    for key, value in fields(raw(checked)):
        if key == 2:
            entry = dict(fields(raw(value)))
            overloads[number(entry.get(1, 0))] = tuple(
                text(one) for at, one in fields(raw(entry.get(2, b""))) if at == 3
            )
        elif key == 3:
            entry = dict(fields(raw(value)))
            types[number(entry.get(1, 0))] = _type(raw(entry.get(2, b"")))
        elif key == 4:
            expr = raw(value)
    return _Reader(types, overloads).node(expr)


def walk(node: Node) -> Iterator[Node]:
    """Give a node and all below it."""
    yield node
    for one in children(node):
        yield from walk(one)


def children(node: Node) -> tuple[Node, ...]:
    """Give the nodes right below a node."""
    if isinstance(node, Select):
        return (node.operand,)
    if isinstance(node, Call):
        return node.operands
    if isinstance(node, MakeList):
        return node.elements
    if isinstance(node, MakeMap):
        return tuple(part for key, value, _ in node.entries for part in (key, value))
    if isinstance(node, Fold):
        return (node.range, node.start, node.condition, node.step, node.result)
    return ()


def is_bind(node: Fold) -> bool:
    """Tell whether a loop is a cel.bind (nothing to loop over; its start is the value bound)."""
    return (
        isinstance(node.range, MakeList)
        and not node.range.elements
        and isinstance(node.condition, Literal)
        and node.condition.value is False
    )


def _type(data: bytes) -> Type:
    """Read a cel.expr.Type."""
    for key, value in fields(data):
        if key == 2:
            return Type("null")
        if key in (3, 4):
            return Type(_PRIMITIVES[number(value)])
        if key == 5:
            return Type(_WELL_KNOWN[number(value)])
        if key in (6, 7):
            parts = tuple(_type(raw(one)) for _, one in fields(raw(value)))
            return Type("list" if key == 6 else "map", parts or (DYN,) * (key - 5))
        if key in (9, 10):
            return Type(text(value))
        if key == 11:
            return Type("type", (_type(raw(value)),))
        if key == 14:
            inner = list(fields(raw(value)))
            name = next((text(one) for at, one in inner if at == 1), "")
            return Type(name, tuple(_type(raw(one)) for at, one in inner if at == 2))
    return DYN


class _Reader:
    """Builds nodes with the types and overloads that the checker found."""

    def __init__(self, types: dict[int, Type], overloads: dict[int, tuple[str, ...]]) -> None:
        self.types = types
        self.overloads = overloads

    def node(self, data: bytes) -> Node:
        """Read a cel.expr.Expr."""
        own = kind = 0
        body = b""
        for key, value in fields(data):
            if key == 2:
                own = number(value)
            else:
                kind, body = key, raw(value)
        kind_of = self.types.get(own, DYN)
        parts = list(fields(body))
        if kind == 3:
            return Literal(kind_of, _constant(parts))
        if kind == 4:
            return Ident(kind_of, _text(parts, 1))
        if kind == 5:
            test = bool(dict(parts).get(3, 0))
            return Select(kind_of, self._one(parts, 1), _text(parts, 2), test)
        if kind == 6:
            target = self._all(parts, 1)
            operands = target + self._all(parts, 3)
            names = self.overloads.get(own, ())
            return Call(kind_of, _text(parts, 2), operands, bool(target), names)
        if kind == 7:
            return MakeList(kind_of, self._all(parts, 1), _packed(parts, 2))
        if kind == 8:
            return self._struct(kind_of, parts)
        if kind == 9:
            return self._fold(kind_of, parts)
        raise ValueError(f"expression kind {kind}")

    def _struct(self, kind_of: Type, parts: list[tuple[int, int | bytes]]) -> Node:
        if _text(parts, 1):
            return Message(kind_of, _text(parts, 1))
        entries = []
        for key, value in parts:
            if key == 2:
                entry = list(fields(raw(value)))
                optional = bool(dict(entry).get(5, 0))
                entries.append((self._one(entry, 3), self._one(entry, 4), optional))
        return MakeMap(kind_of, tuple(entries))

    def _fold(self, kind_of: Type, parts: list[tuple[int, int | bytes]]) -> Node:
        return Fold(
            kind_of,
            item=_text(parts, 1),
            range=self._one(parts, 2),
            accumulator=_text(parts, 3),
            start=self._one(parts, 4),
            condition=self._one(parts, 5),
            step=self._one(parts, 6),
            result=self._one(parts, 7),
        )

    def _all(self, parts: list[tuple[int, int | bytes]], key: int) -> tuple[Node, ...]:
        return tuple(self.node(raw(value)) for at, value in parts if at == key)

    def _one(self, parts: list[tuple[int, int | bytes]], key: int) -> Node:
        (node,) = self._all(parts, key)
        return node


def _text(parts: list[tuple[int, int | bytes]], key: int) -> str:
    return next((text(value) for at, value in parts if at == key), "")


def _packed(parts: list[tuple[int, int | bytes]], key: int) -> frozenset[int]:
    """Read a repeated int32, packed or not."""
    found: list[int] = []
    for at, value in parts:
        if at == key:
            found += packed(value) if isinstance(value, bytes) else [value]
    return frozenset(found)


def _constant(parts: list[tuple[int, int | bytes]]) -> Constant:
    for key, value in parts:
        if key == 2:
            return bool(value)
        if key == 3:
            return signed(value)
        if key == 4:
            return number(value)
        if key == 5:
            return double(value)
        if key == 6:
            return text(value)
        if key == 7:
            return raw(value)
    return None
