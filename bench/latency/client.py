"""The load client: a process of its own that does as little as possible for each response.

It reads jobs from standard input and writes their results to standard output, one JSON object a line. Connections stay
open; what arrives is counted and thrown away. A question may take several requests, one after the other. Of HTTP/1.1 it
knows as much as that needs: one request as bytes, and where one response ends.
"""

from __future__ import annotations

import asyncio
import base64
import gc
import json
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping, Sequence

HEAD_END = b"\r\n\r\n"
LENGTH = b"\r\ncontent-length:"
CHUNKED = b"\r\ntransfer-encoding: chunked"
CLOSE = b"\r\nconnection: close"
HIT = b"\r\ncache-status: akg; hit\r\n"
GRACE = 30.0  # seconds that the last answers may take
AGAIN = 0.05  # seconds before a lost connection is opened again
OK = 200


def request(method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> bytes:
    """One request on a connection that stays open."""
    fields = {"Host": "127.0.0.1", **(headers or {})}
    if body is not None:
        fields = {"Content-Type": "application/json", **fields, "Content-Length": str(len(body))}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join(lines).encode() + HEAD_END + (body or b"")


class Answer:
    """One answer as it arrives. `size` counts the bytes of its body; answers without a length end with their head."""

    __slots__ = ("_buffer", "_chunked", "_left", "closes", "head", "hit", "size", "status")

    def __init__(self) -> None:
        self._buffer = b""
        self._chunked = False
        self._left = -1  # bytes of the body that are still to come; below zero while the head is not whole
        self.status = 0
        self.size = 0
        self.closes = False
        self.hit = False

    def feed(self, data: bytes) -> bool:
        """Take what arrived; whether the answer is whole now."""
        if self._left >= 0 and not self._chunked:
            self._left -= len(data)
            return self._left <= 0
        self._buffer = self._buffer + data if self._buffer else data
        if self._left < 0 and not self._read_head():
            return False
        if self._chunked:
            return self._read_chunks()
        return self._left <= 0

    def _read_head(self) -> bool:
        end = self._buffer.find(HEAD_END)
        if end < 0:
            return False
        head = self._buffer[: end + 2].lower()
        self.status = int(head[9:12])
        self.closes = CLOSE in head
        self.hit = HIT in head
        self._buffer = self._buffer[end + 4 :]
        self._chunked = CHUNKED in head
        start = head.find(LENGTH)
        if start >= 0:
            self.size = int(head[start + len(LENGTH) : head.index(b"\r", start + 2)])
        self._left = self.size - len(self._buffer)
        if self._chunked:
            self._left = 0
        return True

    def _read_chunks(self) -> bool:
        """Whether the last chunk, the empty one, is there; the sizes of the others are added up."""
        place = size = 0
        while (end := self._buffer.find(b"\r\n", place)) >= 0:
            length = int(self._buffer[place:end].partition(b";")[0], 16)
            place = end + 2 + length + 2
            if len(self._buffer) < place:
                return False
            size += length
            if not length:
                self.size = size
                return True
        return False


@dataclass(frozen=True, slots=True)
class Job:
    """Ask these questions in turn for so many seconds, so many at once; requests of the warm-up are not counted."""

    host: str
    port: int
    scripts: Sequence[Sequence[bytes]]
    in_flight: int
    warm: float
    seconds: float

    @staticmethod
    def of(fields: dict[str, Any]) -> Job:
        """Read a job as `driver` sends it."""
        scripts = [[base64.b64decode(part) for part in script] for script in fields.pop("scripts")]
        return Job(scripts=scripts, **fields)


class Load:
    """What all connections of a job share."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._sent = 0
        self.begins = time.perf_counter() + job.warm
        self.ends = self.begins + job.seconds
        self.open = job.in_flight
        self.micros: list[int] = []
        self.size = self.hits = self.failed = 0
        self.done = asyncio.get_running_loop().create_future()

    def next(self) -> Sequence[bytes]:
        """The requests of the next question."""
        self._sent += 1
        return self.job.scripts[self._sent % len(self.job.scripts)]

    def answered(self, began: float, now: float, size: int, *, hit: bool, good: bool) -> None:
        """One question more was answered; it counts if that was within the time, whenever it was sent."""
        if not self.begins <= now <= self.ends:
            return
        if not good:
            self.failed += 1
            return
        self.micros.append(int((now - began) * 1e6))
        self.size += size
        self.hits += hit

    def left(self) -> None:
        """One connection has ended."""
        self.open -= 1
        if not self.open and not self.done.done():
            self.done.set_result(None)


class Connection(asyncio.Protocol):
    """One connection, with one question under way at any time."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._script: Sequence[bytes] = ()
        self._place = self._size = 0
        self._began = 0.0
        self._good = self._hit = True
        self._asking = False
        self._answer = Answer()
        self._transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to ask."""
        self._transport = transport
        self._next_question()

    def _next_question(self) -> None:
        self._script = self._load.next()
        self._place = self._size = 0
        self._good = self._hit = True
        self._asking = True
        self._began = time.perf_counter()
        self._send()

    def _send(self) -> None:
        self._answer = Answer()
        self._transport.write(self._script[self._place])

    def data_received(self, data: bytes) -> None:
        """Count; once the answer is whole, ask the next."""
        answer = self._answer
        if not answer.feed(data):
            return
        self._size += answer.size
        self._good = self._good and answer.status == OK
        self._hit = self._hit and answer.hit
        self._place += 1
        if self._place < len(self._script):
            self._send()
            return
        now = time.perf_counter()
        self._asking = False
        self._load.answered(self._began, now, self._size, hit=self._hit, good=self._good)
        if now >= self._load.ends or answer.closes:
            self._transport.close()
        else:
            self._next_question()

    def connection_lost(self, _: Exception | None) -> None:
        """Open another while there is time; a question that was under way has failed."""
        now = time.perf_counter()
        if self._asking:
            self._load.answered(self._began, now, 0, hit=False, good=False)
        if now >= self._load.ends:
            self._load.left()
        else:
            asyncio.get_running_loop().call_later(AGAIN if self._asking else 0, open_connection, self._load)


_opening: set[asyncio.Task[None]] = set()


def open_connection(load: Load) -> None:
    """Open one connection more, beside what runs."""
    task = asyncio.ensure_future(_open(load))
    _opening.add(task)
    task.add_done_callback(_opening.discard)


async def _open(load: Load) -> None:
    while time.perf_counter() < load.ends:
        try:
            await asyncio.get_running_loop().create_connection(lambda: Connection(load), load.job.host, load.job.port)
        except OSError:
            await asyncio.sleep(AGAIN)
        else:
            return
    load.left()


async def run(job: Job) -> dict[str, Any]:
    """Do one job."""
    load = Load(job)
    began = time.process_time()
    for _ in range(job.in_flight):
        open_connection(load)
    await asyncio.wait_for(load.done, job.warm + job.seconds + GRACE)
    cpu = (time.process_time() - began) * job.seconds / (job.warm + job.seconds)
    summary = {"seconds": job.seconds, "size": load.size, "hits": load.hits, "failed": load.failed, "cpu": cpu}
    return {"micros": sorted(load.micros), **summary}


def runner() -> Any:  # noqa: ANN401 - uvloop has no types
    """Uvloop where there is one, else asyncio."""
    try:
        import uvloop  # noqa: PLC0415 - not on every system
    except ImportError:
        return asyncio.run
    return uvloop.run


def main() -> None:
    """Do the jobs that come in, until there are no more."""
    start = runner()
    gc.disable()
    for line in sys.stdin:
        work: Coroutine[None, None, dict[str, Any]] = run(Job.of(json.loads(line)))
        print(json.dumps(start(work)), flush=True)
        gc.collect()


if __name__ == "__main__":
    main()
