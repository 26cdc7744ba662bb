"""Clients that call an application directly, and what every error that it sends has."""

from functools import partial

import httpx
from starlette.types import ASGIApp

from api.http.envelope import Envelope
from api.settings import Settings

to_response = partial(Envelope(Settings()).error_response, release=None)


def client_of(app: ASGIApp, base_url: str = "http://test") -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=base_url)


def assert_problem(response: httpx.Response, status: int) -> None:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["cache-control"] == "no-store"
    body = response.json()
    assert body["status"] == status
    assert {"type", "title", "detail", "provenance", "notice"} <= body.keys()
