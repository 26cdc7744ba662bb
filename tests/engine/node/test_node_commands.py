"""`akg node` in a process and a folder of its own."""

import os
import subprocess
import sys
from pathlib import Path

import psutil

CHECKOUT = Path(__file__).parents[3]


def akg_node(*arguments: str, cwd: Path, **environ: str) -> "subprocess.CompletedProcess[str]":
    script = "from akg.commands.node import node_app; node_app()"
    return subprocess.run(  # noqa: S603  this Python
        [sys.executable, "-c", script, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT), **environ},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_start_status_and_stop_on_the_command_line(node_root: Path, engine_cache: Path) -> None:
    node_root.mkdir()
    place = {"AKG_DATA": str(node_root), "AKG_CACHE": str(engine_cache)}
    fetched = akg_node("fetch", cwd=node_root, **place)
    assert fetched.returncode == 0
    assert Path(fetched.stdout.strip()).parent == engine_cache

    started = akg_node("start", "--port", "0", cwd=node_root, **place)
    assert started.returncode == 0, started.stderr
    url = started.stdout.strip()
    assert url.startswith("http://127.0.0.1:")
    assert "is running (pid " in started.stderr

    again = akg_node("start", cwd=node_root, **place)
    assert (again.returncode, again.stdout.strip()) == (0, url)
    assert "was already running" in again.stderr

    status = akg_node("status", cwd=node_root, **place)
    assert status.returncode == 0
    assert url in status.stdout
    pid = int(status.stdout.partition(" pid ")[2].split()[0])

    stopped = akg_node("stop", cwd=node_root, **place)
    assert (stopped.returncode, "was stopped" in stopped.stderr) == (0, True)
    assert not psutil.pid_exists(pid)
    assert akg_node("status", cwd=node_root, **place).returncode == 3


def test_a_failed_start_shows_the_error_of_opensearch_and_an_exit_code(node_root: Path, engine_cache: Path) -> None:
    node_root.mkdir()
    result = akg_node(
        "start",
        cwd=node_root,
        AKG_DATA=str(node_root),
        AKG_CACHE=str(engine_cache),
        OPENSEARCH_JAVA_OPTS="-XX:+NoSuchOption",
    )
    assert result.returncode == 1
    assert "Unrecognized VM option 'NoSuchOption'" in result.stderr
    assert result.stdout == ""


def test_status_of_an_existing_cluster(node_url: str, tmp_path: Path) -> None:
    result = akg_node("status", cwd=tmp_path, AKG_OPENSEARCH_URL=f"http://127.0.0.1:1,{node_url}")
    assert result.returncode == 0, result.stderr
    assert node_url in result.stdout
    assert "OpenSearch 3.8.0  cluster akg, 1 node" in result.stdout
    assert result.stderr == ""
