"""`deploy/edge/start` with wrong settings, without nginx, and when it stops."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from api.app import create_app
from api.settings import Settings
from tests.support.edge import MEMORY, START, edge, environment
from tests.support.project import ROOT

NOWHERE = "http://127.0.0.1:9"
CONF = (ROOT / "deploy" / "edge" / "nginx.conf").read_text("utf-8")


def start(folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Check the configuration with these settings, without starting nginx."""
    variables = environment(NOWHERE, folder, **settings)
    return subprocess.run([START, "-t"], env=variables, capture_output=True, text=True, check=False, timeout=20)  # noqa: S603 - our own script


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"EDGE_RATE_LIMIT": "many"}, "EDGE_RATE_LIMIT must be a whole number, not 'many'"),
        ({"EDGE_CONNECTIONS": "-1"}, "EDGE_CONNECTIONS must be a whole number, not '-1'"),
        ({"EDGE_HOSTS": "a; include /etc/passwd"}, "EDGE_HOSTS has a character that is not allowed there"),
        ({"EDGE_LISTEN": "80 {"}, "EDGE_LISTEN has a character that is not allowed there"),
        ({"EDGE_CERTIFICATE": "/nowhere.pem"}, "EDGE_CERTIFICATE and EDGE_KEY must both name files that can be read"),
    ],
)
def test_names_the_wrong_setting(settings: dict[str, str], message: str) -> None:
    result = start(MEMORY / f"akg-test-start-{os.getpid()}", **settings)
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr


def test_refuses_a_relative_folder() -> None:
    result = start(Path("files"))
    assert (result.returncode, "must be an absolute path" in result.stderr) == (2, True)


def test_refuses_a_folder_that_is_not_in_memory() -> None:
    folder = ROOT / "build" / "edge"
    result = start(folder)
    assert result.returncode == 2
    assert "not in memory (tmpfs)" in result.stderr
    assert not folder.exists()


def test_names_the_package_where_nginx_is_missing(tmp_path: Path) -> None:
    for program in ("sh", "dirname", "readlink", "id", "stat", "tr", "sed"):
        (tmp_path / program).symlink_to(f"/usr/bin/{program}")
    hidden = START.read_text("utf-8").replace("PATH=$PATH:/usr/sbin", "true")  # where Debian has it
    script = tmp_path / "start"
    script.write_text(hidden, "utf-8")
    variables = {**environment(NOWHERE, MEMORY / "akg-test-none"), "PATH": str(tmp_path)}
    result = subprocess.run(["/bin/sh", script], env=variables, capture_output=True, text=True, check=False, timeout=20)  # noqa: S603 - our own script
    assert (result.returncode, result.stderr) == (
        3,
        "edge: nginx is not installed. On Debian and Ubuntu: apt-get install nginx\n",
    )


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM])
def test_every_signal_ends_it_and_removes_its_folder(tmp_path: Path, number: signal.Signals) -> None:
    with edge(NOWHERE, tmp_path) as front:
        front.process.send_signal(number)
        assert front.process.wait(15) == 0
    assert not front.folder.exists()


def test_deletes_no_folder_of_others() -> None:
    folder = MEMORY / f"akg-test-others-{os.getpid()}-check"
    folder.mkdir()
    try:
        (folder / "file").write_text("important", "utf-8")
        result = start(folder.with_name(folder.name.removesuffix("-check")))
        assert result.returncode == 2
        assert "not the edge's own" in result.stderr
        assert (folder / "file").exists()
    finally:
        shutil.rmtree(folder)


def test_the_configuration_can_be_checked_while_the_edge_runs(tmp_path: Path) -> None:
    with edge(NOWHERE, tmp_path) as front:
        assert start(front.folder).returncode == 0
        assert front.folder.exists()


def test_leaves_nothing_behind_and_refuses_a_folder_in_use(tmp_path: Path) -> None:
    with edge(NOWHERE, tmp_path) as front:
        assert {path.stat().st_mode & 0o077 for path in (front.folder, *front.folder.iterdir()) if path.is_dir()} == {0}
        variables = environment(NOWHERE, front.folder)
        second = subprocess.run([START], env=variables, capture_output=True, text=True, check=False, timeout=20)  # noqa: S603 - our own script
        assert second.returncode == 2
        assert "Another edge runs" in second.stderr
        assert front.folder.exists()
        assert front.stop() == 0
    assert not front.folder.exists()


def test_counts_only_words_that_the_service_has() -> None:
    usage = create_app(Settings(), [NOWHERE]).usage
    routes = CONF.partition("map $uri $route_class {")[2].partition("}\n    }")[0].partition("\n    }\n")[0]
    words = {line.split()[-1].strip('";') for line in routes.splitlines() if line.strip()}
    assert words - {"other"} <= {*usage.paths, *usage.templates}
    assert {"/search", "/suggest", "/{type}", "/{type}/{id}", "/{type}/{id}/neighbors"} <= words


def test_limits_equal_those_of_the_service() -> None:
    settings = Settings()
    assert f"client_max_body_size {settings.body_limit_bytes // 1024}k;" in CONF
    assert f"client_max_body_size {settings.mcp_body_limit_bytes // 1024}k;" in CONF
    assert f"client_body_buffer_size {settings.mcp_body_limit_bytes // 1024}k;" in CONF
    assert f"large_client_header_buffers 4 {settings.url_limit_bytes // 1024}k;" in CONF
