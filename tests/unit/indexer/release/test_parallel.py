"""Calls in threads: results in order, a bounded look-ahead, every error, and cancelled calls."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier, Event

import pytest

from indexer.release.parallel import ordered

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
