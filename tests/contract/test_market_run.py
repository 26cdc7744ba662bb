"""A whole run of `akg market verify` over sites that are wrong in every known way, interrupted and continued."""

import asyncio
import csv
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.support.bad_pages import NAME, addresses, bad_sites
from tests.support.market_findings import FAIR, HEADER
from tests.support.project import ROOT
from tests.support.world_files import copy_world_with_findings

ADDRESSES = 100
OF_WORLD = 6  # all gone
INTERRUPTIONS = ((1, "interrupt"), (53, "kill"), (70, "interrupt"), (20, "kill"))
MAX_MEMORY_BYTES = 300 * 1024**2


@dataclass(slots=True)
class Run:
    """The result of one run: its exit code, errors and the most memory that all its processes used at a time."""

    code: int
    errors: str
    memory: int


@pytest.fixture
def world(tmp_path: Path) -> Path:
    world = copy_world_with_findings(tmp_path / "world", HEADER)
    with (world / "products.csv").open("a") as table:
        for number, (url, _) in enumerate(addresses(ADDRESSES)):
            table.write(f"thing-{number},{NAME.format(number=number)},C,assistive,A thing.,{url},fair\n")
    return world


async def run(world: Path, port: int, max_requests: int = sys.maxsize, end: str = "") -> Run:
    command = (sys.executable, "-m", "tests.support.market_run", str(world), str(port), str(max_requests), end)
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=pipe, stderr=pipe)
    ended = asyncio.create_task(process.communicate())
    memory, workers = 0, set()
    while not ended.done():
        try:
            parent = psutil.Process(process.pid)
            children = parent.children(recursive=True)
            workers.update(children)
            memory = max(memory, sum(each.memory_info().rss for each in (parent, *children)))
        except psutil.NoSuchProcess:
            pass
        await asyncio.sleep(0.02)
    _, errors = await ended
    await asyncio.to_thread(psutil.wait_procs, workers, 10)
    assert not any(worker.is_running() for worker in workers)
    return Run(process.returncode or 0, errors.decode(), memory)


def findings(world: Path) -> dict[str, str]:
    with (world / "market.csv").open() as table:
        return {row["address"]: row["rule"] for row in csv.DictReader(table)}


async def test_finishes_with_exact_findings_in_little_memory(world: Path) -> None:
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
