"""Fetching pages: every result, robots.txt, redirects, retries, and limits of size and duration."""

import asyncio
from itertools import pairwise

import httpx
import pytest
import respx

from indexer.content.cell_checks import FORMATS
from indexer.market.fetcher import MAX_ROBOTS_FILES, PageFetcher, Validators, VisitResult
from indexer.market.page import Page
from indexer.market.page_reader import PageReadError
from indexer.market.page_worker import RobotsRules
from tests.support.page_fetcher import PAGE, ROBOTS, TWO, URL, DirectReader, FakeTime, fetcher_with, requested_urls

MODIFIED = "Sat, 21 Nov 2026 10:00:00 GMT"


def add_redirects(router: respx.Router, *steps: str) -> None:
    """Redirect from each step to the next; the last one responds with the page."""
    for url, target in pairwise(steps):
        router.get(url).respond(302, headers={"Location": target})
    router.get(steps[-1]).respond(html=PAGE)


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
        (httpx.Response(200, html="", headers={"Content-Encoding": "br"}), "not-a-page"),
        (httpx.Response(304), "no-answer"),
        (httpx.Response(302), "address"),
        (httpx.Response(302, headers={"Location": "mailto:shop@shop.example"}), "address"),
        (httpx.Response(302, headers={"Location": "https://shop.example:22/"}), "address"),
        (httpx.Response(302, headers={"Location": "https://[::1/"}), "address"),
        (httpx.Response(302, headers={"Location": "file:///etc/passwd"}), "address"),
        (httpx.Response(302, headers={"Location": ":http://[x"}), "address"),
        (httpx.Response(302, headers={"Location": "//[x"}), "address"),
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
        pytest.param("User-agent: *\nDisallow: /timers\n" + "# much more\n" * 60_000, "robots", id="truncated"),
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
        (httpx.Response(302, headers={"Location": ":http://[x"}), "robots"),
        (httpx.Response(302, headers={"Location": "https://other.example/allowing"}), ""),
        (httpx.Response(302, headers={"Location": "https://other.example/disallowing"}), "robots"),
        (httpx.Response(200, headers={"Content-Encoding": "br"}), "robots"),
    ],
)
async def test_does_not_visit_a_site_without_a_readable_robots_txt(
    fetcher: PageFetcher, router: respx.Router, response: httpx.Response, rule: str
) -> None:
    router["robots"].mock(return_value=response)
    router.get("https://shop.example/elsewhere.txt").respond(text="User-agent: *\nDisallow: /timers")
    router.get("https://other.example/disallowing").respond(text="User-agent: *\nDisallow: /timers")
    router.get("https://other.example/allowing").respond(text="User-agent: *\nAllow: /timers")
    router.get(URL).respond(html=PAGE)
    result = await fetcher.visit(URL)
    assert result.rule == rule
    assert (URL in requested_urls(router)) == (not rule)


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


@pytest.mark.parametrize(
    "value", ["Mon, 01 Jan 2024 00:00:00 +99999999999999999999", "Mon, 99 Jan 99999 00:00:00 GMT", "soon", "-5", "²"]
)
async def test_ignores_an_invalid_retry_after(
    fetcher: PageFetcher, router: respx.Router, fake_time: FakeTime, value: str
) -> None:
    response = httpx.Response(503, headers=[(b"Retry-After", value.encode())])
    router.get(URL).mock(side_effect=[response, httpx.Response(200, html=PAGE)])
    assert (await fetcher.visit(URL)).page is not None
    assert max(fake_time.sleeps) <= 4.0


@pytest.mark.parametrize("value", ["9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT"])
async def test_does_not_wait_for_years(
    fetcher: PageFetcher, router: respx.Router, fake_time: FakeTime, value: str
) -> None:
    router.get(URL).respond(503, headers={"Retry-After": value})
    assert await fetcher.visit(URL) == VisitResult(URL, "busy")
    assert sum(fake_time.sleeps) < 200


async def test_keeps_only_validators_that_can_be_sent_back(fetcher: PageFetcher, router: respx.Router) -> None:
    headers = [(b"ETag", '"größe"'.encode()), (b"Last-Modified", b"x" * 5_000), (b"Content-Type", b"text/html")]
    router.get(URL).mock(return_value=httpx.Response(200, content=PAGE, headers=headers))
    assert (await fetcher.visit(URL)).validators == Validators(URL)


class ExhaustedReader(DirectReader):
    """Cannot parse anything."""

    def __init__(self, *, is_slow: bool) -> None:
        self._error = PageReadError(is_slow=is_slow)

    async def read_page(self, *_: object) -> Page:
        """Raise."""
        raise self._error


class ExhaustedRobotsReader(ExhaustedReader):
    """Cannot parse a robots.txt either."""

    async def read_robots(self, *_: object) -> RobotsRules:
        """Raise."""
        raise self._error


@pytest.mark.parametrize(
    ("reader", "rule"),
    [
        (ExhaustedReader(is_slow=True), "too-slow"),
        (ExhaustedReader(is_slow=False), "too-large"),
        (ExhaustedRobotsReader(is_slow=True), "robots"),
    ],
)
async def test_reports_what_exceeds_the_limits_of_the_reader(
    router: respx.Router, fake_time: FakeTime, reader: DirectReader, rule: str
) -> None:
    router.get(URL).respond(html=PAGE)
    fetcher = fetcher_with(httpx.MockTransport(router.async_handler), fake_time, reader)
    assert await fetcher.visit(URL) == VisitResult(URL, rule)


async def test_keeps_a_limited_number_of_robots_files(fetcher: PageFetcher, router: respx.Router) -> None:
    router.route(path__regex="^/(a|b)").respond(html=PAGE)
    for path in ("a", "b"):
        for host in (0, *range(MAX_ROBOTS_FILES), 0):
            assert (await fetcher.visit(f"https://host-{host}.example/{path}")).page is not None
    requested = [url for url in requested_urls(router) if url == "https://host-0.example/robots.txt"]
    assert len(requested) == 1
    assert (await fetcher.visit("https://one-more.example/a")).page is not None
    assert (await fetcher.visit("https://host-1.example/a")).page is not None
    assert requested_urls(router).count("https://host-1.example/robots.txt") == 2


async def test_does_not_send_cookies(fetcher: PageFetcher, router: respx.Router) -> None:
    router.get(URL).respond(html=PAGE, headers={"Set-Cookie": "who=me; Path=/"})
    await fetcher.visit(URL)
    await fetcher.visit(URL)
    assert "cookie" not in router.calls.last.request.headers


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
