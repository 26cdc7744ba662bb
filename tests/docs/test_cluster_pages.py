"""The commands of the pages about clusters and snapshots run on a real node, in their order."""

import os
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from opensearchpy import OpenSearch
from typer.testing import CliRunner

from akg.cli import app
from indexer.release.releases import Releases
from tests.support.fixture_graphs import WORLD
from tests.support.markdown import blocks, sections
from tests.support.project import DOCS

ALIAS = "akg-cluster-pages"
ELSEWHERE = ("docker", "kubectl", "cp ", "mkdir", "cd ", "openssl")  # tests/docs/test_deploying.py checks them
SECURITY = "_plugins/_security"
PAGES = ("keep-snapshots", "use-your-own-opensearch", "deploy-on-kubernetes")
NEW_CLUSTER = ("Move to another cluster", 1)  # the block for an empty cluster


@pytest.fixture
def environ(node_url: str, client: OpenSearch, tmp_path: Path) -> Iterator[dict[str, str]]:
    yield {
        "AKG_OPENSEARCH_URL": node_url,
        "AKG_ALIAS": ALIAS,
        "AKG_CONTENT": str(WORLD),
        "AKG_DATA": str(tmp_path),
        "AKG_SNAPSHOT_REPOSITORY": ALIAS,
        "AKG_SNAPSHOT_LOCATION": "runbook",
    }
    client.indices.delete(index=f"{ALIAS}-*")
    for snapshot in client.snapshot.get(repository=ALIAS, snapshot="_all")["snapshots"]:
        client.snapshot.delete(repository=ALIAS, snapshot=snapshot["snapshot"])
    client.snapshot.delete_repository(repository=ALIAS)


def test_every_command_for_a_node_works(environ: dict[str, str], client: OpenSearch) -> None:
    pages = "\n".join((DOCS / "how-to" / f"{name}.md").read_text("utf-8") for name in PAGES)
    run_line("akg index build", environ)
    releases = Releases(client, ALIAS)
    run = []
    for part in sections(pages):
        for number, block in enumerate(block for block in blocks(part.text) if block.language == "sh"):
            if (part.title, number) == NEW_CLUSTER:
                (before,) = releases.live_indices()
                client.indices.delete(index=f"{ALIAS}-*")
            for line in block.text.splitlines():
                if line.startswith(ELSEWHERE) or SECURITY in line:
                    continue
                result = run_line(line, environ)
                assert result.returncode == 0, f"{line}\n{result.stdout}{result.stderr}"
                run.append(line)
            if (part.title, number) == NEW_CLUSTER:
                assert releases.live_indices() == [before]
    assert {" ".join(line.split()[:3]) for line in run if line.startswith("akg")} == {
        *(f"akg snapshot {name}" for name in ("create", "list", "verify", "restore", "prune")),
        *("akg index build", "akg index releases", "akg index prune", "akg node status"),
    }


def run_line(line: str, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a line as a shell does, but `akg` in this process."""
    if line.startswith("akg "):
        found = CliRunner().invoke(app, shlex.split(line)[1:], env=environ)
        return subprocess.CompletedProcess(line, found.exit_code, found.output, repr(found.exception or ""))
    assert line.startswith("curl --fail "), line
    command = ["bash", "-euc", line]
    environ = {**os.environ, **environ}
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, check=False)  # noqa: S603
