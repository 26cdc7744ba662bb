"""No word that a client sends is found anywhere afterwards: not in logs, metrics, indices, exports or crash reports."""

from __future__ import annotations

import asyncio
import re
import resource
import signal
from typing import TYPE_CHECKING

import httpx
import orjson

from tests.support.canaries import ADDRESS, FORWARDED, Flock, release
from tests.support.misbehaving_servers import quarrelling
from tests.support.serving import ENDS, free_port, process

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from opensearchpy import OpenSearch

SETTINGS = {
    "AKG_LOG_LEVEL": "debug",
    "AKG_RATE_LIMIT": "10000",
    "AKG_TRUSTED_PROXIES": "1",
    "AKG_DRAIN_SECONDS": "0",
    "AKG_CLIENT_TIMEOUT_SECONDS": "0.5",
    "AKG_IDLE_SECONDS": "1",  # some leave their connection open, and read to its end
    "AKG_DEADLINE_SECONDS": "20",  # each must reach the engine, on a machine that may be busy
    "AKG_ALIAS": "akg-world",
    "AKG_USAGE_INDEX": "akg-usage-canary",
}
PUBLIC = ("/usage", "/export", "/openapi.json", "/graph")


async def test_no_word_of_a_client_is_kept_anywhere(
    service: httpx.AsyncClient, node_url: str, client: OpenSearch, guarded_folder: Path, tmp_path: Path
) -> None:
    assert service  # the world is published
    for name in ("well", "ill"):
        (tmp_path / name).mkdir()
    flock = Flock()
    left = await _left_behind(node_url, tmp_path / "well", flock, signal.SIGTERM)
    async with quarrelling() as ill:
        left |= await _left_behind(ill, tmp_path / "ill", flock, signal.SIGABRT)
    left |= _in_the_engine(client)
    for folder in (tmp_path, guarded_folder):
        left |= dict(_files(folder))
    sought = re.compile(f"{flock.beginning}|{re.escape(ADDRESS)}|{re.escape(FORWARDED)}".encode())
    assert [place for place, text in left.items() if sought.search(text.lower()) or sought.search(place.encode())] == []


async def _left_behind(url: str, folder: Path, flock: Flock, end: signal.Signals) -> dict[str, bytes]:
    """Send everything to a service over this engine, end it, and return what it wrote and sent, by location."""
    admin = str(free_port())
    settings = {**SETTINGS, "AKG_OPENSEARCH_URL": url, "AKG_ADMIN_PORT": admin, "TMPDIR": str(folder)}
    with process(settings, folder) as served:
        resource.prlimit(served.process.pid, resource.RLIMIT_CORE, (0, 0))  # no core dump
        answers = await release(served.port, flock)
        assert sum(flock.beginning.encode() in answer for answer in answers.values()) > len(answers) / 10  # echoed
        assert sum(b'"jsonrpc"' in answer for answer in answers.values()) > 15  # got as far as the protocol
        async with httpx.AsyncClient(timeout=ENDS) as client:
            responses = [await client.get(f"http://127.0.0.1:{admin}/metrics")]
            responses += [await client.get(served.url + path) for path in PUBLIC]
        assert b"akg_requests_total" in responses[0].content
        served.process.send_signal(end)
        await asyncio.to_thread(served.process.wait, ENDS)
        log = served.log.read_bytes()
    assert log.count(b'"event":"request"') >= len(answers) - 5  # those that ended before they were requests
    assert (b"Fatal Python error" in log) == (end == signal.SIGABRT)
    name = folder.name
    return {f"log, {name}": log, **{f"{one.url.path}, {name}": one.content for one in responses}}


def _in_the_engine(client: OpenSearch) -> dict[str, bytes]:
    """What was counted, and what is known of every index."""
    client.indices.flush(index="akg-usage-canary-*")
    client.indices.refresh(index="akg-usage-canary-*")
    counted = client.search(index="akg-usage-canary-*", body={"size": 10_000})
    assert counted["hits"]["hits"]
    named = client.indices.get(index="*", params={"expand_wildcards": "all"})
    return {"counts": orjson.dumps(counted), "indices": orjson.dumps(named)}


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file below, as far as it is still there: logs and data of the engine, whatever a service wrote."""
    for path in folder.rglob("*"):
        try:
            yield str(path), path.read_bytes() if path.is_file() else b""
        except FileNotFoundError:  # the engine cleared up
            continue
