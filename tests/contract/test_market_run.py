"""A whole run of `akg market verify` over sites that are wrong in every known way, interrupted and continued."""

from pathlib import Path

from tests.support.bad_pages import addresses, bad_sites
from tests.support.market_findings import FAIR
from tests.support.market_processes import MAX_MEMORY_BYTES, OF_WORLD, findings, run, world_with_addresses

ADDRESSES = 100
INTERRUPTIONS = ((1, "interrupt"), (53, "kill"), (70, "interrupt"), (20, "kill"))


async def test_finishes_with_exact_findings_in_little_memory(tmp_path: Path) -> None:
    world = world_with_addresses(tmp_path / "world", ADDRESSES)
    expected = dict(addresses(ADDRESSES))
    runs, counts = [], [0]
    async with bad_sites() as port:
        for max_requests, end in INTERRUPTIONS:
            runs.append(await run(world, port, max_requests, end))
            assert runs[-1].code != 0
            so_far = {url: rule for url, rule in findings(world).items() if not url.startswith(FAIR)}
            assert so_far.items() <= expected.items()
            counts.append(len(findings(world)))
        runs.append(await run(world, port))
    assert runs[-1].code == 0, runs[-1].errors
    assert counts == sorted(counts)
    found = findings(world)
    assert {rule for url, rule in found.items() if url.startswith(FAIR)} == {"gone"}
    assert {url: rule for url, rule in found.items() if not url.startswith(FAIR)} == expected
    assert len(found) == ADDRESSES + OF_WORLD
    assert max(each.memory for each in runs) < MAX_MEMORY_BYTES
