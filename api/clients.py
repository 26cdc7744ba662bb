"""Whom a request is counted for: an address that cannot be forged, made into a number that does not tell it. Pure.

A header can be written by anyone. `X-Forwarded-For` counts only as far as this service's own proxies wrote it: each
appends one address, so with a known number of proxies the caller stands at that place from the right.
"""

from __future__ import annotations

import hashlib
import re
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

FORWARDED = b"x-forwarded-for"
NETWORK = 64  # bits of an IPv6 address that tell one customer from the next; the rest each picks at will
DIGEST = 8  # bytes
WITH_PORT = re.compile(r"\[(?P<six>[^\]]*)\](?::\d+)?|(?P<four>[\d.]+):\d+")
UNKNOWN = b"?"


def origin(peer: str | None, headers: Iterable[tuple[bytes, bytes]], proxies: int) -> bytes:
    """The caller's IPv4 address or IPv6 network as bytes, behind this many proxies of our own.

    Where fewer addresses were forwarded than there are proxies, or none that can be read, it is the peer itself.
    """
    if proxies:
        lines = [value for name, value in headers if name == FORWARDED]
        hops = b",".join(lines).rsplit(b",", proxies)[-proxies:] if lines else []
        if len(hops) >= proxies and (found := packed(hops[0].decode("latin-1").strip())):
            return found
    return packed(peer or "") or UNKNOWN


def packed(text: str) -> bytes | None:
    """An address with or without a port: four bytes of IPv4, mapped ones too, or the eight of an IPv6 network."""
    port = WITH_PORT.fullmatch(text)
    try:
        address = ip_address((port["six"] or port["four"] or "") if port else text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        mapped: IPv4Address | None = address.ipv4_mapped
        return mapped.packed if mapped else address.packed[: NETWORK // 8]
    return address.packed


def numbered(caller: bytes, secret: bytes) -> int:
    """A number for a caller that only who has the secret can work out again."""
    return int.from_bytes(hashlib.blake2b(caller, digest_size=DIGEST, key=secret).digest(), "big")
