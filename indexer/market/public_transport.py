"""HTTP transport that reaches only the public internet: it connects to the IP address that it checked."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

import httpx

from indexer.content.cell_checks import FORMATS

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]


MAX_ADDRESSES_TRIED = 2  # per host name
URL = FORMATS["uri"].pattern  # as in the tables: `localhost` and bare numbers are not addresses
PORTS = {"http": 80, "https": 443}
NAT64 = IPv6Network("64:ff9b::/96")
MAX_URL_LENGTH = 2_000


class PrivateAddressError(httpx.TransportError):
    """The host name resolves to an address that is not public."""


async def resolve(host: str, port: int) -> list[str]:
    """Return the IP addresses of a host, IPv4 first, as many machines have no IPv6; raise OSError if it has none."""
    entries = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    entries.sort(key=lambda entry: entry[0] != socket.AF_INET)
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries))


class PublicTransport(httpx.AsyncBaseTransport):
    """Resolves each host once, rejects it if any of its addresses is private, and connects to a checked address.

    A name that resolves differently the next time (DNS rebinding) therefore gains nothing. `Host` and the TLS handshake
    carry the name, so certificates are checked against it.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport | None = None, resolver: Resolve = resolve) -> None:
        # No keep-alive: two names on one machine would share a connection made for the other's certificate.
        limits = httpx.Limits(max_keepalive_connections=0)
        self._inner = inner or httpx.AsyncHTTPTransport(limits=limits, trust_env=False)
        self._resolver = resolver

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request to a checked address."""
        host = request.url.raw_host.decode("ascii")  # as in DNS and certificates
        try:
            addresses = await self._resolver(host, request.url.port or PORTS[request.url.scheme])
        except (OSError, UnicodeError) as error:  # UnicodeError: no resolver accepts the name
            raise httpx.ConnectError(f"{host} has no address: {error}", request=request) from error
        if not addresses or not all(map(is_public_ip, addresses)):
            raise PrivateAddressError(f"{host} resolves to a private address", request=request)
        *first, last = addresses[:MAX_ADDRESSES_TRIED]
        for address in first:
            with suppress(httpx.ConnectError):
                return await self._inner.handle_async_request(_pinned(request, host, address))
        return await self._inner.handle_async_request(_pinned(request, host, last))

    async def aclose(self) -> None:
        """Close the inner transport."""
        await self._inner.aclose()


def _pinned(request: httpx.Request, host: str, address: str) -> httpx.Request:
    return httpx.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,  # `Host` is still the name
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": host},
    )


def is_allowed_url(url: str) -> bool:
    """Return whether a URL is http or https on its default port, without user and password."""
    try:
        parts = urlsplit(url)
        is_default_port = parts.scheme in PORTS and parts.port in (None, PORTS[parts.scheme])
    except ValueError:
        return False
    has_login = parts.username is not None or parts.password is not None
    return is_default_port and not has_login and len(url) <= MAX_URL_LENGTH and bool(URL.fullmatch(url))


def is_public_ip(address: str) -> bool:
    """Return whether an IP address is public, even if another one embeds it."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return all(ip.is_global and not ip.is_multicast and not ip.is_reserved for ip in _embedded(parsed))


def _embedded(address: IPv4Address | IPv6Address) -> list[IPv4Address | IPv6Address]:
    """Return the address, or the IPv4 addresses that an IPv6 address embeds."""
    if isinstance(address, IPv4Address):
        return [address]
    if address in NAT64:
        return [IPv4Address(int(address) & 0xFFFFFFFF)]
    embedded = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    return [ip for ip in embedded if ip is not None] or [address]
