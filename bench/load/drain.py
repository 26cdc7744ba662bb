"""SIGTERM under load, many times over: whether any request that was taken is lost, and how long the end takes.

Run by hand, beside a node with a release: `python -m bench.load.drain`. It starts
services of its own on this machine, one after the other, and ends by itself.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import time

from rich.console import Console

from akg.connection import engine_urls, settings_from_environment
from tests.support.load import Outcome, ask_until_refused
from tests.support.serving import ENDS, process

ROUNDS, CLIENTS = 20, 32
SETTINGS = {"AKG_RATE_LIMIT": "0", "AKG_USAGE_MONTHS": "0", "AKG_DRAIN_SECONDS": "1", "AKG_DEADLINE_SECONDS": "10"}


async def end(url: str, after: int) -> tuple[int, list[str], float, int]:
    """One round, ended after so many: whole answers, lost requests, seconds from the signal to the end, exit code."""
    with process({**SETTINGS, "AKG_OPENSEARCH_URL": url}) as served:
        outcome = Outcome()
        asking = asyncio.create_task(ask_until_refused(served.port, CLIENTS, outcome))
        await asyncio.wait_for(outcome.reaches(after), ENDS)
        began = time.perf_counter()
        served.process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(asking, ENDS)
        code = await asyncio.to_thread(served.process.wait, ENDS)
        return sum(outcome.statuses.values()), outcome.lost, time.perf_counter() - began, code


def main() -> None:
    """Print a line for each round, and the sum."""
    out = Console(highlight=False)
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    url = engine_urls(settings_from_environment())[0]
    lost = 0
    for number in range(1, rounds + 1):
        answered, missing, seconds, code = asyncio.run(end(url, 50 + 37 * number))
        lost += len(missing)
        out.print(f"{number:>3}: {answered:,} answered, lost {missing}, ended after {seconds:.1f} s with {code}")
    out.print(f"{lost} requests lost in {rounds} rounds")


if __name__ == "__main__":
    main()
