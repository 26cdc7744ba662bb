"""Equal requests that arrive together, and those that only look equal."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from api.http.coalescing import EqualRequests, request_key
from api.telemetry.usage_counters import current_request
from tests.support.asgi_clients import client_of

TOGETHER = 20


class Service:
    """Answers each request when someone sets `go_on`."""

    def __init__(self, status: int = 200, *, streams: bool = False, fails: bool = False) -> None:
        self.calls = 0
        self.go_on = asyncio.Event()
        self._status, self._streams, self._fails = status, streams, fails

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        self.calls += 1
        number = self.calls
        await self.go_on.wait()
        if self._fails and number == 1:
            raise RuntimeError
        current_request().results = 3
        response: Response = JSONResponse({"call": number}, self._status)
        if self._streams:
            response = StreamingResponse(_chunks())
        await response(scope, receive, send)


async def _chunks() -> AsyncIterator[bytes]:
    yield b"a"
    yield b"b"


async def send_together(service: Service, requests: list[httpx.Request]) -> list[httpx.Response]:
    """Send all requests before the service answers the first."""
    async with client_of(EqualRequests(service)) as client:
        running = [asyncio.create_task(client.send(request)) for request in requests]
        for _ in range(50):
            await asyncio.sleep(0)
        service.go_on.set()
        outcomes = await asyncio.gather(*running, return_exceptions=True)
        return [outcome for outcome in outcomes if isinstance(outcome, httpx.Response)]


def get(path: str = "/search?query=a", **headers: str) -> httpx.Request:
    return httpx.Request(
        "GET", f"http://test{path}", headers={name.replace("_", "-"): headers[name] for name in headers}
    )


@pytest.mark.parametrize("status", [200, 404, 422, 503])
async def test_equal_requests_ask_once_and_all_get_the_response(status: int) -> None:
    service = Service(status)
    responses = await send_together(service, [get() for _ in range(TOGETHER)])
    assert service.calls == 1
    assert [(response.status_code, response.json()) for response in responses] == [(status, {"call": 1})] * TOGETHER


@pytest.mark.parametrize(
    "other",
    [
        get("/search?query=b"),
        get("/search"),
        get(if_none_match='"1"'),
        httpx.Request("POST", "http://test/search?query=a", content=b"{}"),
    ],
    ids=lambda request: f"{request.method} {request.url.raw_path.decode()}",
)
async def test_different_requests_are_answered_apart(other: httpx.Request) -> None:
    service = Service()
    assert len(await send_together(service, [get(), other])) == 2
    assert service.calls == 2


@pytest.mark.parametrize("header", ["accept", "accept-encoding", "host", "origin", "user-agent"])
async def test_headers_that_change_nothing_make_no_difference(header: str) -> None:
    service = Service()
    requests = [get(**{header: value}) for value in ("application/json", "*/*", "gzip", "localhost")]
    assert len(await send_together(service, requests)) == len(requests)
    assert service.calls == 1


async def test_the_home_page_is_html_or_json() -> None:
    service = Service()
    accepted = ("text/html", "text/html,*/*;q=0.8", "application/json", "*/*")
    responses = await send_together(service, [get("/", accept=value) for value in accepted])
    assert [response.json()["call"] for response in responses] == [1, 1, 2, 2]


async def test_a_later_request_asks_again() -> None:
    service = Service()
    await send_together(service, [get()])
    assert (await send_together(service, [get()]))[0].json() == {"call": 2}


@pytest.mark.parametrize("path", ["/mcp", "/export/entities.csv", "/explore/static/explorer.css"])
async def test_what_depends_on_more_is_not_shared(path: str) -> None:
    service = Service()
    await send_together(service, [get(path)] * 3)
    assert service.calls == 3


async def test_a_response_in_parts_is_not_shared() -> None:
    service = Service(streams=True)
    responses = await send_together(service, [get()] * 3)
    assert [response.content for response in responses] == [b"ab"] * 3
    assert service.calls == 3


async def test_after_an_error_each_of_the_others_tries_by_itself() -> None:
    service = Service(fails=True)
    responses = await send_together(service, [get()] * 3)
    assert sorted(response.json()["call"] for response in responses) == [2, 3]


@pytest.mark.parametrize(
    ("first", "second"),
    [(("/a", b"b"), ("/ab", b"")), (("/a\0b", b""), ("/a", b"b")), (("/a", b"2:b"), ("/a2:b", b""))],
)
def test_no_path_and_query_share_the_key_of_others(first: tuple[str, bytes], second: tuple[str, bytes]) -> None:
    keys = {request_key({"method": "GET", "path": path, "query_string": query}, b"") for path, query in (first, second)}
    assert len(keys) == 2
