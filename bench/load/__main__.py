"""Load tests of a service with hostile clients, overload and shutdown, on a node with a release.

    python -m bench.load hostile
    python -m bench.load overload
    python -m bench.load drain

Each command starts and stops its services on this machine. The clients use processor time too: on two cores, the
service has what they leave.
"""

import asyncio
import contextlib
import itertools
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from functools import partial
from typing import Annotated

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

CLIENTS = 32
SEED = 20_261_121
CHUNK = b"x" * 65_536
LONG_HEADER = b"GET /search?query=a HTTP/1.1\r\nHost: a\r\nX-Long: "
LARGE_BODY = (
    b"POST /recommend HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1073741824\r\n\r\n"
)
SLOW_LETTERS = [bytes((letter,)) for letter in b"GET /search?query=" + b"a" * 20]
ATTACKS = (  # name, chunks, seconds after each, and clients at once
    ("Headers of 64 MB", [LONG_HEADER, *[CHUNK] * 1024], 0.0, 16),
    ("Bodies of 1 GB", [LARGE_BODY, *[CHUNK] * 16_384], 0.0, 16),
    ("Slow clients", SLOW_LETTERS, 0.25, 500),
)
WARM_UP_SECONDS, OVERLOAD_FACTOR = 5.0, 4
MAX_OPEN = 900  # requests that wait for a response; more are not sent, and counted
QUERIES = (
    *("adhd", "low vision", "back pain", "screen reader", "anxiety"),
    *("telework", "deaf", "fatigue", "lifting", "noise"),
)
out = Console(highlight=False, soft_wrap=True)
app = typer.Typer(no_args_is_help=True, help=__doc__)


def serving(**settings: str) -> contextlib.AbstractContextManager[Served]:
    url = engine_urls(settings_from_environment())[0]
    return process({"AKG_RATE_LIMIT": "0", "AKG_USAGE_MONTHS": "0", "AKG_OPENSEARCH_URL": url, **settings})


@app.command()
def hostile(count: Annotated[int, typer.Argument(help="Malformed requests.")] = 50_000) -> None:
    """Send malformed requests, 64 MB headers, 1 GB bodies and slow requests; print the memory of the service."""
    with serving(AKG_CLIENT_TIMEOUT_SECONDS="2", AKG_DEADLINE_SECONDS="20") as served:
        asyncio.run(malformed(served.port, count))
        for name, chunks, pause_seconds, times in ATTACKS:
            asyncio.run(attack(name, served, partial(send_until_closed, chunks, pause_seconds), times))


async def malformed(port: int, count: int) -> None:
    """Send `count` malformed requests; print the statuses and all wrong responses."""
    began = time.perf_counter()
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("Malformed", total=count)
        got = await send_requests(
            port, itertools.islice(requests(SEED), count), CLIENTS, lambda: progress.advance(task)
        )
    statuses = Counter(answer[9:12].decode() or "none" for _, answer in got)
    invalid = [(request, problem) for request, answer in got if (problem := response_error(request, answer))]
    out.print(
        f"{len(got):,} malformed requests in {time.perf_counter() - began:.0f} s: {dict(sorted(statuses.items()))}"
    )
    out.print(f"{len(invalid)} of them with a server error or an invalid body")
    for request, problem in invalid[:20]:
        out.print(f"  {request[:300]!r}\n    {problem}", markup=False)


async def attack(name: str, served: Served, kind: Callable[[int], Awaitable[int]], times: int) -> None:
    """Run `times` concurrent attacks; print the initial and peak memory, and the latency of another client."""
    service_process = psutil.Process(served.process.pid)
    before = peak = service_process.memory_info().rss
    began = time.perf_counter()
    async with steady_client(served.url) as durations:
        running = asyncio.gather(*(kind(served.port) for _ in range(times)))
        while not running.done():
            peak = max(peak, service_process.memory_info().rss)
            await asyncio.sleep(0.05)
        sent = await running
    p99 = 1000 * percentile(durations, 0.99)
    out.print(
        f"{name}: {times} at once, {sum(sent) / 1e6:,.1f} MB sent in {time.perf_counter() - began:.1f} s; memory "
        f"{before / 1e6:.0f} → {peak / 1e6:.0f} MB; other client: {len(durations)} responses, p99 {p99:.0f} ms"
    )


@contextlib.asynccontextmanager
async def steady_client(url: str) -> AsyncIterator[list[float]]:
    """Run a client that searches constantly; yield the response times in seconds."""
    durations: list[float] = []

    async def search(session: aiohttp.ClientSession) -> None:
        while True:
            began = time.perf_counter()
            async with session.get(f"{url}/search?query=adhd&limit=5", headers={"Connection": "close"}) as response:
                assert response.ok, await response.text()
                await response.read()
            durations.append(time.perf_counter() - began)
            await asyncio.sleep(0.05)

    async with aiohttp.ClientSession() as session:
        searching = asyncio.create_task(search(session))
        try:
            yield durations
        finally:
            searching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await searching


