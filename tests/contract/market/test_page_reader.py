"""Parsing in other processes: time and memory limits, replacement, and no process left behind."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import psutil
import pytest

from indexer.market import page_reader
from indexer.market.page import parse_page
from indexer.market.page_reader import PageReadError, WorkerReader, WorkerStartError

BODY = b"<title>Time Timer</title><h2>Disks</h2><p>Red disk</p>"
NESTED = b"<div>x" * 400_000  # the parser needs minutes
WIDE = b"<p>x" * 700_000  # 230 MB of nodes


@pytest.fixture
async def reader() -> AsyncIterator[WorkerReader]:
    reader = WorkerReader(seconds=20)
    yield reader
    await reader.close()


def processes() -> Sequence[psutil.Process]:
    return [child for child in psutil.Process().children() if page_reader.PROGRAM in child.cmdline()]


async def test_parses_as_this_process_does(reader: WorkerReader) -> None:
    assert await reader.read_page(BODY, "utf-8") == parse_page(BODY, "utf-8")
    assert await reader.read_page(b"", "undefined") == parse_page(b"", "")
    assert len(processes()) == 1
    await reader.close()
    assert processes() == []


async def test_applies_robots_txt(reader: WorkerReader) -> None:
    rules = await reader.read_robots(b"User-agent: *\nDisallow: /a\nCrawl-delay: 7", "https://shop.example/a")
    assert (rules.is_allowed, rules.delay_seconds) == (False, 7.0)


async def test_stops_a_page_that_takes_too_long_without_blocking_others() -> None:
    reader = WorkerReader(seconds=2)
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.05)
            ticks += 1

    ticking = asyncio.create_task(tick())
    with pytest.raises(PageReadError) as raised:
        async with asyncio.timeout(30):
            await reader.read_page(NESTED, "")
    ticking.cancel()
    assert raised.value.is_slow
    assert ticks >= 5
    assert processes() == []
    assert (await reader.read_page(BODY, "")).titles == ("Time Timer",)
    await reader.close()


async def test_stops_a_page_that_takes_too_much_memory(reader: WorkerReader) -> None:
    with pytest.raises(PageReadError) as raised:
        await reader.read_page(WIDE, "")
    assert not raised.value.is_slow
    assert (await reader.read_page(BODY, "")).titles == ("Time Timer",)


async def test_replaces_a_killed_process(reader: WorkerReader) -> None:
    await reader.read_page(BODY, "")
    processes()[0].kill()
    with pytest.raises(PageReadError):
        await reader.read_page(BODY, "")
    assert (await reader.read_page(BODY, "")).titles == ("Time Timer",)


async def test_a_cancelled_job_leaves_no_process(reader: WorkerReader) -> None:
    await reader.read_page(BODY, "")
    job = asyncio.create_task(reader.read_page(NESTED, ""))
    await asyncio.sleep(0.2)
    job.cancel()
    with pytest.raises(asyncio.CancelledError):
        await job
    assert processes() == []


async def test_replaces_a_process_after_many_jobs(reader: WorkerReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_reader, "MAX_JOBS", 2)
    for _ in range(5):
        assert (await reader.read_page(BODY, "")).titles == ("Time Timer",)
    assert len(processes()) == 1


async def test_reports_a_process_that_does_not_start(reader: WorkerReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_reader, "PROGRAM", "raise SystemExit(3)")
    with pytest.raises(WorkerStartError, match="did not start"):
        await reader.read_page(BODY, "")
