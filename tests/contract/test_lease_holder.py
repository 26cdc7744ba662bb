"""A killed process counts as ended at once."""

import json
import subprocess
import sys
import time

import pytest

from indexer.release.lease_holder import Identity, is_running


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_a_killed_process_has_ended_before_its_parent_reads_the_exit_code() -> None:
    code = "from indexer.release.lease_holder import this_process as p; print(json.dumps(p()), flush=True); input()"
    command = [sys.executable, "-c", f"import json; {code}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - this Python, this text
        assert process.stdout is not None
        identity: Identity = json.loads(process.stdout.readline())
        assert is_running(identity) is True
        process.kill()
        deadline = time.monotonic() + 30
        while is_running(identity) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert is_running(identity) is False
