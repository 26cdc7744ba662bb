"""Reads that are asked for while others are under way: which go together, and that nobody pays for anybody else."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest

from api.deadline import seconds_left, until
from api.errors import EngineAwayError
from api.gathering import AT_ONCE, MOST, Gathering

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

LONG = 60.0


class Asked:
    """Answers when it is told to; `sent` holds what it was asked, `left` the seconds that it had."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, list[str]]] = []
        self.left: list[float] = []
        self._open: list[asyncio.Future[Sequence[Mapping[str, Any]]]] = []
        self._tasks: list[asyncio.Task[list[str]]] = []
        self.reads = Gathering(self._ask)

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
        for asked in self._open:
            asked.cancel()
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
async def asked() -> AsyncIterator[Asked]:
    found = Asked()
    yield found
    await found.close()


async def busy(asked: Asked) -> list[asyncio.Task[list[str]]]:
    """As many reads under way as go alone."""
    alone = []
    for number in range(AT_ONCE):
        alone.append(asked.read(f"first{number}"))
        await turn()
    assert asked.sent == [("live", [f"first{number}"]) for number in range(AT_ONCE)]
    return alone


async def test_one_after_the_other_each_goes_at_once_and_alone(asked: Asked) -> None:
    for number in range(3):
        read = asked.read("a", "b")
        await turn()
        await asked.answer(number)
        assert await read == ["a", "b"]
    assert asked.sent == [("live", ["a", "b"])] * 3


async def test_what_comes_at_the_same_time_goes_together(asked: Asked) -> None:
    reads = [asked.read("a"), asked.read("b", "c"), asked.read("d", place="other")]
    await turn()
    assert asked.sent == [("live", ["a", "b", "c"]), ("other", ["d"])]
    await asked.answer(0)
    await asked.answer(1)
    assert [await one for one in reads] == [["a"], ["b", "c"], ["d"]]


async def test_what_comes_meanwhile_goes_together_when_one_has_ended(asked: Asked) -> None:
    alone = await busy(asked)
    reads = [asked.read(*ids) for ids in (["a"], ["b", "c"], ["a"])]
    other = asked.read("a", place="other")
    await turn()
    assert asked.sent[AT_ONCE:] == [("other", ["a"])]
    await asked.answer(1)
    assert asked.sent[AT_ONCE + 1 :] == [("live", ["a", "b", "c", "a"])]
    later = asked.read("d")
    for number in (AT_ONCE + 1, 0, AT_ONCE):
        await asked.answer(number)
    await asked.answer(AT_ONCE + 2)
    assert [await one for one in (*alone, *reads, other, later)] == [
        *(["first0"], ["first1"]),
        *(["a"], ["b", "c"], ["a"], ["a"], ["d"]),
    ]


async def test_nobody_waits_for_what_hangs(asked: Asked) -> None:
    alone = await busy(asked)
    reads = [asked.read("a"), asked.read("b")]
    while len(asked.sent) == AT_ONCE:  # noqa: ASYNC110 - until PATIENCE has passed
        await asyncio.sleep(0.01)
    await asked.answer(AT_ONCE)
    assert [await one for one in reads] == [["a"], ["b"]]
    for number, one in enumerate(alone):
        await asked.answer(number)
        assert await one == [f"first{number}"]


async def test_very_many_do_not_wait(asked: Asked) -> None:
    await busy(asked)
    for number in range(MOST):
        asked.read(str(number))
    await turn()
    assert [len(ids) for _, ids in asked.sent] == [1] * AT_ONCE + [MOST]


async def test_an_error_is_for_those_who_went_together(asked: Asked) -> None:
    alone = await busy(asked)
    reads = [asked.read("a"), asked.read("b")]
    await turn()
    await asked.answer(0, EngineAwayError("away"))
    for one in (alone[0], *reads):
        if one in reads and not one.done():
            await asked.answer(AT_ONCE, EngineAwayError("gone"))
        with pytest.raises(EngineAwayError):
            await one
    await asked.answer(1)
    assert await alone[1] == ["first1"]
    again = asked.read("c")
    await turn()
    await asked.answer(AT_ONCE + 1)
    assert await again == ["c"]


async def test_who_leaves_takes_nothing_from_the_others(asked: Asked) -> None:
    alone = await busy(asked)
    reads = [asked.read("a"), asked.read("b")]
    await turn()
    alone[0].cancel()
    reads[0].cancel()
    await turn()
    await asked.answer(AT_ONCE)
    assert await reads[1] == ["b"]
    assert alone[0].cancelled()
    assert reads[0].cancelled()
    await asked.answer(1)
    assert not asked.reads._running  # noqa: SLF001 - what others wait for


async def test_each_has_a_deadline_of_its_own(asked: Asked) -> None:
    await busy(asked)
    short, long = asked.read("a", seconds=0.01), asked.read("b", seconds=30.0)
    await turn()
    with pytest.raises(TimeoutError):
        await short
    await asked.answer(0)
    assert 29 < asked.left[-1] <= 30
    await asked.answer(AT_ONCE)
    assert await long == ["b"]


async def test_who_leaves_at_once_takes_no_place_from_others(asked: Asked) -> None:
    """Before anything is sent, and in the turn in which it is."""
    for turns in range(4):
        one = asked.read("a")
        for _ in range(turns):
            await asyncio.sleep(0)
        one.cancel()
        await turn()
    assert not asked.reads._running  # noqa: SLF001 - what others wait for
    sent = len(asked.sent)
    read = asked.read("b")
    await turn()
    assert asked.sent[sent:] == [("live", ["b"])]
    await asked.answer(sent)
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

    reads = Gathering(ask)
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
