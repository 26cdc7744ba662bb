"""Concurrent reads: which are sent as one request, and that a slow or failed one does not affect others."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest

from api.deadline import seconds_left, until
from api.engine.batching import BATCH_SIZE, MAX_IN_FLIGHT, MgetBatcher
from api.errors import EngineUnavailableError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

LONG = 60.0


class Request:
    """A stand-in for the engine that responds on demand; `sent` has the requests, `left` their remaining seconds."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, list[str]]] = []
        self.left: list[float] = []
        self._open: list[asyncio.Future[Sequence[Mapping[str, Any]]]] = []
        self._tasks: list[asyncio.Task[list[str]]] = []
        self.reads = MgetBatcher(self._ask)

    async def _ask(self, place: str, ids: Sequence[str]) -> Sequence[Mapping[str, Any]]:
        self.sent.append((place, list(ids)))
        self.left.append(seconds_left(time.monotonic(), LONG))
        self._open.append(asyncio.get_running_loop().create_future())
        return await self._open[-1]

    def read(self, *ids: str, place: str = "live", seconds: float = LONG) -> asyncio.Task[list[str]]:
        """Begin to read, as a request of its own does, with a deadline of its own."""

        async def got() -> list[str]:
            ends = time.monotonic() + seconds
            with until(ends):
                return [one["id"] for one in await self.reads.get(place, ids, ends, seconds)]

        self._tasks.append(asyncio.create_task(got()))
        return self._tasks[-1]

    async def close(self) -> None:
        """End what is still under way."""
        for one in self._tasks:
            one.cancel()
        for requests in self._open:
            requests.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await turn()

    async def answer(self, number: int, error: Exception | None = None) -> None:
        """Answer what was sent as the so-many-th, and let everybody do what follows."""
        if error:
            self._open[number].set_exception(error)
        else:
            self._open[number].set_result([{"id": one} for one in self.sent[number][1]])
        await turn()


async def turn() -> None:
    for _ in range(6):
        await asyncio.sleep(0)


@pytest.fixture
async def requests() -> AsyncIterator[Request]:
    found = Request()
    yield found
    await found.close()


async def busy(requests: Request) -> list[asyncio.Task[list[str]]]:
    """As many reads under way as go alone."""
    alone = []
    for number in range(MAX_IN_FLIGHT):
        alone.append(requests.read(f"first{number}"))
        await turn()
    assert requests.sent == [("live", [f"first{number}"]) for number in range(MAX_IN_FLIGHT)]
    return alone


async def test_sequential_reads_are_sent_at_once_and_alone(requests: Request) -> None:
    for number in range(3):
        read = requests.read("a", "b")
        await turn()
        await requests.answer(number)
        assert await read == ["a", "b"]
    assert requests.sent == [("live", ["a", "b"])] * 3


async def test_concurrent_reads_form_one_request(requests: Request) -> None:
    reads = [requests.read("a"), requests.read("b", "c"), requests.read("d", place="other")]
    await turn()
    assert requests.sent == [("live", ["a", "b", "c"]), ("other", ["d"])]
    await requests.answer(0)
    await requests.answer(1)
    assert [await one for one in reads] == [["a"], ["b", "c"], ["d"]]


async def test_reads_during_full_flight_form_the_next_request(requests: Request) -> None:
    alone = await busy(requests)
    reads = [requests.read(*ids) for ids in (["a"], ["b", "c"], ["a"])]
    other = requests.read("a", place="other")
    await turn()
    assert requests.sent[MAX_IN_FLIGHT:] == [("other", ["a"])]
    await requests.answer(1)
    assert requests.sent[MAX_IN_FLIGHT + 1 :] == [("live", ["a", "b", "c", "a"])]
    later = requests.read("d")
    for number in (MAX_IN_FLIGHT + 1, 0, MAX_IN_FLIGHT):
        await requests.answer(number)
    await requests.answer(MAX_IN_FLIGHT + 2)
    assert [await one for one in (*alone, *reads, other, later)] == [
        *(["first0"], ["first1"]),
        *(["a"], ["b", "c"], ["a"], ["a"], ["d"]),
    ]


