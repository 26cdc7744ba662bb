"""Load client: a separate process with minimal work per response.

It reads jobs from standard input and writes their results to standard output, one JSON object per line. Connections
are kept alive; responses are counted and discarded. A script is one or more requests that are sent in sequence. The
HTTP/1.1 support is minimal: requests are bytes, and the parser finds the end of a response.
"""

import asyncio
import base64
import gc
import json
import sys
import time
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

HEAD_END = b"\r\n\r\n"
LENGTH = b"\r\ncontent-length:"
CHUNKED = b"\r\ntransfer-encoding: chunked"
CLOSE = b"\r\nconnection: close"
HIT = b"\r\ncache-status: akg; hit\r\n"
GRACE_SECONDS = 30.0  # for the last responses
RECONNECT_SECONDS = 0.05  # before a lost connection is reopened
OK = 200


def encode_request(
    method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> bytes:
    """Return the bytes of a request on a keep-alive connection."""
    fields = {"Host": "127.0.0.1", **(headers or {})}
    if body is not None:
        fields = {"Content-Type": "application/json", **fields, "Content-Length": str(len(body))}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join(lines).encode() + HEAD_END + (body or b"")


class ResponseParser:
    """Incremental parser of one response. `size` is the length of the body; without a length the body is empty."""

    __slots__ = ("_buffer", "_chunked", "_remaining", "closes", "head", "hit", "size", "status")

    def __init__(self) -> None:
        self._buffer = b""
        self._chunked = False
        self._remaining = -1  # missing bytes of the body; -1 until the header is complete
        self.status = 0
        self.size = 0
        self.closes = False
        self.hit = False

    def feed(self, data: bytes) -> bool:
        """Parse more data; return whether the response is complete."""
        if self._remaining >= 0 and not self._chunked:
            self._remaining -= len(data)
            return self._remaining <= 0
        self._buffer = self._buffer + data if self._buffer else data
        if self._remaining < 0 and not self._read_head():
            return False
        if self._chunked:
            return self._read_chunks()
        return self._remaining <= 0

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
        self._remaining = self.size - len(self._buffer)
        if self._chunked:
            self._remaining = 0
        return True

    def _read_chunks(self) -> bool:
        """Return whether the final empty chunk has arrived; then `size` is the sum of all chunks."""
        position = size = 0
        while (end := self._buffer.find(b"\r\n", position)) >= 0:
            length = int(self._buffer[position:end].partition(b";")[0], 16)
            position = end + 2 + length + 2
            if len(self._buffer) < position:
                return False
            size += length
            if not length:
                self.size = size
                return True
        return False


@dataclass(frozen=True, slots=True)
class Job:
    """Send the scripts in turn for `warm` + `seconds`, `in_flight` at once; responses of the warm-up do not count."""

    port: int
    scripts: Sequence[Sequence[bytes]]
    in_flight: int
    warm: float
    seconds: float

    @staticmethod
    def parse(fields: dict[str, Any]) -> "Job":
        scripts = [[base64.b64decode(part) for part in script] for script in fields.pop("scripts")]
        return Job(scripts=scripts, **fields)


class Load:
    """Shared state of all connections of a job."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._sent = 0
        self.began_at = time.perf_counter() + job.warm
        self.ends_at = self.began_at + job.seconds
        self.open = job.in_flight
        self.micros: list[int] = []
        self.size = self.hits = self.failed = 0
        self.done = asyncio.get_running_loop().create_future()

    def next(self) -> Sequence[bytes]:
        self._sent += 1
        return self.job.scripts[self._sent % len(self.job.scripts)]

    def add_response(self, began: float, now: float, size: int, *, hit: bool, good: bool) -> None:
        """Count a script if its last response arrived in the measured interval."""
        if not self.began_at <= now <= self.ends_at:
            return
        if not good:
            self.failed += 1
            return
        self.micros.append(int((now - began) * 1e6))
        self.size += size
        self.hits += hit

    def connection_closed(self) -> None:
        self.open -= 1
        if not self.open and not self.done.done():
            self.done.set_result(None)


class Connection(asyncio.Protocol):
    """A connection with one script in flight."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._script: Sequence[bytes] = ()
        self._position = self._size = 0
        self._began = 0.0
        self._good = self._hit = True
        self._in_flight = False
        self._response = ResponseParser()
        self._transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._start_script()

    def _start_script(self) -> None:
        self._script = self._load.next()
        self._position = self._size = 0
        self._good = self._hit = True
        self._in_flight = True
        self._began = time.perf_counter()
        self._send()

    def _send(self) -> None:
        self._response = ResponseParser()
        self._transport.write(self._script[self._position])

    def data_received(self, data: bytes) -> None:
        """Parse a response; when a script is complete, count it and send the next."""
        response = self._response
        if not response.feed(data):
            return
        self._size += response.size
        self._good = self._good and response.status == OK
        self._hit = self._hit and response.hit
        self._position += 1
        if self._position < len(self._script):
            self._send()
            return
        now = time.perf_counter()
        self._in_flight = False
        self._load.add_response(self._began, now, self._size, hit=self._hit, good=self._good)
        if now >= self._load.ends_at or response.closes:
            self._transport.close()
        else:
            self._start_script()

    def connection_lost(self, _: Exception | None) -> None:
        """Count a script in flight as failed, and reconnect until the end of the job."""
        now = time.perf_counter()
        if self._in_flight:
            self._load.add_response(self._began, now, 0, hit=False, good=False)
        if now >= self._load.ends_at:
            self._load.connection_closed()
        else:
            asyncio.get_running_loop().call_later(
                RECONNECT_SECONDS if self._in_flight else 0, open_connection, self._load
            )


_opening: set[asyncio.Task[None]] = set()


def open_connection(load: Load) -> None:
    task = asyncio.ensure_future(_open(load))
    _opening.add(task)
    task.add_done_callback(_opening.discard)


async def _open(load: Load) -> None:
    while time.perf_counter() < load.ends_at:
        try:
            await asyncio.get_running_loop().create_connection(lambda: Connection(load), "127.0.0.1", load.job.port)
        except OSError:
            await asyncio.sleep(RECONNECT_SECONDS)
        else:
            return
    load.connection_closed()


async def run(job: Job) -> dict[str, Any]:
    load = Load(job)
    began = time.process_time()
    for _ in range(job.in_flight):
        open_connection(load)
    await asyncio.wait_for(load.done, job.warm + job.seconds + GRACE_SECONDS)
    cpu = (time.process_time() - began) * job.seconds / (job.warm + job.seconds)
    summary = {"seconds": job.seconds, "size": load.size, "hits": load.hits, "failed": load.failed, "cpu": cpu}
    return {"micros": sorted(load.micros), **summary}


def runner() -> Any:  # noqa: ANN401 - uvloop has no types
    """Return the runner of uvloop if installed, else of asyncio."""
    try:
        import uvloop  # noqa: PLC0415 - not on every system
    except ImportError:
        return asyncio.run
    return uvloop.run


def main() -> None:
    start = runner()
    gc.disable()
    for line in sys.stdin:
        job: Coroutine[None, None, dict[str, Any]] = run(Job.parse(json.loads(line)))
        print(json.dumps(start(job)), flush=True)
        gc.collect()


if __name__ == "__main__":
    main()
