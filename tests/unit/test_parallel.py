"""Results arrive in the order of the items, few are made in advance, and no error is lost."""

from __future__ import annotations

from contextlib import closing
from threading import Barrier, Event
from typing import TYPE_CHECKING

import pytest

from indexer.parallel import parallel

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_results_are_in_order_and_complete() -> None:
    assert list(parallel(str, range(1000), workers=3)) == [str(number) for number in range(1000)]


def test_two_are_worked_on_at_once() -> None:
    both = Barrier(2, timeout=10)  # breaks unless two threads meet
    assert len(list(parallel(lambda _: both.wait(), range(4), workers=2))) == 4


def test_the_error_of_the_work_is_raised() -> None:
    working = parallel(lambda number: 1 // number, [1, 1, 0, 1], workers=1)
    assert next(working) == 1
    with pytest.raises(ZeroDivisionError):
        list(working)


def test_the_error_of_the_items_is_raised() -> None:
    def breaking() -> Iterator[int]:
        yield 1
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        list(parallel(abs, breaking(), workers=2))


def endless(made: list[int], most: int, enough: Event) -> Iterator[int]:
    """Numbers without end, each noted when it is made; says when there are so many."""
    while True:
        made.append(len(made))
        if len(made) == most:
            enough.set()
        yield made[-1]


@pytest.mark.parametrize(("ahead", "most"), [(1, 3), (5, 7)])
def test_a_reader_who_stops_early_stops_the_making(ahead: int, most: int) -> None:
    """None is done before all are made that may wait: what is done is handed out at once."""
    made: list[int] = []
    enough = Event()

    def work(number: int) -> int:
        assert enough.wait(10)
        return number

    with closing(parallel(work, endless(made, most, enough), workers=2, ahead=ahead)) as working:
        assert next(working) == 0
    assert len(made) == most
