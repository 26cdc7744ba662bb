"""What a running service does with very many malformed requests, 64 MB of headers, 1 GB bodies and 500 slow clients.

Run by hand, beside a node with a release: `python -m bench.load.hostile`. It starts a
service of its own on this machine, asks nothing else, and ends by itself. Memory is that of the service's process.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import statistics
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

import psutil
from rich.console import Console
from rich.progress import Progress

from akg.connection import engine_urls, settings_from_environment
from tests.support.malformed_requests import answers, requests, wrong
from tests.support.serving import process

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

SEED = 20_261_121
MALFORMED, AT_ONCE = 50_000, 32
LARGE_HEADS, LARGE_BODIES, SLOW = 16, 16, 500
PIECE = b"x" * 65_536
SETTINGS = {
    "AKG_RATE_LIMIT": "0",
    "AKG_USAGE_MONTHS": "0",
    "AKG_CLIENT_TIMEOUT_SECONDS": "2",
    "AKG_DEADLINE_SECONDS": "20",
}
out = Console(highlight=False)


async def large_head(port: int) -> int:
    """Send 64 MB of headers, as far as they are taken; the bytes that were."""
    return await flood(port, b"GET /search?query=a HTTP/1.1\r\nHost: a\r\nX-Long: ", 64_000_000)


async def large_body(port: int) -> int:
    """Declare a body of 1 GB and send it, as far as it is taken."""
    head = (
        b"POST /recommend HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1073741824\r\n\r\n"
    )
    return await flood(port, head, 1_073_741_824)


async def flood(port: int, head: bytes, size: int) -> int:
    """Send so many bytes after a head, until the other side hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    sent = 0
    with contextlib.suppress(ConnectionError):
        writer.write(head)
        while sent < size and not (reader.at_eof() or writer.transport.is_closing()):
            writer.write(PIECE)
            sent += len(PIECE)
            await writer.drain()
    writer.close()
    return sent


async def slow(port: int) -> int:
    """Send a head letter by letter, for as long as that is borne."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    sent = 0
    with contextlib.suppress(ConnectionError):
        for letter in b"GET /search?query=" + b"a" * 20:
            writer.write(bytes((letter,)))
            sent += 1
            await asyncio.sleep(0.25)
            if reader.at_eof():
                break
    writer.close()
    return sent


@contextlib.asynccontextmanager
async def others(port: int) -> AsyncIterator[list[float]]:
    """Somebody who asks plainly all the while: the seconds that each answer took."""
    took: list[float] = []

    async def ask() -> None:
        while True:
            began = time.perf_counter()
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /search?query=adhd&limit=5 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            answer = await reader.read()
            writer.close()
            assert answer.startswith(b"HTTP/1.1 200"), answer[:200]
            took.append(time.perf_counter() - began)
            await asyncio.sleep(0.05)

    asking = asyncio.create_task(ask())
    try:
        yield took
    finally:
        asking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asking


async def attack(name: str, port: int, pid: int, kind: Callable[[int], Awaitable[int]], times: int) -> None:
    """So many at once: memory before and at most, and how others fared."""
    watched = psutil.Process(pid)
    before = most = watched.memory_info().rss
    began = time.perf_counter()
    async with others(port) as took:
        running = asyncio.gather(*(kind(port) for _ in range(times)))
        while not running.done():
            most = max(most, watched.memory_info().rss)
            await asyncio.sleep(0.05)
        sent = await running
    p99 = statistics.quantiles(took, n=100)[98] if len(took) > 1 else took[0]
    out.print(
        f"{name}: {times} at once, {sum(sent) / 1e6:,.1f} MB sent in {time.perf_counter() - began:.1f} s; memory "
        f"{before / 1e6:.0f} → {most / 1e6:.0f} MB; others: {len(took)} answers, p99 {p99 * 1000:.0f} ms"
    )


async def malformed(port: int, count: int) -> None:
    """So many malformed requests; the statuses, and whatever was wrong."""
    began = time.perf_counter()
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("Malformed", total=count)
        got = await answers(port, itertools.islice(requests(SEED), count), AT_ONCE, lambda: progress.advance(task))
    statuses = Counter(answer[9:12].decode() or "none" for _, answer in got)
    bad = [(request, said) for request, answer in got if (said := wrong(request, answer))]
    out.print(
        f"{len(got):,} malformed requests in {time.perf_counter() - began:.0f} s: {dict(sorted(statuses.items()))}"
    )
    out.print(f"{len(bad)} of them with a failure of ours or a body of another shape")
    for request, said in bad[:20]:
        out.print(f"  {request[:300]!r}\n    {said}", markup=False)


def main() -> None:
    """Start a service, attack it in turn, and print the report."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else MALFORMED
    url = engine_urls(settings_from_environment())[0]
    with process({**SETTINGS, "AKG_OPENSEARCH_URL": url}) as served:
        pid = served.process.pid
        asyncio.run(malformed(served.port, count))
        asyncio.run(attack("Heads of 64 MB", served.port, pid, large_head, LARGE_HEADS))
        asyncio.run(attack("Bodies of 1 GB", served.port, pid, large_body, LARGE_BODIES))
        asyncio.run(attack("Slow clients", served.port, pid, slow, SLOW))


if __name__ == "__main__":
    main()