async def test_reads_do_not_wait_for_a_request_that_hangs(requests: Request) -> None:
    alone = await busy(requests)
    reads = [requests.read("a"), requests.read("b")]
    while len(requests.sent) == MAX_IN_FLIGHT:  # noqa: ASYNC110 - until MAX_WAIT_SECONDS has passed
        await asyncio.sleep(0.01)
    await requests.answer(MAX_IN_FLIGHT)
    assert [await one for one in reads] == [["a"], ["b"]]
    for number, one in enumerate(alone):
        await requests.answer(number)
        assert await one == [f"first{number}"]


async def test_a_full_batch_does_not_wait(requests: Request) -> None:
    await busy(requests)
    for number in range(BATCH_SIZE):
        requests.read(str(number))
    await turn()
    assert [len(ids) for _, ids in requests.sent] == [1] * MAX_IN_FLIGHT + [BATCH_SIZE]


async def test_an_error_reaches_all_reads_of_its_batch(requests: Request) -> None:
    alone = await busy(requests)
    reads = [requests.read("a"), requests.read("b")]
    await turn()
    await requests.answer(0, EngineUnavailableError("away"))
    for one in (alone[0], *reads):
        if one in reads and not one.done():
            await requests.answer(MAX_IN_FLIGHT, EngineUnavailableError("gone"))
        with pytest.raises(EngineUnavailableError):
            await one
    await requests.answer(1)
    assert await alone[1] == ["first1"]
    again = requests.read("c")
    await turn()
    await requests.answer(MAX_IN_FLIGHT + 1)
    assert await again == ["c"]


async def test_cancelling_one_read_does_not_affect_others(requests: Request) -> None:
    alone = await busy(requests)
    reads = [requests.read("a"), requests.read("b")]
    await turn()
    alone[0].cancel()
    reads[0].cancel()
    await turn()
    await requests.answer(MAX_IN_FLIGHT)
    assert await reads[1] == ["b"]
    assert alone[0].cancelled()
    assert reads[0].cancelled()
    await requests.answer(1)
    assert not requests.reads._in_flight  # noqa: SLF001 - what others wait for


async def test_each_read_has_its_own_deadline(requests: Request) -> None:
    await busy(requests)
    short, long = requests.read("a", seconds=0.01), requests.read("b", seconds=30.0)
    await turn()
    with pytest.raises(TimeoutError):
        await short
    await requests.answer(0)
    assert 29 < requests.left[-1] <= 30
    await requests.answer(MAX_IN_FLIGHT)
    assert await long == ["b"]


async def test_a_read_that_is_cancelled_at_once_is_not_sent(requests: Request) -> None:
    """Before anything is sent, and in the turn in which it is."""
    for turns in range(4):
        one = requests.read("a")
        for _ in range(turns):
            await asyncio.sleep(0)
        one.cancel()
        await turn()
    assert not requests.reads._in_flight  # noqa: SLF001 - what others wait for
    sent = len(requests.sent)
    read = requests.read("b")
    await turn()
    assert requests.sent[sent:] == [("live", ["b"])]
    await requests.answer(sent)
    assert await read == ["b"]


async def test_a_request_that_takes_too_long_ends_by_its_own_deadline() -> None:
    """And not because the last who waited has gone: only so it is known that nobody answered."""
    ended = []

    async def ask(_: str, __: Sequence[str]) -> Sequence[Mapping[str, Any]]:
        try:
            async with asyncio.timeout(seconds_left(time.monotonic(), LONG)):
                await asyncio.sleep(LONG)
        except BaseException as error:
            ended.append(type(error))
            raise
        return []

    reads = MgetBatcher(ask)
    for _ in range(5):
        with pytest.raises(TimeoutError):
            await reads.get("live", ["a"], time.monotonic() + 0.01, 0.01)
        await asyncio.sleep(0.02)
    assert ended == [TimeoutError] * 5


def test_deadlines_come_in_the_same_order_on_the_loop_of_the_service() -> None:
    """Its timers have another grain."""
    uvloop = pytest.importorskip("uvloop", reason="uvloop is not for this system")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(test_a_request_that_takes_too_long_ends_by_its_own_deadline())
