"""Every function of Kubernetes' environment for devices, by a table; errors by their reason."""

import pytest

from tests.datasets.kubernetes.cel.devices import answer

TRUE = """
quantity("1.5Gi") == quantity("1536Mi")
quantity("200M") == quantity("0.2G") && quantity("2000k") == quantity("2M")
quantity("1") != quantity("1001m")
quantity("50M").isLessThan(quantity("50Mi"))
!quantity("50Mi").isLessThan(quantity("50Mi"))
quantity("50Mi").isGreaterThan(quantity("50M"))
quantity("1e3").compareTo(quantity("1k")) == 0
quantity("1E").compareTo(quantity("1E3")) == 1
quantity("-1").compareTo(quantity("0")) == -1
isQuantity("1.3Gi") && isQuantity("10000k") && isQuantity("-.5") && isQuantity("3e-2")
!isQuantity("1,3G")
!isQuantity("200K")
!isQuantity("Mi")
!isQuantity("")
!isQuantity("1 ")
sign(quantity("-3")) == -1 && sign(quantity("0")) == 0 && quantity("5").sign() == 1
quantity("50k").isInteger() && quantity("50.5k").isInteger() && quantity("50000000G").isInteger()
!quantity("1m").isInteger() && !quantity("1000m").isInteger()
!quantity("9999999999999999999999999999999999999G").isInteger()
quantity("50.703k").asInteger() == 50703
quantity("50.703k").asApproximateFloat() == 50703.0
quantity("1500m").asApproximateFloat() == 1.5
quantity("2").asApproximateFloat() > 1 && 1 < quantity("2").asApproximateFloat()
quantity("50k").add(20) == quantity("50020")
quantity("50k").add(quantity("20k")) == quantity("70k")
quantity("50k").sub(20000) == quantity("30k")
quantity("50k").sub(quantity("20")) == quantity("49.98k")
quantity("50k").add(20).sub(quantity("100k")).sub(-50000).asInteger() == 20
quantity("0.1n") == quantity("1n")
quantity("9Ei").add(quantity("9Ei")).isGreaterThan(quantity("9Ei"))
semver("1.2.3").major() == 1 && semver("1.2.3").minor() == 2 && semver("1.2.3").patch() == 3
semver("1.2.3") == semver("1.2.3+build.5") && semver("1.2.3") != semver("1.2.3-rc.1")
semver("1.10.0").isGreaterThan(semver("1.9.9"))
semver("1.0.0-alpha").isLessThan(semver("1.0.0-alpha.1"))
semver("1.0.0-alpha.1").isLessThan(semver("1.0.0-alpha.beta"))
semver("1.0.0-beta.2").isLessThan(semver("1.0.0-beta.11"))
semver("1.0.0-rc.1").isLessThan(semver("1.0.0"))
semver("2.0.0").compareTo(semver("1.99.99")) == 1
semver("v01.01", true) == semver("1.1.0") && semver("3", true).major() == 3
semver("0.0.0", true) == semver("000", true)
isSemver("1.2.3-beta.1+build.1") && isSemver("v1.0", true) && isSemver("01.01.01", true)
!isSemver("")
!isSemver("1.1")
!isSemver("v1.0.0")
!isSemver("01.1.1")
!isSemver(" 1.0.0")
!isSemver("", true) && !isSemver("1. 0.0", true) && !isSemver("1-rc", true)
!isSemver("1.0.0-")
!isSemver("1.0.0-01")
!isSemver("1.0.0-ä")
!isSemver("99999999999999999999999.0.0")
ip("127.0.0.1").family() == 4 && ip("::1").family() == 6
ip("2001:db8::abcd") == ip("2001:DB8:0::ABCD")
isIP("10.0.0.1")
!isIP("10.0.0.256")
!isIP("10.0.0.01")
!isIP(":::1")
!isIP("fe80::1%eth0")
!isIP("::ffff:1.2.3.4")
ip.isCanonical("2001:db8::abcd") && !ip.isCanonical("2001:DB8::ABCD")
ip("0.0.0.0").isUnspecified() && ip("::").isUnspecified() && !ip("::1").isUnspecified()
ip("127.9.9.9").isLoopback() && ip("::1").isLoopback() && !ip("192.168.0.1").isLoopback()
ip("224.0.0.7").isLinkLocalMulticast()
!ip("224.0.1.1").isLinkLocalMulticast()
ip("ff02::1").isLinkLocalMulticast()
ip("169.254.1.1").isLinkLocalUnicast()
ip("fe80::1").isLinkLocalUnicast()
!ip("fd80::1").isLinkLocalUnicast()
ip("192.168.0.1").isGlobalUnicast()
!ip("255.255.255.255").isGlobalUnicast()
!ip("ff00::1").isGlobalUnicast()
cidr("192.168.0.0/24").containsIP("192.168.0.9")
!cidr("192.168.0.0/24").containsIP(ip("192.168.1.1"))
!cidr("192.168.0.0/24").containsIP("::1")
cidr("192.168.0.0/16").containsCIDR("192.168.10.0/24")
!cidr("192.168.1.0/24").containsCIDR(cidr("192.168.0.0/16"))
cidr("192.168.0.1/24").ip() == ip("192.168.0.1")
cidr("192.168.0.1/24").masked() == cidr("192.168.0.0/24")
cidr("192.168.0.1/24") != cidr("192.168.0.0/24") && cidr("::1/128").prefixLength() == 128
isCIDR("10.0.0.0/8") && !isCIDR("10.0.0.0/33") && !isCIDR("10.0.0.0/08") && !isCIDR("10.0.0.0")
url("https://user:pw@example.com:80/path?query=val#fragment").getHost() == "example.com:80"
url("https://[::1]:80/").getHostname() == "::1" && url("https://[::1]/").getHost() == "[::1]"
url("HTTPS://example.com").getScheme() == "https" && url("/path").getScheme() == ""
url("https://example.com:8080/").getPort() == "8080" && url("https://example.com/").getPort() == ""
url("https://example.com/path with spaces/").getEscapedPath() == "/path%20with%20spaces/"
url("https://example.com").getEscapedPath() == "" && url("/a%2Fb").getEscapedPath() == "/a%2Fb"
url("https://e.com/p?k1=a&k2=b&k2=c").getQuery() == {"k1": ["a"], "k2": ["b", "c"]}
url("https://e.com/p?a+b=c%20d").getQuery()["a b"] == ["c d"] && url("/p?").getQuery().size() == 0
isURL("/absolute")
!isURL("../relative")
!isURL("https://a:b:c/")
!isURL("")
!isURL("/%zz")
"abc 123".find("[0-9]+") == "123" && "abc".find("xyz") == ""
"123 abc 456".findAll("[0-9]+") == ["123", "456"] && "123 abc 456".findAll("[0-9]+", 1) == ["123"]
"aaa".findAll("a", 0).size() == 0 && "baab".findAll("a*") == ["", "aa", ""]
"NVIDIA A100".matches("(?i)^nvidia") && !"x".matches("^y")
[1, 2, 2].isSorted() && !["b", "a"].isSorted() && ["a"].isSorted()
[1, 3].sum() == 4 && [1.5, 1.0].sum() == 2.5 && [3, 1, 2].min() == 1 && ["a", "c"].max() == "c"
[1, 2, 2].indexOf(2) == 1 && [1, 2, 2].lastIndexOf(2) == 2 && [1].indexOf(9) == -1
"hello".indexOf("l") == 2 && "hello".lastIndexOf("l") == 3
sets.contains([1, 2], [2])
!sets.contains([1], [2])
sets.intersects([1, 2], [2, 3])
sets.equivalent([1, 1, 2], [2, 1])
"A,b".lowerAscii().split(",") == ["a", "b"] && ["a", "b"].join("-") == "a-b" && " x ".trim() == "x"
"abc".substring(1) == "bc"
"abc".charAt(0) == "a"
"aXa".replace("X", "b") == "aba"
"%d-%s".format([dyn(1), "x"]) == "1-x"
"gpu".startsWith("g") && "gpu".endsWith("u") && "gpu".contains("p") && "é😀".size() == 2
[1, 2].map(x, x * 2) == [2, 4] && [1, 2].filter(x, x > 1) == [2] && [1, 2].exists_one(x, x == 2)
[1, 2].first().value() == 1 && [1, 2].last().value() == 2 && ![].first().hasValue()
type(1) == int && type("a") == string && type(1.0) == double && type([1]) == list && type({}) == map
cel.bind(x, 3, x * x == 9)
optional.of(1).optMap(v, v + 1).orValue(0) == 2 && !optional.none().hasValue()
1.0 / 0.0 > 1e308 && -7 / 2 == -3 && -7 % 2 == -1
dyn(1) == 1.0 && dyn("1") != dyn(1) && dyn(true) != dyn(1)
"""


