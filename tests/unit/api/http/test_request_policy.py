"""The request policy around a small application, and around the service."""

import asyncio
import logging
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.errors import MovedError, NotFoundError
from api.http.request_policy import RequestLimits, RequestPolicy, add_exception_handlers
from tests.support.asgi_clients import assert_problem, client_of, to_response

LIMIT = 1024
AS_JSON = {"Content-Type": "application/json"}


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    size = len(await Request(scope, receive).body())
    body = {"method": scope["method"], "path": scope["path"], "size": size}
    await JSONResponse(body, headers={"X-Path": scope["path"]})(scope, receive, send)


async def missing(_: Scope, __: Receive, ___: Send) -> None:
    raise NotFoundError("There is no such entity.", suggestions=[])


async def defective(scope: Scope, _: Receive, __: Send) -> None:
    scope["route"] = SimpleNamespace(path="/{type}/{id}")  # as the router sets it
    raise RuntimeError("what a person typed")


async def broken_off(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await defective(scope, receive, send)


async def request(
    method: str,
    path: str = "/",
    *,
    app: ASGIApp = echo,
    headers: dict[str, str] | list[tuple[str, str]] | None = None,
    content: bytes | AsyncIterator[bytes] | None = None,
) -> httpx.Response:
    async with client_of(RequestPolicy(app, to_response, RequestLimits(LIMIT))) as client:
        return await client.request(method, path, headers=headers, content=content)


async def pieces(count: int, size: int) -> AsyncIterator[bytes]:
    for _ in range(count):
        yield b" " * size


@pytest.mark.parametrize("app", [echo, missing, defective])
async def test_head_is_get_without_the_body(app: ASGIApp) -> None:
    get, head = await request("GET", "/ability", app=app), await request("HEAD", "/ability", app=app)
    echoed = {"method": "GET", "path": "/ability", "size": 0}
    assert app is not echo or (get.status_code, get.json()) == (200, echoed)
    assert (head.status_code, head.content, head.headers) == (get.status_code, b"", get.headers)
    assert int(head.headers["content-length"]) == len(get.content) > 0


@pytest.mark.parametrize(
    ("sent", "seen"),
    [
        ("/", "/"),
        ("/ability", "/ability"),
        ("/ability/", "/ability"),
        ("/ability//", "/ability"),
        ("/ability/1.A/?limit=5", "/ability/1.A"),
    ],
)
async def test_ignores_a_trailing_slash(sent: str, seen: str) -> None:
    response = await request("GET", sent)
    assert (response.status_code, response.json()["path"]) == (200, seen)


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        *[(accept, 200) for accept in ("application/json", "APPLICATION/JSON", "application/json; charset=utf-8")],
        *[(accept, 200) for accept in ("application/problem+json", "application/*", "*/*")],
        ("text/html, application/xml;q=0.9, */*;q=0.8", 200),
        ("text/html;q=0, application/json;q=0.001", 200),
        *[(accept, 406) for accept in ("text/html", "image/*", "application/xml", "application/jsonp")],
        *[(accept, 406) for accept in ("application/json;q=0", "application/json; q=0", "application/json;q=0.0")],
        *[(accept, 406) for accept in ("*/*;q=0.000", "application/json;q=0, */*", "*/*, application/json; q=0.0")],
    ],
)
async def test_sends_json_only_to_clients_that_accept_it(accept: str, status: int) -> None:
    response = await request("GET", "/ability", headers={"Accept": accept})
    assert response.status_code == status
    if status == 406:
        assert_problem(response, status)


async def test_joins_several_accept_headers() -> None:
    lines = [("Accept", "application/json"), ("Accept", "text/html")]
    assert (await request("GET", headers=lines)).status_code == 200


