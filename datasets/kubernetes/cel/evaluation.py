"""Evaluates a checked tree on a device, with cel-go's semantics and Kubernetes' limits."""

from collections.abc import Callable, Iterable
from typing import Any

from gangplan.datasets.kubernetes.cel import prices
from gangplan.datasets.kubernetes.cel.errors import Failed
from gangplan.datasets.kubernetes.cel.functions import FUNCTIONS
from gangplan.datasets.kubernetes.cel.limits import Meter
from gangplan.datasets.kubernetes.cel.operators import found_at, index, no_overload
from gangplan.datasets.kubernetes.cel.record import DeviceValue
from gangplan.datasets.kubernetes.cel.tree import (
    Call,
    Fold,
    Ident,
    Literal,
    MakeList,
    MakeMap,
    Node,
    Select,
    is_bind,
)
from gangplan.datasets.kubernetes.cel.values import (
    MISSING,
    Maybe,
    TypeName,
    Value,
    contains,
    type_name,
)

Scope = dict[str, Any]


def evaluated(tree: Node, device: DeviceValue, meter: Meter) -> Value:
    """Evaluate an expression.

    Raises
    ------
    Failed : its error.
    TooDear : it went over a limit.
    """
    scope: Scope = {f"device.{name}": value for name, value in device.items()}
    return _Evaluation(meter).of(tree, {**scope, "device": device})


