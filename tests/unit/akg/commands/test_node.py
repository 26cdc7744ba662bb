"""`akg node` without a running node: messages and exit codes."""

import socket
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from akg.cli import app
from akg.commands.node import node_app
from akg.reports.status import NodeReport
from api.settings import read_settings

CLUSTER = {"AKG_OPENSEARCH_URL": "http://reader:geheim@127.0.0.1:1, http://127.0.0.1:1"}


def test_status_without_a_node_exits_with_3(tmp_path: Path) -> None:
    result = CliRunner().invoke(node_app, ["status", "--root", str(tmp_path)])
    assert (result.exit_code, result.stdout) == (3, "not running\n")


def test_the_report_without_a_node_says_so(tmp_path: Path) -> None:
    result = CliRunner().invoke(node_app, ["status", "--root", str(tmp_path), "--json"])
    found = NodeReport.model_validate_json(result.stdout)
    assert (result.exit_code, found.running, found.local) == (3, False, None)


def test_start_names_the_option_for_a_port_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(node_app, ["start", "--root", str(tmp_path), "--port", port])
    assert result.exit_code == 2
    assert f"Port {port} is not available: Address already in use. Set --port to another one" in result.stderr


def test_start_names_the_setting_of_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    root = tmp_path / "file" / "node"
    result = CliRunner().invoke(node_app, ["start", "--root", str(root)])
    assert result.exit_code == 1
    assert f"The node in {root} cannot be used: {root}: Not a directory. Set AKG_DATA or --root" in result.stderr


def test_stop_without_a_node_succeeds(tmp_path: Path) -> None:
    result = CliRunner().invoke(node_app, ["stop"], env={"AKG_DATA": str(tmp_path / "none")})
    assert result.exit_code == 0
    assert "No node was running." in result.stderr


def test_start_rejects_an_invalid_heap(tmp_path: Path) -> None:
    arguments = ["start", "--root", str(tmp_path / "r"), "--cache", str(tmp_path / "c"), "--heap", "much"]
    result = CliRunner().invoke(node_app, arguments)
    assert result.exit_code == 2
    assert "heap 'much' is not a size" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("command", "consequence"), [("fetch", "nothing is downloaded"), ("start", "nothing is started")]
)
def test_does_not_download_or_start_when_a_cluster_is_configured(
    tmp_path: Path, command: str, consequence: str
) -> None:
    result = CliRunner().invoke(node_app, [command, "--cache", str(tmp_path / "cache")], env=CLUSTER)
    assert result.exit_code == 0
    assert consequence in result.stderr
    assert "geheim" not in result.output
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (node_app, "OpenSearch is unavailable at http://127.0.0.1:1, http://127.0.0.1:1: "),
        (app, "OpenSearch at http://127.0.0.1:1, http://127.0.0.1:1 is unavailable: "),
    ],
    ids=["akg node status", "akg status"],
)
def test_status_reports_an_unavailable_cluster_without_its_password(command: typer.Typer, message: str) -> None:
    result = CliRunner().invoke(command, ["status"], env=CLUSTER)
    assert result.exit_code == 3
    assert message in result.stderr
    assert "Connection refused" in result.stderr
    assert "geheim" not in result.output


def test_empty_urls_configure_no_cluster() -> None:
    assert read_settings({"AKG_OPENSEARCH_URL": " , "}).opensearch_url == ()
