"""Clients that send requests without pause and record the outcome of each."""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field

LENGTH = b"content-length: "
REQUEST = b"GET /search?query=adhd&limit=3 HTTP/1.1\r\nHost: service\r\n\r\n"


@dataclass(slots=True)
class Outcome:
    """Complete responses by status with their durations, and requests that were sent but got no response."""

    statuses: Counter[int] = field(default_factory=Counter)
    seconds: dict[int, list[float]] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)

    def add_response(self, status: int, seconds: float) -> None:
        """Record a complete response."""
        self.statuses[status] += 1
        self.seconds.setdefault(status, []).append(seconds)

    async def wait_for_responses(self, count: int) -> None:
        """Wait until there are at least `count` responses."""
        while self.statuses.total() < count:  # noqa: ASYNC110 - some seconds of real load
            await asyncio.sleep(0.02)


async def send_until_refused(port: int, clients: int, outcome: Outcome) -> None:
    """Run clients, half of them with keep-alive connections, until the service refuses connections."""
    async with asyncio.TaskGroup() as group:
        for number in range(clients):
            group.create_task(_client(port, REQUEST, outcome, keep_alive=bool(number % 2)))


async def _client(port: int, request: bytes, outcome: Outcome, *, keep_alive: bool) -> None:
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except ConnectionError:  # refused: the service did not accept this request
            return
        try:
            while await send_request(reader, writer, request, outcome) and keep_alive:
                pass
        finally:
            writer.close()


async def send_request(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes, outcome: Outcome
) -> bool:
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
    outcome.add_response(int(head.split()[1]), time.perf_counter() - began)
    return b"connection: close" not in head
