"""`akg node`, and `akg up` from a built wheel, in separate processes and folders."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import psutil
import pytest

from akg.interrupts import INTERRUPTED
from akg.node import status
from akg.node.state import Folders, find_node
from tests.support.fixture_graphs import CHECKOUT
from tests.support.interrupted import AKG, END_SECONDS, end_of, line_with, running, silent_server, wait_until
from tests.support.serving import START_SECONDS, environment, process


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
        environ = {**os.environ, "PYTHONPATH": str(installed), "AKG_DATA": str(empty)}
        words = [sys.executable, "-c", "from akg.cli import app; app()", "eval", "search"]
        scores = subprocess.run(words, cwd=empty, env=environ, capture_output=True, text=True, check=True)  # noqa: S603
        assert "nDCG@10" in scores.stdout
        served.process.send_signal(signal.SIGINT)
        assert served.process.wait(START_SECONDS) == 0, served.log.read_text("utf-8")
    assert status(empty) is None


@pytest.fixture
def up_settings(node_root: Path, engine_cache: Path) -> dict[str, str]:
    """Settings of `akg up` in a folder of a single test, with the small world."""
    world = str(CHECKOUT / "tests" / "data" / "world")
    return {"AKG_DATA": str(node_root), "AKG_CACHE": str(engine_cache), "AKG_CONTENT": world}


def test_the_last_of_several_services_stops_the_shared_node(up_settings: dict[str, str], node_root: Path) -> None:
    with process(up_settings, command="up") as first, process(up_settings, command="up") as second:
        first.process.send_signal(signal.SIGINT)
        assert first.process.wait(START_SECONDS) == 0, first.log.read_text("utf-8")
        assert httpx.get(f"{second.url}/search?query=adhd", timeout=30).status_code == 200
        assert httpx.get(f"{second.url}/readyz", timeout=30).status_code == 200
        second.process.send_signal(signal.SIGINT)
        assert second.process.wait(START_SECONDS) == 0, second.log.read_text("utf-8")
    assert status(node_root) is None


def test_either_of_two_services_ends_without_the_other(up_settings: dict[str, str], node_root: Path) -> None:
    with process(up_settings, command="up") as first:
        with process(up_settings, command="up") as second:
            assert httpx.get(f"{second.url}/readyz", timeout=30).status_code == 200
            second.process.send_signal(signal.SIGINT)
            assert second.process.wait(END_SECONDS) == 0, second.log.read_text("utf-8")
        assert httpx.get(f"{first.url}/search?query=adhd", timeout=30).status_code == 200
        with process(up_settings, command="up") as third:
            first.process.kill()
            first.process.wait()
            assert httpx.get(f"{third.url}/readyz", timeout=30).status_code == 200
            third.process.send_signal(signal.SIGINT)
            assert third.process.wait(END_SECONDS) == 0, third.log.read_text("utf-8")
    assert status(node_root) is None


def test_two_services_that_start_at_once_share_the_node_and_the_build(
    up_settings: dict[str, str], node_root: Path
) -> None:
    with ThreadPoolExecutor(2) as pool, ExitStack() as stack:
        both = [pool.submit(stack.enter_context, process(up_settings, command="up")) for _ in range(2)]
        for served in (future.result() for future in both):
            assert httpx.get(f"{served.url}/search?query=adhd", timeout=30).status_code == 200
            served.process.send_signal(signal.SIGINT)
            assert served.process.wait(END_SECONDS) == 0, served.log.read_text("utf-8")
    assert status(node_root) is None


def test_ctrl_c_kills_a_node_that_does_not_stop(up_settings: dict[str, str], node_root: Path) -> None:
    with process(up_settings, command="up") as served:
        found = find_node(Folders(node_root))
        assert found is not None
        found[1].suspend()
        interrupted = time.monotonic()
        served.process.send_signal(signal.SIGINT)
        assert served.process.wait(END_SECONDS) in {0, INTERRUPTED}, served.log.read_text("utf-8")
        assert time.monotonic() - interrupted < END_SECONDS
    assert status(node_root) is None
    assert not psutil.pid_exists(found[0].pid)


def test_ctrl_c_during_a_build_kills_a_node_that_does_not_respond(up_settings: dict[str, str], node_root: Path) -> None:
    with running([AKG, "up", "--port", "0"], environment(up_settings)) as up:
        wait_until(lambda: (state := status(node_root)) and state.url)
        found = find_node(Folders(node_root))
        assert found is not None
        found[1].suspend()
        time.sleep(1)  # until a request waits; sooner is no error
        end_of(up)
    assert up.returncode == INTERRUPTED
    assert not psutil.pid_exists(found[0].pid)


def test_ctrl_c_ends_a_node_that_starts(up_settings: dict[str, str], node_root: Path) -> None:
    with running([AKG, "up", "--port", "0"], environment(up_settings)) as up:
        wait_until(lambda: find_node(Folders(node_root)))
        found = find_node(Folders(node_root))
        assert found is not None
        found[1].suspend()
        end_of(up)
    assert up.returncode == INTERRUPTED
    assert not psutil.pid_exists(found[0].pid)


def test_ctrl_c_ends_the_download_of_a_service(tmp_path: Path) -> None:
    with silent_server() as server:
        proxy = "http://{}:{}".format(*server.getsockname())
        folders = {"AKG_DATA": str(tmp_path / "data"), "AKG_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path)}
        settings = {**environment(folders), "HTTPS_PROXY": proxy, "https_proxy": proxy}
        with running([AKG, "up", "--port", "0"], settings) as up:
            connection, _ = server.accept()
            with connection:
                assert "Stopped" in end_of(up)
    assert up.returncode == INTERRUPTED
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".lock"]


def test_ctrl_c_ends_a_service_whose_opensearch_never_responds() -> None:
    with silent_server() as server:
        url = "http://{}:{}".format(*server.getsockname())
        settings = environment({"AKG_OPENSEARCH_URL": url, "AKG_DEADLINE_SECONDS": "60"})
        with running([AKG, "serve", "--port", "0"], settings) as service:
            address = line_with(service, "Serving on").split()[2]
            request = threading.Thread(target=get, args=(f"{address}/search?query=adhd",))
            request.start()
            connection, _ = server.accept()
            with connection:
                connection.recv(1)
                end_of(service)
            request.join()
    assert service.returncode == 0


def get(url: str) -> None:
    """Send a request whose connection may be cut."""
    with suppress(httpx.HTTPError):
        httpx.get(url, timeout=60)
