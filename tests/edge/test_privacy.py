"""Text from clients is stored nowhere: not in logs, metrics, indices, exports, crash reports or files of the edge."""

import asyncio
import itertools
import os
import re
import resource
import secrets
import signal
import socket
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import orjson
from opensearchpy import OpenSearch

from tests.support.edge import Edge, edge
from tests.support.misbehaving_servers import rejecting
from tests.support.serving import SHUTDOWN_SECONDS, Served, free_port, process

ADDRESS = "127.77.66.55"  # source address of all requests: loopback, used by no other program
FORWARDED = "203.0.113.199"
CONCURRENCY = 6
TIMEOUT_SECONDS = 30.0

SETTINGS = {
    "AKG_LOG_LEVEL": "debug",
    "AKG_RATE_LIMIT": "10000",
    "AKG_TRUSTED_PROXIES": "1",
    "AKG_DRAIN_SECONDS": "0",
    "AKG_CLIENT_TIMEOUT_SECONDS": "0.5",
    "AKG_IDLE_SECONDS": "1",  # some requests keep their connection open and read to the end
    "AKG_DEADLINE_SECONDS": "20",  # each must reach OpenSearch, even on a busy machine
    "AKG_ALIAS": "akg-world",
    "AKG_USAGE_INDEX": "akg-usage-canary",
}
# Beside the folders of the test: where nginx and the service could write, whatever their settings say.
DISKS = tuple(map(Path, ("/var/log/nginx", "/var/lib/nginx", "/var/cache/nginx", tempfile.gettempdir())))
HOSTS = "service,127.0.0.1,[::1],a"
PUBLIC = ("/usage", "/export", "/openapi.json", "/graph")

