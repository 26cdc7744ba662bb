"""Four times as much as the service can answer, for a minute: how requests fare that it takes and those it refuses.

Run by hand, beside a node with a release: `python -m bench.load.overload [seconds]`. It
starts a service of its own on this machine, and ends by itself. The clients take processor time too: on two cores the
service has what they leave.
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
import sys
import time

from rich.console import Console

from akg.connection import engine_urls, settings_from_environment
from tests.support.load import Outcome, one
from tests.support.serving import process

SECONDS, WARM, TIMES, CLIENTS = 60.0, 5.0, 4, 32
MOST_OPEN = 900  # requests that wait for an answer; more are not sent, and counted
WORDS = (
    "adhd",
    "low vision",
    "back pain",
    "screen reader",
    "anxiety",
    "telework",
    "deaf",
    "fatigue",
    "lifting",
    "noise",
)
out = Console(highlight=False, soft_wrap=True)


class Clients:
    """Connections to one service, opened as they are needed and used again."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
        self._words = (f"{word} {number}" for number in itertools.count() for word in WORDS)
        self.open = 0

    async def ask(self, outcome: Outcome) -> None:
        """Ask one thing once."""
        self.open += 1
        word = next(self._words).replace(" ", "%20")
        request = f"GET /search?query={word}&limit=10 HTTP/1.1\r\nHost: a\r\n\r\n".encode()
        try:
            held = self._rested() or await asyncio.open_connection("127.0.0.1", self._port)
            if await one(*held, request, outcome):
                self._idle.append(held)
            else:
                held[1].close()
        except OSError as error:
            outcome.lost.append(type(error).__name__)
        finally:
            self.open -= 1

    def _rested(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        """A connection that is open still: the service closes those that rest for long."""
        while self._idle:
            reader, writer = self._idle.pop()
            if not reader.at_eof():
                return reader, writer
            writer.close()
        return None


async def saturated(clients: Clients) -> float:
    """Answers per second, when so many ask as fast as they are answered."""
    outcome = Outcome()
    ends = time.perf_counter() + WARM

    async def work() -> None:
        while time.perf_counter() < ends:
            await clients.ask(outcome)

    await asyncio.gather(*(work() for _ in range(CLIENTS)))
    return outcome.statuses[200] / WARM


async def pressed(clients: Clients, rate: float, seconds: float) -> tuple[Outcome, int]:
    """That many requests per second, answered or not; and how many could not even be sent."""
    outcome, unsent = Outcome(), 0
    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number in range(round(rate * seconds)):
            wait = began + number / rate - time.perf_counter()
            if wait > 0:
                await asyncio.sleep(wait)
            if clients.open < MOST_OPEN:
                group.create_task(clients.ask(outcome))
            else:
                unsent += 1
    return outcome, unsent


async def recovery(clients: Clients) -> float:
    """Seconds until ten requests in a row are answered with 200."""
    began, in_a_row = time.perf_counter(), 0
    while in_a_row < 10:
        outcome = Outcome()
        await clients.ask(outcome)
        in_a_row = in_a_row + 1 if outcome.statuses[200] else 0
    return time.perf_counter() - began


async def run(port: int, seconds: float) -> None:
    """Find what the service can do, ask for four times as much, and tell."""
    clients = Clients(port)
    await saturated(clients)  # the first answers take longer than all others
    most = await saturated(clients)
    out.print(f"Saturated: {most:,.0f} answers per second, {CLIENTS} clients")
    outcome, unsent = await pressed(clients, TIMES * most, seconds)
    after = await recovery(clients)
    sent = outcome.statuses.total() + len(outcome.lost)
    out.print(f"{TIMES} times that for {seconds:.0f} s: {sent:,} sent, lost {outcome.lost}, {unsent:,} not sent")
    for status, took in sorted(outcome.seconds.items()):
        cuts = statistics.quantiles(took, n=100) if len(took) > 1 else took * 99
        p50, p99 = cuts[49] * 1000, cuts[98] * 1000
        out.print(
            f"  {status}: {len(took):,} answers, p50 {p50:,.0f} ms, p99 {p99:,.0f} ms, most {max(took) * 1000:,.0f} ms"
        )
    out.print(f"Recovered {after:.2f} s after")


def main() -> None:
    """Start a service, press it, and print the report."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    url = engine_urls(settings_from_environment())[0]
    with process({"AKG_RATE_LIMIT": "0", "AKG_USAGE_MONTHS": "0", "AKG_OPENSEARCH_URL": url}) as served:
        asyncio.run(run(served.port, seconds))


if __name__ == "__main__":
    main()