@pytest.mark.parametrize(
    ("chunks", "headers", "status"),
    [
        ((1, LIMIT), {"Content-Length": str(LIMIT)}, 200),
        ((4, LIMIT // 4), {}, 200),
        ((1, LIMIT + 1), {"Content-Length": str(LIMIT + 1)}, 413),
        ((5, LIMIT // 4), {}, 413),
        ((1, LIMIT + 1), {"Content-Length": "5"}, 413),  # understated
    ],
)
async def test_accepts_a_body_up_to_the_limit(chunks: tuple[int, int], headers: dict[str, str], status: int) -> None:
    response = await request("POST", headers={**AS_JSON, **headers}, content=pieces(*chunks))
    if status == 413:
        assert_problem(response, status)
    found = response.json()
    assert (response.status_code, found.get("limit", found.get("size"))) == (status, LIMIT)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        *[({"Content-Type": accepted}, 200) for accepted in ("application/json", "Application/JSON; charset=utf-8")],
        ({"Content-Type": "application/merge-patch+json"}, 200),
        ({}, 415),
        *[({"Content-Type": other}, 415) for other in ("", "text/plain", "text/json")],
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ],
)
async def test_a_body_must_be_declared_as_json(headers: dict[str, str], status: int) -> None:
    for content in (b"{}", pieces(1, 2)):
        response = await request("POST", headers=headers, content=content)
        assert response.status_code == status
        if status == 415:
            assert_problem(response, status)


async def test_no_body_needs_no_content_type() -> None:
    assert (await request("POST")).status_code == 200
    assert (await request("GET", headers={"Content-Type": "text/plain"})).status_code == 200


async def test_a_service_error_becomes_its_response() -> None:
    response = await request("GET", app=missing)
    assert_problem(response, 404)
    assert response.json()["detail"] == "There is no such entity."


async def test_an_unexpected_error_is_logged_by_type_and_route_and_does_not_reveal_its_cause(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.ERROR, "akg.service"):
        response = await request("GET", "/disability/secret", app=defective)
    assert_problem(response, 500)
    assert "typed" not in response.text + caplog.text
    assert "Traceback" not in response.text + caplog.text
    assert [record.getMessage() for record in caplog.records] == ["unexpected error in /{type}/{id}: RuntimeError"]


async def test_an_interrupted_response_is_not_restarted(caplog: pytest.LogCaptureFixture) -> None:
    inbox, outbox = asyncio.Queue[Message](), asyncio.Queue[Message]()
    scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}
    with caplog.at_level(logging.ERROR, "akg.service"):
        await RequestPolicy(broken_off, to_response, RequestLimits(LIMIT))(scope, inbox.get, outbox.put)
    assert (outbox.get_nowait()["type"], outbox.empty()) == ("http.response.start", True)
    assert len(caplog.records) == 1


async def test_passes_on_other_protocols() -> None:
    seen: list[tuple[Any, ...]] = []

    async def inner(*arguments: Any) -> None:  # noqa: ANN401 - scope, receive, send as they come
        seen.append(arguments)

    arguments: Any = ({"type": "lifespan"}, object(), object())
    await RequestPolicy(inner, to_response, RequestLimits(LIMIT))(*arguments)
    assert seen == [arguments]


async def test_a_post_path_has_its_own_limit_and_method_errors() -> None:
    stream = {"Accept": "text/event-stream"}
    async with client_of(RequestPolicy(echo, to_response, RequestLimits(LIMIT, posts={"/own": 2 * LIMIT}))) as client:
        for path, status in (("/own", 200), ("/own/", 200), ("/other", 413)):
            response = await client.post(path, content=b" " * (LIMIT + 1), headers=AS_JSON)
            assert response.status_code == status
        assert_problem(await client.post("/own", content=b" " * (2 * LIMIT + 1), headers=AS_JSON), 413)
        assert (await client.get("/own", headers=stream)).status_code == 200
        assert_problem(await client.post("/own", content=b"{}", headers={**AS_JSON, **stream}), 406)
        assert_problem(await client.get("/other", headers=stream), 406)


@pytest.mark.parametrize(("length", "is_repeated"), [(10, True), (60_000, False)])
async def test_a_redirect_repeats_a_query_string_that_is_not_too_long(length: int, is_repeated: bool) -> None:  # noqa: FBT001 - a table
    app = FastAPI()
    add_exception_handlers(app, to_response)

    @app.get("/old")
    async def old() -> None:
        raise MovedError("It moved.", location="/new")

    async with client_of(app) as client:
        response = await client.get(f"/old?a={'x' * length}")
    assert response.status_code == 301
    assert response.headers["location"] == (f"/new?a={'x' * length}" if is_repeated else "/new")
