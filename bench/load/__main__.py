"""Load tests of a service under hostile clients, under overload and at its end, beside a node with a release.

    python -m bench.load hostile
    python -m bench.load overload
    python -m bench.load drain

Each starts services of its own on this machine and ends them. The clients take processor time too: on two cores the
service has what they leave.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import signal
import time
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import aiohttp
import psutil
import typer
from rich.console import Console
from rich.progress import Progress

from akg.connection import engine_urls, settings_from_environment
from bench.figures import percentile
from tests.support.load import Outcome, send_request, send_until_refused
from tests.support.malformed_requests import requests, response_error, send_requests
from tests.support.serving import SHUTDOWN_SECONDS, Served, process

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

CLIENTS = 32
SEED = 20_261_121
LARGE_HEADERS, LARGE_BODIES, SLOW_CLIENTS = 16, 16, 500  # at once
PIECE = b"x" * 65_536
WARM_UP_SECONDS, OVERLOAD = 5.0, 4
MAX_OPEN = 900  # requests that wait for a response; more are not sent, and counted
WORDS = (
    *("adhd", "low vision", "back pain", "screen reader", "anxiety"),
    *("telework", "deaf", "fatigue", "lifting", "noise"),
)
out = Console(highlight=False, soft_wrap=True)
app = typer.Typer(no_args_is_help=True, help=__doc__)


def serving(**settings: str) -> contextlib.AbstractContextManager[Served]:
    """A service without limits and counts of usage, over the node of this environment."""
    url = engine_urls(settings_from_environment())[0]
    return process({"AKG_RATE_LIMIT": "0", "AKG_USAGE_MONTHS": "0", "AKG_OPENSEARCH_URL": url, **settings})


@app.command()
def hostile(count: Annotated[int, typer.Argument(help="Malformed requests.")] = 50_000) -> None:
    """Send malformed requests, 64 MB of headers and 1 GB bodies, and be slow; memory is that of the service."""
    with serving(AKG_CLIENT_TIMEOUT_SECONDS="2", AKG_DEADLINE_SECONDS="20") as served:
        asyncio.run(malformed(served.port, count))
        asyncio.run(attack("Heads of 64 MB", served, large_headers, LARGE_HEADERS))
        asyncio.run(attack("Bodies of 1 GB", served, large_body, LARGE_BODIES))
        asyncio.run(attack("Slow clients", served, slow, SLOW_CLIENTS))


async def malformed(port: int, count: int) -> None:
    """Send so many malformed requests; print the statuses, and whatever was wrong."""
    began = time.perf_counter()
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("Malformed", total=count)
        got = await send_requests(
            port, itertools.islice(requests(SEED), count), CLIENTS, lambda: progress.advance(task)
        )
    statuses = Counter(answer[9:12].decode() or "none" for _, answer in got)
    bad = [(request, said) for request, answer in got if (said := response_error(request, answer))]
    out.print(
        f"{len(got):,} malformed requests in {time.perf_counter() - began:.0f} s: {dict(sorted(statuses.items()))}"
    )
    out.print(f"{len(bad)} of them with a failure of ours or a body of another shape")
    for request, said in bad[:20]:
        out.print(f"  {request[:300]!r}\n    {said}", markup=False)


async def attack(name: str, served: Served, kind: Callable[[int], Awaitable[int]], times: int) -> None:
    """Make so many attacks at once; print memory before and at most, and how other clients fared."""
    watched = psutil.Process(served.process.pid)
    before = most = watched.memory_info().rss
    began = time.perf_counter()
    async with steady_client(served.url) as took:
        running = asyncio.gather(*(kind(served.port) for _ in range(times)))
        while not running.done():
            most = max(most, watched.memory_info().rss)
            await asyncio.sleep(0.05)
        sent = await running
    p99 = 1000 * percentile(took, 0.99)
    out.print(
        f"{name}: {times} at once, {sum(sent) / 1e6:,.1f} MB sent in {time.perf_counter() - began:.1f} s; memory "
        f"{before / 1e6:.0f} → {most / 1e6:.0f} MB; others: {len(took)} answers, p99 {p99:.0f} ms"
    )


@contextlib.asynccontextmanager
async def steady_client(url: str) -> AsyncIterator[list[float]]:
    """A client that searches all the while: the seconds that each response took."""
    took: list[float] = []

    async def search(session: aiohttp.ClientSession) -> None:
        while True:
            began = time.perf_counter()
            async with session.get(f"{url}/search?query=adhd&limit=5", headers={"Connection": "close"}) as response:
                assert response.ok, await response.text()
                await response.read()
            took.append(time.perf_counter() - began)
            await asyncio.sleep(0.05)

    async with aiohttp.ClientSession() as session:
        searching = asyncio.create_task(search(session))
        try:
            yield took
        finally:
            searching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await searching


async def large_headers(port: int) -> int:
    """Send 64 MB of headers, as far as they are taken; return the bytes that were."""
    return await flood(port, b"GET /search?query=a HTTP/1.1\r\nHost: a\r\nX-Long: ", 64_000_000)


async def large_body(port: int) -> int:
    """Declare a body of 1 GB and send it, as far as it is taken."""
    head = (
        b"POST /recommend HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1073741824\r\n\r\n"
    )
    return await flood(port, head, 1_073_741_824)


async def flood(port: int, head: bytes, size: int) -> int:
    """Send so many bytes after a head, until the service closes the connection."""
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
    """Send a head letter by letter, until the service closes the connection."""
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


@app.command()
def overload(seconds: Annotated[float, typer.Argument(help="For how long.")] = 60.0) -> None:
    """Send four times as much as the service can answer; report the requests that it takes and those it refuses."""
    with serving() as served:
        asyncio.run(press(served.port, seconds))


async def press(port: int, seconds: float) -> None:
    """Find what the service can do, send four times as much, and print the report."""
    clients = Clients(port)
    await saturated(clients)  # the first responses take longer than all others
    most = await saturated(clients)
    out.print(f"Saturated: {most:,.0f} answers per second, {CLIENTS} clients")
    outcome, unsent = await pressed(clients, OVERLOAD * most, seconds)
    after = await recovery(clients)
    sent = outcome.statuses.total() + len(outcome.lost)
    out.print(f"{OVERLOAD} times that for {seconds:.0f} s: {sent:,} sent, lost {outcome.lost}, {unsent:,} not sent")
    for status, took in sorted(outcome.seconds.items()):
        p50, p99, longest = (1000 * percentile(took, share) for share in (0.5, 0.99, 1))
        out.print(f"  {status}: {len(took):,} answers, p50 {p50:,.0f} ms, p99 {p99:,.0f} ms, most {longest:,.0f} ms")
    out.print(f"Recovered {after:.2f} s after")


class Clients:
    """Connections to one service, opened as they are needed and used again."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
        self._words = (f"{word} {number}" for number in itertools.count() for word in WORDS)
        self.open = 0

    async def search(self, outcome: Outcome) -> None:
        """Send one search, each time another."""
        self.open += 1
        word = next(self._words).replace(" ", "%20")
        request = f"GET /search?query={word}&limit=10 HTTP/1.1\r\nHost: a\r\n\r\n".encode()
        try:
            held = self._idle_connection() or await asyncio.open_connection("127.0.0.1", self._port)
            if await send_request(*held, request, outcome):
                self._idle.append(held)
            else:
                held[1].close()
        except OSError as error:
            outcome.lost.append(type(error).__name__)
        finally:
            self.open -= 1

    def _idle_connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        """A connection that is still open: the service closes those that are idle for long."""
        while self._idle:
            reader, writer = self._idle.pop()
            if not reader.at_eof():
                return reader, writer
            writer.close()
        return None


