"""Functions of the objects that Kubernetes adds: quantities, versions, addresses and URLs."""

from fractions import Fraction
from typing import Any

from gangplan.datasets.kubernetes.cel import addresses, urls
from gangplan.datasets.kubernetes.cel import quantities as quantity
from gangplan.datasets.kubernetes.cel import semvers as semver
from gangplan.datasets.kubernetes.cel.errors import Failed
from gangplan.datasets.kubernetes.cel.limits import Meter
from gangplan.datasets.kubernetes.cel.operators import no_overload
from gangplan.datasets.kubernetes.cel.signature import Function, first_of, flagged, says, typed
from gangplan.datasets.kubernetes.cel.values import Value, type_name


def _sum_of(sign: int) -> Function:
    """Make ``add`` or ``sub`` of a quantity and a quantity or an integer."""

    def function(_: Meter, one: Value, other: Value) -> Value:
        if type_name(one) != "kubernetes.Quantity":
            raise no_overload()
        if type_name(other) == "int":
            other = quantity.Quantity(Fraction(other))
        if type_name(other) != "kubernetes.Quantity":
            raise no_overload()
        return one.plus(other, sign)

    return function


def _as_integer(one: quantity.Quantity) -> int:
    if one.units is None:
        raise Failed("cannot convert value to integer")
    return one.units


def _compare(one: Any, other: Any) -> int:
    return int(one > other) - int(one < other)


def _by_value(one: quantity.Quantity, other: quantity.Quantity) -> int:
    return _compare(one.value, other.value)


def _contains_ip(_: Meter, one: Value, other: Value) -> bool:
    if type_name(one) != "net.CIDR" or type_name(other) not in ("string", "net.IP"):
        raise no_overload()
    return bool(one.has((addresses.parse_ip(other) if isinstance(other, str) else other).address))


def _contains_cidr(_: Meter, one: Value, other: Value) -> bool:
    if type_name(one) != "net.CIDR" or type_name(other) not in ("string", "net.CIDR"):
        raise no_overload()
    inner = addresses.parse_cidr(other) if isinstance(other, str) else other
    return bool(one.bits <= inner.bits and one.has(inner.address))


def _ip(_: Meter, one: Value) -> addresses.IP:
    if type_name(one) == "string":
        return addresses.parse_ip(one)
    if type_name(one) == "net.CIDR":
        return addresses.IP(one.address)
    raise no_overload()


def _masked(one: addresses.CIDR) -> addresses.CIDR:
    return addresses.CIDR(one.network.network_address, one.bits)


_QUANTITY, _SEMVER, _IP, _CIDR, _URL = (
    typed("kubernetes.Quantity"),
    typed("kubernetes.Semver"),
    typed("net.IP"),
    typed("net.CIDR"),
    typed("kubernetes.URL"),
)
_STRING = typed("string")

OBJECTS: dict[str, Function] = {
    "quantity": _STRING(quantity.parse),
    "isQuantity": _STRING(says(quantity.parse)),
    "sign": _QUANTITY(lambda one: _compare(one.value, 0)),
    "asInteger": _QUANTITY(_as_integer),
    "isInteger": _QUANTITY(lambda one: one.units is not None),
    "asApproximateFloat": _QUANTITY(lambda one: one.approximate()),
    "add": _sum_of(1),
    "sub": _sum_of(-1),
    "semver": flagged(semver.parse),
    "isSemver": flagged(says(semver.parse)),
    "major": _SEMVER(lambda one: one.major),
    "minor": _SEMVER(lambda one: one.minor),
    "patch": _SEMVER(lambda one: one.patch),
    "compareTo": first_of(Quantity=_by_value, Semver=_compare),
    "isGreaterThan": first_of(
        Quantity=lambda one, other: one.value > other.value,
        Semver=lambda one, other: one > other,
    ),
    "isLessThan": first_of(
        Quantity=lambda one, other: one.value < other.value,
        Semver=lambda one, other: one < other,
    ),
    "ip": _ip,
    "isIP": _STRING(says(addresses.parse_ip)),
    "ip.isCanonical": _STRING(lambda text: str(addresses.parse_ip(text)) == text),
    "family": _IP(lambda one: one.address.version),
    "isUnspecified": _IP(lambda one: one.address.is_unspecified),
    "isLoopback": _IP(lambda one: one.address.is_loopback),
    "isLinkLocalMulticast": _IP(addresses.is_link_local_multicast),
    "isLinkLocalUnicast": _IP(addresses.is_link_local_unicast),
    "isGlobalUnicast": _IP(addresses.is_global_unicast),
    "cidr": _STRING(addresses.parse_cidr),
    "isCIDR": _STRING(says(addresses.parse_cidr)),
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    "prefixLength": _CIDR(lambda one: one.bits),
    "masked": _CIDR(_masked),
    "url": _STRING(urls.parse),
    "isURL": _STRING(says(urls.check)),
    "getScheme": _URL(lambda one: one.scheme),
    "getHost": _URL(lambda one: one.host),
    "getHostname": _URL(lambda one: one.hostname),
    "getPort": _URL(lambda one: one.port),
    "getEscapedPath": _URL(lambda one: one.path),
    "getQuery": _URL(lambda one: one.values),
}
