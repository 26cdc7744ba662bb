"""Jobs in threads and in forked workers: results in order, a bounded look-ahead, every error, no worker left behind."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from threading import Barrier, Event

import psutil
import pytest

from indexer.release.parallel import ordered, run_jobs

JOBS = 40


@pytest.fixture
def two_threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def test_results_are_in_order_and_complete(two_threads: ThreadPoolExecutor) -> None:
    assert list(ordered(two_threads, str, range(1000), 3)) == [str(number) for number in range(1000)]


def test_two_calls_run_at_once(two_threads: ThreadPoolExecutor) -> None:
    both = Barrier(2, timeout=10)  # breaks unless two threads meet
    assert len(list(ordered(two_threads, lambda _: both.wait(), range(4), 2))) == 4


def test_the_error_of_a_call_is_raised_where_its_result_is_read(two_threads: ThreadPoolExecutor) -> None:
    results = ordered(two_threads, lambda number: 1 // number, [1, 1, 0, 1], 2)
    assert next(results) == 1
    with pytest.raises(ZeroDivisionError):
        list(results)


def test_an_error_of_the_input_iterator_is_raised(two_threads: ThreadPoolExecutor) -> None:
    def breaking() -> Iterator[int]:
        yield 1
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        list(ordered(two_threads, abs, breaking(), 3))


def endless(produced: list[int], limit: int, enough: Event) -> Iterator[int]:
    """Yield numbers without end and append each to `produced`; set the event when there are `limit`."""
    while True:
        produced.append(len(produced))
        if len(produced) == limit:
            enough.set()
        yield produced[-1]


@pytest.mark.parametrize("ahead", [1, 3, 7])
def test_a_reader_that_stops_early_stops_the_items(two_threads: ThreadPoolExecutor, ahead: int) -> None:
    """No call ends before the look-ahead is full, because a ready result is yielded at once."""
    produced: list[int] = []
    enough = Event()

    def work(number: int) -> int:
        assert enough.wait(10)
        return number

    with closing(ordered(two_threads, work, endless(produced, ahead, enough), ahead)) as results:
        assert next(results) == 0
    assert len(produced) == ahead


def test_calls_that_did_not_start_are_cancelled() -> None:
    called: list[int] = []
    enough, closed = Event(), Event()

    def work(number: int) -> None:
        called.append(number)
        assert enough.wait(10)
        assert number == 0 or closed.wait(10)

    with ThreadPoolExecutor(1) as pool:
        with closing(ordered(pool, work, endless([], 5, enough), 5)) as results:
            next(results)
        closed.set()
    assert called in ([0], [0, 1])


def failing(job: int) -> int:
    if job == 7:
        raise ValueError("no seventh")
    return job


def killed(job: int) -> int:
    if job == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return job


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("jobs", [1, JOBS])
def test_results_are_complete_and_in_order(jobs: int, workers: int) -> None:
    with run_jobs(lambda job: [job] * 3, jobs, workers) as results:
        assert list(results) == [[job] * 3 for job in range(jobs)]
    assert not psutil.Process().children()


@pytest.mark.parametrize(
    ("work", "workers", "error", "message"),
    [
        (failing, 1, ValueError, "no seventh"),
        (failing, 3, ValueError, "no seventh"),
        (killed, 3, BrokenProcessPool, "terminated abruptly"),
    ],
)
def test_an_error_of_a_worker_is_raised_where_the_result_is_read(
    work: Callable[[int], int], workers: int, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message), run_jobs(work, JOBS, workers) as results:
        list(results)
    assert not psutil.Process().children()


def test_a_reader_that_stops_leaves_no_worker_behind() -> None:
    with run_jobs(lambda job: bytes(1_000_000 + job), JOBS, 2) as results:
        assert len(next(results)) == 1_000_000
        assert len(psutil.Process().children()) == 2
    assert not psutil.Process().children()
