"""What `akg node` says and how it exits, where no engine is needed for it."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from akg.node.cluster import external_cluster
from akg.node_commands import node_app

CLUSTER = {"AKG_OPENSEARCH_URL": "http://reader:geheim@127.0.0.1:1, http://127.0.0.1:1"}


def test_status_of_nothing_is_exit_code_3(tmp_path: Path) -> None:
    result = CliRunner().invoke(node_app, ["status", "--root", str(tmp_path)])
    assert (result.exit_code, result.stdout) == (3, "not running\n")


def test_stopping_nothing_is_no_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(node_app, ["stop"], env={"AKG_DATA": str(tmp_path / "none")})
    assert result.exit_code == 0
    assert "No node was running here." in result.stderr


def test_a_refused_start_says_why_and_fails(tmp_path: Path) -> None:
    arguments = ["start", "--root", str(tmp_path / "r"), "--cache", str(tmp_path / "c"), "--heap", "much"]
    result = CliRunner().invoke(node_app, arguments)
    assert result.exit_code == 1
    assert "heap 'much' is not a size" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(("command", "consequence"), [("fetch", "nothing is fetched"), ("start", "nothing is started")])
def test_with_an_existing_cluster_nothing_is_fetched_or_started(tmp_path: Path, command: str, consequence: str) -> None:
    result = CliRunner().invoke(node_app, [command, "--cache", str(tmp_path / "cache")], env=CLUSTER)
    assert result.exit_code == 0
    assert consequence in result.stderr
    assert "geheim" not in result.output
    assert not (tmp_path / "cache").exists()


def test_an_existing_cluster_that_is_away_is_an_error_without_its_password() -> None:
    result = CliRunner().invoke(node_app, ["status"], env=CLUSTER)
    assert result.exit_code == 1
    assert "no OpenSearch answers at http://127.0.0.1:1, http://127.0.0.1:1" in result.stderr
    assert "Connection refused" in result.stderr
    assert "geheim" not in result.output


def test_the_password_of_a_cluster_is_in_none_of_its_texts() -> None:
    cluster = external_cluster({**CLUSTER, "AKG_OPENSEARCH_USER": "reader", "AKG_OPENSEARCH_PASSWORD": "geheim"})
    assert cluster is not None
    assert "geheim" not in repr(cluster) + cluster.shown
    assert cluster.urls == ("http://reader:geheim@127.0.0.1:1", "http://127.0.0.1:1")


def test_an_empty_address_names_no_cluster() -> None:
    assert external_cluster({"AKG_OPENSEARCH_URL": " , "}) is None
