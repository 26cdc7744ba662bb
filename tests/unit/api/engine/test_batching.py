"""Concurrent reads: which are sent as one request, and that a slow or failed one does not affect others."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import pytest

from api.deadline import seconds_left, until
from api.engine.batching import BATCH_SIZE, MAX_IN_FLIGHT, MgetBatcher
from api.errors import EngineUnavailableError

LONG = 60.0


class BatchRequests:
    """Batch requests that get responses on demand; `sent` has their ids, `left` their remaining seconds."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, list[str]]] = []
        self.left: list[float] = []
        self._open: list[asyncio.Future[Sequence[Mapping[str, Any]]]] = []
        self._tasks: list[asyncio.Task[list[str]]] = []
        self.reads = MgetBatcher(self._send)

    async def _send(self, place: str, ids: Sequence[str]) -> Sequence[Mapping[str, Any]]:
        self.sent.append((place, list(ids)))
        self.left.append(seconds_left(time.monotonic(), LONG))
        self._open.append(asyncio.get_running_loop().create_future())
        return await self._open[-1]

    def read(self, *ids: str, place: str = "live", seconds: float = LONG) -> asyncio.Task[list[str]]:
        """Start a read in a separate task with a separate deadline."""

        async def read_ids() -> list[str]:
            deadline = time.monotonic() + seconds
            with until(deadline):
                return [document["id"] for document in await self.reads.get(place, ids, deadline, seconds)]

        self._tasks.append(asyncio.create_task(read_ids()))
        return self._tasks[-1]

    async def close(self) -> None:
        """Cancel all unfinished reads and requests."""
        for task in self._tasks:
            task.cancel()
        for request in self._open:
            request.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await turn()

    async def respond(self, number: int, error: Exception | None = None) -> None:
        """Respond to the request with this number, and let all waiting tasks continue."""
        if error:
            self._open[number].set_exception(error)
        else:
            self._open[number].set_result([{"id": key} for key in self.sent[number][1]])
        await turn()


async def turn() -> None:
    for _ in range(6):
        await asyncio.sleep(0)


@pytest.fixture
async def requests() -> AsyncIterator[BatchRequests]:
    found = BatchRequests()
    yield found
    await found.close()


async def busy(requests: BatchRequests) -> list[asyncio.Task[list[str]]]:
    """Start the maximum number of requests in flight, each with one read."""
    alone = []
    for number in range(MAX_IN_FLIGHT):
        alone.append(requests.read(f"first{number}"))
        await turn()
    assert requests.sent == [("live", [f"first{number}"]) for number in range(MAX_IN_FLIGHT)]
    return alone


async def test_sequential_reads_are_sent_at_once_and_alone(requests: BatchRequests) -> None:
    for number in range(3):
        read = requests.read("a", "b")
        await turn()
        await requests.respond(number)
        assert await read == ["a", "b"]
    assert requests.sent == [("live", ["a", "b"])] * 3


async def test_concurrent_reads_form_one_request(requests: BatchRequests) -> None:
    reads = [requests.read("a"), requests.read("b", "c"), requests.read("d", place="other")]
    await turn()
    assert requests.sent == [("live", ["a", "b", "c"]), ("other", ["d"])]
    await requests.respond(0)
    await requests.respond(1)
    assert [await read for read in reads] == [["a"], ["b", "c"], ["d"]]


async def test_reads_form_the_next_request_while_the_maximum_is_in_flight(requests: BatchRequests) -> None:
    alone = await busy(requests)
    reads = [requests.read(*ids) for ids in (["a"], ["b", "c"], ["a"])]
    other = requests.read("a", place="other")
    await turn()
    assert requests.sent[MAX_IN_FLIGHT:] == [("other", ["a"])]
    await requests.respond(1)
    assert requests.sent[MAX_IN_FLIGHT + 1 :] == [("live", ["a", "b", "c", "a"])]
    later = requests.read("d")
    for number in (MAX_IN_FLIGHT + 1, 0, MAX_IN_FLIGHT):
        await requests.respond(number)
    await requests.respond(MAX_IN_FLIGHT + 2)
    assert [await read for read in (*alone, *reads, other, later)] == [
        *(["first0"], ["first1"]),
        *(["a"], ["b", "c"], ["a"], ["a"], ["d"]),
    ]


