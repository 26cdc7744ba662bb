"""When the request at hand must have its answer: set where it comes in, read where it asks the engine."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_ends: ContextVar[float | None] = ContextVar("ends", default=None)


@contextmanager
def until(moment: float) -> Iterator[None]:
    """What runs in this block, and the tasks it starts, must end at this moment of the same clock."""
    token = _ends.set(moment)
    try:
        yield
    finally:
        _ends.reset(token)


def seconds_left(now: float, longest: float) -> float:
    """Seconds until then, at most `longest`; zero or less when it has passed."""
    ends = _ends.get()
    return longest if ends is None else min(longest, ends - now)
