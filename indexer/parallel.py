"""Work on several items at once while the next ones are being made: the waits overlap, and memory stays bounded."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")


def parallel(
    work: Callable[[Item], Result], items: Iterable[Item], workers: int, ahead: int = 1
) -> Generator[Result, None, None]:
    """Yield `work(item)` in the order of the items; at most `workers` are under way, and `ahead` wait.

    Errors of the work and of the items are raised here, after what is under way has ended.
    """
    under_way: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        for item in items:
            under_way.append(pool.submit(work, item))
            while under_way and (under_way[0].done() or len(under_way) >= workers + ahead):
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
