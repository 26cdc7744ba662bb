"""The deadline of the current request, in a context variable."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)


@contextmanager
def until(moment: float) -> Iterator[None]:
    """Set the deadline of this block, and of the tasks that it starts, in seconds of `time.monotonic`."""
    token = _deadline.set(moment)
    try:
        yield
    finally:
        _deadline.reset(token)


def seconds_left(now: float, maximum: float) -> float:
    """Return the seconds until the deadline, at most `maximum`; zero or less if it has passed."""
    deadline = _deadline.get()
    return maximum if deadline is None else min(maximum, deadline - now)
