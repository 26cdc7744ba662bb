"""Work is shared out among processes that each have a copy of what this one holds: the only file that forks.

What they make comes here piece by piece. A process that is ahead waits: its pipe takes no more than is read from it.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import traceback
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from multiprocessing import get_context
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

Item = TypeVar("Item")

MOST = 4  # processes; more make documents faster than an engine beside them takes them
PATIENCE = 10  # seconds for a process that is told to end


class LostProcessError(Exception):
    """A process of this work was ended from outside; the message says how."""


class _Sign(Enum):
    NEXT = "next"


class _Unread(Exception):  # noqa: N818 - not an error: the work is no longer wanted
    """Nobody reads any more."""


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
    started: dict[Connection, ForkProcess] = {}
    try:
        for _ in range(processes):
            mine, theirs = fork.Pipe()
            process = fork.Process(target=_work, args=(make, theirs, [*started, mine]), daemon=True)
            process.start()
            theirs.close()  # else the end of the process would not end what is read
            started[mine] = process
        yield _gathered(dict(started), iter(range(jobs)))
    finally:
        for connection, process in started.items():
            process.terminate()
            connection.close()
        for process in started.values():
            process.join(PATIENCE)


def _work(make: Callable[[int], Iterable[Item]], connection: Connection, others: Sequence[Connection]) -> None:
    """Do jobs until none is left. Who reads decides about interrupts; when nobody reads any more, this ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in others:
        other.close()
    with suppress(_Unread):
        _tell(connection, _Sign.NEXT)
        while (job := _asked(connection)) is not None:
            _tell(connection, _Sign.NEXT)  # while this one is being done, the next is handed out
            try:
                for item in make(job):
                    _tell(connection, item)
            except _Unread:
                raise
            except Exception as error:  # noqa: BLE001 - it is raised again where the items are read
                _tell(connection, _Failure(_portable(error)))


def _asked(connection: Connection) -> int | None:
    try:
        job: int | None = connection.recv()
    except (EOFError, ConnectionError) as error:
        raise _Unread from error
    return job


def _tell(connection: Connection, what: object) -> None:
    try:
        connection.send(what)
    except ConnectionError as error:
        raise _Unread from error


def _portable(error: Exception) -> Exception:
    """The error as it can be sent, with where it came from; as text where it cannot be sent."""
    error.add_note(traceback.format_exc())
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - what was packed here a moment ago
    except (pickle.PickleError, TypeError, AttributeError, ValueError):
        return LostProcessError(f"A process that made a part of the work failed: {error!r}")
    return error


def _gathered(processes: dict[Connection, ForkProcess], jobs: Iterator[int]) -> Iterator[Any]:
    while processes:
        ready = wait(processes)
        for connection in [one for one in processes if one in ready]:
            try:
                item = connection.recv()
            except (EOFError, ConnectionResetError):
                _ended(processes.pop(connection))
                continue
            if item is _Sign.NEXT:
                with suppress(ConnectionError):  # it ended since; the next thing to be read says so
                    connection.send(next(jobs, None))
            elif isinstance(item, _Failure):
                raise item.error
            else:
                yield item


def _ended(process: ForkProcess) -> None:
    process.join()
    if process.exitcode:
        raise LostProcessError(f"A process that made a part of the work ended with {process.exitcode}.")
