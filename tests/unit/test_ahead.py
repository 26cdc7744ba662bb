"""Items made ahead arrive in order, with the maker's error, and the maker ends with its reader."""

from __future__ import annotations

import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from indexer.ahead import ahead

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_items_arrive_in_order() -> None:
    assert list(ahead(range(1000), batch=3)) == list(range(1000))


def test_the_makers_error_is_raised() -> None:
    def breaking() -> Iterator[int]:
        yield from (1, 2)
        raise ValueError("broken")

    reading = ahead(breaking(), batch=2)
    assert next(reading) == 1
    assert next(reading) == 2
    with pytest.raises(ValueError, match="broken"):
        next(reading)


def test_a_reader_that_stops_ends_the_maker() -> None:
    before = threading.active_count()
    with closing(ahead(iter(range(10**9)), batch=2)) as reading:
        assert next(reading) == 0
    assert threading.active_count() == before
