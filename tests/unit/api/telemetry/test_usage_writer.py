"""Which indices of usage counts have expired, and which counts wait or are dropped."""

import logging
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from aiohttp import web

from api.settings import Settings
from api.telemetry import usage_writer
from api.telemetry.usage_counters import RequestFacts, UsageCounters
from api.telemetry.usage_writer import UsageWriter, expired_indices, usage_index_body
from tests.support.http_servers import http_server
from tests.support.project import MAPPINGS

NOW = datetime(2026, 2, 28, 23, 59, tzinfo=UTC)
CREATED: dict[str, Any] = {"status": 201}
FULL: dict[str, Any] = {"status": 429, "error": {"type": "cluster_block_exception"}}
OLDER: dict[str, Any] = {"status": 400, "error": {"type": "strict_dynamic_mapping_exception"}}
INVALID: dict[str, Any] = {"status": 400, "error": {"type": "mapper_parsing_exception"}}


@pytest.mark.parametrize(
    ("months", "expired"),
    [
        (13, []),
        (3, ["akg-usage-2025.10", "akg-usage-2025.11"]),
        (1, ["akg-usage-2025.10", "akg-usage-2025.11", "akg-usage-2025.12", "akg-usage-2026.01"]),
    ],
)
def test_indices_expire_after_the_configured_months(months: int, expired: list[str]) -> None:
    monthly = [f"akg-usage-{month}" for month in ("2025.10", "2025.11", "2025.12", "2026.01", "2026.02", "2026.03")]
    others = ["akg-usage-old", "akg-usage-2020.1", "other-usage-2020.01", "akg-entities-20200101t000000z"]
    assert expired_indices([*monthly, *others], "akg-usage", NOW, months) == expired


def _writer(url: str, requests: int = 1) -> UsageWriter:
    usage = UsageCounters([])
    body = usage_index_body(MAPPINGS)
    writer = UsageWriter(Settings(usage_months=3), [url], usage, body, lambda: NOW, dict, "worker")
    for number in range(requests):
        usage.record(RequestFacts(status=200 + 100 * number), 0.0)
    writer.collect()
    return writer


async def _flush(*responses: list[dict[str, Any]], flushes: int = 1) -> tuple[UsageWriter, list[str]]:
    """Write two counts to a node that gives these items in turn; return the writer and the requests that write."""
    written, items = [], iter(responses)

    async def handler(request: web.Request) -> web.Response:
        body: object = {}
        if request.path.endswith("/_bulk"):
            ids = [orjson.loads(line)["create"]["_id"] for line in (await request.text()).splitlines()[::2]]
            written.append(f"bulk {len(ids)}")
            body = {"items": [{"create": item} for item in next(items)]}
        elif request.method == "PUT":
            written.append(request.path.rpartition("/")[2])
        return web.json_response(body)

    async with http_server(handler) as (url, _):
        writer = _writer(url, requests=2)
        for _ in range(flushes):
            await writer.flush()
        await writer.close()
    return writer, written


async def test_counts_that_may_be_accepted_later_are_kept() -> None:
    writer, written = await _flush([FULL, CREATED], [CREATED], flushes=2)
    assert (len(writer.queue), writer.dropped, written) == (0, 0, ["bulk 2", "bulk 1"])


async def test_the_index_of_an_older_version_is_extended() -> None:
    writer, written = await _flush([OLDER, OLDER], [CREATED, CREATED])
    assert (len(writer.queue), writer.dropped, written) == (0, 0, ["bulk 2", "_mapping", "bulk 2"])


async def test_the_log_says_how_many_counts_are_dropped(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    writer, _ = await _flush([INVALID, CREATED])
    assert (len(writer.queue), writer.dropped) == (0, 1)
    monkeypatch.setattr(usage_writer, "MAX_QUEUE_LENGTH", 1)
    full = _writer("http://127.0.0.1:9", requests=3)
    assert (len(full.queue), full.dropped) == (1, 2)
    await full.close()
    assert [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR] == [
        "dropped 1 usage counts, 1 since the start: OpenSearch rejected them with status 400",
        "dropped 2 usage counts, 2 since the start: the queue is full",
    ]
