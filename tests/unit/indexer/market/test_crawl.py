"""The journal of visits, which an interrupted run continues, and errors of single pages, which do not end a run."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import httpx
import pytest

from indexer.content.rows import Content
from indexer.market.crawl import MarketError, crawl, open_journal
from indexer.market.page import Page
from indexer.market.page_reader import WorkerStartError
from indexer.market.schedule import MarketPage, Visit, market_pages
from tests.support.market_findings import BAND_URL, FAIR, visit
from tests.support.page_fetcher import PAGE, DirectReader, FakeTime, fetcher_with


def test_the_journal_keeps_the_last_visit_and_ignores_a_truncated_line(tmp_path: Path, content: Content) -> None:
    first, second = visit(content, "gone"), visit(content, "no-answer", url=f"{FAIR}pocket")
    with open_journal(tmp_path) as (visits, record):
        assert visits == {}
        record(replace(first, day="2026-01-01"))
        record(first)
        record(second)
        with pytest.raises(MarketError, match="Another verification is running"), open_journal(tmp_path):
            pytest.fail("opened twice")
    with (tmp_path / "visits.ndjson").open("ab") as file:
        file.write(b'{"url": "https://fair.example.org/cut", "da')
    with open_journal(tmp_path) as (visits, _):
        assert visits == {BAND_URL: first, f"{FAIR}pocket": second}
    assert len((tmp_path / "visits.ndjson").read_bytes().splitlines()) == 2


async def crawl_with(reader: DirectReader, pages: Sequence[MarketPage], recorded: list[Visit]) -> None:
    def respond(request: httpx.Request) -> httpx.Response:
        return httpx.Response(404) if request.url.path == "/robots.txt" else httpx.Response(200, html=PAGE)

    fetcher = fetcher_with(httpx.MockTransport(respond), FakeTime(), reader)
    await crawl(pages, fetcher, {}, recorded.append, date(2026, 11, 21), concurrency=2)


class FailingReader(DirectReader):
    """Raises an error for every second page."""

    def __init__(self, error: BaseException) -> None:
        self._error = error
        self._is_second = False

    async def read_page(self, body: bytes, charset: str) -> Page:
        """Parse a page, or raise."""
        self._is_second = not self._is_second
        if self._is_second:
            raise self._error
        return await super().read_page(body, charset)


@pytest.mark.parametrize(
    "error", [RecursionError(), MemoryError(), UnicodeError(), ValueError("x"), OSError(), KeyError()]
)
async def test_an_unexpected_error_of_a_page_is_a_finding(
    content: Content, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    recorded: list[Visit] = []
    pages = market_pages(content)
    await crawl_with(FailingReader(error), pages, recorded)
    assert sorted(visit.url for visit in recorded) == sorted(page.url for page in pages)
    rules = Counter(rule for visit in recorded for rule in visit.rules.values())
    assert rules == {"no-answer": 3, "not-named": 3}
    assert f"could not be visited: {type(error).__name__}" in caplog.text


async def test_a_worker_that_does_not_start_ends_the_run(content: Content) -> None:
    recorded: list[Visit] = []
    with pytest.raises(WorkerStartError):
        await crawl_with(FailingReader(WorkerStartError("no worker")), market_pages(content), recorded)
    assert recorded == []