async def send_until_closed(chunks: Iterable[bytes], pause_seconds: float, port: int) -> int:
    """Send chunks with pauses, until the service closes the connection; return the number of bytes sent."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    sent = 0
    with contextlib.suppress(ConnectionError):
        for chunk in chunks:
            writer.write(chunk)
            sent += len(chunk)
            await writer.drain()
            await asyncio.sleep(pause_seconds)
            if reader.at_eof() or writer.transport.is_closing():
                break
    writer.close()
    return sent


@app.command()
def overload(seconds: Annotated[float, typer.Argument(help="Duration.")] = 60.0) -> None:
    """Send requests at four times the capacity of the service; report accepted and rejected requests."""
    with serving() as served:
        asyncio.run(run_overload(served.port, seconds))


async def run_overload(port: int, seconds: float) -> None:
    """Measure the capacity of the service, send four times as many requests, and print a report."""
    clients = Clients(port)
    await measure_capacity(clients)  # warm-up: the first responses are slower
    peak = await measure_capacity(clients)
    out.print(f"Saturated: {peak:,.0f} responses per second, {CLIENTS} clients")
    outcome, unsent = await send_at_rate(clients, OVERLOAD_FACTOR * peak, seconds)
    after = await recovery(clients)
    sent = outcome.statuses.total() + len(outcome.lost)
    out.print(
        f"{OVERLOAD_FACTOR} times that for {seconds:.0f} s: {sent:,} sent, lost {outcome.lost}, {unsent:,} not sent"
    )
    for status, durations in sorted(outcome.seconds.items()):
        p50, p99, longest = (1000 * percentile(durations, share) for share in (0.5, 0.99, 1))
        out.print(
            f"  {status}: {len(durations):,} responses, p50 {p50:,.0f} ms, p99 {p99:,.0f} ms, most {longest:,.0f} ms"
        )
    out.print(f"Recovered {after:.2f} s after")


class Clients:
    """Connection pool of one service."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
        self._queries = (f"{word} {number}" for number in itertools.count() for word in QUERIES)
        self.open = 0

    async def search(self, outcome: Outcome) -> None:
        self.open += 1
        word = next(self._queries).replace(" ", "%20")
        request = f"GET /search?query={word}&limit=10 HTTP/1.1\r\nHost: a\r\n\r\n".encode()
        try:
            connection = self._idle_connection() or await asyncio.open_connection("127.0.0.1", self._port)
            if await send_request(*connection, request, outcome):
                self._idle.append(connection)
            else:
                connection[1].close()
        except OSError as error:
            outcome.lost.append(type(error).__name__)
        finally:
            self.open -= 1

    def _idle_connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        """Return an open idle connection; the service closes those that are idle for long."""
        while self._idle:
            reader, writer = self._idle.pop()
            if not reader.at_eof():
                return reader, writer
            writer.close()
        return None


async def measure_capacity(clients: Clients) -> float:
    """Return the responses per second of CLIENTS clients without pauses."""
    outcome = Outcome()
    ends = time.perf_counter() + WARM_UP_SECONDS

    async def work() -> None:
        while time.perf_counter() < ends:
            await clients.search(outcome)

    await asyncio.gather(*(work() for _ in range(CLIENTS)))
    return outcome.statuses[200] / WARM_UP_SECONDS


async def send_at_rate(clients: Clients, rate: float, seconds: float) -> tuple[Outcome, int]:
    """Send `rate` requests per second; return their outcome, and the number that was not sent."""
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
    """Return the seconds until ten consecutive responses are 200."""
    began, in_a_row = time.perf_counter(), 0
    while in_a_row < 10:
        outcome = Outcome()
        await clients.search(outcome)
        in_a_row = in_a_row + 1 if outcome.statuses[200] else 0
    return time.perf_counter() - began


@app.command()
def drain(rounds: Annotated[int, typer.Argument(help="Services to terminate.")] = 20) -> None:
    """Send SIGTERM under load in each round; report lost requests and the duration of the shutdown."""
    lost = 0
    for number in range(1, rounds + 1):
        with serving(AKG_DRAIN_SECONDS="1", AKG_DEADLINE_SECONDS="10") as served:
            outcome, seconds, code = asyncio.run(terminate(served, 50 + 37 * number))
        lost += len(outcome.lost)
        responses = outcome.statuses.total()
        out.print(f"{number:>3}: {responses:,} answered, lost {outcome.lost}, ended after {seconds:.1f} s with {code}")
    out.print(f"{lost} requests lost in {rounds} rounds")


async def terminate(served: Served, after: int) -> tuple[Outcome, float, int]:
    """Terminate a service after some responses; return the outcome, the seconds of shutdown and the exit code."""
    outcome = Outcome()
    load = asyncio.create_task(send_until_refused(served.port, CLIENTS, outcome))
    await asyncio.wait_for(outcome.wait_for_responses(after), SHUTDOWN_SECONDS)
    began = time.perf_counter()
    served.process.send_signal(signal.SIGTERM)
    await asyncio.wait_for(load, SHUTDOWN_SECONDS)
    code = await asyncio.to_thread(served.process.wait, SHUTDOWN_SECONDS)
    return outcome, time.perf_counter() - began, code


if __name__ == "__main__":
    app()
