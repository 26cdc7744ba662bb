"""Requests that can only reach the public internet: the address that is checked is the address that is connected to."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

import httpx

from indexer.market.addresses import PORTS, is_public

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

TRIED = 2  # addresses of one name


class PrivateAddressError(httpx.TransportError):
    """The name leads to a machine that is not on the public internet."""


async def resolve(host: str, port: int) -> list[str]:
    """The IP addresses of a name, IPv4 first, as many machines have no way to IPv6; raise OSError where it has none."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    ordered = sorted(found, key=lambda one: one[0] != socket.AF_INET)
    return list(dict.fromkeys(str(one[4][0]) for one in ordered))


class PublicTransport(httpx.AsyncBaseTransport):
    """Looks each name up once, refuses if any of its addresses is private, and connects to what was looked at.

    A name that answers differently the next time (rebinding) therefore gains nothing. The name itself goes on in `Host`
    and in the TLS handshake, so certificates are checked against it.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport | None = None, look_up: Resolve = resolve) -> None:
        # Connections are not kept: two names on one machine would share one that was made for the other's certificate.
        alone = httpx.Limits(max_keepalive_connections=0)
        self._inner = inner or httpx.AsyncHTTPTransport(limits=alone, trust_env=False)
        self._look_up = look_up

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request to a checked address."""
        host = request.url.raw_host.decode("ascii")  # as it stands in DNS and certificates
        try:
            addresses = await self._look_up(host, request.url.port or PORTS[request.url.scheme])
        except (OSError, UnicodeError) as error:  # the second for names that no resolver would take
            raise httpx.ConnectError(f"{host} has no address: {error}", request=request) from error
        if not addresses or not all(map(is_public, addresses)):
            raise PrivateAddressError(f"{host} leads into a private network", request=request)
        return await self._connect(request, host, addresses[:TRIED])

    async def _connect(self, request: httpx.Request, host: str, addresses: Sequence[str]) -> httpx.Response:
        *first, last = addresses
        for address in first:
            try:
                return await self._inner.handle_async_request(_pinned(request, host, address))
            except httpx.ConnectError:
                continue
        return await self._inner.handle_async_request(_pinned(request, host, last))

    async def aclose(self) -> None:
        """Close what lies below."""
        await self._inner.aclose()


def _pinned(request: httpx.Request, host: str, address: str) -> httpx.Request:
    return httpx.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,  # `Host` still is the name
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": host},
    )