async def saturated(clients: Clients) -> float:
    """Responses per second, when so many clients search as fast as they get them."""
    outcome = Outcome()
    ends = time.perf_counter() + WARM_UP_SECONDS

    async def work() -> None:
        while time.perf_counter() < ends:
            await clients.search(outcome)

    await asyncio.gather(*(work() for _ in range(CLIENTS)))
    return outcome.statuses[200] / WARM_UP_SECONDS


async def pressed(clients: Clients, rate: float, seconds: float) -> tuple[Outcome, int]:
    """Send so many requests per second; return their outcome, and how many could not even be sent."""
    outcome, unsent = Outcome(), 0
    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number in range(round(rate * seconds)):
            wait = began + number / rate - time.perf_counter()
            if wait > 0:
                await asyncio.sleep(wait)
            if clients.open < MAX_OPEN:
                group.create_task(clients.search(outcome))
            else:
                unsent += 1
    return outcome, unsent


async def recovery(clients: Clients) -> float:
    """Seconds until ten requests in a row are answered with 200."""
    began, in_a_row = time.perf_counter(), 0
    while in_a_row < 10:
        outcome = Outcome()
        await clients.search(outcome)
        in_a_row = in_a_row + 1 if outcome.statuses[200] else 0
    return time.perf_counter() - began


@app.command()
def drain(rounds: Annotated[int, typer.Argument(help="Services to end.")] = 20) -> None:
    """Send SIGTERM under load, many times over; report the lost requests, and how long the end takes."""
    lost = 0
    for number in range(1, rounds + 1):
        with serving(AKG_DRAIN_SECONDS="1", AKG_DEADLINE_SECONDS="10") as served:
            outcome, seconds, code = asyncio.run(end(served, 50 + 37 * number))
        lost += len(outcome.lost)
        answered = outcome.statuses.total()
        out.print(f"{number:>3}: {answered:,} answered, lost {outcome.lost}, ended after {seconds:.1f} s with {code}")
    out.print(f"{lost} requests lost in {rounds} rounds")


async def end(served: Served, after: int) -> tuple[Outcome, float, int]:
    """End a service after so many responses; return the outcome, the seconds from signal to end, and the exit code."""
    outcome = Outcome()
    asking = asyncio.create_task(send_until_refused(served.port, CLIENTS, outcome))
    await asyncio.wait_for(outcome.wait_for_responses(after), SHUTDOWN_SECONDS)
    began = time.perf_counter()
    served.process.send_signal(signal.SIGTERM)
    await asyncio.wait_for(asking, SHUTDOWN_SECONDS)
    code = await asyncio.to_thread(served.process.wait, SHUTDOWN_SECONDS)
    return outcome, time.perf_counter() - began, code


if __name__ == "__main__":
    app()
