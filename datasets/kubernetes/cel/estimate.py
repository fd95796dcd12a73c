"""The most an expression can cost on any device, by which Kubernetes refuses it.

After cel-go's checker/cost.go with Kubernetes' sizes (dynamic-resource-allocation/cel/compile.go)
and prices (apiserver/pkg/cel/library/cost.go).
"""

from dataclasses import dataclass

from gangplan.datasets.kubernetes.cel import declarations, prices
from gangplan.datasets.kubernetes.cel.tree import (
    Call,
    Fold,
    Ident,
    Literal,
    MakeList,
    MakeMap,
    Node,
    Select,
    Type,
    is_bind,
)

UNKNOWN = 2**64 - 1
"""More than any limit; every sum and product stops here."""

_ENTRIES, _DOMAIN, _ID, _DRIVER, _ATTRIBUTE = 32, 63, 32, 63, 64
_INCLUDES = 48
# cel-go does not bound types and null; a comparison with them is never dear, so they are here.
_SCALARS = ("bool", "int", "double", "type", "null")
_COMPARED = ("_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_")

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Size:
    """Bounds of a size."""

    least: int
    most: int

    def __or__(self, other: "Size") -> "Size":
        """Give what bounds both."""
        return Size(min(self.least, other.least), max(self.most, other.most))

    def __add__(self, other: "Size") -> "Size":
        """Bound the sum."""
        return Size(self.least + other.least, min(self.most + other.most, UNKNOWN))


ANY = Size(0, UNKNOWN)


@dataclass(frozen=True, slots=True)
class _Local:
    """A variable of a macro: the path it stands for, its size, and its elements' (lists)."""

    path: Path
    size: Size | None
    element: Size | None = None


def estimated(tree: Node) -> int:
    """Give the highest cost; UNKNOWN where nothing bounds it."""
    return min(_Estimate().cost(tree, {}), UNKNOWN)


class _Estimate:
    """Costs and sizes of nodes, each seen once."""

    def __init__(self) -> None:
        self.sizes: dict[int, Size] = {}
        self.elements: dict[int, Size] = {}
        self.paths: dict[int, Path] = {}

    def cost(self, node: Node, local: dict[str, _Local]) -> int:
        """Give the highest cost of a node."""
        if isinstance(node, Ident):
            known = local.get(node.name)
            path = tuple(node.name.split("."))
            self.paths[id(node)] = known.path if known else path
            if known and known.element:
                self.elements[id(node)] = known.element
            if known and known.size:
                self.sizes.setdefault(id(node), self._size(node, known.size))
            return len(path)
        if isinstance(node, Select):
            return self._select(node, local)
        if isinstance(node, Call):
            return self._call(node, local)
        if isinstance(node, MakeList):
            total = sum(self.cost(one, local) for one in node.elements)
            bounds = [self.size(one) for one in node.elements] or [Size(0, 0)]
            self.elements[id(node)] = Size(
                min(one.least for one in bounds), max(one.most for one in bounds)
            )
            return total + prices.LIST
        if isinstance(node, MakeMap):
            parts = [part for key, value, _ in node.entries for part in (key, value)]
            return sum(self.cost(part, local) for part in parts) + prices.MAP
        if isinstance(node, Fold):
            return self._bind(node, local) if is_bind(node) else self._fold(node, local)
        return 0

    def size(self, node: Node) -> Size:
        """Bound the size of a node that has been priced."""
        return self.sizes.get(id(node)) or self._size(node, ANY)

    def _size(self, node: Node, otherwise: Size) -> Size:
        if isinstance(node, Literal):
            most = len(node.value) if isinstance(node.value, str | bytes) else 1
            return Size(most, most)
        if isinstance(node, MakeList):
            return Size(len(node.elements), len(node.elements))
        if isinstance(node, MakeMap):
            return Size(len(node.entries), len(node.entries))
        declared = _declared(self.paths.get(id(node), ()))
        if declared is not None:
            return Size(0, declared)
        return Size(1, 1) if _scalar(node.type) else otherwise

    def _select(self, node: Select, local: dict[str, _Local]) -> int:
        total = self.cost(node.operand, local)
        if node.test:
            return total
        self.paths[id(node)] = (*self.paths.get(id(node.operand), ()), node.field)
        return total + (node.operand.type.name == "map")

    def _call(self, node: Call, local: dict[str, _Local]) -> int:
        costs = [self.cost(one, local) for one in node.operands]
        if node.function == "_?_:_":
            yes, no = node.operands[1:]
            self.sizes[id(node)] = self.size(yes) | self.size(no)
            return costs[0] + max(costs[1:])
        total = sum(costs)
        if node.function in ("_&&_", "_||_"):
            return total
        if node.function == "_[_]":
            one = node.operands[0]
            part = "@items" if one.type.name == "list" else "@values"
            self.paths[id(node)] = (*self.paths.get(id(one), ()), part)
            if id(one) in self.elements:
                self.sizes[id(node)] = self.elements[id(one)]
        if node.function == "dyn":
            self._copy(node, node.operands[0])
            return total + 1
        price, made = _price(node, [self.size(one) for one in node.operands])
        if node.function == "_+_" and self._joined(node):
            price = 1
        if made is not None:
            self.sizes[id(node)] = made
        return min(total + price, UNKNOWN)

    def _joined(self, node: Call) -> bool:
        """Tell whether ``+`` joins lists; keep their elements' size."""
        one, other = (self.elements.get(id(part)) for part in node.operands)
        if one is not None and other is not None:
            self.elements[id(node)] = one | other
        return node.type.name == "list"

    def _bind(self, node: Fold, local: dict[str, _Local]) -> int:
        total = self.cost(node.range, local) + self.cost(node.start, local)
        inner = {**local, node.accumulator: self._local(node.start)}
        total += self.cost(node.result, inner)
        self._copy(node, node.result)
        return min(total, UNKNOWN)

    def _copy(self, node: Node, source: Node) -> None:
        """Give a node the sizes of another."""
        self.sizes[id(node)] = self.size(source)
        if id(source) in self.elements:
            self.elements[id(node)] = self.elements[id(source)]

    def _local(self, node: Node) -> _Local:
        return _Local(
            self.paths.get(id(node), ()),
            self.size(node),
            self.elements.get(id(node)),
        )

    def _fold(self, node: Fold, local: dict[str, _Local]) -> int:
        total = self.cost(node.range, local) + self.cost(node.start, local)
        part = "@items" if node.range.type.name == "list" else "@keys"
        path = self.paths.get(id(node.range), ())
        item = _Local((*path, part) if path else (), self.elements.get(id(node.range)))
        inner = {**local, node.accumulator: _Local((), self.size(node.start)), node.item: item}
        once = self.cost(node.condition, inner) + self.cost(node.step, inner)
        times = self.size(node.range)
        total += self.cost(node.result, inner) + times.most * once
        if isinstance(node.start, MakeList):
            self.sizes[id(node)] = times
            if id(node.step) in self.elements:
                self.elements[id(node)] = self.elements[id(node.step)]
        return min(total, UNKNOWN)