async def test_reads_do_not_wait_for_a_hanging_request(requests: BatchRequests) -> None:
    alone = await busy(requests)
    reads = [requests.read("a"), requests.read("b")]
    while len(requests.sent) == MAX_IN_FLIGHT:  # noqa: ASYNC110 - until MAX_WAIT_SECONDS has passed
        await asyncio.sleep(0.01)
    await requests.respond(MAX_IN_FLIGHT)
    assert [await read for read in reads] == [["a"], ["b"]]
    for number, read in enumerate(alone):
        await requests.respond(number)
        assert await read == [f"first{number}"]


async def test_a_full_batch_does_not_wait(requests: BatchRequests) -> None:
    await busy(requests)
    for number in range(BATCH_SIZE):
        requests.read(str(number))
    await turn()
    assert [len(ids) for _, ids in requests.sent] == [1] * MAX_IN_FLIGHT + [BATCH_SIZE]


async def test_an_error_reaches_all_reads_of_its_batch(requests: BatchRequests) -> None:
    alone = await busy(requests)
    reads = [requests.read("a"), requests.read("b")]
    await turn()
    await requests.respond(0, EngineUnavailableError("down"))
    for read in (alone[0], *reads):
        if read in reads and not read.done():
            await requests.respond(MAX_IN_FLIGHT, EngineUnavailableError("still down"))
        with pytest.raises(EngineUnavailableError):
            await read
    await requests.respond(1)
    assert await alone[1] == ["first1"]
    again = requests.read("c")
    await turn()
    await requests.respond(MAX_IN_FLIGHT + 1)
    assert await again == ["c"]


async def test_cancelling_one_read_does_not_affect_others(requests: BatchRequests) -> None:
    alone = await busy(requests)
    reads = [requests.read("a"), requests.read("b")]
    await turn()
    alone[0].cancel()
    reads[0].cancel()
    await turn()
    await requests.respond(MAX_IN_FLIGHT)
    assert await reads[1] == ["b"]
    assert alone[0].cancelled()
    assert reads[0].cancelled()
    await requests.respond(1)
    assert not requests.reads._in_flight  # noqa: SLF001 - has no public equivalent


async def test_each_read_has_its_own_deadline(requests: BatchRequests) -> None:
    await busy(requests)
    short, long = requests.read("a", seconds=0.01), requests.read("b", seconds=30.0)
    await turn()
    with pytest.raises(TimeoutError):
        await short
    await requests.respond(0)
    assert 29 < requests.left[-1] <= 30
    await requests.respond(MAX_IN_FLIGHT)
    assert await long == ["b"]


async def test_a_read_that_is_cancelled_at_once_is_not_sent(requests: BatchRequests) -> None:
    """Cancelled before the request is sent, and in the same turn of the event loop."""
    for turns in range(4):
        cancelled = requests.read("a")
        for _ in range(turns):
            await asyncio.sleep(0)
        cancelled.cancel()
        await turn()
    assert not requests.reads._in_flight  # noqa: SLF001 - has no public equivalent
    sent = len(requests.sent)
    read = requests.read("b")
    await turn()
    assert requests.sent[sent:] == [("live", ["b"])]
    await requests.respond(sent)
    assert await read == ["b"]


async def test_a_request_that_takes_too_long_ends_by_its_own_deadline() -> None:
    """It is not cancelled with its last read, so that the timeout counts as a failure of OpenSearch."""
    ended = []

    async def hanging_request(_: str, __: Sequence[str]) -> Sequence[Mapping[str, Any]]:
        try:
            async with asyncio.timeout(seconds_left(time.monotonic(), LONG)):
                await asyncio.sleep(LONG)
        except BaseException as error:
            ended.append(type(error))
            raise
        return []

    reads = MgetBatcher(hanging_request)
    for _ in range(5):
        with pytest.raises(TimeoutError):
            await reads.get("live", ["a"], time.monotonic() + 0.01, 0.01)
        await asyncio.sleep(0.02)
    assert ended == [TimeoutError] * 5


def test_deadlines_have_the_same_order_on_uvloop() -> None:
    """The timers of uvloop have a different resolution."""
    uvloop = pytest.importorskip("uvloop", reason="uvloop is not available on this system")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(test_a_request_that_takes_too_long_ends_by_its_own_deadline())
