"""What Kubernetes refuses when an object is created, and what is not supported, by name."""

import pytest

from gangplan.datasets.kubernetes.cel import CelError, compile_selector

REFUSED = {
    "": "empty",
    "   ": "empty",
    "1+": "1:3: Syntax error",
    "?!": "1:1: Syntax error",
    "true &&\n  nothing": "2:3: undeclared reference to 'nothing'",
    "foo(1)": "1:4: undeclared reference to 'foo'",
    "1": "must evaluate to bool or the unknown type, not int",
    "dyn(true)": "must evaluate to bool or the unknown type, not dyn",
    "device.driver": "must evaluate to bool or the unknown type, not string",
    'device.capacity["d"].memory': "not kubernetes.Quantity",
    "device.driver > 1": "1:15: found no matching overload for '_>_' applied to '(string, int)'",
    'device.capacity["d"].m == 1': "applied to '(kubernetes.Quantity, int)'",
    'device.capacity["d"].m > quantity("1")': "found no matching overload for '_>_'",
    'device.capacity["d"].m.isLessThan(semver("1.0.0"))': "(kubernetes.Quantity, kubernetes.Se",
    "isSemver([1, 2])": "found no matching overload for 'isSemver'",
    'device.attributes["d"].x.compareTo("1") == 0': "found no matching overload for 'compareTo'",
    "device.model == 1": "undefined field 'model' of device",
    "cel.bind(d, device.nothing, true)": "undefined field 'nothing' of device",
    '[1, "a"].size() == 2': "a list mixes int and string",
    '{"a": 1, "b": "x"}.size() == 2': "the values of a map mixes int and string",
    '{"a": 1, 2: 1}.size() == 2': "the keys of a map mixes int and string",
    '"a".matches("(")': "invalid regular expression: missing )",
    '"a".find("(?=x)") == ""': "invalid regular expression",
    '[1].indexOf("a") == 0': "found no matching overload for 'indexOf'",
    'sets.contains([1], ["a"])': "found no matching overload for 'sets.contains'",
    '"a" + 1 == "a1"': "found no matching overload for '_+_'",
    "[1].all(x, x)": "found no matching overload",
    "cel.bind(1, 2, true)": "variable name",
}
UNSUPPORTED = {
    "1u == 1u": "values of type uint",
    'duration("1h") == duration("60m")': "values of type duration",
    'timestamp("2020-01-01T00:00:00Z").getFullYear() == 2020': "values of type timestamp",
    "google.protobuf.BoolValue{value: true}": "the message",
    "has(device.driver)": "has() of a field of device",
    'has( device . attributes ) && "a" == "b"': "has() of a field of device",
    "device.attributes.exists(k, v, true)": "macros with two variables",
    "{'a': 1}.transformMap(k, v, v + 1).size() == 1": "macros with two variables",
    'format.dns1123Label().validate("a").hasValue()': "the format library",
    'string(ip("10.0.0.1")) == "10.0.0.1"': "string() of an address",
    'quantity("1").mul(2) == quantity("2")': "mul, div and divInt",
    'isImage("x")': "the image library",
    r'"a".find("\\pL") == ""': r"\p in a regular expression",
    "(" * 40 + "true" + ")" * 40: "nested deeper than 32 levels",
    "[" * 40 + "]" * 40 + ".size() == 0": "nested deeper than 32 levels",
    "1" + "+1" * 100 + " > 0": "nested deeper than 32 levels",
}


def refusal(expression: str) -> str:
    with pytest.raises(CelError) as error:
        compile_selector(expression)
    text = str(error.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize(("expression", "message"), REFUSED.items())
def test_refused_with_its_message(expression: str, message: str) -> None:
    text = refusal(expression)
    assert message in text
    assert "not supported" not in text


@pytest.mark.parametrize(("expression", "message"), UNSUPPORTED.items())
def test_not_supported_by_name(expression: str, message: str) -> None:
    text = refusal(expression)
    assert text.startswith("not supported: ")
    assert message in text


def test_a_text_that_looks_like_something_unsupported_is_a_text() -> None:
    compile_selector('"has(device.driver)" == device.driver')
    compile_selector("device.driver == 'format.x' // authorizer")


def test_more_than_10_kib_are_refused() -> None:
    fits = 'device.driver == "' + "x" * 10_000 + '"'
    compile_selector(fits)
    assert "too long" in refusal('device.driver == "' + "x" * 10_300 + '"')
    assert "too long" in refusal('device.driver == "' + "é" * 5_200 + '"')


def test_what_is_no_unicode_is_refused() -> None:
    assert refusal('device.driver == "\ud800"') == "no valid Unicode"