def _price(node: Call, sizes: list[Size]) -> tuple[int, Size | None]:
    """Give the highest price of a call, and the size of its result where it can be told."""
    function, operands = node.function, node.operands
    most = [one.most for one in sizes]
    if function == "includes":
        return _INCLUDES, None
    if function in _COMPARED:
        if all(one.type.name in declarations.OPAQUE for one in operands):
            return 1, None
        if function not in ("_==_", "_!=_") and not any(_texts(one.type) for one in operands):
            return 1, None
        return prices.tenths(min(most)), None
    if function == "_+_" and (_texts(node.type) or node.type.name == "dyn"):
        return prices.tenths(min(sum(most), UNKNOWN)), sizes[0] + sizes[1]
    if function == "_+_":
        return 1, sizes[0] + sizes[1] if node.type.name == "list" else None
    if function == "@in":
        return (most[1] if "in_list" in node.overloads else 1), None
    if function in ("startsWith", "endsWith"):
        return prices.tenths(most[1]), None
    if function in ("matches", "find", "findAll"):
        price = prices.tenths(most[0] + 1) * -(-most[1] // 4)
        return price, None if function == "matches" else Size(0, most[0])
    if function == "contains":
        return prices.tenths(most[0]) * prices.tenths(most[1]), None
    return _text_price(node, sizes)


def _text_price(node: Call, sizes: list[Size]) -> tuple[int, Size | None]:
    """Give the price and result of functions that pass over a text or a list."""
    function, first = node.function, sizes[0] if sizes else Size(0, 0)
    if function in ("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"):
        return (prices.tenths(first.most) if node.operands[0].type.name == "string"
                else first.most * 2), None  # fmt: skip
    if function == "url":
        return prices.tenths(first.most), None
    if function in ("lowerAscii", "upperAscii", "substring", "trim"):
        return prices.tenths(first.most), first
    if function == "split":
        return prices.tenths(first.most, 2), Size(0, first.most)
    if function == "replace":
        return prices.tenths(first.most, 2), _replaced(first, sizes[1], sizes[2])
    if function == "join":
        return prices.tenths(first.most), ANY
    if function in ("format", "strings.quote"):
        return prices.tenths(first.most), None
    if function.startswith("sets."):
        return 1 + first.most * sizes[1].most, None
    return 1, None


def _replaced(text: Size, old: Size, new: Size) -> Size:
    """Bound what ``replace`` makes."""
    if old.least == 0:
        return Size(0, min((text.most + 1) * new.most + text.most, UNKNOWN))
    if new.most <= old.least:
        return Size(0, text.most)
    return Size(0, min(-(-text.most // old.least) * new.most, UNKNOWN))


def _texts(kind: Type) -> bool:
    return kind.name in ("string", "bytes")


def _scalar(kind: Type) -> bool:
    return kind.name in _SCALARS or (
        kind.name == "optional_type" and bool(kind.of) and _scalar(kind.of[0])
    )


def _declared(path: Path) -> int | None:
    """Give the most elements of what a path below ``device`` leads to."""
    if len(path) < 2 or path[0] != "device":
        return None
    field, *rest = path[1:]
    if field in ("driver", "allowMultipleAllocations"):
        return _DRIVER if field == "driver" and not rest else None
    if rest and rest[-1] == "@keys":
        return {1: _DOMAIN, 2: _ID}.get(len(rest))
    if len(rest) < 2:
        return _ENTRIES
    return _ATTRIBUTE if field == "attributes" and len(rest) == 2 else None
