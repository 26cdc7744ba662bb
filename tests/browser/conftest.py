"""Fixtures of the browser tests: a real Chromium, and services over the small fixture graph."""

import os
import shutil
from collections.abc import AsyncIterator, Iterator

import httpx
import orjson
import pytest
from opensearchpy import OpenSearch
from playwright.async_api import Browser, async_playwright

from tests.support.fixture_graphs import MAPPINGS, listening

NAMES = ("chromium", "chromium-browser", "google-chrome")
USAGE = "akg-browser-usage"


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Launch one browser for all tests. Without an installed browser, skip them; fail in CI."""
    executable = next((path for name in NAMES if (path := shutil.which(name))), None)
    if executable is None:
        reason = f"no browser: none of {', '.join(NAMES)} is installed (apt-get install chromium)"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield chromium
        await chromium.close()


@pytest.fixture(scope="session")
def site(node_url: str, client: OpenSearch, service: httpx.AsyncClient) -> Iterator[str]:
    """Start a service over the fixture graph, with usage on one day, and return its URL."""
    assert service  # publishes the fixture graph
    index = f"{USAGE}-2026.11"
    client.indices.create(index=index, body=orjson.loads((MAPPINGS / "usage.json").read_bytes()))
    usage = {"minute": "2026-11-20T10:00:00Z", "transport": "rest", "route": "/search", "status": "2xx", "count": 120}
    client.index(index=index, body=usage, params={"refresh": "true"})
    with listening(node_url, "akg-world", usage_index=USAGE, usage_months=0, rate_limit=0) as base:
        yield base


@pytest.fixture(scope="session")
def site_without_engine() -> Iterator[str]:
    """Start a service without a reachable OpenSearch node and return its URL."""
    with listening("http://127.0.0.1:9", "akg-world", rate_limit=0) as base:
        yield base
