"""The promised size of a market check: two thousand addresses with every kind of bad page, stopped at any moment.

Logs the time, the memory and the number of findings of each run: `-o log_cli=true -o log_cli_level=info` shows them.
"""

import logging
import sys
import time
from pathlib import Path

from tests.support.bad_pages import ALL_KINDS, addresses, bad_sites
from tests.support.market_findings import FAIR
from tests.support.market_processes import MAX_MEMORY_BYTES, OF_WORLD, findings, run, world_with_addresses

ADDRESSES = 2_000
log = logging.getLogger(__name__)
DEADLINE_SECONDS = 1_200  # of all runs together; it takes a quarter of that on a machine that does nothing else
INTERRUPTIONS = ((1, "interrupt"), (300, "kill"), (900, "interrupt"), (40, "kill"), (700, "kill"), (5, "interrupt"))


async def test_two_thousand_addresses_are_done_in_time_and_memory_with_exact_findings(tmp_path: Path) -> None:
    world = world_with_addresses(tmp_path / "world", ADDRESSES)
    expected = dict(addresses(ADDRESSES))
    assert {url.split("/")[3] for url in expected} == ALL_KINDS.keys()
    began, known = time.monotonic(), 0
    async with bad_sites() as port:
        for max_requests, end in (*INTERRUPTIONS, (sys.maxsize, "")):
            started = time.monotonic()
            result = await run(world, port, max_requests, end)
            found = findings(world)
            seconds, megabytes = time.monotonic() - started, result.memory / 1024**2
            log.info("%s %.1f s, %.0f MB, %d findings", end or "complete", seconds, megabytes, len(found))
            assert (result.code == 0) == (not end), result.errors
            assert result.memory < MAX_MEMORY_BYTES
            assert len(found) >= known
            known = len(found)
            assert {url: rule for url, rule in found.items() if not url.startswith(FAIR)}.items() <= expected.items()
    assert time.monotonic() - began < DEADLINE_SECONDS
    assert len(found) == ADDRESSES + OF_WORLD
    assert {rule for url, rule in found.items() if url.startswith(FAIR)} == {"gone"}
