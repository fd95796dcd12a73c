"""The cost that Kubernetes estimates for an expression, and refuses it by."""

import pytest

from gangplan.datasets.kubernetes.cel import CelError, compile_selector, library
from gangplan.datasets.kubernetes.cel.estimate import UNKNOWN, estimated
from gangplan.datasets.kubernetes.cel.tree import read

NAME = 'device.attributes["dra.example.com"].name'
SIZE = 'device.capacity["dra.example.com"].name'
TEN = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"

# Figures of Kubernetes for the same kinds of expressions (with list attributes).
COSTS = {
    "true": 0,
    f"{NAME}.isGreaterThan(quantity('0'))": 6,
    "'no-such-domain' in device.attributes": 3,
    "device.driver == ''": 2,
    "device.driver == 'dra.example.com'": 4,
    NAME: 4,
    f"{NAME} > 0": 5,
    f"{NAME} == 'fish'": 5,
    "cel.bind(dra, device.attributes['dra.example.com'], dra.name)": 15,
    f"{NAME}.exists(x, x > 0)": 5 + 6 * 64,
    f"{NAME}.all(x, x != '')": 5 + 4 * 64,
    f"{NAME}.all(x, x.isGreaterThan(semver('0.0.1')))": 5 + 6 * 64,
    f"{NAME}.includes('fish')": 4 + 48,
    f"{NAME}.includes(semver('1.0.0'))": 4 + 48 + 1,
    f"1 in {NAME}": 4 + 64,
    f"{NAME}.size() == 2": 6,
    f"{NAME}.isGreaterThan(semver('v0.0.1', true)) && isSemver('v1.0.0', true)": 7,
    f"{SIZE}.isGreaterThan(quantity('1Ki'))": 6,
    f"'name' in device.capacity['dra.example.com'] && {SIZE}.isGreaterThan(quantity('1Ki'))": 10,
    f"!('name' in device.capacity['dra.example.com']) || {SIZE}.isLessThan(quantity('1'))": 11,
    "device.attributes.exists_one(x, x == 'dra.example.com')": 164,
    "device.attributes['dra.example.com'].exists_one(x, x == 'services')": 133,
    "device.capacity.exists_one(x, x == 'dra.example.com')": 164,
    f"{NAME}.split('example').size() >= 2": 19,
    f"{NAME}.matches('[^a]?sym')": 18,
    "device.allowMultipleAllocations == true": 3,
}


@pytest.mark.parametrize(("expression", "cost"), COSTS.items())
def test_costs_what_kubernetes_says(expression: str, cost: int) -> None:
    assert compile_selector(expression).cost == cost


def test_seven_loops_of_ten_cost_what_kubernetes_says_and_are_refused() -> None:
    loops = "int('1'.find('[0-9]*')) < 100"
    for name in ("g", "f", "e", "d", "c", "b", "a"):
        loops = f"{TEN}.all({name}, {loops})"
    assert estimated(read(library.check(loops))) == 85_555_551
    with pytest.raises(CelError, match="too complex, exceeds cost limit"):
        compile_selector(loops)


@pytest.mark.parametrize(
    "expression",
    [
        "'a'.replace('', 'bb').replace('', dyn(device.driver) == 1 ? 'x' : 'y').contains('b')",
        f"{NAME} == 1 ? {NAME}.contains('x') : true",
        f"{NAME}.lowerAscii().startsWith('a')",
        f"{TEN}.map(x, x * 2).exists(x, x == 3)",
        "url('/a').getQuery().size() == 0",
        f"({TEN} + {TEN}).all(x, x > 0)",
        f"type({NAME}) == string",
        "dyn(null) == null",
    ],
)
def test_what_has_a_bound_compiles(expression: str) -> None:
    assert compile_selector(expression).cost < 1000


@pytest.mark.parametrize(
    "expression",
    [
        "url('/a').getQuery()['k'].exists(x, x == 'v')",
        "['a', 'b'].join('-').contains('a')",
    ],
)
def test_what_has_no_bound_is_refused(expression: str) -> None:
    assert estimated(read(library.check(expression))) > 1_000_000
    with pytest.raises(CelError, match="too complex"):
        compile_selector(expression)


def test_the_estimate_never_overflows() -> None:
    text = "'a'"
    for _ in range(12):
        text = f"{text}.replace('', 'bbbbbbbbbbbbbbbbbbbbbbbb')"
    assert estimated(read(library.check(f"{text} == 'x'"))) <= UNKNOWN
