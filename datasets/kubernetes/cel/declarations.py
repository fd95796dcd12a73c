"""Functions that Kubernetes adds to CEL for selectors of devices, as the type checker needs them.

One overload a line: its name in Kubernetes, then ``[target.]function(arguments) -> result``.
Sources: apiserver/pkg/cel/library (quantity.go, semverlib.go, ip.go, cidr.go, urls.go, lists.go,
regex.go), cel-go's ext/sets.go and dynamic-resource-allocation/cel/compile.go (includes).
"""

from dataclasses import dataclass

QUANTITY, SEMVER = "kubernetes.Quantity", "kubernetes.Semver"
IP, CIDR, URL = "net.IP", "net.CIDR", "kubernetes.URL"
OPAQUE = (QUANTITY, SEMVER, IP, CIDR, URL)

VARIABLES = {
    "device.driver": "string",
    "device.attributes": "map(string, map(string, dyn))",
    "device.capacity": f"map(string, map(string, {QUANTITY}))",
    "device.allowMultipleAllocations": "bool",
    "device": "dyn",  # a bare ``device``; the dotted names above come first
}

_KUBERNETES = f"""
string_to_quantity: quantity(string) -> {QUANTITY}
is_quantity_string: isQuantity(string) -> bool
quantity_sign: sign({QUANTITY}) -> int
quantity_sign_member: {QUANTITY}.sign() -> int
quantity_is_greater_than: {QUANTITY}.isGreaterThan({QUANTITY}) -> bool
quantity_is_less_than: {QUANTITY}.isLessThan({QUANTITY}) -> bool
quantity_compare_to: {QUANTITY}.compareTo({QUANTITY}) -> int
quantity_get_float: {QUANTITY}.asApproximateFloat() -> double
quantity_get_int: {QUANTITY}.asInteger() -> int
quantity_is_integer: {QUANTITY}.isInteger() -> bool
quantity_add: {QUANTITY}.add({QUANTITY}) -> {QUANTITY}
quantity_add_int: {QUANTITY}.add(int) -> {QUANTITY}
quantity_sub: {QUANTITY}.sub({QUANTITY}) -> {QUANTITY}
quantity_sub_int: {QUANTITY}.sub(int) -> {QUANTITY}
string_to_semver: semver(string) -> {SEMVER}
string_bool_to_semver: semver(string, bool) -> {SEMVER}
is_semver_string: isSemver(string) -> bool
is_semver_string_bool: isSemver(string, bool) -> bool
semver_is_greater_than: {SEMVER}.isGreaterThan({SEMVER}) -> bool
semver_is_less_than: {SEMVER}.isLessThan({SEMVER}) -> bool
semver_compare_to: {SEMVER}.compareTo({SEMVER}) -> int
semver_major: {SEMVER}.major() -> int
semver_minor: {SEMVER}.minor() -> int
semver_patch: {SEMVER}.patch() -> int
string_to_ip: ip(string) -> {IP}
is_ip: isIP(string) -> bool
ip_is_canonical: ip.isCanonical(string) -> bool
ip_family: {IP}.family() -> int
ip_is_unspecified: {IP}.isUnspecified() -> bool
ip_is_loopback: {IP}.isLoopback() -> bool
ip_is_link_local_multicast: {IP}.isLinkLocalMulticast() -> bool
ip_is_link_local_unicast: {IP}.isLinkLocalUnicast() -> bool
ip_is_global_unicast: {IP}.isGlobalUnicast() -> bool
string_to_cidr: cidr(string) -> {CIDR}
is_cidr: isCIDR(string) -> bool
cidr_contains_ip_string: {CIDR}.containsIP(string) -> bool
cidr_contains_ip_ip: {CIDR}.containsIP({IP}) -> bool
cidr_contains_cidr_string: {CIDR}.containsCIDR(string) -> bool
cidr_contains_cidr: {CIDR}.containsCIDR({CIDR}) -> bool
cidr_ip: {CIDR}.ip() -> {IP}
cidr_prefix_length: {CIDR}.prefixLength() -> int
cidr_masked: {CIDR}.masked() -> {CIDR}
string_to_url: url(string) -> {URL}
is_url_string: isURL(string) -> bool
url_get_scheme: {URL}.getScheme() -> string
url_get_host: {URL}.getHost() -> string
url_get_hostname: {URL}.getHostname() -> string
url_get_port: {URL}.getPort() -> string
url_get_escaped_path: {URL}.getEscapedPath() -> string
url_get_query: {URL}.getQuery() -> map(string, list(string))
string_find_string: string.find(string) -> string
string_find_all_string: string.findAll(string) -> list(string)
string_find_all_string_int: string.findAll(string, int) -> list(string)
list_sets_contains_list: sets.contains(list(dyn), list(dyn)) -> bool
list_sets_equivalent_list: sets.equivalent(list(dyn), list(dyn)) -> bool
list_sets_intersects_list: sets.intersects(list(dyn), list(dyn)) -> bool
dra_includes_dyn_dyn: dyn.includes(dyn) -> bool
"""

