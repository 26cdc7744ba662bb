"""Parses pages in other processes, each job with a time limit; a process that hangs or dies is replaced."""

import asyncio
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process, SubprocessStreamProtocol
from contextlib import suppress
from dataclasses import asdict
from typing import Protocol

import orjson

from indexer.market.page import Page
from indexer.market.page_worker import LENGTH_BYTES, Job, RobotsRules, frame, page_from_json, robots_from_json
from schema.errors import AkgError

MAX_WORKERS = 1  # parses more pages a second than are requested
MAX_RESULT_BYTES = 16_000_000
BUFFER_BYTES = 65_536  # of the stream that reads results
MAX_JOBS = 200  # of one process, so that memory that a parser does not release is released
START_SECONDS = 60.0  # of a process on a busy machine
GRACE_SECONDS = 2.0  # after which a process that did not end by its own time limit is killed
# With the import path of this process, whatever its folder.
PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from indexer.market.page_worker import main; main()"


class PageReadError(Exception):
    """The body could not be parsed within the limits. `is_slow`: of time, otherwise of memory."""

    def __init__(self, *, is_slow: bool) -> None:
        super().__init__("too slow" if is_slow else "too large, or the parser crashed")
        self.is_slow = is_slow


class WorkerStartError(AkgError):
    """The process that parses pages did not start. The visits so far are in the journal."""


class PageReader(Protocol):
    """Parses what sites send; raises PageReadError where that exceeds a limit."""

    async def read_page(self, body: bytes, charset: str) -> Page:
        """Parse a page."""

    async def read_robots(self, body: bytes, url: str) -> RobotsRules:
        """Apply a robots.txt to a URL."""

    async def close(self) -> None:
        """Release what the reader holds."""


class WorkerReader:
    """Parses in at most `workers` processes, which start when they are needed. `seconds` limits each job."""

    def __init__(self, seconds: int, workers: int = MAX_WORKERS) -> None:
        self._seconds = seconds
        self._slots = asyncio.Semaphore(workers)
        self._idle: list[_Worker] = []

    async def read_page(self, body: bytes, charset: str) -> Page:
        """Parse a page."""
        return page_from_json(await self._run(Job("page", charset, self._seconds), body))

    async def read_robots(self, body: bytes, url: str) -> RobotsRules:
        """Apply a robots.txt to a URL."""
        return robots_from_json(await self._run(Job("robots", url, self._seconds), body))

    async def close(self) -> None:
        """Stop the idle processes; those with a job stop when it is cancelled."""
        while self._idle:
            await self._idle.pop().stop()

    async def _run(self, job: Job, body: bytes) -> bytes:
        async with self._slots:
            worker = self._idle.pop() if self._idle else await _Worker.start()
            try:
                result = await worker.run(job, body)
            except BaseException:
                await worker.stop()
                raise
            if worker.jobs < MAX_JOBS:
                self._idle.append(worker)
            else:
                await worker.stop()
            return result


class _Worker:
    """One process, and the number of jobs that it has done."""

    def __init__(self, process: Process, transport: asyncio.SubprocessTransport) -> None:
        self._process = process
        self._transport = transport
        self.jobs = 0

    @classmethod
    async def start(cls) -> "_Worker":
        """Start a process in a session of its own: Ctrl-C is for the parent, which stops it."""
        loop = asyncio.get_running_loop()
        transport, protocol = await loop.subprocess_exec(
            lambda: SubprocessStreamProtocol(BUFFER_BYTES, loop),
            *(sys.executable, "-c", PROGRAM, *sys.path),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            start_new_session=True,
        )
        worker = cls(Process(transport, protocol, loop), transport)
        try:
            async with asyncio.timeout(START_SECONDS):
                await worker.receive()
        except (TimeoutError, asyncio.IncompleteReadError):
            await worker.stop()
            message = "The process that parses web pages did not start. Is there enough memory? Run the command again."
            raise WorkerStartError(message) from None
        except BaseException:
            await worker.stop()
            raise
        return worker

    async def run(self, job: Job, body: bytes) -> bytes:
        """Run a job; raise PageReadError if the process exceeds the time limit or dies."""
        self.jobs += 1
        try:
            async with asyncio.timeout(job.seconds + GRACE_SECONDS):
                assert self._process.stdin is not None  # noqa: S101 - a pipe
                self._process.stdin.write(frame(orjson.dumps(asdict(job))) + frame(body))
                await self._process.stdin.drain()
                return await self.receive()
        except TimeoutError:
            raise PageReadError(is_slow=True) from None
        except (asyncio.IncompleteReadError, ConnectionError):
            raise PageReadError(is_slow=await self._was_stopped_by_alarm()) from None

    async def receive(self) -> bytes:
        """Return the next message of the process, at first an empty one."""
        assert self._process.stdout is not None  # noqa: S101 - a pipe
        length = int.from_bytes(await self._process.stdout.readexactly(LENGTH_BYTES))
        if length > MAX_RESULT_BYTES:
            raise PageReadError(is_slow=False)
        return await self._process.stdout.readexactly(length)

    async def stop(self) -> None:
        """Kill the process and wait until it is gone."""
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.communicate()
        self._transport.close()  # it would close itself later, when an interrupted loop no longer runs

    async def _was_stopped_by_alarm(self) -> bool:
        """Return whether the process ended by its own time limit."""
        alarm = getattr(signal, "SIGALRM", None)
        return alarm is not None and await self._process.wait() == -alarm
