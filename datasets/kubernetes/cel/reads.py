"""What an expression can read of a device, told from its tree alone.

Devices that agree on it give the same answer, so the rest (a uuid) need not tell them apart.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from gangplan.datasets.kubernetes.cel.tree import (
    Call,
    Fold,
    Ident,
    Literal,
    Node,
    Select,
    children,
    is_bind,
)
from gangplan.datasets.kubernetes.devicerecords import Attribute, Capacity, DeviceRecord

_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Reads:
    """What may be read.

    Attributes
    ----------
    attributes, capacity : qualified names (``domain/id``).
    attribute_domains, capacity_domains : domains of which is read whether any name has them.
    driver, multi : device.driver, device.allowMultipleAllocations.
    everything : what is read cannot be told: all of the device.
    """

    attributes: frozenset[str] = _NOTHING
    capacity: frozenset[str] = _NOTHING
    attribute_domains: frozenset[str] = _NOTHING
    capacity_domains: frozenset[str] = _NOTHING
    driver: bool = False
    multi: bool = False
    everything: bool = False

    def __or__(self, other: "Reads") -> "Reads":
        """Give what either reads."""
        return Reads(
            self.attributes | other.attributes,
            self.capacity | other.capacity,
            self.attribute_domains | other.attribute_domains,
            self.capacity_domains | other.capacity_domains,
            self.driver or other.driver,
            self.multi or other.multi,
            self.everything or other.everything,
        )

    def of(self, device: DeviceRecord, driver: str) -> Hashable:
        """Give what is read of a device: where two keys are equal, so are all answers."""
        if self.everything:
            attributes = tuple(sorted((n, _typed(v)) for n, v in device.attributes.items()))
            capacity = tuple(sorted((n, v.value) for n, v in device.capacity.items()))
            return driver, device.multi, attributes, capacity
        return (
            driver if self.driver else None,
            device.multi if self.multi else None,
            tuple(_typed(device.attributes.get(name)) for name in sorted(self.attributes)),
            tuple(_amount(device.capacity.get(name)) for name in sorted(self.capacity)),
            tuple(_has(device.attributes, one) for one in sorted(self.attribute_domains)),
            tuple(_has(device.capacity, one) for one in sorted(self.capacity_domains)),
        )


EVERYTHING = Reads(everything=True)
NOTHING = Reads()


def reads_of(tree: Node) -> Reads:
    """Tell what an expression can read."""
    return _Walk().reads(tree, {})


@dataclass(frozen=True, slots=True)
class _Place:
    """A part of the device: all of it, a field, or a domain of a field."""

    field: str = ""
    domain: str | None = None


class _Walk:
    """A walk with the places that variables of cel.bind stand for."""

    def reads(self, node: Node, bound: Mapping[str, _Place | None]) -> Reads:
        """Tell what the value of a node depends on, wherever that value goes."""
        place = self.place(node, bound)
        if place is not None:
            return _whole(place)
        found = self.step(node, bound)
        if found is not None:
            return found
        if isinstance(node, Fold):
            return self.fold(node, bound)
        return self.all(children(node), bound)

    def all(self, nodes: tuple[Node, ...], bound: Mapping[str, _Place | None]) -> Reads:
        found = NOTHING
        for one in nodes:
            found |= self.reads(one, bound)
        return found

    def fold(self, node: Fold, bound: Mapping[str, _Place | None]) -> Reads:
        if is_bind(node):
            place = self.place(node.start, bound)
            start = NOTHING if place is not None else self.reads(node.start, bound)
            return start | self.reads(node.result, {**bound, node.accumulator: place})
        inner = {**bound, node.item: None, node.accumulator: None}
        outer = self.reads(node.range, bound) | self.reads(node.start, bound)
        return outer | self.all((node.condition, node.step, node.result), inner)

    def place(self, node: Node, bound: Mapping[str, _Place | None]) -> _Place | None:
        """Tell which part of the device a node is; None where it is no map of the device."""
        if isinstance(node, Ident):
            if node.name in bound:
                return bound[node.name]
            if node.name == "device":
                return _Place()
            head, _, field = node.name.partition(".")
            return _Place(field) if head == "device" and field else None
        parts = self.access(node)
        if parts is None:
            return None
        operand, key = parts
        outer = self.place(operand, bound)
        if outer is None or outer.domain is not None or key is None:
            return None
        return _Place(key) if not outer.field else _Place(outer.field, key)

    def step(self, node: Node, bound: Mapping[str, _Place | None]) -> Reads | None:
        """Tell what a node reads that looks up one name; None for any other node."""
        if isinstance(node, Call) and node.function == "@in":
            key, operand = node.operands
            constant = _constant(key)
            place = self.place(operand, bound)
            if place is None or constant is None or not place.field:
                return None
            return _one(place, constant)
        parts = self.access(node)
        if isinstance(node, Select) and node.test:
            parts = node.operand, node.field
        if parts is None:
            return None
        operand, name = parts
        place = self.place(operand, bound)
        if place is None or name is None:
            return None
        if not place.field:
            return _whole(_Place(name))
        return _one(place, name)

    def access(self, node: Node) -> tuple[Node, str | None] | None:
        """Give the map and the constant key (None: not constant) of ``m.k``, ``m[k]``, ``m.?k``."""
        if isinstance(node, Select) and not node.test:
            return node.operand, node.field
        if isinstance(node, Call) and node.function in ("_[_]", "_?._", "_[?_]"):
            return node.operands[0], _constant(node.operands[1])
        return None


def _constant(node: Node) -> str | None:
    return node.value if isinstance(node, Literal) and isinstance(node.value, str) else None


def _whole(place: _Place) -> Reads:
    """Tell what is read where a part of the device is used as a value."""
    if place.field == "driver":
        return Reads(driver=True)
    if place.field == "allowMultipleAllocations":
        return Reads(multi=True)
    return EVERYTHING


def _one(place: _Place, name: str) -> Reads:
    """Tell what looking up one name in a part of the device reads."""
    if place.field not in ("attributes", "capacity"):
        return NOTHING
    key = name if place.domain is None else f"{place.domain}/{name}"
    names = frozenset({key})
    if place.field == "attributes":
        return Reads(attribute_domains=names) if place.domain is None else Reads(attributes=names)
    return Reads(capacity_domains=names) if place.domain is None else Reads(capacity=names)


def _typed(one: Attribute | None) -> Hashable:
    return None if one is None else (one.type, one.values, one.listed)


def _amount(one: Capacity | None) -> Hashable:
    return None if one is None else one.value


def _has(entries: Mapping[str, object], domain: str) -> bool:
    return any(name.rpartition("/")[0] == domain for name in entries)
