"""The worker processes of a build: they exit with their parent, and every process builds the same documents."""

import os
import signal
import subprocess
import sys

import psutil
import pytest

from tests.support.project import ROOT

SLOW = """
import signal, sys, time
from indexer.release.parallel import run_jobs

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for commands in the background

def slow(job):
    time.sleep(0.01)
    return job

with run_jobs(slow, 1000, 2) as results:
    for number in results:
        print(number, flush=True)
"""
PRINT_DIGEST = """
import hashlib
from pathlib import Path
from api.settings import SHIPPED_ROOT
from indexer.release.bulk import encode_documents
from indexer.graph.build import build_graph
from indexer.release.plan import BuildJobs
from indexer.content.loader import load_content
from schema.vocabulary import read_vocabulary
vocabulary = read_vocabulary(SHIPPED_ROOT / "mappings")
jobs = BuildJobs.from_graph(build_graph(load_content(Path("tests/data/world"), vocabulary), vocabulary), vocabulary)
documents = encode_documents(jobs.documents())
print(hashlib.sha256(repr([document[:2] for document in documents]).encode()).hexdigest())
"""


def test_builds_the_same_documents_in_every_process() -> None:
    """The order of sets differs between processes: a build that iterates over one sends unchanged documents."""
    digests = {
        subprocess.run(  # noqa: S603 - this Python, this text
            [sys.executable, "-c", PRINT_DIGEST],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


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