TARGETS = (
    *("/search?query=@", "/search?query=adhd%20@", "/search?query=%22@%22*~(", "/search?query=%ff%00@", "/search?@=1"),
    *("/search?query=a&@=1", "/search?query=a&limit=@", "/search?query=a&scope=@", "/search?query=a&synonyms=@"),
    *("/suggest?query=@", "/suggest?query=@&scope=@", "/connections?from=@&to=telework", "/connections?from=adhd&to=@"),
    *("/disability?ids=@", "/disability?offset=@", "/disability/@", "/disability/@/neighbors?edge=affects"),
    *("/disability/crohns-disease/neighbors?edge=@", "/related_conditions/@", "/export/@", "/export/entities.ndjson@"),
    *("/@", "/@/telework", "/@/x/neighbors?edge=a", "/a/b/c/@", "//@//", "/%2e%2e/@", "/usage?days=@", "/usage?@=1"),
    *("/explore/search?query=@", "/explore/disability/@", "/explore/@", "/explore/@/x/y", "/explore/static/@"),
    *("/explore/recommend?disability=@", "/explore/connections?from=@&to=adhd", "/explore/compare?first=@&second=adhd"),
    *("/healthz?@=1", "/readyz/@", "/openapi.json?@=1", "/mcp?@=1", "/mcp/@", "/metrics?@", "/graph#@", "*@"),
)
HEADERS = (
    *("User-Agent", "Referer", "Cookie", "Authorization", "Accept", "Accept-Language", "If-None-Match", "Range"),
    *("Origin", "X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Request-Id", "traceparent", "Host", "Content-Type"),
    *("Expect", "Upgrade", "Transfer-Encoding", "Content-Length", "Mcp-Session-Id", "MCP-Protocol-Version", "X-@"),
)
BODIES = (
    *('{"disability": "@"}', '{"limitation": "@"}', '{"work_function": "@"}', '{"occupation": "@"}', '{"@": 1}'),
    *('{"disability": "adhd", "limit": "@"}', '{"disability": ["@"]}', '"@"', '["@"]', '{"disability": "@', "@"),
    *('{"disability": "\\ud800@"}', '{"disability": {"@": {"@": NaN}}}', '{"disability": "@", "disability": "b"}'),
)
PIECES = (  # fragments of requests
    *("@ /search HTTP/1.1\r\nHost: a\r\n\r\n", "GET /search HTTP/@\r\n\r\n", "@\r\n\r\n"),
    "CONNECT @:80 HTTP/1.1\r\n\r\n",
    *("GET http://@/search?query=@ HTTP/1.1\r\nHost: @\r\n\r\n", "GET /a HTTP/1.1\r\n@\r\n\r\n", "GET /@", "DELETE /@"),
    *("DELETE /disability/@ HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS /@ HTTP/1.1\r\nHost: a\r\nOrigin: @\r\n\r\n"),
    "POST /recommend HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n@",
    "POST /recommend HTTP/1.1\r\nHost: a\r\nContent-Type: text/@\r\nContent-Length: 2\r\n\r\n{}",
    "POST /mcp HTTP/1.1\r\nHost: [::1]\r\nTransfer-Encoding: chunked\r\n\r\n3;@=1\r\n{@}\r\n0\r\nX-Trailer: @\r\n\r\n",
    "GET /search?query=@" + "a" * 20_000 + " HTTP/1.1\r\n\r\n",
    "GET /search?query=a HTTP/1.1\r\nX-Long: @" + "a" * 40_000 + "\r\n\r\n",
)
ARGUMENTS: dict[str, dict[str, str]] = {
    "search_accommodations": {"query": "@", "scope": "@", "@": "1"},
    "recommend_accommodations": {"disability": "@", "limitation": "@", "work_function": "@", "occupation": "@"},
    "get_entity": {"id": "@", "type": "@"},
    "get_related": {"id": "disability:crohns-disease", "edge": "@"},
    "related_conditions": {"id": "crohns-disease", "other": "@"},
    "connections": {"start": "@", "end": "adhd"},
    "list_entities": {"type": "@"},
    "search": {"query": "@"},
    "fetch": {"id": "disability:@"},
    "@": {},
}
CALLS: tuple[dict[str, Any], ...] = (
    *(
        {"method": "tools/call", "params": {"name": name, "arguments": arguments}}
        for name, arguments in ARGUMENTS.items()
    ),
    {
        "method": "tools/call",
        "params": {"name": "search", "arguments": {"query": "a"}, "_meta": {"progressToken": "@"}},
    },
    {"method": "tools/call", "params": "@"},
    {"method": "@", "params": {"@": "@"}},
    {"method": "resources/read", "params": {"uri": "akg://entity/disability/@"}},
    {"method": "resources/read", "params": {"uri": "@"}},
    {"method": "prompts/get", "params": {"name": "@", "arguments": {"@": "@"}}},
    {"method": "prompts/get", "params": {"name": "explain_connection", "arguments": {"first": "@", "second": "@"}}},
    {"method": "logging/setLevel", "params": {"level": "@"}},
    {"method": "initialize", "params": {"clientInfo": {"name": "@", "version": "@"}, "protocolVersion": "@"}},
    {"method": "notifications/@"},
    {"jsonrpc": "@"},
    {"id": "@", "method": "ping"},
)


class Canaries:
    """Raw requests, each with a unique word; all words have the same random prefix."""

    def __init__(self) -> None:
        self.prefix = f"zq{secrets.token_hex(6)}"
        self.began = time.time()
        self._numbers = itertools.count(1)

    def requests(self, *, malformed: bool) -> Iterator[tuple[str, bytes]]:
        """Yield each position of the word with its request, with new words each time."""
        for place, request in (*templates(), *(fragments() if malformed else ())):
            word = f"{self.prefix}{next(self._numbers):04}"
            forwarded = request.replace("\r\n\r\n", f"\r\nX-Forwarded-For: {FORWARDED}\r\n\r\n", 1)
            yield place, forwarded.replace("@", word).encode()


