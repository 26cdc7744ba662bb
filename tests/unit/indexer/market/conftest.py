"""A page fetcher, its responses and its time."""

import httpx
import pytest
import respx

from indexer.market.fetcher import PageFetcher
from tests.support.page_fetcher import FakeTime, fetcher_with


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
