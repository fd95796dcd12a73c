"""IP addresses and networks in CIDR notation, as Go's net/netip reads them."""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from gangplan.datasets.kubernetes.cel.errors import Failed

_BITS = re.compile(r"0|[1-9][0-9]{0,2}", re.ASCII)
_MULTICAST_4 = IPv4Network("224.0.0.0/24")


@dataclass(frozen=True, slots=True)
class IP:
    """An address."""

    address: IPv4Address | IPv6Address

    def __str__(self) -> str:
        """Write it in its canonical form."""
        return str(self.address)


@dataclass(frozen=True, slots=True)
class CIDR:
    """A network, with the address it was written with."""

    address: IPv4Address | IPv6Address
    bits: int

    def __str__(self) -> str:
        """Write it in its canonical form."""
        return f"{self.address}/{self.bits}"

    @property
    def network(self) -> IPv4Network | IPv6Network:
        """The network, bits of hosts zero."""
        return ip_network((self.address, self.bits), strict=False)

    def has(self, other: IPv4Address | IPv6Address) -> bool:
        """Tell whether an address is in the network."""
        return other.version == self.address.version and other in self.network


def parse_ip(text: str) -> IP:
    """Read an address, without zone, not an IPv4 address inside IPv6.

    Raises
    ------
    Failed : it is none.
    """
    if "%" in text:
        raise Failed(f'IP address "{text}" with zone value is not allowed')
    return IP(_address(text))


def parse_cidr(text: str) -> CIDR:
    """Read ``ADDRESS/BITS``.

    Raises
    ------
    Failed : it is none.
    """
    address, slash, bits = text.rpartition("/")
    if not slash or "%" in text or not _BITS.fullmatch(bits):
        raise Failed(f'network address parse error during conversion from string: "{text}"')
    found = _address(address)
    if int(bits) > found.max_prefixlen:
        raise Failed(f'network address parse error during conversion from string: "{text}"')
    return CIDR(found, int(bits))


def is_link_local_multicast(one: IP) -> bool:
    """224.0.0.0/24, or an IPv6 multicast address of link scope (ffx2::)."""
    if isinstance(one.address, IPv4Address):
        return one.address in _MULTICAST_4
    packed = one.address.packed
    return packed[0] == 0xFF and packed[1] & 15 == 2


def is_global_unicast(one: IP) -> bool:
    """Neither unspecified, broadcast, loopback, multicast nor link-local; private ones count."""
    address = one.address
    return not (
        address.is_unspecified
        or str(address) == "255.255.255.255"
        or address.is_loopback
        or address.is_multicast
        or is_link_local_unicast(one)
    )


def is_link_local_unicast(one: IP) -> bool:
    """169.254.0.0/16 or fe80::/10."""
    packed = one.address.packed
    if len(packed) == 4:
        return packed[:2] == b"\xa9\xfe"
    return packed[0] == 0xFE and packed[1] & 0xC0 == 0x80


def _address(text: str) -> IPv4Address | IPv6Address:
    try:
        found = ip_address(text)
    except ValueError:
        raise Failed(f'IP Address "{text}" parse error during conversion from string') from None
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        raise Failed(f'IPv4-mapped IPv6 address "{text}" is not allowed')
    return found
