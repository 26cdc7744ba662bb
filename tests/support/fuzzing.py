"""The decorator of tests that give hostile bytes to a reader: how many examples, and limits of memory and time.

`make test-long` sets FUZZ_FACTOR. Then there are as many times more examples, other ones in each run, an example that
takes longer than SECONDS fails, and so does one that needs more than MEGABYTES beside what the process has already.
"""

import functools
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

FACTOR = int(os.environ.get("FUZZ_FACTOR", "1"))
MEGABYTES = 256
SECONDS = 10

Test = Callable[..., Any]


def fuzzed(examples: int) -> Callable[[Test], Test]:
    """Return the decorator of a test with `@given`, which gets so many examples, or more in a long run."""
    in_long_run = FACTOR > 1
    limits = settings(
        max_examples=examples * FACTOR,
        deadline=timedelta(seconds=SECONDS) if in_long_run else None,
        database=None,
        derandomize=not in_long_run,
    )

    def decorate(test: Test) -> Test:
        limited = limits(test)

        @functools.wraps(limited)
        def run(*args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - those of any test
            with limited_memory():
                limited(*args, **kwargs)

        return pytest.mark.fuzz(run if in_long_run else limited)

    return decorate


@contextmanager
def limited_memory() -> Iterator[None]:
    """Limit the address space of this process for a while: what needs more raises MemoryError."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    used = pages * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEGABYTES * 1024 * 1024, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