def templates() -> Iterator[tuple[str, str]]:
    """Yield each position of the word with its request, with `@` as a placeholder for the word."""
    for target in TARGETS:
        yield target, f"GET {target} HTTP/1.1\r\nHost: service\r\nConnection: close\r\n\r\n"
    for name in HEADERS:
        value = "text/@, 1" if name == "Accept" else "@"
        yield name, f"GET /search?query=adhd HTTP/1.1\r\nConnection: close\r\n{name}: {value}\r\n\r\n"
        yield f"{name} of MCP", post("/mcp", '{"method": "ping"}', f"{name}: {value}\r\n")
    for body in (*BODIES, '{"disability": "@' + "a" * 70_000 + '"}'):
        yield f"/recommend {body[:40]}", post("/recommend", body)
    for call in CALLS:
        body = orjson.dumps({"jsonrpc": "2.0", "id": 1, **call}).decode()
        yield body, post("/mcp", body)


def fragments() -> Iterator[tuple[str, str]]:
    """Yield requests that are incomplete or no HTTP, with the placeholder; the edge ends them."""
    for piece in PIECES:
        yield piece[:40], piece


def post(path: str, body: str, fields: str = "") -> str:
    length = len(body.replace("@", "x" * 18))  # the length of a word
    types = "Content-Type: application/json\r\nAccept: application/json\r\n"
    host = "" if fields.startswith("Host") else "Host: 127.0.0.1\r\n"  # MCP rejects other hosts
    head = f"POST {path} HTTP/1.1\r\nConnection: close\r\n{host}{types}Content-Length: {length}\r\n{fields}"
    return f"{head}\r\n{body}"


async def send_all(port: int, requests: Iterable[tuple[str, bytes]]) -> dict[str, bytes]:
    slots = asyncio.Semaphore(CONCURRENCY)

    async def send(place: str, request: bytes) -> tuple[str, bytes]:
        async with slots, asyncio.timeout(TIMEOUT_SECONDS):
            return place, await response_to(port, request)

    return dict(await asyncio.gather(*(send(*request) for request in requests)))


async def response_to(port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(ADDRESS, 0))
    try:
        writer.write(request)
        if writer.can_write_eof() and b"\r\n\r\n" not in request:
            writer.write_eof()
        return await reader.read()
    except ConnectionResetError:  # rejected before all of it was sent
        return b""
    finally:
        writer.close()


async def test_no_text_from_clients_is_stored(
    service: httpx.AsyncClient, node_url: str, client: OpenSearch, guarded_folder: Path, tmp_path: Path
) -> None:
    assert service  # the world is published
    for name in ("healthy", "failing"):
        (tmp_path / name).mkdir()
    canaries = Canaries()
    traces = await _traces(node_url, tmp_path / "healthy", canaries, signal.SIGTERM)
    async with rejecting() as (failing, paths):
        traces |= await _traces(failing, tmp_path / "failing", canaries, signal.SIGABRT)
    assert "/akg-world-f5/_search" in {path.partition("?")[0] for path in paths}
    traces["paths of requests to OpenSearch"] = " ".join(paths).encode()
    traces |= _index_contents(client)
    for folder in (tmp_path, guarded_folder):
        traces |= dict(_files(folder))
    assert _written_with(canaries) == []  # also after both have stopped
    pattern = re.compile(f"{canaries.prefix}|{re.escape(ADDRESS)}|{re.escape(FORWARDED)}".encode())
    assert [
        place for place, text in traces.items() if pattern.search(text.lower()) or pattern.search(place.encode())
    ] == []