class _Evaluation:
    """One evaluation; a scope is never changed once others can see it."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self.lists: dict[int, Value] = {}  # lists of constants, made once

    def of(self, node: Node, scope: Scope) -> Value:
        """Give the value of a node."""
        return _HOW[type(node)](self, node, scope)

    def literal(self, node: Literal, _: Scope) -> Value:
        self.meter.step(1)
        return node.value

    def ident(self, node: Ident, scope: Scope) -> Value:
        self.meter.charge(1 + node.name.count("."))
        found = scope.get(node.name, MISSING)
        if found is MISSING:
            return TypeName(node.name)
        return found() if isinstance(found, _Later) else found

    def select(self, node: Select, scope: Scope) -> Value:
        operand = self.of(node.operand, scope)
        if isinstance(operand, Maybe):
            found = found_at(operand, node.field)
            return found is not MISSING if node.test else Maybe(found)
        if type_name(operand) != "map":
            raise no_overload()
        if node.test:
            self.meter.step(1)
            return found_at(operand, node.field) is not MISSING
        self.meter.charge(1)
        return index(self.meter, operand, node.field)

    def call(self, node: Call, scope: Scope) -> Value:
        special = _SPECIAL.get(node.function)
        if special is not None:
            return special(self, node, scope)
        operands = tuple(self.of(one, scope) for one in node.operands)
        self.meter.charge(prices.price(node.function, operands))
        return FUNCTIONS[node.function](self.meter, *operands)

    def make_list(self, node: MakeList, scope: Scope) -> Value:
        known = self.lists.get(id(node))
        if known is not None:
            self.meter.charge(prices.LIST)
            return known
        elements = []
        for number, one in enumerate(node.elements):
            element = self.of(one, scope)
            if number not in node.optional:
                elements.append(element)
            elif not isinstance(element, Maybe):
                raise no_overload()
            elif element.there:
                elements.append(element.value)
        self.meter.charge(prices.LIST)
        made = tuple(elements)
        if all(isinstance(one, Literal) for one in node.elements):
            self.lists[id(node)] = made
        return made

    def make_map(self, node: MakeMap, scope: Scope) -> Value:
        made: dict[Value, Value] = {}
        for key, value, optional in node.entries:
            name, held = self.of(key, scope), self.of(value, scope)
            if type_name(name) not in ("string", "int", "bool"):
                raise Failed(f"unsupported key type: {type_name(name)}")
            if optional:
                if not isinstance(held, Maybe):
                    raise no_overload()
                if not held.there:
                    continue
                held = held.value
            if contains(made, name):
                raise Failed(f"Failed with repeated key: {name}")
            made[name] = held
        self.meter.charge(prices.MAP)
        return made

    def fold(self, node: Fold, scope: Scope) -> Value:
        if is_bind(node):
            self.meter.charge(prices.LIST)
            later = _Later(lambda: self.of(node.start, scope))
            return self.of(node.result, {**scope, node.accumulator: later})
        inner = dict(scope)
        items = self._items(self.of(node.range, scope))
        inner[node.accumulator] = self.of(node.start, scope)
        for item in items:
            inner[node.item] = item
            if self.of(node.condition, inner) is False:
                break
            try:
                inner[node.accumulator] = self.of(node.step, inner)
            except Failed as error:
                inner[node.accumulator] = _Broken(error)
        inner.pop(node.item, None)
        return self.of(node.result, inner)

    def _items(self, value: Value) -> Iterable[Value]:
        kind = type_name(value)
        if kind not in ("list", "map"):
            raise Failed(f"got '{kind}', expected iterable type")
        return tuple(value)

    def both(self, node: Call, scope: Scope) -> Value:
        return self._either(node, scope, settles=False)

    def one_of(self, node: Call, scope: Scope) -> Value:
        return self._either(node, scope, settles=True)

    def _either(self, node: Call, scope: Scope, settles: bool) -> bool:
        """``&&`` (settled by false) and ``||`` (by true): whatever settles it absorbs errors."""
        failed: Failed | None = None
        for operand in node.operands:
            try:
                value = self.of(operand, scope)
            except Failed as error:
                failed = failed or error
                continue
            if value is settles:
                return bool(value)
            if type_name(value) != "bool":
                failed = failed or no_overload()
        if failed is not None:
            raise failed
        return not settles

    def chosen(self, node: Call, scope: Scope) -> Value:
        condition, yes, no = node.operands
        value = self.of(condition, scope)
        if type_name(value) != "bool":
            raise no_overload()
        return self.of(yes if value else no, scope)

    def not_false(self, node: Call, scope: Scope) -> bool:
        """Tell whether a loop goes on: an error does not end it."""
        self.meter.charge(1)
        try:
            return self.of(node.operands[0], scope) is not False
        except Failed:
            return True

    def otherwise(self, node: Call, scope: Scope) -> Value:
        """``x.or(y)`` and ``x.orValue(y)``: y is not evaluated where x is there."""
        one = self.of(node.operands[0], scope)
        if not isinstance(one, Maybe):
            raise no_overload()
        if one.there:
            return one if node.function == "or" else one.value
        other = self.of(node.operands[1], scope)
        if node.function == "or" and not isinstance(other, Maybe):
            raise no_overload()
        return other


class _Later:
    """The value of a cel.bind: evaluated when first read, once."""

    def __init__(self, make: Callable[[], Value]) -> None:
        self.make = make
        self.value: Value = MISSING
        self.error: Failed | None = None

    def __call__(self) -> Value:
        if self.error is not None:
            raise Failed(*self.error.args)
        if self.value is MISSING:
            try:
                self.value = self.make()
            except Failed as error:
                self.error = error
                raise
        return self.value


class _Broken(_Later):
    """The accumulator of a loop after an error in a step."""

    def __init__(self, error: Failed) -> None:
        super().__init__(lambda: None)
        self.error = error


_HOW: dict[type, Callable[..., Value]] = {
    Literal: _Evaluation.literal,
    Ident: _Evaluation.ident,
    Select: _Evaluation.select,
    Call: _Evaluation.call,
    MakeList: _Evaluation.make_list,
    MakeMap: _Evaluation.make_map,
    Fold: _Evaluation.fold,
}
_SPECIAL: dict[str, Callable[..., Value]] = {
    "_&&_": _Evaluation.both,
    "_||_": _Evaluation.one_of,
    "_?_:_": _Evaluation.chosen,
    "@not_strictly_false": _Evaluation.not_false,
    "or": _Evaluation.otherwise,
    "orValue": _Evaluation.otherwise,
}
SPECIAL = frozenset(_SPECIAL)
