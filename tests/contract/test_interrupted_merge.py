"""Ctrl-C during a merge deletes the index and ends the command; nothing waits for the merge."""

import signal
import subprocess
import sys
import time

from tests.support.interrupted import MAX_SECONDS
from tests.support.project import ROOT

MERGE_SECONDS = 600
PUBLISH = f"""
import signal, time
from datetime import UTC, datetime
from unittest.mock import MagicMock
from indexer.release import publish
from indexer.release.bulk import FillResult, IndexInput

signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore SIGINT

def merge(client, index):
    print("merging", flush=True)
    time.sleep({MERGE_SECONDS})

publish.fill = lambda *_: FillResult([], has_changes=True)
publish.verify = lambda *_: []
publish.merge = merge
releases = MagicMock()
releases.discard = lambda _: print("discarded", flush=True)
publish.publish_release(releases, MagicMock(), datetime.now(UTC), lambda _: None, IndexInput(()))
"""


def test_ctrl_c_during_a_merge_ends_the_build() -> None:
    command = [sys.executable, "-c", PUBLISH]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603 - this Python, this text
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "merging\n"
            interrupted = time.monotonic()
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=MERGE_SECONDS / 10)
        finally:
            process.kill()
    assert time.monotonic() - interrupted < MAX_SECONDS
    assert output == "discarded\n"
    assert errors.endswith("KeyboardInterrupt\n")
