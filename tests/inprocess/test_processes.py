"""Work that is shared out among processes is done once, all of it, and ends with whoever asked for it."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import psutil
import pytest

from indexer.processes import LostProcessError, shared_out

if TYPE_CHECKING:
    from collections.abc import Iterator

JOBS = 40


def numbers(job: int) -> Iterator[tuple[int, int]]:
    """Three items of each job."""
    yield from ((job, number) for number in range(3))


def failing(job: int) -> Iterator[int]:
    """Right until the seventh."""
    yield job
    if job == 7:
        raise ValueError("no seventh")


class OddError(Exception):
    """Cannot be sent: it wants to be made otherwise than it is kept."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} and {other}")


def failing_oddly(job: int) -> Iterator[int]:
    """An error that does not survive the way."""
    yield job
    raise OddError(job, job)


def losing_its_reader(job: int) -> Iterator[int]:
    """An error of the work that looks like one of the way."""
    yield job
    raise EOFError("no more rows")


def dying(job: int) -> Iterator[int]:
    """The process of one job is killed."""
    yield job
    if job == 7:
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("processes", [1, 2, 5])
def test_every_job_is_done_once(processes: int) -> None:
    with shared_out(numbers, JOBS, processes) as items:
        assert sorted(items) == [item for job in range(JOBS) for item in numbers(job)]
    assert not psutil.Process().children()


@pytest.mark.parametrize("processes", [1, 3])
def test_an_error_is_raised_where_the_items_are_read(processes: int) -> None:
    with pytest.raises(ValueError, match="no seventh"), shared_out(failing, JOBS, processes) as items:
        list(items)
    assert not psutil.Process().children()


def test_no_error_is_lost_on_the_way() -> None:
    with pytest.raises(LostProcessError, match="OddError"), shared_out(failing_oddly, JOBS, 2) as items:
        list(items)
    with pytest.raises(EOFError, match="no more rows") as raised, shared_out(losing_its_reader, JOBS, 2) as items:
        list(items)
    assert "losing_its_reader" in raised.value.__notes__[0]


def test_a_process_that_is_killed_is_missed() -> None:
    with pytest.raises(LostProcessError, match="ended with -9"), shared_out(dying, JOBS, 3) as items:
        list(items)
    assert not psutil.Process().children()


def test_who_stops_reading_leaves_no_process_behind() -> None:
    with shared_out(lambda job: [bytes(1_000_000)] * (job + 3), JOBS, 2) as items:
        assert len(next(items)) == 1_000_000
        assert len(psutil.Process().children()) == 2
    assert not psutil.Process().children()
