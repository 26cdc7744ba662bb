"""A program that verifies a world against the sites of `bad_pages.py`, and may be interrupted at one of its requests.

Arguments: the folder of the world, the port of the sites, the number of requests, and how the next one ends the run:
`interrupt` as Ctrl-C does, or `kill`.
"""

import asyncio
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import httpx

from akg.commands.market import Verification, verify_all
from indexer.content.loader import load_content
from indexer.market.fetcher import Limits
from indexer.market.host_throttle import Clock
from schema.vocabulary import read_vocabulary
from tests.support.project import MAPPINGS

LIMITS = Limits(pause_seconds=0.0, parse_seconds=3)
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


class LocalTransport(httpx.AsyncBaseTransport):
    """Sends requests to all hosts to one port of this machine."""

    def __init__(self, port: int, max_requests: int, end: str) -> None:
        self._inner = httpx.AsyncHTTPTransport(limits=httpx.Limits(max_keepalive_connections=0), trust_env=False)
        self._port, self._remaining, self._end = port, max_requests, end

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request, or end the run."""
        self._remaining -= 1
        if self._remaining < 0:
            if self._end == "kill":
                os._exit(9)
            raise KeyboardInterrupt
        local = request.url.copy_with(scheme="http", host="127.0.0.1", port=self._port)
        pinned = httpx.Request("GET", local, headers=request.headers, extensions=request.extensions)
        return await self._inner.handle_async_request(pinned)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


async def no_sleep(_: float) -> None:
    """Let other tasks run."""
    await asyncio.sleep(0)


def main(world: Path, port: int, max_requests: int, end: str) -> None:
    """Verify the world."""
    tables = load_content(world, read_vocabulary(MAPPINGS))
    options = Verification(world.parent / "state", NOW, limits=LIMITS)
    transport = LocalTransport(port, max_requests, end)
    verify_all(world, tables, options, transport, Clock(lambda: 0.0, no_sleep))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
