"""Runs jobs in a pool of threads or of forked processes, in order and with a bounded look-ahead.

The only module that forks. A worker process inherits what its parent holds in memory, so that only the numbers of jobs
and their results are pickled.
"""

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import chain
from multiprocessing import get_context, parent_process
from queue import SimpleQueue
from typing import Any, Self, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

MAX_WORKERS = 4  # more processes make documents faster than OpenSearch indexes them
RESULTS_PER_WORKER = 8  # running or waiting to be read: some jobs take ten times as long as others

_function: Callable[[int], Any]  # of a worker process


def ordered(
    executor: "Executor | DaemonPool", function: Callable[[Item], Result], items: Iterable[Item], ahead: int
) -> Generator[Result, None, None]:
    """Yield `function(item)` in the order of the items; at most `ahead` calls are running or wait to be read.

    Raise errors of the function and of the items where their results are read; calls that did not start are cancelled.
    """
    pending: deque[Future[Result]] = deque()
    try:
        for item in items:
            pending.append(executor.submit(function, item))
            while pending and (pending[0].done() or len(pending) >= ahead):
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        for future in pending:
            future.cancel()


def run_in_daemon_thread(function: Callable[[], Result]) -> Future[Result]:
    """Run a function in a daemon thread. Python waits for the threads of an executor when it exits, not for this."""
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(function())
        except BaseException as error:  # noqa: BLE001 - raised where the result is read
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


class DaemonPool:
    """A pool of daemon threads: neither its end nor the exit of Python waits for calls that are running."""

    def __init__(self, threads: int) -> None:
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._threads = threads
        for _ in range(threads):
            threading.Thread(target=self._run, daemon=True).start()

    def submit(self, function: Callable[[Item], Result], item: Item) -> Future[Result]:
        """Return the future of a call."""
        future: Future[Result] = Future()

        def call() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(function(item))
            except BaseException as error:  # noqa: BLE001 - raised where the result is read
                future.set_exception(error)

        self._calls.put(call)
        return future

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for _thread in range(self._threads):
            self._calls.put(None)

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            call()


def worker_count(*, beside_opensearch: bool) -> int:
    """Return how many processes to run jobs in: 1 where forking is not safe.

    OpenSearch may run on this machine, and when it indexes meanwhile it takes as much time as a worker.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return 1
    return max(1, min(len(os.sched_getaffinity(0)) - beside_opensearch, MAX_WORKERS))


@contextmanager
def run_jobs(function: Callable[[int], Result], jobs: int, workers: int) -> Iterator[Iterator[Result]]:
    """Yield the results of `function(0)` to `function(jobs - 1)`, in order. With one worker they run in this process.

    The last job starts first, so that the longest one may be last. Raise errors of a job where its result is read, and
    BrokenProcessPool where a worker is killed.
    """
    if workers == 1:
        yield map(function, range(jobs))
        return
    pool = ProcessPoolExecutor(workers, get_context("fork"), _start_worker, (function,))
    try:
        last = pool.submit(_run_job, jobs - 1)  # forks all workers, before the caller starts threads
        others = ordered(pool, _run_job, range(jobs - 1), workers * RESULTS_PER_WORKER)
        yield chain(others, (future.result() for future in [last]))
    finally:
        pool.shutdown(cancel_futures=True)


def _start_worker(function: Callable[[int], Any]) -> None:
    """Keep the inherited function. Ctrl-C reaches a worker too, but the parent decides what it ends."""
    global _function  # noqa: PLW0603 - a process pool has nowhere else to keep what was not pickled
    _function = function
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    """Exit when the parent is killed: a worker holds both ends of its queues, and would wait for jobs forever."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def _run_job(number: int) -> Any:  # noqa: ANN401 - whatever the function returns
    return _function(number)
