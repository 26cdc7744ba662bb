"""Real pid namespaces, as of containers on one host: no process is judged from outside its own."""

import json
import subprocess
import sys

import pytest

from indexer.release.lease_holder import Identity, is_running, this_process
from tests.support.pid_namespaces import NAMESPACE, has_pid_namespaces
from tests.support.project import ROOT

IMPORTS = "import json, sys; from indexer.release.lease_holder import is_running, this_process; "
SHOW = f"{IMPORTS} print(json.dumps(this_process()), flush=True); input()"
JUDGE = f"{IMPORTS} print(is_running(json.loads(sys.argv[1])))"


def judged_from_another_namespace(holder: Identity) -> str:
    command = [*NAMESPACE, sys.executable, "-c", JUDGE, json.dumps(holder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603


@pytest.mark.skipif(not has_pid_namespaces(), reason="this user may not make pid namespaces")
def test_a_process_is_not_judged_from_another_pid_namespace() -> None:
    own = this_process()
    assert is_running(own) is True
    assert judged_from_another_namespace(own) == "None"
    command = [*NAMESPACE, sys.executable, "-c", SHOW]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as inside:  # noqa: S603
        assert inside.stdout is not None
        holder: Identity = json.loads(inside.stdout.readline())
        assert (holder["boot"], holder["pid"]) == (own["boot"], 1)
        assert is_running(holder) is None
        assert judged_from_another_namespace(holder) == "None"  # there, too, a process 1 is running
        inside.communicate("\n")
    assert is_running(holder) is None
