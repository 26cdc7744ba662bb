"""A process ends some seconds after Ctrl-C, whatever it waits for, and also if Python cannot handle the signal."""

import psutil

from akg.interrupts import INTERRUPTED
from tests.support.interrupted import HANDLER, WAIT_SECONDS, end_of, running, wait_until

CLEANUP = (
    HANDLER
    + f"""
import time
from akg.console import report_errors

with report_errors():
    try:
        print("working", flush=True)
        time.sleep({WAIT_SECONDS})
    finally:
        time.sleep({WAIT_SECONDS})
"""
)
# As the resolution of a name: Python calls no handler of a signal before it returns.
SYSTEM_CALL = (
    HANDLER
    + """
import hashlib
from akg.console import report_errors

with report_errors():
    print("calling", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000_000)
"""
)
# Another thread gets the signal, as the main thread misses one that comes just before it waits.
MISSED = (
    HANDLER
    + f"""
import signal, threading, time
from akg.console import report_errors

def interrupt():
    print("waiting", flush=True)
    time.sleep(0.2)
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)

with report_errors():
    threading.Thread(target=interrupt, daemon=True).start()
    time.sleep({WAIT_SECONDS})
"""
)
FORKS = (
    HANDLER
    + f"""
import threading, time
from akg.console import report_errors
from akg.interrupts import interrupt_limit

with report_errors():
    with interrupt_limit.paused():
        print(threading.active_count(), flush=True)
    try:
        print("working", flush=True)
        time.sleep({WAIT_SECONDS})
    finally:
        time.sleep({WAIT_SECONDS})
"""
)


def test_a_cleanup_that_hangs_is_ended() -> None:
    with running([CLEANUP]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "working\n"
        assert "Stopped before everything was cleaned up" in end_of(process)
    assert process.returncode == INTERRUPTED


def test_a_call_that_python_cannot_interrupt_is_ended() -> None:
    with running([SYSTEM_CALL]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "calling\n"
        called = psutil.Process(process.pid)
        before = called.cpu_times().user
        wait_until(lambda: called.cpu_times().user > before + 0.2)
        assert "Stopped before everything was cleaned up" in end_of(process)
    assert process.returncode == INTERRUPTED


def test_a_signal_that_the_main_thread_misses_ends_its_wait() -> None:
    with running([MISSED]) as process:
        _, errors = process.communicate(timeout=WAIT_SECONDS / 10)
    assert "Stopped. " in errors
    assert "before everything was cleaned up" not in errors


def test_the_limit_has_no_thread_while_a_build_forks() -> None:
    with running([FORKS]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "1\n"
        assert process.stdout.readline() == "working\n"
        assert "Stopped before everything was cleaned up" in end_of(process)
    assert process.returncode == INTERRUPTED
