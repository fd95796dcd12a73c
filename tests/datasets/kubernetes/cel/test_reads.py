"""What an expression reads of a device, and that nothing else can change its answer."""

from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from gangplan.datasets.kubernetes.cel import EVERYTHING, CelError, Reads, compile_selector, evaluate
from gangplan.datasets.kubernetes.devicerecords import Attribute, Capacity, DeviceRecord
from tests.datasets.kubernetes.cel.devices import A100, DRIVER


def reads(expression: str) -> Reads:
    return compile_selector(expression).reads


def attributes(*names: str) -> Reads:
    return Reads(attributes=frozenset(names))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("true", Reads()),
        ('device.driver == "x"', Reads(driver=True)),
        ("device.allowMultipleAllocations", Reads(multi=True)),
        ('device.attributes["d"].x == 1', attributes("d/x")),
        ('device.attributes["d"]["x"] == 1', attributes("d/x")),
        ("device.attributes.d.x == 1", attributes("d/x")),
        ('device.attributes["d"].?x.orValue(1) == 1', attributes("d/x")),
        ('device.attributes[?"d"].?x.hasValue()', attributes("d/x")),
        ('device.attributes[?"d"][?"x"].hasValue()', attributes("d/x")),
        ('device.attributes.?d.x.hasValue()', attributes("d/x")),
        ('has(device.attributes["d"].x)', attributes("d/x")),
        ('"x" in device.attributes["d"]', attributes("d/x")),
        ('"d" in device.attributes', Reads(attribute_domains=frozenset({"d"}))),
        ('"d" in device.capacity', Reads(capacity_domains=frozenset({"d"}))),
        (
            'device.capacity["d"].m.isGreaterThan(quantity("1"))',
            Reads(capacity=frozenset({"d/m"})),
        ),
        (
            'cel.bind(a, device.attributes["d"], a.x == 1 && "y" in a || a.?z.hasValue())',
            attributes("d/x", "d/y", "d/z"),
        ),
        ('cel.bind(a, device.attributes, a["d"].x == 1)', attributes("d/x")),
        ('cel.bind(d, device, d.attributes["d"].x == 1 || d.driver == "y")',
         Reads(attributes=frozenset({"d/x"}), driver=True)),
        ('cel.bind(v, device.attributes["d"].x, v == 1)', attributes("d/x")),
        ('device.attributes["d"].l.exists(v, v == device.attributes["d"].x)',
         attributes("d/l", "d/x")),
        ('cel.bind(device, 1, device == 1)', Reads()),
    ],
)  # fmt: skip
def test_reads_no_more_than_it_names(expression: str, expected: Reads) -> None:
    assert reads(expression) == expected


@pytest.mark.parametrize(
    "expression",
    [
        'device.attributes["d"].exists(k, k == "x")',
        'device.attributes.exists(d, d == "x")',
        'device.attributes["d"].size() == 1',
        'device.attributes["d"] == device.attributes["e"]',
        "device.attributes[device.driver].x == 1",
        'device.attributes["d"][device.driver] == 1',
        'device.attributes["d"][?device.driver].hasValue()',
        "device.driver in device.attributes",
        '(device.driver == "x" ? device.attributes["d"] : device.attributes["e"]).x == 1',
        'device.attributes[?"d"].hasValue()',
        'device.attributes[?"d"].orValue({}).size() == 0',
        'cel.bind(a, device.attributes["d"], a.size() == 1)',
        "[device].exists(d, d.driver == 'x')",
        '[device.attributes["d"]].exists(a, a.x == 1)',
        'optional.of(device.attributes["d"]).x.hasValue()',
    ],
)
def test_reads_everything_where_it_cannot_be_told(expression: str) -> None:
    assert reads(expression).everything


