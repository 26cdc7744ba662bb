"""Crashes of a process in its log: their type, without their message."""

import subprocess
import sys

import orjson

from tests.support.project import ROOT

SECRET = "what a user typed"  # noqa: S105 - no password
CRASHES = """
import asyncio, sys, threading, warnings
from api.telemetry.log_format import configure_logging
configure_logging("debug", sys.stderr)
secret = sys.argv[1]

class Lost:
    def __del__(self):
        raise ValueError(secret)

async def forgotten():
    asyncio.get_running_loop().call_exception_handler({"message": secret, "exception": ValueError(secret)})

def fails():
    raise ValueError(secret)

Lost()
warnings.warn(secret)
asyncio.run(forgotten())
thread = threading.Thread(target=fails)
thread.start()
thread.join()
fails()
"""


def test_writes_a_crash_without_its_message() -> None:
    command = [sys.executable, "-c", CRASHES, SECRET]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)  # noqa: S603 - the command above
    lines = [orjson.loads(each) for each in ended.stderr.splitlines()]
    assert ended.returncode == 1
    assert SECRET not in ended.stderr + ended.stdout
    assert [(line["logger"], line.get("event"), line.get("error")) for line in lines if line["level"] != "debug"] == [
        ("akg.process", "crash", "ValueError"),
        ("py.warnings", None, None),
        ("asyncio", None, "ValueError"),
        ("akg.process", "crash", "ValueError"),
        ("akg.process", "crash", "ValueError"),
    ]
