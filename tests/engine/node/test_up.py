"""A built wheel and `akg up` in an empty folder: node, graph and service start, and stop again."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import httpx
import pytest

from akg.node import status
from tests.support.fixture_graphs import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 300  # seconds; a slow machine may have to fetch the engine first


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with the package as its wheel installs it, and nothing of this checkout."""
    wheels, site = tmp_path / "wheels", tmp_path / "site"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
    subprocess.run(build, cwd=CHECKOUT, check=True, capture_output=True)  # noqa: S603 - this Python, this checkout
    (wheel,) = wheels.glob("*.whl")
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--target",
        str(site),
        str(wheel),
    ]
    subprocess.run(install, check=True)  # noqa: S603 - this Python, that wheel
    return site


def test_a_wheel_starts_everything_and_ctrl_c_stops_it(installed: Path, guarded_folder: Path) -> None:
    empty = guarded_folder / "wheel"
    empty.mkdir()
    environ = {name: value for name, value in os.environ.items() if not name.startswith("AKG_")}
    environ |= {"PYTHONPATH": str(installed), "AKG_DATA": str(empty), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-c", "from akg.cli import app; app()", "up", "--port", "0"]
    with subprocess.Popen(command, cwd=empty, env=environ, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stderr is not None
        lines = []
        url = None
        for line in process.stderr:
            lines.append(line)
            if found := re.search(r"Serving on (http://\S+)", line):
                url = found[1]
                break
        assert url, "".join(lines)
        found_first = httpx.get(f"{url}/search?query=adhd", timeout=30).json()["results"][0]
        assert found_first["name"] == "Attention Deficit/Hyperactivity Disorder"
        node = status(empty)
        assert node is not None
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == 0, rest
    assert status(empty) is None