@pytest.mark.parametrize("expression", TRUE.strip().splitlines())
def test_holds(expression: str) -> None:
    assert answer(expression) is True


FAILS = {
    "1 / 0 == 1": "division by zero",
    "1 % 0 == 1": "modulus by zero",
    "9223372036854775807 + 1 > 0": "integer overflow",
    "-9223372036854775808 - 1 < 0": "integer overflow",
    "4611686018427387904 * 2 > 0": "integer overflow",
    "int(1e30) > 0": "integer overflow",
    "[1][dyn(3)] == 1": "index out of bounds: 3",
    '{"a": 1}["b"] == 1': "no such key: b",
    '{"a": 1}[dyn([1])] == 1': "unsupported key type: list",
    'quantity("10Mo") == quantity("1")': "quantities must match the regular expression",
    'quantity("10Mm") == quantity("1")': "unable to parse quantity's suffix",
    'quantity("1.5").asInteger() == 1': "cannot convert value to integer",
    'quantity("9223372036854775808").asInteger() == 1': "cannot convert value to integer",
    'semver("v1.0") == semver("1.0.0")': "No Major.Minor.Patch elements found",
    'semver("v1.0.0") == semver("1.0.0")': 'Invalid character(s) found in major number "v1"',
    'semver("") == semver("1.0.0")': "Version string empty",
    'semver("1-rc", true) == semver("1.0.0")': "short version cannot contain",
    'ip("127.0.0.256").family() == 4': 'IP Address "127.0.0.256" parse error',
    'ip("fe80::1%eth0").family() == 4': "with zone value is not allowed",
    'ip("::ffff:1.2.3.4").family() == 4': "IPv4-mapped IPv6 address",
    'cidr("10.0.0.0/33").prefixLength() == 1': "network address parse error",
    'url("../x").getHost() == ""': "URL parse error during conversion from string",
    'url("https://a:b:c/").getHost() == ""': "invalid port",
    "[1].map(x, 0).filter(x, x > 0).min() == 1": "min called on empty list",
    "optional.none().value() == 1": "optional.none() dereference",
    '"abc".substring(9) == "x"': "greater than",
    'int("x") == 1': "type conversion error from 'string' to 'int'",
    'int(" 1") == 1': "type conversion error",
    'bool("maybe")': "type conversion error",
    'string(b"\\xff") == "x"': "invalid UTF-8",
    '"a".matches("a" + "(")': "invalid regular expression",
    '"a".find("a" + "(") == ""': "invalid regular expression",
    'dyn("a").isGreaterThan(quantity("1"))': "no such overload",
    'dyn(semver("1.0.0")).isGreaterThan(quantity("1"))': "no such overload",
    "dyn(1) + dyn(1.0) == 2": "no such overload",
    "dyn(1).all(x, x > 0)": "got 'int', expected iterable type",
    "dyn(1) && dyn(true)": "no such overload",
    "dyn(1) ? true : false": "no such overload",
    "-dyn('a') == 1": "no such overload",
}


@pytest.mark.parametrize(("expression", "reason"), FAILS.items())
def test_fails_with_its_reason(expression: str, reason: str) -> None:
    found = answer(expression)
    assert isinstance(found, str)
    assert reason in found
