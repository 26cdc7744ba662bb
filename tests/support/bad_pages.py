"""Responses of web sites that are wrong in every known way, each with the market rule that must apply to it."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

NAME = "Thing x{number}"  # a title with the number 404 would say that the page was not found
TITLE = f"<title>{NAME}</title>"
MISSING = b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
DEEP = '<script type="application/ld+json">' + "[" * 1_020 + "]" * 1_020 + "</script>"
MONSTROUS_DATE = "Mon, 01 Jan 2024 00:00:00 +99999999999999999999"


@dataclass(frozen=True, slots=True)
class Kind:
    """A response to an address, and to robots.txt on its host. `has_host`: no other address is on that host."""

    rule: str
    status: str = "200 OK"
    headers: tuple[str, ...] = ("Content-Type: text/html; charset=utf-8",)
    body: str | bytes = TITLE
    robots: bytes = MISSING
    has_host: bool = False


def robots(text: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + text


def redirect(target: str) -> bytes:
    return f"HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: {target}\r\n\r\n".encode()


HTML, GZIP = "Content-Type: text/html", "Content-Encoding: gzip"
KINDS: Mapping[str, Kind] = {
    "named": Kind("named-in-title"),
    "unnamed": Kind("not-named", body="<title>Shop</title>"),
    "missing": Kind("gone", "404 Not Found"),
    "undefined": Kind("named-in-title", headers=("Content-Type: text/html; charset=undefined",)),
    "idna": Kind("named-in-title", headers=("Content-Type: text/html; charset=idna",)),
    "etag": Kind("named-in-title", headers=(HTML, "ETag: é")),
    "deep": Kind("named-in-title", body=TITLE + DEEP),
    "pdf": Kind("not-a-page", headers=("Content-Type: application/pdf",)),
    "location": Kind("address", "302 Found", (HTML, "Location: :http://[x")),
    "loop": Kind("redirects", "302 Found", (HTML, "Location: ?again")),
    "layers": Kind("not-a-page", headers=(HTML, "Content-Encoding: gzip, gzip"), body=gzip.compress(b"x")),
    "bomb": Kind("too-large", headers=(HTML, GZIP), body=gzip.compress(b" " * 200_000_000)),
    "large": Kind("too-large", body="word " * 700_000),
    "damaged": Kind("no-answer", headers=(HTML, GZIP), body="not compressed", has_host=True),
    "date": Kind("no-answer", "503 Busy", (f"Retry-After: {MONSTROUS_DATE}",), has_host=True),
    "header": Kind("no-answer", headers=("X: " + "x" * 200_000,), has_host=True),
    "hangup": Kind("no-answer", "", has_host=True),
    "robots": Kind("robots", robots=robots(b"User-agent: *\nDisallow: /\n" + b"# \xff\0\n" * 200_000), has_host=True),
    "robots-redirect": Kind("robots", robots=redirect(":http://[x"), has_host=True),
    "robots-delay": Kind("robots", robots=robots(b"User-agent: *\nCrawl-delay: 86400"), has_host=True),
}
# Seconds each, so that there is one address of them in a hundred.
SLOW_KINDS: Mapping[str, Kind] = {
    "nested": Kind("too-slow", body="<div>x" * 400_000),
    "wide": Kind("too-large", body="<p>x" * 700_000),
}
ALL_KINDS = {**KINDS, **SLOW_KINDS}


def addresses(count: int) -> list[tuple[str, str]]:
    """Return addresses with every kind mixed, and the rule of each; the number of an address is in its path."""
    names, slow = list(KINDS), list(SLOW_KINDS)
    chosen = [slow[n // 50 % len(slow)] if n % 50 == 49 else names[n % len(names)] for n in range(count)]
    hosts = [f"{name}-{n}" if ALL_KINDS[name].has_host else f"shop-{n % 12}" for n, name in enumerate(chosen)]
    return [
        (f"https://{host}.example/{name}/{n}", ALL_KINDS[name].rule)
        for n, (name, host) in enumerate(zip(chosen, hosts, strict=True))
    ]


async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Respond to one request; the visitor may close the connection at any time."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        writer.write(response_to(head))
        await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        writer.transport.abort()
    writer.close()


def response_to(head: str) -> bytes:
    """Return the response of the kind that the path names, or for robots.txt the host."""
    path, _, _ = head.split()[1].partition("?")
    if path == "/robots.txt":
        host = next(line for line in head.splitlines() if line.lower().startswith("host:")).partition(": ")[2]
        kind = ALL_KINDS.get(host.removesuffix(".example").rpartition("-")[0])
        return kind.robots if kind else MISSING
    name, _, number = path.strip("/").partition("/")
    return response(ALL_KINDS[name], number) if name in ALL_KINDS else MISSING


def response(kind: Kind, number: str) -> bytes:
    body = kind.body if isinstance(kind.body, bytes) else kind.body.replace("{number}", number).encode()
    lines = (f"HTTP/1.1 {kind.status}", "Connection: close", f"Content-Length: {len(body)}", *kind.headers, "", "")
    return "\r\n".join(lines).encode() + body if kind.status else b""


@asynccontextmanager
async def bad_sites() -> AsyncIterator[int]:
    """Serve all hosts on one port of this machine, and yield the port."""
    server = await asyncio.start_server(respond, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
