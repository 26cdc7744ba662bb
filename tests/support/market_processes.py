"""Runs of `market_run.py` in a separate process, over a world with bad pages."""

import asyncio
import csv
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.support.bad_pages import NAME, addresses
from tests.support.market_findings import HEADER
from tests.support.project import ROOT
from tests.support.world_files import copy_world_with_findings

OF_WORLD = 6  # all gone
MAX_MEMORY_BYTES = 300 * 1024**2


@dataclass(slots=True)
class Run:
    """The result of one run: its exit code, errors and the most memory that all its processes used at a time."""

    code: int
    errors: str
    memory: int


def world_with_addresses(folder: Path, count: int) -> Path:
    """Write a world with this many addresses of `bad_pages.py` to a new folder."""
    world = copy_world_with_findings(folder, HEADER)
    with (world / "products.csv").open("a") as table:
        for number, (url, _) in enumerate(addresses(count)):
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
