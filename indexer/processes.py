"""Work is shared out among processes that each have a copy of what this one holds: the only file that forks.

What they make comes here piece by piece. A process that is ahead waits: its pipe takes no more than is read from it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess
    from multiprocessing.sharedctypes import Synchronized

Item = TypeVar("Item")

MOST = 4  # processes; more make documents faster than an engine beside them takes them
PATIENCE = 10  # seconds for a process that is told to end


class LostProcessError(Exception):
    """A process of this work was ended from outside; the message says how."""


@dataclass(frozen=True, slots=True)
class _Failure:
    error: Exception


def useful(*, beside_engine: bool) -> int:
    """Among how many processes work is worth sharing out here: one where forking is not safe.

    An engine that is kept busy meanwhile takes as much time as one of them, and may be on this machine.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return 1
    return max(1, min(len(os.sched_getaffinity(0)) - beside_engine, MOST))


@contextmanager
def shared_out(make: Callable[[int], Iterable[Item]], jobs: int, processes: int) -> Iterator[Iterator[Item]]:
    """Yield all items of `make(0)` to `make(jobs - 1)`, in any order; each process takes the next job that is left.

    With one process everything is made here, in order. Errors of `make` are raised where its items are read;
    LostProcessError where a process ended without a word.
    """
    if processes == 1:
        yield (item for job in range(jobs) for item in make(job))
        return
    fork = get_context("fork")
    following: Synchronized[int] = fork.Value("i", 0)
    started: list[tuple[ForkProcess, Connection]] = []
    try:
        for _ in range(processes):
            reader, writer = fork.Pipe(duplex=False)
            others = [known for _, known in started]
            process = fork.Process(target=_work, args=(make, jobs, following, writer, [*others, reader]), daemon=True)
            process.start()
            writer.close()  # else the end of the process would not end what is read
            started.append((process, reader))
        yield _gathered(started)
    finally:
        for process, reader in started:
            process.terminate()
            reader.close()
        for process, _ in started:
            process.join(PATIENCE)


def _work(
    make: Callable[[int], Iterable[Item]],
    jobs: int,
    following: Synchronized[int],
    writer: Connection,
    readers: Sequence[Connection],
) -> None:
    """Do jobs until none is left. Who reads decides about interrupts; when nobody reads any more, this ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for reader in readers:
        reader.close()
    try:
        while (job := _next(following)) < jobs:
            for item in make(job):
                writer.send(item)
    except BrokenPipeError:
        return
    except Exception as error:  # noqa: BLE001 - it is raised again where the items are read
        writer.send(_Failure(error))


def _next(following: Synchronized[int]) -> int:
    with following.get_lock():
        following.value += 1
        return following.value - 1


def _gathered(started: Sequence[tuple[ForkProcess, Connection]]) -> Iterator[Any]:
    processes = {reader: process for process, reader in started}
    while processes:
        ready = wait(processes)
        for reader in [one for one in processes if one in ready]:
            try:
                item = reader.recv()
            except EOFError:
                _ended(processes.pop(reader))
                continue
            if isinstance(item, _Failure):
                raise item.error
            yield item


def _ended(process: ForkProcess) -> None:
    process.join()
    if process.exitcode:
        raise LostProcessError(f"A process that made a part of the work ended with {process.exitcode}.")
