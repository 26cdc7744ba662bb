"""A real Chromium for the tests of the pages, and a service over the small world for it to look at."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import orjson
import pytest
from playwright.async_api import async_playwright
from worlds import MAPPINGS, listening

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    import httpx
    from opensearchpy import OpenSearch
    from playwright.async_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome")
USAGE = "akg-browser-usage"


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One browser for all tests. Without one they are passed over, but not where everything must be checked."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        said = f"no browser: none of {', '.join(NAMES)} is installed (apt-get install chromium)"
        pytest.fail(said) if os.environ.get("CI") == "true" else pytest.skip(said)
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield opened
        await opened.close()


@pytest.fixture(scope="session")
def site(node_url: str, client: OpenSearch, service: httpx.AsyncClient) -> Iterator[str]:
    """The address of a service over the world, which was used on one day."""
    assert service  # the world is published
    index = f"{USAGE}-2026.11"
    client.indices.create(index=index, body=orjson.loads((MAPPINGS / "usage.json").read_bytes()))
    used = {"minute": "2026-11-20T10:00:00Z", "door": "rest", "route": "/search", "status": "2xx", "count": 120}
    client.index(index=index, body=used, params={"refresh": "true"})
    with listening(node_url, "akg-world", usage_index=USAGE, usage_months=0, rate_limit=0) as base:
        yield base


@pytest.fixture(scope="session")
def dark_site() -> Iterator[str]:
    """The address of a service whose engine is away."""
    with listening("http://127.0.0.1:9", "akg-world", rate_limit=0) as base:
        yield base
