"""Each job runs once in a forked worker, and the workers exit with their parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import psutil
import pytest

from indexer.release.parallel import run_jobs

ROOT = Path(__file__).parents[4]
JOBS = 40
SLOW = """
import sys, time
from indexer.release.parallel import run_jobs

def slow(job):
    time.sleep(0.01)
    return job

with run_jobs(slow, 1000, 2) as results:
    for number in results:
        print(number, flush=True)
"""


def failing(job: int) -> int:
    """Return the number of the job, but fail in the eighth."""
    if job == 7:
        raise ValueError("no seventh")
    return job


def killed(job: int) -> int:
    """Return the number of the job; the system kills the worker of the eighth."""
    if job == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return job


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("jobs", [1, JOBS])
def test_results_are_complete_and_in_order(jobs: int, workers: int) -> None:
    with run_jobs(lambda job: [job] * 3, jobs, workers) as results:
        assert list(results) == [[job] * 3 for job in range(jobs)]
    assert not psutil.Process().children()


@pytest.mark.parametrize("workers", [1, 3])
def test_an_error_is_raised_where_its_result_is_read(workers: int) -> None:
    with pytest.raises(ValueError, match="no seventh"), run_jobs(failing, JOBS, workers) as results:
        list(results)
    assert not psutil.Process().children()


def test_a_killed_worker_is_an_error() -> None:
    with pytest.raises(BrokenProcessPool), run_jobs(killed, JOBS, 3) as results:
        list(results)
    assert not psutil.Process().children()


def test_a_reader_that_stops_leaves_no_worker_behind() -> None:
    with run_jobs(lambda job: bytes(1_000_000 + job), JOBS, 2) as results:
        assert len(next(results)) == 1_000_000
        assert len(psutil.Process().children()) == 2
    assert not psutil.Process().children()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_exit_silently_with_their_parent(number: signal.Signals) -> None:
    """Ctrl-C reaches the workers too. A parent that is killed cannot stop them."""
    command = [sys.executable, "-c", SLOW]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, start_new_session=True, **pipes) as parent:  # type: ignore[call-overload]  # noqa: S603 - this Python, this text
        assert parent.stdout.readline() == b"0\n"
        workers = psutil.Process(parent.pid).children()
        assert len(workers) == 2
        if number == signal.SIGINT:
            os.killpg(parent.pid, number)
        else:
            parent.send_signal(number)
        _, errors = parent.communicate(timeout=30)
    assert errors.count(b"Traceback") == (number == signal.SIGINT)
    assert not psutil.wait_procs(workers, timeout=10)[1]
