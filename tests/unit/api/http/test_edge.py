"""What the service tells the reverse proxy: compression, and until when a response may be kept."""

import gzip

import pytest
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.http.edge import MIN_BYTES, EdgeHeaders
from tests.support.asgi_clients import client_of

LONG, SHORT = b"accommodation " * 100, b"a" * (MIN_BYTES - 1)
PUBLIC = {"Cache-Control": "public, max-age=300", "ETag": '"1"'}
NOW = 1_000.9


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Respond by path."""
    headers = {} if scope["path"] == "/private" else dict(PUBLIC)
    if scope["path"] == "/encoded":
        headers["Content-Encoding"] = "gzip"
    content = gzip.compress(LONG) if scope["path"] == "/encoded" else SHORT if scope["path"] == "/short" else LONG
    await Response(content, headers=headers)(scope, receive, send)


@pytest.mark.parametrize(
    ("accept_encoding", "encoding"),
    [
        ("gzip", "gzip"),
        ("br, GZIP;q=0.5", "gzip"),
        ("*", "gzip"),
        ("", None),
        ("identity", None),
        ("gzip;q=0", None),
        ("gzip;q=0.000, br", None),
        ("notgzip", None),
        ("*, gzip;q=0.0", None),
        ("deflate;q=0, *", "gzip"),
    ],
)
async def test_compresses_where_the_client_accepts_it(accept_encoding: str, encoding: str | None) -> None:
    async with client_of(EdgeHeaders(app, lambda: NOW)) as client:
        response = await client.get("/long", headers={"Accept-Encoding": accept_encoding})
    assert response.content == LONG
    assert response.headers.get("content-encoding") == encoding
    assert response.headers["etag"] == ('W/"1"' if encoding else '"1"')
    assert response.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize(("path", "length"), [("/short", len(SHORT)), ("/export/file", len(LONG))])
async def test_short_responses_and_exports_are_sent_as_they_are(path: str, length: int) -> None:
    async with client_of(EdgeHeaders(app, lambda: NOW)) as client:
        response = await client.get(path)
    assert response.headers["content-length"] == str(length)
    assert response.headers["etag"] == ('"1"' if path.startswith("/export") else 'W/"1"')


@pytest.mark.parametrize(("path", "expires"), [("/long", "@1000"), ("/private", None), ("/export/file", None)])
async def test_public_responses_may_be_kept_until_the_second_ends(path: str, expires: str | None) -> None:
    async with client_of(EdgeHeaders(app, lambda: NOW)) as client:
        assert (await client.get(path)).headers.get("x-accel-expires") == expires
