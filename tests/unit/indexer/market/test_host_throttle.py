"""The pauses between requests to one host, and after how many failures a host gets no more."""

import asyncio

import httpx
import pytest
import respx

from indexer.market.fetcher import PageFetcher, VisitResult
from tests.support.page_fetcher import PAGE, ROBOTS, TWO, URL, FakeTime, fetcher_with, requested_urls


async def test_sends_one_request_at_a_time_to_a_host_with_pauses(router: respx.Router, fake_time: FakeTime) -> None:
    running: set[str] = set()
    max_running = 0
    barrier = asyncio.Barrier(2)  # each request sleeps for one to the other host

    async def handler(request: httpx.Request) -> httpx.Response:
        nonlocal max_running
        host = request.url.host
        assert host not in running, "two concurrent requests to one host"
        running.add(host)
        max_running = max(max_running, len(running))
        await barrier.wait()
        running.discard(host)
        return await router.async_handler(request)

    router.get(host="shop.example").respond(html=PAGE)
    router.get(host="other.example").respond(html=PAGE)
    fetcher = fetcher_with(httpx.MockTransport(handler), fake_time)
    urls = [f"https://{host}/t/{number}" for host in ("shop.example", "other.example") for number in range(3)]
    await asyncio.gather(*map(fetcher.visit, urls))
    assert max_running == 2
    assert fake_time.seconds == 6.0  # three pauses between robots.txt and three pages, at both hosts at the same time


async def test_obeys_a_longer_crawl_delay(fetcher: PageFetcher, router: respx.Router, fake_time: FakeTime) -> None:
    router["robots"].respond(text="User-agent: *\nCrawl-delay: 7")
    router.get(host="shop.example").respond(html=PAGE)
    for number in range(3):
        await fetcher.visit(f"https://shop.example/t/{number}")
    assert fake_time.sleeps == [2.0, 7.0, 7.0]


@pytest.mark.parametrize(
    ("retry_after", "sleeps"),
    [("20", [2.0, 20.0]), ("Sat, 21 Nov 2026 12:00:30 GMT", [2.0, 30.0]), ("", [2.0, 2.0]), ("soon", [2.0, 2.0])],
)
async def test_waits_for_retry_after(
    fetcher: PageFetcher, router: respx.Router, fake_time: FakeTime, retry_after: str, sleeps: list[float]
) -> None:
    headers = {"Retry-After": retry_after} if retry_after else {}
    router.get(URL).mock(side_effect=[httpx.Response(429, headers=headers), httpx.Response(200, html=PAGE)])
    assert (await fetcher.visit(URL)).page is not None
    assert fake_time.sleeps == sleeps


async def test_a_long_retry_after_stops_the_visit(
    fetcher: PageFetcher, router: respx.Router, fake_time: FakeTime
) -> None:
    router.get(URL).respond(429, headers={"Retry-After": "3600"})
    assert await fetcher.visit(URL) == VisitResult(URL, "busy")
    assert len(requested_urls(router)) == 2
    router.get(TWO).respond(html=PAGE)
    await fetcher.visit(TWO)
    assert max(fake_time.sleeps) == 120.0


async def test_stops_after_three_429_responses(fetcher: PageFetcher, router: respx.Router) -> None:
    router.get(URL).respond(429, headers={"Retry-After": "1"})
    assert await fetcher.visit(URL) == VisitResult(URL, "busy")
    assert requested_urls(router) == [ROBOTS, URL, URL, URL]


async def test_stops_requesting_a_host_after_three_failures(fetcher: PageFetcher, router: respx.Router) -> None:
    router.get(host="shop.example", path__startswith="/t/").mock(side_effect=httpx.ConnectError("refused"))
    rules = [(await fetcher.visit(f"https://shop.example/t/{number}")).rule for number in range(5)]
    assert rules == ["no-answer"] * 5
    assert len(requested_urls(router)) == 1 + 3 * 3
    assert fetcher.throttle.response_counts() == (0, 1)
