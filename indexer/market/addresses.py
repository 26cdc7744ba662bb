"""Which addresses may be asked at all, and which machines are public. Pure."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from indexer.cells import FORMS

WRITTEN = FORMS["uri"][0]  # as the tables take it: `localhost` and bare numbers are no address there
PORTS = {"http": 80, "https": 443}
NAT64 = IPv6Network("64:ff9b::/96")
LONGEST = 2_000


def askable(url: str) -> bool:
    """Whether an address is plain http or https, on its usual port, without user or password."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    usual = port is None or port == PORTS.get(parts.scheme)
    return (
        parts.scheme in PORTS
        and usual
        and bool(WRITTEN.fullmatch(url))
        and parts.username is None
        and parts.password is None
        and len(url) <= LONGEST
    )


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet, whatever form it hides in."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return all(one.is_global and not one.is_multicast and not one.is_reserved for one in _inside(found))


def _inside(address: IPv4Address | IPv6Address) -> list[IPv4Address | IPv6Address]:
    """The address itself, or the IPv4 address that an IPv6 one stands for."""
    if isinstance(address, IPv4Address):
        return [address]
    if address in NAT64:
        return [IPv4Address(int(address) & 0xFFFFFFFF)]
    carried = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    return [one for one in carried if one is not None] or [address]
