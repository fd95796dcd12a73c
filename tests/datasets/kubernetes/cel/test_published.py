"""What Kubernetes' own table says of selectors: the answer, and the cost it estimates.

The cases are those of k8s.io/dynamic-resource-allocation/cel/compile_test.go in words of ours, with
list attributes and consumable capacity on.
"""

import pytest

from gangplan.datasets.kubernetes.cel import CelError, compile_selector
from gangplan.datasets.kubernetes.devicerecords import DeviceRecord
from tests.datasets.kubernetes.cel.devices import answer, device

DRIVER = "dra.example.com"
OF = f'device.attributes["{DRIVER}"]'
ROOM = f'device.capacity["{DRIVER}"]'
X = f"{OF}.x"
LOOP = "expected iterable type"
MEBI = 2**20


def of(value: object) -> DeviceRecord:
    """A device with the attribute x."""
    return device({f"{DRIVER}/x": value})


BARE, TRUE, ONE, FISH = device(), of(True), of(1), of("fish")
FISH_AND_BIRD, NUMBERS = of(("fish", "bird")), of((1, 2, 3))
VERSION, VERSIONS = of("v:1.0.0"), of(("v:1.0.0", "v:2.0.0"))
ROOMY = device(capacity={f"{DRIVER}/x": MEBI})
SEMVER = 'semver("1.0.0")'

PLAIN = [
    ("true", BARE, True, 0),
    ("false", BARE, False, 0),
    (f'{OF}.gone.isGreaterThan(quantity("0"))', BARE, "no such key: gone", 6),
    (f'{OF}["gone"].isGreaterThan(quantity("0"))', BARE, "no such key: gone", 6),
    ('"no.example.com" in device.attributes', BARE, False, 3),
    (f'"{DRIVER}" in device.attributes', TRUE, True, 3),
    (f'device.driver == "{DRIVER}"', BARE, True, 4),
    (X, TRUE, True, 4),
    (f'{OF}["x"]', TRUE, True, 4),
    (f"cel.bind(all, {OF}, all.x)", TRUE, True, 15),
    ('device.attributes["o.com"].x', device({"o.com/x": True}), True, 4),
    (f"{X} > 0", ONE, True, 5),
    (f'{X} == "fish"', FISH, True, 5),
    (f'{X}.isGreaterThan(semver("0.0.1"))', VERSION, True, 6),
    (f'{X}.isGreaterThan(semver("v0.0.1", true)) && isSemver("v1.0.0", true)', VERSION, True, 7),
    (f'{ROOM}.x.isGreaterThan(quantity("1Ki"))', ROOMY, True, 6),
    (f'"x" in {ROOM} && {ROOM}.x.isGreaterThan(quantity("1Ki"))', ROOMY, True, 10),
    (f'!("x" in {ROOM}) || {ROOM}.x.isGreaterThan(quantity("1Ki"))', BARE, True, 11),
    (
        f"{OF}.a && {OF}.b && {OF}.c",
        device({f"{DRIVER}/{name}": True for name in "abc"}),
        True,
        12,
    ),
    (f'device.attributes.exists_one(d, d == "{DRIVER}")', FISH, True, 164),
    (f'{OF}.exists_one(i, i == "x")', FISH, True, 133),
    (f'device.capacity.exists_one(d, d == "{DRIVER}")', ROOMY, True, 164),
    (f'{ROOM}.exists_one(i, i == "x")', ROOMY, True, 133),
    (f'{X}.split("example").size() >= 2', of("an_example_of_it"), True, 19),
    (f'{X}.matches("[^a]?sym")', of("asymetric"), True, 18),
    ("device.allowMultipleAllocations == true", device(multi=True), True, 3),
    ("device.allowMultipleAllocations == false", BARE, True, 3),
]
LISTS = [
    (f"{X}.exists(i, i > 0)", ONE, LOOP, 5 + 6 * 64),
    (f"{X}.exists(i, i == true)", TRUE, LOOP, 5 + 6 * 64),
    (f'{X}.exists(i, i == "fish")', FISH, LOOP, 5 + 6 * 64),
    (f'{X}.exists(i, i.isGreaterThan(semver("0.0.1")))', VERSION, LOOP, 5 + 7 * 64),
    (X, FISH_AND_BIRD, "CEL result of type list could not be converted to bool", 4),
    (f"{X}.size() == 2", of((True, False)), True, 6),
    (f"{X}.size() == 3", NUMBERS, True, 6),
    (f"{X}.size() == 2", FISH_AND_BIRD, True, 6),
    (f"{X}.size() == 2", VERSIONS, True, 6),
    (f"{X}.exists(i, i > 0)", NUMBERS, True, 5 + 6 * 64),
    (f'{X}.all(i, i != "")', FISH_AND_BIRD, True, 5 + 4 * 64),
    (f'{X}.all(i, i.isGreaterThan(semver("0.0.1")))', VERSIONS, True, 5 + 6 * 64),
    (f"1 in {X}", NUMBERS, True, 4 + 64),
]
INCLUDES = [
    ("true", TRUE, True),
    ("true", of(False), False),
    ("true", of((True, False)), True),
    ("false", of((True, True)), False),
    ("1", ONE, True),
    ("1", of(2), False),
    ("1", NUMBERS, True),
    ("4", NUMBERS, False),
    ('"fish"', FISH, True),
    ('"bird"', FISH, False),
    ('"fish"', FISH_AND_BIRD, True),
    ('"cat"', FISH_AND_BIRD, False),
    (SEMVER, VERSION, True),
    ('semver("2.0.0")', VERSION, False),
    (SEMVER, VERSIONS, True),
    ('semver("3.0.0")', VERSIONS, False),
    ('"48"', of(tuple(map(str, range(48)))), False),
    ('"48"', of(tuple(map(str, range(49)))), "cannot be applied to lists longer than 48 values"),
]


