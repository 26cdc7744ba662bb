"""Visits the pages of several hosts concurrently and records each visit when it ends."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from indexer.market.fetcher import Validators
from indexer.market.journal import MarketError
from indexer.market.schedule import visit_from_result

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import date

    from indexer.market.fetcher import PageFetcher
    from indexer.market.schedule import MarketPage, Visit

MAX_FAILED_HOSTS = 20  # before any host has responded


async def crawl(
    pages: Sequence[MarketPage],
    fetcher: PageFetcher,
    previous: Mapping[str, Visit],
    record: Callable[[Visit], None],
    today: date,
    concurrency: int,
) -> None:
    """Visit all pages; raise MarketError if no host responds at all, which suggests that this machine is offline."""
    by_host: defaultdict[str, list[MarketPage]] = defaultdict(list)
    for page in pages:
        by_host[urlsplit(page.url).hostname or ""].append(page)
    queue = sorted(by_host.values(), key=len)  # popped from the end: the host with most pages starts first

    async def work() -> None:
        while queue:
            for page in queue.pop():
                last_visit = previous.get(page.url)
                result = await fetcher.visit(page.url, _validators(page, last_visit))
                record(visit_from_result(page, result, last_visit, today))
                responding, failed = fetcher.throttle.response_counts()
                if not responding and failed >= MAX_FAILED_HOSTS:
                    raise MarketError(f"None of {failed} hosts responded. Is this machine online? Nothing was written.")

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(concurrency):
                group.create_task(work())
    except* MarketError as errors:
        raise errors.exceptions[0] from None


def _validators(page: MarketPage, last_visit: Visit | None) -> Validators | None:
    """Return validators only if an unchanged page would be judged as before."""
    if last_visit is None or last_visit.fingerprint != page.fingerprint:
        return None
    if not (last_visit.etag or last_visit.modified):
        return None
    return Validators(last_visit.evidence, last_visit.etag, last_visit.modified)
