"""`akg node`, and `akg up` from a built wheel, in separate processes and folders."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import psutil
import pytest

from akg.node import status
from tests.support.fixture_graphs import CHECKOUT
from tests.support.serving import START_SECONDS, process


def akg_node(*arguments: str, cwd: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    script = "from akg.commands.node import node_app; node_app()"
    command = [sys.executable, "-c", script, *arguments]
    environ = {**os.environ, "PYTHONPATH": str(CHECKOUT), **environ}
    return subprocess.run(command, cwd=cwd, env=environ, capture_output=True, text=True, timeout=300, check=False)  # noqa: S603


def test_start_status_and_stop_on_the_command_line(node_root: Path, engine_cache: Path) -> None:
    node_root.mkdir()
    folders = {"AKG_DATA": str(node_root), "AKG_CACHE": str(engine_cache)}
    fetched = akg_node("fetch", cwd=node_root, **folders)
    assert fetched.returncode == 0
    assert Path(fetched.stdout.strip()).parent == engine_cache

    started = akg_node("start", "--port", "0", cwd=node_root, **folders)
    assert started.returncode == 0, started.stderr
    url = started.stdout.strip()
    assert url.startswith("http://127.0.0.1:")
    assert "is running (pid " in started.stderr

    again = akg_node("start", cwd=node_root, **folders)
    assert (again.returncode, again.stdout.strip()) == (0, url)
    assert "was already running" in again.stderr

    status = akg_node("status", cwd=node_root, **folders)
    assert status.returncode == 0
    assert url in status.stdout
    pid = int(status.stdout.partition(" pid ")[2].split()[0])

    stopped = akg_node("stop", cwd=node_root, **folders)
    assert (stopped.returncode, "was stopped" in stopped.stderr) == (0, True)
    assert not psutil.pid_exists(pid)
    assert akg_node("status", cwd=node_root, **folders).returncode == 3


def test_reports_the_status_of_an_existing_cluster(node_url: str, tmp_path: Path) -> None:
    result = akg_node("status", cwd=tmp_path, AKG_OPENSEARCH_URL=f"http://127.0.0.1:1,{node_url}")
    assert result.returncode == 0, result.stderr
    assert node_url in result.stdout
    assert "OpenSearch 3.8.0  cluster akg, 1 node" in result.stdout
    assert result.stderr == ""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with the package installed from its wheel, without this checkout."""
    wheels, site = tmp_path / "wheels", tmp_path / "site"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
    subprocess.run(build, cwd=CHECKOUT, check=True, capture_output=True)  # noqa: S603 - this Python, this checkout
    (wheel,) = wheels.glob("*.whl")
    install = ["-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(site), str(wheel)]
    subprocess.run([sys.executable, *install], check=True)  # noqa: S603 - this Python, that wheel
    return site


def test_a_wheel_starts_everything_and_ctrl_c_stops_it(installed: Path, guarded_folder: Path) -> None:
    empty = guarded_folder / "wheel"
    empty.mkdir()
    with process({"PYTHONPATH": str(installed), "AKG_DATA": str(empty)}, empty, "up") as served:
        (first, *_) = httpx.get(f"{served.url}/search?query=adhd", timeout=30).json()["results"]
        assert first["name"] == "Attention Deficit/Hyperactivity Disorder"
        assert status(empty) is not None
        served.process.send_signal(signal.SIGINT)
        assert served.process.wait(START_SECONDS) == 0, served.log.read_text("utf-8")
    assert status(empty) is None


def test_the_last_of_several_services_stops_the_shared_node(node_root: Path) -> None:
    settings = {"AKG_DATA": str(node_root)}
    with process(settings, command="up") as first, process(settings, command="up") as second:
        first.process.send_signal(signal.SIGINT)
        assert first.process.wait(START_SECONDS) == 0, first.log.read_text("utf-8")
        assert httpx.get(f"{second.url}/search?query=adhd", timeout=30).status_code == 200
        assert httpx.get(f"{second.url}/readyz", timeout=30).status_code == 200
        second.process.send_signal(signal.SIGINT)
        assert second.process.wait(START_SECONDS) == 0, second.log.read_text("utf-8")
    assert status(node_root) is None
