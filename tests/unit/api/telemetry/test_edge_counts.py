"""Counts that the edge sends: fixed words are counted, everything else is ignored."""

import asyncio
import socket

import pytest

from api.telemetry.edge_counts import BATCH_SIZE, EdgeCounts
from api.telemetry.usage_counters import UsageCounters
from tests.support.serving import free_port

SYSLOG = b"<190>Nov 25 18:00:00 akg: "


async def totals(*datagrams: bytes) -> dict[tuple[str, str], int]:
    """Return what is counted by route and cache."""
    usage, port = UsageCounters(["/search", "/{type}/{id}"]), free_port()
    counts = EdgeCounts(usage, f"127.0.0.1:{port}")
    counts.start()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for datagram in datagrams:
            sender.sendto(datagram, ("127.0.0.1", port))
    await asyncio.sleep(0.05)
    await counts.close()
    return {(key.route, key.cache): count for key, count in usage.totals.items()}


async def test_counts_by_route_and_state() -> None:
    sent = [SYSLOG + b"/search hit"] * 3 + [SYSLOG + b"/{type}/{id} stale", SYSLOG + b"other hit"]
    assert await totals(*sent) == {
        ("/search", "edge_hit"): 3,
        ("/{type}/{id}", "edge_stale"): 1,
        ("other", "edge_hit"): 1,
    }


@pytest.mark.parametrize(
    "words", [b"", b"/search", b"/search ", b"/search miss", b"\xff\xfe", b"/search hit hit", b"a" * 300 + b" hit"]
)
async def test_ignores_other_words(words: bytes) -> None:
    assert await totals(SYSLOG + words) == {}


async def test_the_text_of_a_client_is_never_a_route() -> None:
    assert await totals(SYSLOG + b"/what-a-person-typed hit") == {("other", "edge_hit"): 1}


async def test_counts_more_than_one_batch() -> None:
    assert await totals(*[SYSLOG + b"/search hit"] * (BATCH_SIZE + 5)) == {("/search", "edge_hit"): BATCH_SIZE + 5}


async def test_without_an_address_it_does_nothing() -> None:
    counts = EdgeCounts(UsageCounters([]), "")
    counts.start()
    await counts.close()