async def _traces(url: str, folder: Path, canaries: Canaries, end: signal.Signals) -> dict[str, bytes]:
    """Send all requests to a service over this OpenSearch, stop it, and return its output and responses by location."""
    admin = str(free_port())
    settings = {**SETTINGS, "AKG_OPENSEARCH_URL": url, "AKG_ADMIN_PORT": admin, "TMPDIR": str(folder)}
    with process(settings, folder) as served, edge(served.url, folder, EDGE_HOSTS=HOSTS) as front:
        resource.prlimit(served.process.pid, resource.RLIMIT_CORE, (0, 0))  # no core dump
        echoes = await send_all(served.port, canaries.requests(malformed=False))
        through_edge = await send_all(front.port, canaries.requests(malformed=True))
        assert sum(canaries.prefix.encode() in echo for echo in through_edge.values()) > len(through_edge) / 10
        _send_broken_tls(front.tls_port)
        _check_files_of(front, served)
        assert _written_with(canaries) == []  # while both run
        assert sum(canaries.prefix.encode() in echo for echo in echoes.values()) > len(echoes) / 10  # echoed
        assert sum(b'"jsonrpc"' in echo for echo in echoes.values()) > 15  # reached the MCP server
        async with httpx.AsyncClient(timeout=SHUTDOWN_SECONDS) as client:
            responses = [await client.get(f"http://127.0.0.1:{admin}/metrics")]
            responses += [await client.get(served.url + path) for path in PUBLIC]
        assert b"akg_requests_total" in responses[0].content
        assert front.stop() == 0
        served.process.send_signal(end)
        await asyncio.to_thread(served.process.wait, SHUTDOWN_SECONDS)
        log = served.log.read_bytes()
    assert not front.folder.exists()
    assert log.count(b'"event":"request"') >= len(echoes) - 5  # incomplete requests are not logged
    assert (b"Fatal Python error" in log) == (end == signal.SIGABRT)
    name = folder.name
    return {f"log, {name}": log, **{f"{response.url.path}, {name}": response.content for response in responses}}


def _send_broken_tls(port: int) -> None:
    """Send what nginx reports with the address of the client at its usual levels."""
    for text in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 600):
        with socket.create_connection(("127.0.0.1", port), TIMEOUT_SECONDS, (ADDRESS, 0)) as connection:
            connection.sendall(text)
            connection.shutdown(socket.SHUT_WR)
            with suppress(ConnectionResetError):
                connection.recv(1_000)


def _check_files_of(front: Edge, served: Served) -> None:
    """Check that whatever nginx and the service have open is a log, or in a folder in memory that is closed to others.

    The service has its program open too, for reading.
    """
    assert stat.S_IMODE(front.folder.stat().st_mode) == 0o700
    master = int((front.folder / "nginx.pid").read_text())
    workers = Path(f"/proc/{master}/task/{master}/children").read_text().split()
    for pid, log in ((served.process.pid, served.log), *((pid, front.log) for pid in (master, *map(int, workers)))):
        files = {path for path in _open_for_writing(pid) if path.is_absolute() and not path.is_relative_to("/dev")}
        assert files <= {log}, files
    kept = [path for path in (front.folder / "cache").rglob("*") if path.is_file()]
    assert kept  # there was something to keep


def _open_for_writing(pid: int) -> Iterator[Path]:
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            flags = re.search(r"flags:\s*(\d+)", Path(f"/proc/{pid}/fdinfo/{link.name}").read_text())
            if flags and int(flags[1], 8) & os.O_ACCMODE != os.O_RDONLY:
                yield link.readlink()


def _written_with(canaries: Canaries) -> list[str]:
    """Return the files on a disk that were written since the test began and have one of its words."""
    found = []
    for path in itertools.chain.from_iterable(folder.rglob("*") for folder in DISKS):
        with suppress(OSError):  # deleted meanwhile, or of another user
            if (
                path.is_file()
                and path.stat().st_mtime >= canaries.began
                and canaries.prefix.encode() in path.read_bytes()
            ):
                found.append(str(path))
    return found


def _index_contents(client: OpenSearch) -> dict[str, bytes]:
    client.indices.flush(index="akg-usage-canary-*")
    client.indices.refresh(index="akg-usage-canary-*")
    counted = client.search(index="akg-usage-canary-*", body={"size": 10_000})
    assert counted["hits"]["hits"]
    named = client.indices.get(index="*", params={"expand_wildcards": "all"})
    return {"counts": orjson.dumps(counted), "indices": orjson.dumps(named)}


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every file of the folder: logs and data of the node, and files of the service."""
    for path in folder.rglob("*"):
        try:
            yield str(path), path.read_bytes() if path.is_file() else b""
        except FileNotFoundError:  # the node deleted it
            continue