def agrees(expression: str, one: DeviceRecord, expected: bool | str, cost: int) -> None:
    found = answer(expression, one, DRIVER)
    assert compile_selector(expression).cost == cost
    assert found is expected or (isinstance(expected, str) and expected in str(found))


@pytest.mark.parametrize(("expression", "one", "expected", "cost"), [*PLAIN, *LISTS])
def test_answer_and_cost(
    expression: str, one: DeviceRecord, expected: bool | str, cost: int
) -> None:
    agrees(expression, one, expected, cost)


@pytest.mark.parametrize(("value", "one", "expected"), INCLUDES)
def test_includes(value: str, one: DeviceRecord, expected: bool | str) -> None:
    agrees(f"{X}.includes({value})", one, expected, 4 + 48 + ("semver" in value))


def test_all_types_at_once_by_both_ways_to_look_up() -> None:
    names = {"bool": True, "int": 1, "string": "fish", "version": "v:1.0.0"}
    one = device(
        {f"{DRIVER}/{name}": value for name, value in names.items()}, {f"{DRIVER}/q": MEBI}
    )
    parts = [
        text.format(first, second)
        for first, second in ((".", ""), ('["', '"]'))
        for text in (
            ROOM + '{0}q{1}.isGreaterThan(quantity("1Ki"))',
            OF + "{0}bool{1}",
            OF + "{0}int{1} > 0",
            OF + '{0}string{1} == "fish"',
            OF + '{0}version{1}.isGreaterThan(semver("0.0.1"))',
        )
    ]
    agrees("\n" + " &&\n".join(parts) + "\n", one, True, 52)


def test_a_driver_without_a_name() -> None:
    assert answer('device.driver == ""', BARE, "") is True
    assert compile_selector('device.driver == ""').cost == 2


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("?!", "Syntax error"),
        ("1", "must evaluate to bool or the unknown type, not int"),
        ("device.allowed == true", "undefined field 'allowed'"),
        (f'{X}.has("fish")', "undeclared reference to 'has'"),
    ],
)
def test_what_does_not_compile(expression: str, message: str) -> None:
    with pytest.raises(CelError, match=message):
        compile_selector(expression)
