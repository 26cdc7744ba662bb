"""Ends a command some seconds after Ctrl-C, whatever it waits for.

Python calls its handlers of signals only between two system calls. A name server that does not respond delays them by
10 seconds or more. So a thread reads the numbers of the signals from a socket, which gets them at once.

The main thread can miss a signal that comes just before it waits, or that another thread gets: then it waits on. So
that thread also wakes it, with a signal that does nothing.
"""

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

INTERRUPTED = 130  # exit code after Ctrl-C
WAKE = signal.SIGURG  # ignored by default, so that one sent too late harms nothing
WAKE_SECONDS = 0.1
CLEANUP_SECONDS = 4.0  # after Ctrl-C; then the command ends, whatever it waits for
STOP = b"\0"  # no signal has this number
UNFINISHED_CLEANUP = (
    "Stopped before everything was cleaned up, because OpenSearch, a name server or a disk does not respond. The next "
    "build or `akg index prune` deletes what is left. `akg status` shows which release is live."
)


def _do_nothing() -> None:
    """Stop nothing: most commands start no process."""


class InterruptLimit:
    """The limit of this process. Only the main thread may change it, because signals belong to that thread."""

    def __init__(self) -> None:
        self._numbers: Collection[int] = ()
        self._seconds = CLEANUP_SECONDS
        self._before_exit: Callable[[], object] = _do_nothing
        self._writer: socket.socket | None = None
        self._reader: socket.socket | None = None
        self._thread: threading.Thread | None = None

    @contextmanager
    def watching(
        self,
        numbers: Collection[int] = (signal.SIGINT, signal.SIGTERM),
        seconds: float = CLEANUP_SECONDS,
    ) -> Iterator[None]:
        """End this process some seconds after one of these signals in this block, also after the block.

        Signals that are ignored, as a shell ignores Ctrl-C for commands in the background, stay ignored.
        """
        if threading.current_thread() is not threading.main_thread() or self._writer is not None:
            yield
            return
        self._numbers, self._seconds = numbers, seconds
        self._reader, self._writer = socket.socketpair()
        self._writer.settimeout(0.0)
        previous = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        previous_handler = signal.signal(WAKE, lambda *_: None)
        self._start()
        try:
            yield
        finally:
            signal.signal(WAKE, previous_handler)
            signal.set_wakeup_fd(previous)
            self._writer.close()  # ends the thread, unless it has read a signal
            self._writer, self._before_exit = None, _do_nothing

    def call_before_exit(self, function: Callable[[], object]) -> None:
        """Call this function in the thread that ends the process, until `watching` ends."""
        self._before_exit = function

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Have no thread for a moment: a process with several threads cannot fork safely. Signals are read later."""
        if self._writer is None or self._thread is None:
            yield
            return
        self._writer.send(STOP)
        self._thread.join()
        try:
            yield
        finally:
            self._start()

    def _start(self) -> None:
        self._thread = threading.Thread(target=self._watch, name="interrupts", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        reader = self._reader
        while reader is not None and (number := reader.recv(1)) != STOP:
            if not number:
                reader.close()
                return
            if number[0] in self._numbers:
                self._wake_until_the_limit()
                try:
                    self._before_exit()
                    # The main thread may hold the lock of the console.
                    os.write(sys.stderr.fileno(), f"\n{UNFINISHED_CLEANUP}\n".encode())
                finally:
                    os._exit(INTERRUPTED)

    def _wake_until_the_limit(self) -> None:
        main_thread = threading.main_thread()
        limit = time.monotonic() + self._seconds
        while (left := limit - time.monotonic()) > 0:
            signal.pthread_kill(main_thread.ident or 0, WAKE)
            time.sleep(min(left, WAKE_SECONDS))


interrupt_limit = InterruptLimit()
