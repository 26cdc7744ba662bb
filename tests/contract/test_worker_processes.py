"""Jobs in forked workers: results in order, every error, no worker left behind."""

import os
import signal
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool

import psutil
import pytest

from indexer.release.parallel import run_jobs

JOBS = 40


def failing(job: int) -> int:
    if job == 7:
        raise ValueError("no seventh")
    return job


def killed(job: int) -> int:
    if job == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return job


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("jobs", [1, JOBS])
def test_results_are_complete_and_in_order(jobs: int, workers: int) -> None:
    with run_jobs(lambda job: [job] * 3, jobs, workers) as results:
        assert list(results) == [[job] * 3 for job in range(jobs)]
    assert not psutil.Process().children()


@pytest.mark.parametrize(
    ("work", "workers", "error", "message"),
    [
        (failing, 1, ValueError, "no seventh"),
        (failing, 3, ValueError, "no seventh"),
        (killed, 3, BrokenProcessPool, "terminated abruptly"),
    ],
)
def test_an_error_of_a_worker_is_raised_where_the_result_is_read(
    work: Callable[[int], int], workers: int, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message), run_jobs(work, JOBS, workers) as results:
        list(results)
    assert not psutil.Process().children()


def test_a_reader_that_stops_leaves_no_worker_behind() -> None:
    with run_jobs(lambda job: bytes(1_000_000 + job), JOBS, 2) as results:
        assert len(next(results)) == 1_000_000
        assert len(psutil.Process().children()) == 2
    assert not psutil.Process().children()
