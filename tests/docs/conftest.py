"""The OpenAPI document, which several pages are compared with."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from api.app import create_app
from api.settings import Settings


@pytest.fixture(scope="session")
async def document() -> dict[str, Any]:
    """Return the body of `/openapi.json`, which needs no engine."""
    transport = httpx.ASGITransport(app=create_app(Settings(), ["http://127.0.0.1:9"]))
    async with httpx.AsyncClient(transport=transport, base_url="http://service") as service:
        body: dict[str, Any] = (await service.get("/openapi.json")).json()
        return body
