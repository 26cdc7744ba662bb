"""Fetching pages: every result, robots.txt, redirects, pauses, size limits, and no access to private networks."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING

import httpx
import pytest
import respx

from indexer.content.cell_checks import FORMATS
from indexer.market.fetcher import Limits, PageFetcher, Validators, VisitResult
from indexer.market.host_throttle import Clock
from indexer.market.public_transport import PrivateAddressError, PublicTransport, resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.market.public_transport import Resolve

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
URL = "https://shop.example/timers/one"
TWO = "https://shop.example/timers/two"
ROBOTS = "https://shop.example/robots.txt"
MODIFIED = "Sat, 21 Nov 2026 10:00:00 GMT"
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


@pytest.fixture
def router() -> respx.Router:
    router = respx.Router(assert_all_called=False)
    router.get(path="/robots.txt", name="robots").respond(404)
    return router


@pytest.fixture
def fake_time() -> FakeTime:
    return FakeTime()


@pytest.fixture
def fetcher(router: respx.Router, fake_time: FakeTime) -> PageFetcher:
    return fetcher_with(httpx.MockTransport(router.async_handler), fake_time)


def fetcher_with(transport: httpx.AsyncBaseTransport, fake_time: FakeTime, **limits: float) -> PageFetcher:
    chosen = Limits(**{"page_seconds": 1.0, "max_bytes": 10_000, **limits})  # type: ignore[arg-type]
    return PageFetcher(transport, fake_time.clock, NOW, chosen, "https://akg.example/contact")


def add_redirects(router: respx.Router, *steps: str) -> None:
    """Redirect from each step to the next; the last one responds with the page."""
    for url, target in pairwise(steps):
        router.get(url).respond(302, headers={"Location": target})
    router.get(steps[-1]).respond(html=PAGE)


def requested_urls(router: respx.Router) -> list[str]:
    return [str(call.request.url) for call in router.calls]


@pytest.mark.parametrize(
    ("response", "rule"),
    [
        (httpx.Response(404), "gone"),
        (httpx.Response(410), "gone"),
        (httpx.Response(401), "refused"),
        (httpx.Response(403), "refused"),
        (httpx.Response(451), "refused"),
        (httpx.Response(204), "not-a-page"),
        (httpx.Response(200, content=b"%PDF", headers={"Content-Type": "application/pdf"}), "not-a-page"),
        (httpx.Response(200, html="x" * 10_001), "too-large"),
        (httpx.Response(304), "no-answer"),
        (httpx.Response(302), "address"),
        (httpx.Response(302, headers={"Location": "mailto:shop@shop.example"}), "address"),
        (httpx.Response(302, headers={"Location": "https://shop.example:22/"}), "address"),
        (httpx.Response(302, headers={"Location": "https://[::1/"}), "address"),
        (httpx.Response(302, headers={"Location": "file:///etc/passwd"}), "address"),
    ],
)
async def test_reports_responses_that_are_not_a_page(
    fetcher: PageFetcher, router: respx.Router, response: httpx.Response, rule: str
) -> None:
    router.get(URL).mock(return_value=response)
    assert await fetcher.visit(URL) == VisitResult(URL, rule)


async def test_returns_a_page_with_its_validators(fetcher: PageFetcher, router: respx.Router) -> None:
    headers = {"ETag": '"a1"', "Last-Modified": MODIFIED, "Content-Type": "text/html; charset=utf-8"}
    route = router.get(URL).respond(content=PAGE.encode(), headers=headers)
    result = await fetcher.visit(URL)
    assert result.page is not None
    assert result.page.titles == ("Time Timer",)
    assert (result.evidence, result.rule) == (URL, "")
    assert result.validators == Validators(URL, '"a1"', MODIFIED)
    request = route.calls.last.request
    assert request.headers["user-agent"] == "AccommodationKnowledgeGraph/0.1 (https://akg.example/contact)"
    assert "if-none-match" not in request.headers


async def test_sends_conditional_requests(fetcher: PageFetcher, router: respx.Router) -> None:
    route = router.get(URL).respond(304)
    assert await fetcher.visit(URL, Validators(URL, '"a1"', MODIFIED)) == VisitResult(URL, unchanged=True)
    assert route.calls.last.request.headers["if-none-match"] == '"a1"'
    assert route.calls.last.request.headers["if-modified-since"] == MODIFIED


async def test_sends_validators_only_to_the_url_they_came_from(fetcher: PageFetcher, router: respx.Router) -> None:
    add_redirects(router, URL, TWO)
    router.get(TWO).respond(304)
    result = await fetcher.visit(URL, Validators(TWO, '"b2"'))
    assert result == VisitResult(TWO, unchanged=True)
    assert "if-none-match" not in router.calls[1].request.headers


async def test_follows_redirects_and_returns_the_last_url_as_evidence(
    fetcher: PageFetcher, router: respx.Router
) -> None:
    add_redirects(router, URL, "/timers/two", "https://other.example/t#top", "https://other.example/t/")
    router.get(TWO).respond(301, headers={"Location": "https://other.example/t#top"})
    router.get("https://other.example/t").respond(308, headers={"Location": "/t/"})
    result = await fetcher.visit(URL)
    assert result.evidence == "https://other.example/t/"
    assert result.page is not None
    assert requested_urls(router).count("https://other.example/robots.txt") == 1


async def test_stops_at_a_redirect_loop(fetcher: PageFetcher, router: respx.Router) -> None:
    router.get(URL).respond(302, headers={"Location": "/timers/two"})
    router.get(TWO).respond(302, headers={"Location": URL})
    assert await fetcher.visit(URL) == VisitResult(TWO, "redirects")
    router.get(URL).respond(302, headers={"Location": URL})
    assert (await fetcher.visit(URL)).rule == "redirects"


async def test_stops_after_too_many_redirects(fetcher: PageFetcher, router: respx.Router) -> None:
    steps = [f"https://shop.example/{number}" for number in range(8)]
    add_redirects(router, *steps)
    assert await fetcher.visit(steps[0]) == VisitResult(steps[5], "redirects")
    assert (await fetcher.visit(steps[2])).page is not None


async def test_reports_a_redirect_to_the_front_page(fetcher: PageFetcher, router: respx.Router) -> None:
    add_redirects(router, URL, "https://shop.example/")
    assert await fetcher.visit(URL) == VisitResult("https://shop.example/", "front-page")
    assert (await fetcher.visit("https://shop.example/")).page is not None


@pytest.mark.parametrize(
    ("rules", "rule"),
    [
        ("User-agent: *\nDisallow: /timers", "robots"),
        ("User-agent: AccommodationKnowledgeGraph\nDisallow: /", "robots"),
        ("User-agent: *\nDisallow: /\n\nUser-agent: AccommodationKnowledgeGraph\nAllow: /", ""),
        ("User-agent: *\nDisallow: /timers\nAllow: /timers/one", ""),
        ("User-agent: *\nCrawl-delay: 900", "robots"),
        ("\0\xff nonsense", ""),
    ],
)
async def test_obeys_robots_txt(fetcher: PageFetcher, router: respx.Router, rules: str, rule: str) -> None:
    router["robots"].respond(text=rules)
    router.get(URL).respond(html=PAGE)
    result = await fetcher.visit(URL)
    assert result.rule == rule
    assert requested_urls(router) == ([ROBOTS] if rule else [ROBOTS, URL])


@pytest.mark.parametrize(
    ("response", "rule"),
    [
        (httpx.Response(200, text=""), ""),
        (httpx.Response(404), ""),
        (httpx.Response(403), ""),
        (httpx.Response(500), "no-answer"),
        (httpx.Response(429), "busy"),
        (httpx.Response(302, headers={"Location": "/elsewhere.txt"}), "robots"),
        (httpx.Response(302, headers={"Location": ROBOTS}), "robots"),
    ],
)
async def test_does_not_visit_a_site_without_a_readable_robots_txt(
    fetcher: PageFetcher, router: respx.Router, response: httpx.Response, rule: str
) -> None:
    router["robots"].mock(return_value=response)
    router.get("https://shop.example/elsewhere.txt").respond(text="User-agent: *\nDisallow: /timers")
    router.get(URL).respond(html=PAGE)
    result = await fetcher.visit(URL)
    assert result.rule == rule
    assert (URL in requested_urls(router)) == (not rule)


async def test_truncates_a_huge_robots_txt(fetcher: PageFetcher, router: respx.Router) -> None:
    router["robots"].respond(text="User-agent: *\nDisallow: /timers\n" + "# much more\n" * 60_000)
    assert (await fetcher.visit(URL)).rule == "robots"


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


@pytest.mark.parametrize(
    "failure",
    [httpx.ConnectError("refused"), httpx.ReadTimeout("slow"), httpx.RemoteProtocolError("cut"), httpx.Response(502)],
)
async def test_retries_once_and_then_reports_no_answer(
    fetcher: PageFetcher, router: respx.Router, fake_time: FakeTime, failure: httpx.Response | Exception
) -> None:
    route = router.get(URL)
    route.side_effect = [failure, failure, httpx.Response(200, html=PAGE)]
    assert (await fetcher.visit(URL)).page is not None
    assert fake_time.sleeps == [2.0, 2.0, 4.0]
    route.side_effect = [failure] * 3
    assert await fetcher.visit(URL) == VisitResult(URL, "no-answer")


async def test_stops_requesting_a_host_after_three_failures(fetcher: PageFetcher, router: respx.Router) -> None:
    router.get(host="shop.example", path__startswith="/t/").mock(side_effect=httpx.ConnectError("refused"))
    rules = [(await fetcher.visit(f"https://shop.example/t/{number}")).rule for number in range(5)]
    assert rules == ["no-answer"] * 5
    assert len(requested_urls(router)) == 1 + 3 * 3
    assert fetcher.throttle.response_counts() == (0, 1)


async def test_limits_the_duration_of_a_request(router: respx.Router, fake_time: FakeTime) -> None:
    async def respond_late(_: httpx.Request) -> httpx.Response:
        await asyncio.sleep(5)
        return httpx.Response(200, html=PAGE)

    router.get(URL).mock(side_effect=respond_late)
    fetcher = fetcher_with(httpx.MockTransport(router.async_handler), fake_time, page_seconds=0.01)
    assert await fetcher.visit(URL) == VisitResult(URL, "too-slow")


async def test_limits_the_size_of_a_page(fetcher: PageFetcher, router: respx.Router) -> None:
    sent = 0

    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self):  # type: ignore[no-untyped-def]  # noqa: ANN204
            nonlocal sent
            while True:
                sent += 1
                yield b"<p>more</p>" * 100

    router.get(URL).respond(stream=Endless(), headers={"Content-Type": "text/html"})
    assert await fetcher.visit(URL) == VisitResult(URL, "too-large")
    assert sent < 20


async def test_does_not_send_cookies(fetcher: PageFetcher, router: respx.Router) -> None:
    router.get(URL).respond(html=PAGE, headers={"Set-Cookie": "who=me; Path=/"})
    await fetcher.visit(URL)
    await fetcher.visit(URL)
    assert "cookie" not in router.calls.last.request.headers


def resolving(**names: Sequence[str]) -> Resolve:
    """A resolver of these names, with underscores for dots."""

    async def resolver(host: str, port: int) -> list[str]:  # noqa: ARG001 - the signature of a resolver
        addresses = names.get(host.replace(".", "_"))
        if addresses is None:
            raise OSError("Name or service not known")
        return list(addresses)

    return resolver


def fetcher_of(requests: list[httpx.Request], fake_time: FakeTime, resolver: Resolve = resolve) -> PageFetcher:
    """Return a fetcher that resolves names, and whose requests to the addresses are recorded."""

    def handler(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        if request.url.path == "/robots.txt":
            return httpx.Response(404)
        if request.url.path == "/private":
            return httpx.Response(302, headers={"Location": "http://private.example/admin"})
        return httpx.Response(200, html=PAGE)

    return fetcher_with(PublicTransport(httpx.MockTransport(handler), resolver), fake_time)


async def test_connects_to_the_checked_address(fake_time: FakeTime) -> None:
    requests: list[httpx.Request] = []
    resolver = resolving(shop_example=["93.184.215.14", "2606:2800:21f:cb07::1"])
    result = await fetcher_of(requests, fake_time, resolver).visit(URL)
    assert result.page is not None
    assert [request.url.host for request in requests] == ["93.184.215.14", "93.184.215.14"]
    assert {request.headers["host"] for request in requests} == {"shop.example"}
    assert {request.extensions["sni_hostname"] for request in requests} == {"shop.example"}


@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.1"], ["93.184.215.14", "10.0.0.1"], ["::ffff:10.0.0.1"], ["fd00::1"], ["169.254.169.254"], []],
)
async def test_does_not_connect_to_private_addresses(fake_time: FakeTime, addresses: list[str]) -> None:
    requests: list[httpx.Request] = []
    fetcher = fetcher_of(requests, fake_time, resolving(shop_example=addresses))
    assert await fetcher.visit(URL) == VisitResult(URL, "private")
    assert requests == []


async def test_does_not_follow_a_redirect_to_a_private_address(fake_time: FakeTime) -> None:
    requests: list[httpx.Request] = []
    resolver = resolving(shop_example=["93.184.215.14"], private_example=["192.168.0.10"])
    result = await fetcher_of(requests, fake_time, resolver).visit("https://shop.example/private")
    assert result == VisitResult("https://shop.example/private", "private")
    assert [request.headers["host"] for request in requests] == ["shop.example", "shop.example"]


async def test_resists_dns_rebinding(fake_time: FakeTime) -> None:
    results = [["93.184.215.14"], ["127.0.0.1"]]
    requests: list[httpx.Request] = []

    async def resolver(host: str, port: int) -> list[str]:  # noqa: ARG001 - the signature of a resolver
        return results.pop(0)

    assert (await fetcher_of(requests, fake_time, resolver).visit(URL)).rule == "private"
    assert [request.url.host for request in requests] == ["93.184.215.14"]


@pytest.mark.parametrize(
    ("host", "rule"),
    [
        ("127.0.0.1", "private"),
        ("0x7f.1", "private"),
        ("127.1", "private"),
        ("2130706433", "address"),
        ("[::1]", "address"),
        ("localhost", "address"),
        ("localhost.", "address"),
    ],
)
async def test_rejects_numeric_hosts_in_any_notation(fake_time: FakeTime, host: str, rule: str) -> None:
    requests: list[httpx.Request] = []
    assert await fetcher_of(requests, fake_time).visit(f"http://{host}/") == VisitResult(f"http://{host}/", rule)
    assert requests == []


@pytest.mark.parametrize(
    ("location", "evidence"),
    [
        ("/größe und farbe?q=ü", "https://shop.example/gr%C3%B6%C3%9Fe%20und%20farbe?q=%C3%BC"),
        ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
        ("//other.example", "https://other.example/b"),
    ],
)
async def test_evidence_is_a_url_that_the_tables_accept(
    fetcher: PageFetcher, router: respx.Router, location: str, evidence: str
) -> None:
    router.get(URL).mock(return_value=httpx.Response(302, headers=[(b"Location", location.encode())]))
    router.get("https://other.example/").respond(302, headers={"Location": "/b"})
    router.get(path__regex="^/(a|b|gr)").respond(html=PAGE)
    result = await fetcher.visit(URL)
    assert result.evidence == evidence
    assert FORMATS["uri"].pattern.fullmatch(result.evidence)


async def test_resolves_localhost_and_rejects_it() -> None:
    assert "127.0.0.1" in await resolve("localhost", 80)
    async with httpx.AsyncClient(transport=PublicTransport()) as client:
        with pytest.raises(PrivateAddressError):
            await client.get("http://localhost/")


async def test_tries_a_second_address_if_the_first_refuses(fake_time: FakeTime) -> None:
    hosts: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        hosts.append(request.url.host)
        if ":" in request.url.host:
            return httpx.Response(200, html=PAGE)
        raise httpx.ConnectError("refused")

    resolver = resolving(shop_example=["93.184.215.14", "2606:2800:21f:cb07::1"])
    fetcher = fetcher_with(PublicTransport(httpx.MockTransport(handler), resolver), fake_time)
    assert (await fetcher.visit(URL)).page is not None
    assert hosts == ["93.184.215.14", "2606:2800:21f:cb07::1"] * 2


async def test_a_host_without_an_address_is_reported_as_no_answer(fake_time: FakeTime) -> None:
    fetcher = fetcher_of([], fake_time, resolving())
    for url in (URL, f"https://{'a' * 70}.example/"):
        assert await fetcher.visit(url) == VisitResult(url, "no-answer")
