"""Clients that ask as fast as they are answered, and remember how each request ended."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field

LENGTH = b"content-length: "
REQUEST = b"GET /search?query=adhd&limit=3 HTTP/1.1\r\nHost: service\r\n\r\n"


@dataclass(slots=True)
class Outcome:
    """Whole answers by status with the seconds each took, and requests that were sent and got none."""

    statuses: Counter[int] = field(default_factory=Counter)
    seconds: dict[int, list[float]] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)

    def answered(self, status: int, seconds: float) -> None:
        """One more whole answer."""
        self.statuses[status] += 1
        self.seconds.setdefault(status, []).append(seconds)

    async def reaches(self, answers: int) -> None:
        """Wait until there are so many."""
        while self.statuses.total() < answers:  # noqa: ASYNC110 - some seconds of real load
            await asyncio.sleep(0.02)


async def ask_until_refused(port: int, clients: int, outcome: Outcome) -> None:
    """So many clients, half of them on connections that stay open, until nobody listens any more."""
    async with asyncio.TaskGroup() as group:
        for number in range(clients):
            group.create_task(_client(port, REQUEST, outcome, stays=bool(number % 2)))


async def _client(port: int, request: bytes, outcome: Outcome, *, stays: bool) -> None:
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except ConnectionError:  # nobody listens: this request was never taken
            return
        try:
            while await one(reader, writer, request, outcome) and stays:
                pass
        finally:
            writer.close()


async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes, outcome: Outcome) -> bool:
    """Send one request on an open connection; return whether the connection is reusable."""
    began = time.perf_counter()
    try:
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(LENGTH)[2].partition(b"\r\n")[0])
        await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError) as error:
        outcome.lost.append(type(error).__name__)
        return False
    outcome.answered(int(head.split()[1]), time.perf_counter() - began)
    return b"connection: close" not in head
