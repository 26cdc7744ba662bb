"""Visits through a transport: every outcome, politeness, redirects, pauses, sizes, and no way into private networks."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING

import httpx
import pytest
import respx

from indexer.cells import FORMS
from indexer.market.hosts import Clock
from indexer.market.transport import PrivateAddressError, PublicTransport, resolve
from indexer.market.visit import Limits, Seen, Validators, Visitor

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
URL = "https://shop.example/timers/one"
ROBOTS = "https://shop.example/robots.txt"
PAGE = "<title>Time Timer</title><p>Red disk</p>"


class Watch:
    """Time that passes only when somebody waits."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        """Let so many seconds pass, and remember it."""
        self.seconds += seconds
        if seconds:
            self.waits.append(seconds)
        await asyncio.sleep(0)

    @property
    def clock(self) -> Clock:
        """This time as visitors want it."""
        return Clock(lambda: self.seconds, self.sleep)


@pytest.fixture
def router() -> respx.Router:
    made = respx.Router(assert_all_called=False)
    made.get(path="/robots.txt", name="robots").respond(404)
    return made


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def visitor(router: respx.Router, watch: Watch) -> Visitor:
    return visiting(httpx.MockTransport(router.async_handler), watch)


def visiting(transport: httpx.AsyncBaseTransport, watch: Watch, **limits: float) -> Visitor:
    chosen = Limits(**{"page": 1.0, "most_bytes": 10_000, **limits})  # type: ignore[arg-type]
    return Visitor(transport, watch.clock, NOW, chosen, "https://akg.example/contact")


def leading(router: respx.Router, *steps: str) -> None:
    """Redirects from each step to the next; the last has the page."""
    for one, other in pairwise(steps):
        router.get(one).respond(302, headers={"Location": other})
    router.get(steps[-1]).respond(html=PAGE)


def asked(router: respx.Router) -> list[str]:
    return [str(call.request.url) for call in router.calls]


@pytest.mark.parametrize(
    ("answer", "rule"),
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
async def test_answers_that_are_no_page(
    visitor: Visitor, router: respx.Router, answer: httpx.Response, rule: str
) -> None:
    router.get(URL).mock(return_value=answer)
    assert await visitor.visit(URL) == Seen(URL, rule)


async def test_a_page_is_read_with_its_validators(visitor: Visitor, router: respx.Router) -> None:
    headers = {
        "ETag": '"a1"',
        "Last-Modified": "Sat, 21 Nov 2026 10:00:00 GMT",
        "Content-Type": "text/html; charset=utf-8",
    }
    route = router.get(URL).mock(return_value=httpx.Response(200, content=PAGE.encode(), headers=headers))
    seen = await visitor.visit(URL)
    assert seen.page is not None
    assert seen.page.titles == ("Time Timer",)
    assert (seen.evidence, seen.rule) == (URL, "")
    assert seen.validators == Validators(URL, '"a1"', "Sat, 21 Nov 2026 10:00:00 GMT")
    request = route.calls.last.request
    assert request.headers["user-agent"] == "AccommodationKnowledgeGraph/0.1 (https://akg.example/contact)"
    assert "if-none-match" not in request.headers


async def test_an_unchanged_page_is_not_sent_again(visitor: Visitor, router: respx.Router) -> None:
    route = router.get(URL).respond(304)
    validators = Validators(URL, '"a1"', "Sat, 21 Nov 2026 10:00:00 GMT")
    assert await visitor.visit(URL, validators) == Seen(URL, unchanged=True)
    assert route.calls.last.request.headers["if-none-match"] == '"a1"'
    assert route.calls.last.request.headers["if-modified-since"] == "Sat, 21 Nov 2026 10:00:00 GMT"


async def test_validators_are_for_the_address_they_came_from(visitor: Visitor, router: respx.Router) -> None:
    leading(router, URL, "https://shop.example/timers/two")
    router.get("https://shop.example/timers/two").respond(304)
    seen = await visitor.visit(URL, Validators("https://shop.example/timers/two", '"b2"'))
    assert seen == Seen("https://shop.example/timers/two", unchanged=True)
    assert "if-none-match" not in router.calls[1].request.headers


async def test_redirects_are_followed_and_the_last_address_is_the_evidence(
    visitor: Visitor, router: respx.Router
) -> None:
    leading(router, URL, "/timers/two", "https://other.example/t#top", "https://other.example/t/")
    router.get("https://shop.example/timers/two").respond(301, headers={"Location": "https://other.example/t#top"})
    router.get("https://other.example/t").respond(308, headers={"Location": "/t/"})
    seen = await visitor.visit(URL)
    assert seen.evidence == "https://other.example/t/"
    assert seen.page is not None
    assert asked(router).count("https://other.example/robots.txt") == 1


async def test_a_circle_of_redirects_ends(visitor: Visitor, router: respx.Router) -> None:
    router.get(URL).respond(302, headers={"Location": "/timers/two"})
    router.get("https://shop.example/timers/two").respond(302, headers={"Location": URL})
    assert await visitor.visit(URL) == Seen("https://shop.example/timers/two", "redirects")
    router.get(URL).respond(302, headers={"Location": URL})
    assert (await visitor.visit(URL)).rule == "redirects"


async def test_a_long_way_of_redirects_ends(visitor: Visitor, router: respx.Router) -> None:
    steps = [f"https://shop.example/{number}" for number in range(8)]
    leading(router, *steps)
    assert await visitor.visit(steps[0]) == Seen(steps[5], "redirects")
    assert (await visitor.visit(steps[2])).page is not None


async def test_a_page_that_leads_to_the_front_is_given_up(visitor: Visitor, router: respx.Router) -> None:
    leading(router, URL, "https://shop.example/")
    assert await visitor.visit(URL) == Seen("https://shop.example/", "front-page")
    assert (await visitor.visit("https://shop.example/")).page is not None


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
async def test_robots_txt_is_heeded(router: respx.Router, watch: Watch, rules: str, rule: str) -> None:
    router["robots"].respond(text=rules)
    router.get(URL).respond(html=PAGE)
    seen = await visiting(httpx.MockTransport(router.async_handler), watch).visit(URL)
    assert seen.rule == rule
    assert asked(router) == ([ROBOTS] if rule else [ROBOTS, URL])


@pytest.mark.parametrize(
    ("answer", "rule"),
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
async def test_a_site_that_cannot_show_its_robots_txt_is_not_visited(
    router: respx.Router, watch: Watch, answer: httpx.Response, rule: str
) -> None:
    router["robots"].mock(return_value=answer)
    router.get("https://shop.example/elsewhere.txt").respond(text="User-agent: *\nDisallow: /timers")
    router.get(URL).respond(html=PAGE)
    seen = await visiting(httpx.MockTransport(router.async_handler), watch).visit(URL)
    assert seen.rule == rule
    assert (URL in asked(router)) == (not rule)


async def test_a_huge_robots_txt_is_read_as_far_as_anybody_must(router: respx.Router, watch: Watch) -> None:
    router["robots"].respond(text="User-agent: *\nDisallow: /timers\n" + "# much more\n" * 60_000)
    assert (await visiting(httpx.MockTransport(router.async_handler), watch).visit(URL)).rule == "robots"


async def test_hosts_are_asked_one_at_a_time_with_pauses(router: respx.Router, watch: Watch) -> None:
    running: set[str] = set()
    most = 0
    both = asyncio.Barrier(2)  # each request waits for one to the other host

    async def handler(request: httpx.Request) -> httpx.Response:
        nonlocal most
        host = request.url.host
        assert host not in running, "two requests at once at one host"
        running.add(host)
        most = max(most, len(running))
        await both.wait()
        running.discard(host)
        return await router.async_handler(request)

    router.get(host="shop.example").respond(html=PAGE)
    router.get(host="other.example").respond(html=PAGE)
    visitor = visiting(httpx.MockTransport(handler), watch)
    urls = [f"https://{host}/t/{number}" for host in ("shop.example", "other.example") for number in range(3)]
    await asyncio.gather(*map(visitor.visit, urls))
    assert most == 2
    assert watch.seconds == 6.0  # three pauses between robots.txt and three pages, at both hosts at the same time


async def test_a_longer_pause_that_a_site_asks_for_is_kept(router: respx.Router, watch: Watch) -> None:
    router["robots"].respond(text="User-agent: *\nCrawl-delay: 7")
    router.get(host="shop.example").respond(html=PAGE)
    visitor = visiting(httpx.MockTransport(router.async_handler), watch)
    for number in range(3):
        await visitor.visit(f"https://shop.example/t/{number}")
    assert watch.waits == [2.0, 7.0, 7.0]


@pytest.mark.parametrize(
    ("wish", "waits"),
    [("20", [2.0, 20.0]), ("Sat, 21 Nov 2026 12:00:30 GMT", [2.0, 30.0]), ("", [2.0, 2.0]), ("soon", [2.0, 2.0])],
)
async def test_429_waits_as_long_as_it_is_asked_to(
    visitor: Visitor, router: respx.Router, watch: Watch, wish: str, waits: list[float]
) -> None:
    headers = {"Retry-After": wish} if wish else {}
    router.get(URL).mock(side_effect=[httpx.Response(429, headers=headers), httpx.Response(200, html=PAGE)])
    assert (await visitor.visit(URL)).page is not None
    assert watch.waits == waits


async def test_429_to_come_back_much_later_ends_the_visit(visitor: Visitor, router: respx.Router, watch: Watch) -> None:
    router.get(URL).respond(429, headers={"Retry-After": "3600"})
    assert await visitor.visit(URL) == Seen(URL, "busy")
    assert len(asked(router)) == 2
    router.get("https://shop.example/timers/two").respond(html=PAGE)
    await visitor.visit("https://shop.example/timers/two")
    assert max(watch.waits) == 120.0


async def test_429_again_and_again_is_given_up(visitor: Visitor, router: respx.Router) -> None:
    router.get(URL).respond(429, headers={"Retry-After": "1"})
    assert await visitor.visit(URL) == Seen(URL, "busy")
    assert asked(router) == [ROBOTS, URL, URL, URL]


@pytest.mark.parametrize(
    "trouble",
    [httpx.ConnectError("refused"), httpx.ReadTimeout("slow"), httpx.RemoteProtocolError("cut"), httpx.Response(502)],
)
async def test_a_trouble_is_tried_again_and_then_is_no_answer(
    visitor: Visitor, router: respx.Router, watch: Watch, trouble: httpx.Response | Exception
) -> None:
    route = router.get(URL)
    route.side_effect = [trouble, trouble, httpx.Response(200, html=PAGE)]
    assert (await visitor.visit(URL)).page is not None
    assert watch.waits == [2.0, 2.0, 4.0]
    route.side_effect = [trouble] * 3
    assert await visitor.visit(URL) == Seen(URL, "no-answer")


async def test_a_host_that_is_silent_three_times_is_left_alone(visitor: Visitor, router: respx.Router) -> None:
    router.get(host="shop.example", path__startswith="/t/").mock(side_effect=httpx.ConnectError("refused"))
    rules = [(await visitor.visit(f"https://shop.example/t/{number}")).rule for number in range(5)]
    assert rules == ["no-answer"] * 5
    assert len(asked(router)) == 1 + 3 * 3
    assert visitor.hosts.answers() == (0, 1)


async def test_a_page_that_drips_is_given_up(watch: Watch) -> None:
    async def handler(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/robots.txt":
            return httpx.Response(404)
        await asyncio.sleep(5)
        return httpx.Response(200, html=PAGE)

    visitor = visiting(httpx.MockTransport(handler), watch, page=0.01)
    assert await visitor.visit(URL) == Seen(URL, "too-slow")


async def test_a_page_without_end_is_cut_off(watch: Watch) -> None:
    sent = 0

    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self):  # type: ignore[no-untyped-def]  # noqa: ANN204
            nonlocal sent
            while True:
                sent += 1
                yield b"<p>more</p>" * 100

    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/robots.txt":
            return httpx.Response(404)
        return httpx.Response(200, stream=Endless(), headers={"Content-Type": "text/html"})

    assert await visiting(httpx.MockTransport(handler), watch).visit(URL) == Seen(URL, "too-large")
    assert sent < 20


async def test_cookies_are_not_sent_back(visitor: Visitor, router: respx.Router) -> None:
    router.get(URL).respond(html=PAGE, headers={"Set-Cookie": "who=me; Path=/"})
    await visitor.visit(URL)
    await visitor.visit(URL)
    assert "cookie" not in router.calls.last.request.headers


def answering(**names: Sequence[str]) -> Callable[[str, int], Awaitable[list[str]]]:
    """A resolver that knows these names, with underscores for dots."""

    async def look_up(host: str, port: int) -> list[str]:  # noqa: ARG001 - what resolvers take
        found = names.get(host.replace(".", "_"))
        if found is None:
            raise OSError("Name or service not known")
        return list(found)

    return look_up


def recording(requests: list[httpx.Request]) -> httpx.MockTransport:
    def handler(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        if request.url.path == "/robots.txt":
            return httpx.Response(404)
        if request.url.path == "/inside":
            return httpx.Response(302, headers={"Location": "http://inside.example/admin"})
        return httpx.Response(200, html=PAGE)

    return httpx.MockTransport(handler)


async def test_the_address_that_was_checked_is_connected_to(watch: Watch) -> None:
    requests: list[httpx.Request] = []
    look_up = answering(shop_example=["93.184.215.14", "2606:2800:21f:cb07::1"])
    seen = await visiting(PublicTransport(recording(requests), look_up), watch).visit(URL)
    assert seen.page is not None
    assert [request.url.host for request in requests] == ["93.184.215.14", "93.184.215.14"]
    assert {request.headers["host"] for request in requests} == {"shop.example"}
    assert {request.extensions["sni_hostname"] for request in requests} == {"shop.example"}


@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.1"], ["93.184.215.14", "10.0.0.1"], ["::ffff:10.0.0.1"], ["fd00::1"], ["169.254.169.254"], []],
)
async def test_a_name_that_leads_inside_is_not_connected_to(watch: Watch, addresses: list[str]) -> None:
    requests: list[httpx.Request] = []
    transport = PublicTransport(recording(requests), answering(shop_example=addresses))
    assert await visiting(transport, watch).visit(URL) == Seen(URL, "private")
    assert requests == []


async def test_a_redirect_that_leads_inside_is_not_followed(watch: Watch) -> None:
    requests: list[httpx.Request] = []
    look_up = answering(shop_example=["93.184.215.14"], inside_example=["192.168.0.10"])
    transport = PublicTransport(recording(requests), look_up)
    seen = await visiting(transport, watch).visit("https://shop.example/inside")
    assert seen == Seen("https://shop.example/inside", "private")
    assert [request.headers["host"] for request in requests] == ["shop.example", "shop.example"]


async def test_a_name_that_changes_its_mind_gains_nothing(watch: Watch) -> None:
    answers = [["93.184.215.14"], ["127.0.0.1"]]
    requests: list[httpx.Request] = []

    async def look_up(host: str, port: int) -> list[str]:  # noqa: ARG001 - what resolvers take
        return answers.pop(0)

    assert (await visiting(PublicTransport(recording(requests), look_up), watch).visit(URL)).rule == "private"
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
async def test_numbers_in_any_writing_are_looked_at(watch: Watch, host: str, rule: str) -> None:
    requests: list[httpx.Request] = []
    visitor = visiting(PublicTransport(recording(requests)), watch)
    assert await visitor.visit(f"http://{host}/") == Seen(f"http://{host}/", rule)
    assert requests == []


@pytest.mark.parametrize(
    ("location", "evidence"),
    [
        ("/größe und farbe?q=ü", "https://shop.example/gr%C3%B6%C3%9Fe%20und%20farbe?q=%C3%BC"),
        ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
        ("//other.example", "https://other.example/b"),
    ],
)
async def test_evidence_is_an_address_that_the_tables_take(
    visitor: Visitor, router: respx.Router, location: str, evidence: str
) -> None:
    router.get(URL).mock(return_value=httpx.Response(302, headers=[(b"Location", location.encode())]))
    router.get("https://other.example/").respond(302, headers={"Location": "/b"})
    router.get(path__regex="^/(a|b|gr)").respond(html=PAGE)
    seen = await visitor.visit(URL)
    assert seen.evidence == evidence
    assert FORMS["uri"][0].fullmatch(seen.evidence)


async def test_this_machine_has_an_address_and_it_is_refused() -> None:
    assert "127.0.0.1" in await resolve("localhost", 80)
    async with httpx.AsyncClient(transport=PublicTransport()) as client:
        with pytest.raises(PrivateAddressError):
            await client.get("http://localhost/")


async def test_a_second_address_is_tried_where_the_first_refuses(watch: Watch) -> None:
    tried: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        tried.append(request.url.host)
        if ":" in request.url.host:
            return httpx.Response(200, html=PAGE)
        raise httpx.ConnectError("refused")

    look_up = answering(shop_example=["93.184.215.14", "2606:2800:21f:cb07::1"])
    assert (await visiting(PublicTransport(httpx.MockTransport(handler), look_up), watch).visit(URL)).page is not None
    assert tried == ["93.184.215.14", "2606:2800:21f:cb07::1"] * 2


async def test_a_name_without_an_address_is_no_answer(watch: Watch) -> None:
    visitor = visiting(PublicTransport(recording([]), answering()), watch)
    assert await visitor.visit(URL) == Seen(URL, "no-answer")
    assert await visitor.visit(f"https://{'a' * 70}.example/") == Seen(f"https://{'a' * 70}.example/", "no-answer")
