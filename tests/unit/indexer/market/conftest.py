"""A page fetcher, its responses and its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest
import respx

from tests.support.page_fetcher import FakeTime, fetcher_with

if TYPE_CHECKING:
    from indexer.market.fetcher import PageFetcher


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