def test_a_uuid_does_not_tell_kinds_apart_but_a_type_does() -> None:
    one = reads(f'device.attributes["{DRIVER}"].index == 3')
    other = replace(
        A100, attributes={**A100.attributes, f"{DRIVER}/uuid": Attribute("string", ("GPU-2",))}
    )
    assert one.of(A100, DRIVER) == one.of(other, DRIVER)
    assert EVERYTHING.of(A100, DRIVER) != EVERYTHING.of(other, DRIVER)
    flag, number = (
        replace(A100, attributes={f"{DRIVER}/index": Attribute(kind, (value,))})
        for kind, value in (("bool", True), ("int", 1))
    )
    assert one.of(flag, DRIVER) != one.of(number, DRIVER)
    assert EVERYTHING.of(flag, DRIVER) != EVERYTHING.of(number, DRIVER)


def test_reads_of_two_expressions_add_up() -> None:
    both = reads('device.attributes["d"].x == 1') | reads('"e" in device.attributes')
    assert both == Reads(frozenset({"d/x"}), attribute_domains=frozenset({"e"}))


T = TypeVar("T")
VALUES = st.one_of(
    st.integers(0, 2).map(lambda v: Attribute("int", (v,))),
    st.booleans().map(lambda v: Attribute("bool", (v,))),
    st.sampled_from(["a", "b"]).map(lambda v: Attribute("string", (v,))),
    st.just(Attribute("version", ("1.0.0",))),
    st.just(Attribute("string", ("a", "b"), True)),
)
NAMES = st.sampled_from(["d/x", "d/y", "e/x", "e/z"])
DEVICES = st.builds(
    DeviceRecord,
    name=st.just("d"),
    attributes=st.dictionaries(NAMES, VALUES),
    capacity=st.dictionaries(NAMES, st.integers(0, 1).map(lambda v: Capacity(Fraction(v)))),
    multi=st.booleans(),
)
MAPS = st.sampled_from(
    ['device.attributes["d"]', 'device.attributes["e"]', "device.attributes.d",
     'device.attributes[?"d"].orValue({})', 'device.capacity["d"]']
)  # fmt: skip
CLAUSES = st.one_of(
    MAPS.map(lambda m: f"{m}.x == 1"),
    MAPS.map(lambda m: f'"y" in {m}'),
    MAPS.map(lambda m: f"has({m}.x)"),
    MAPS.map(lambda m: f"{m}.size() > 1"),
    MAPS.map(lambda m: f'{m}.?x.optMap(v, dyn(v) == dyn("a")).orValue(false)'),
    MAPS.map(lambda m: f'{m}.exists(k, k == "x")'),
    MAPS.map(lambda m: f"cel.bind(m, {m}, dyn(m.x) == dyn(1) || has(m.y))"),
    st.sampled_from(
        ['device.driver == "d"', "device.allowMultipleAllocations", '"e" in device.attributes']
    ),
).filter(lambda text: "capacity" not in text or "x == 1" not in text.replace("dyn", ""))


@settings(max_examples=200, deadline=None)
@given(
    st.tuples(CLAUSES, st.sampled_from(["&&", "||"]), CLAUSES).map(" ".join), DEVICES, DEVICES,
    st.sampled_from(["d", "e"]), st.sampled_from(["d", "e"]),
)  # fmt: skip
def test_devices_that_agree_on_what_is_read_have_one_answer(
    expression: str, one: DeviceRecord, other: DeviceRecord, driver: str, driver_2: str
) -> None:
    try:
        selector = compile_selector(expression)
    except CelError:  # too complex
        reject()
    # Make the second device agree with the first on what is read by name.
    wanted = selector.reads
    other = replace(
        other,
        attributes=_agreeing(one.attributes, other.attributes, wanted.attributes),
        capacity=_agreeing(one.capacity, other.capacity, wanted.capacity),
    )
    if wanted.of(one, driver) == wanted.of(other, driver_2):
        assert evaluate(selector, one, driver) == evaluate(selector, other, driver_2)


def _agreeing(one: dict[str, T], other: dict[str, T], names: frozenset[str]) -> dict[str, T]:
    rest = {name: value for name, value in other.items() if name not in names}
    return rest | {name: value for name, value in one.items() if name in names}
