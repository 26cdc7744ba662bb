"""Visits the pages of several hosts concurrently and records each visit in a journal when it ends.

The journal is append-only: a run that is interrupted continues where it stopped.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

import orjson
from filelock import FileLock, Timeout

from indexer.market.fetcher import PageFetcher, Validators, VisitResult
from indexer.market.schedule import MarketPage, Visit, visit_from_result
from schema.errors import LOCKED, AkgError
from schema.market_rules import MARKET_RULES

log = logging.getLogger("akg.market")

FILE = "visits.ndjson"
MAX_FAILED_HOSTS = 20  # before any host has responded


class MarketError(AkgError):
    """The addresses cannot be visited now. The table is unchanged, and the visits so far are in the journal."""


class MarketLockedError(MarketError):
    """Another verification is running."""

    exit_code = LOCKED


@contextmanager
def open_journal(folder: Path) -> Iterator[tuple[dict[str, Visit], Callable[[Visit], None]]]:
    """Yield the last visit to each URL and a function that appends one; raise MarketError if it is already open."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(folder / ".lock").acquire(timeout=0)
    except Timeout:
        message = "Another verification is running. Wait until it ends, or stop it and start again."
        raise MarketLockedError(message) from None
    with lock:
        visits = _read(folder)
        rewrite(folder, visits)
        with (folder / FILE).open("ab") as file:

            def record(visit: Visit) -> None:
                visits[visit.url] = visit
                file.write(_line(visit))
                file.flush()

            yield visits, record


def rewrite(folder: Path, visits: Mapping[str, Visit]) -> None:
    """Replace the journal with these visits."""
    draft = folder / f"{FILE}.new"
    draft.write_bytes(b"".join(map(_line, visits.values())))
    draft.replace(folder / FILE)


def _line(visit: Visit) -> bytes:
    return orjson.dumps(asdict(visit)) + b"\n"


def _read(folder: Path) -> dict[str, Visit]:
    """Read every complete line; a killed run may have truncated the last one."""
    path = folder / FILE
    visits = {}
    for line in path.read_bytes().splitlines() if path.exists() else ():
        try:
            visit = Visit(**orjson.loads(line))
        except (orjson.JSONDecodeError, TypeError):
            continue
        if set(visit.rules.values()) <= MARKET_RULES.keys():
            visits[visit.url] = visit
    return visits


async def crawl(
    pages: Sequence[MarketPage],
    fetcher: PageFetcher,
    previous: Mapping[str, Visit],
    record: Callable[[Visit], None],
    today: date,
    concurrency: int,
) -> None:
    """Visit all pages; raise MarketError if no host responds at all: this machine may be offline."""
    by_host: defaultdict[str, list[MarketPage]] = defaultdict(list)
    for page in pages:
        by_host[urlsplit(page.url).hostname or ""].append(page)
    queue = sorted(by_host.values(), key=len)  # popped from the end: the host with most pages starts first

    async def work() -> None:
        while queue:
            for page in queue.pop():
                last_visit = previous.get(page.url)
                record(await _visit(page, fetcher, last_visit, today))
                responding, failed = fetcher.throttle.response_counts()
                if not responding and failed >= MAX_FAILED_HOSTS:
                    raise MarketError(f"None of {failed} hosts responded. Is this machine online? Nothing was written.")

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(concurrency):
                group.create_task(work())
    except* AkgError as errors:
        raise errors.exceptions[0] from None


async def _visit(page: MarketPage, fetcher: PageFetcher, last_visit: Visit | None, today: date) -> Visit:
    """Visit one page. An unexpected error counts as no answer: one page must not end the run for all others."""
    try:
        result = await fetcher.visit(page.url, _validators(page, last_visit))
        return visit_from_result(page, result, last_visit, today)
    except AkgError:
        raise
    except Exception as error:  # noqa: BLE001 - pages are written by anybody
        log.warning("%s could not be visited: %s", page.url, type(error).__name__)
        return visit_from_result(page, VisitResult(page.url, "no-answer"), last_visit, today)


def _validators(page: MarketPage, last_visit: Visit | None) -> Validators | None:
    """Return validators only if an unchanged page would be judged as before."""
    if last_visit is None or last_visit.fingerprint != page.fingerprint:
        return None
    if not (last_visit.etag or last_visit.modified):
        return None
    return Validators(last_visit.evidence, last_visit.etag, last_visit.modified)
