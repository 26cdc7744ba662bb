"""A page fetcher over simulated time and responses, for tests of market verification."""

import asyncio
from datetime import UTC, datetime

import httpx
import respx

from indexer.market.fetcher import Limits, PageFetcher
from indexer.market.host_throttle import Clock
from indexer.market.page import Page, parse_page
from indexer.market.page_reader import PageReader
from indexer.market.page_worker import RobotsRules, parse_robots

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
URL = "https://shop.example/timers/one"
TWO = "https://shop.example/timers/two"
ROBOTS = "https://shop.example/robots.txt"
PAGE = "<title>Time Timer</title><p>Red disk</p>"


class FakeTime:
    """Time that passes only during sleeps."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.sleeps: list[float] = []

    async def sleep(self, seconds: float) -> None:
        """Advance the time and record the sleep."""
        self.seconds += seconds
        if seconds:
            self.sleeps.append(seconds)
        await asyncio.sleep(0)

    @property
    def clock(self) -> Clock:
        """The clock for a fetcher."""
        return Clock(lambda: self.seconds, self.sleep)


class DirectReader:
    """Parses in this process."""

    async def read_page(self, body: bytes, charset: str) -> Page:
        """Parse a page."""
        return parse_page(body, charset)

    async def read_robots(self, body: bytes, url: str) -> RobotsRules:
        """Apply a robots.txt to a URL."""
        return parse_robots(body, url)

    async def close(self) -> None:
        """Do nothing."""


def fetcher_with(
    transport: httpx.AsyncBaseTransport, fake_time: FakeTime, reader: PageReader | None = None, **limits: float
) -> PageFetcher:
    chosen = Limits(**{"page_seconds": 1.0, "max_bytes": 10_000, **limits})  # type: ignore[arg-type]
    return PageFetcher(transport, reader or DirectReader(), fake_time.clock, NOW, chosen, "https://akg.example/contact")


def requested_urls(router: respx.Router) -> list[str]:
    return [str(call.request.url) for call in router.calls]