_COMPARED = ("int", "double", "bool", "string", "bytes")
_LISTS = "\n".join(
    [f"list_{one}_is_sorted_bool: list({one}).isSorted() -> bool" for one in _COMPARED]
    + [
        f"list_{one}_{f}_{one}: list({one}).{f}() -> {one}"
        for f in ("min", "max")
        for one in _COMPARED
    ]
    + [f"list_{one}_sum_{one}: list({one}).sum() -> {one}" for one in ("int", "double")]
)

# Functions that the library has too: these are merged with its own overloads.
_MERGED = "\n".join(
    [
        "list_a_index_of_int: list(dyn).indexOf(dyn) -> int",
        "list_a_last_index_of_int: list(dyn).lastIndexOf(dyn) -> int",
    ]
    + [
        f"{name}_{left}_{right}: {sign}({one}, {other}) -> bool"
        for sign, name in (
            ("_<_", "less"),
            ("_<=_", "less_equals"),
            ("_>_", "greater"),
            ("_>=_", "greater_equals"),
        )
        for left, right, one, other in (
            ("int64", "double", "int", "double"),
            ("double", "int64", "double", "int"),
        )
    ]
)


@dataclass(frozen=True, slots=True)
class Overload:
    """One overload of a function; ``parameters``: its target first where it is a ``member``."""

    name: str
    function: str
    parameters: tuple[str, ...]
    result: str
    member: bool


def kubernetes() -> tuple[Overload, ...]:
    """Give the overloads of functions that CEL does not have."""
    return _parsed(_KUBERNETES + _LISTS)


def merged() -> tuple[Overload, ...]:
    """Give more overloads of functions that CEL has."""
    return _parsed(_MERGED)


def split(text: str) -> tuple[str, ...]:
    """Split at the commas that stand in no parentheses: ``string, map(int, int)``."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            parts.append(text[start:at].strip())
            start = at + 1
    return (*parts, text[start:].strip()) if text.strip() else ()


def _parsed(table: str) -> tuple[Overload, ...]:
    found = []
    for line in table.strip().splitlines():
        name, _, rest = line.partition(": ")
        call, _, result = rest.partition(" -> ")
        start = _start(call)
        head, arguments = call[:start], call[start + 1 : -1]
        target, dot, function = head.rpartition(".")
        member = bool(dot) and target not in ("ip", "sets")  # ip.isCanonical is one name
        if not member:
            target, function = "", head
        parameters = (target, *split(arguments)) if member else split(arguments)
        found.append(Overload(name, function, parameters, result, member))
    return tuple(found)


def _start(call: str) -> int:
    """Find the parenthesis that opens the arguments: the one that the last one closes."""
    depth = 0
    for at in range(len(call) - 1, -1, -1):
        depth += (call[at] == ")") - (call[at] == "(")
        if not depth:
            return at
    raise ValueError(call)
