"""Identifies clients by a keyed hash of their address, which they cannot forge. Pure.

Clients can write any header. `X-Forwarded-For` counts only as far as our own proxies wrote it: each appends one
address, so behind n proxies the client's is the nth from the right.
"""

from __future__ import annotations

import hashlib
import re
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

FORWARDED = b"x-forwarded-for"
NETWORK_BITS = 64  # of an IPv6 address; a customer can choose the rest freely
DIGEST_BYTES = 8
WITH_PORT = re.compile(r"\[(?P<ipv6>[^\]]*)\](?::\d+)?|(?P<ipv4>[\d.]+):\d+")
UNKNOWN = b"?"


def client_address(peer: str | None, headers: Iterable[tuple[bytes, bytes]], proxies: int) -> bytes:
    """Return the client's IPv4 address or IPv6 network as bytes, behind so many proxies of our own.

    With fewer forwarded addresses than proxies, or with one that cannot be parsed, return that of the peer.
    """
    if proxies:
        values = [value for name, value in headers if name == FORWARDED]
        hops = b",".join(values).rsplit(b",", proxies)[-proxies:] if values else []
        if len(hops) >= proxies and (address := pack_address(hops[0].decode("latin-1").strip())):
            return address
    return pack_address(peer or "") or UNKNOWN


def pack_address(text: str) -> bytes | None:
    """Return the four bytes of an IPv4 or mapped address, or the eight of an IPv6 network; ignore a port."""
    with_port = WITH_PORT.fullmatch(text)
    try:
        address = ip_address((with_port["ipv6"] or with_port["ipv4"] or "") if with_port else text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        mapped: IPv4Address | None = address.ipv4_mapped
        return mapped.packed if mapped else address.packed[: NETWORK_BITS // 8]
    return address.packed


def client_hash(address: bytes, secret: bytes) -> int:
    """Return a number for a client that cannot be computed without the secret."""
    return int.from_bytes(hashlib.blake2b(address, digest_size=DIGEST_BYTES, key=secret).digest(), "big")
