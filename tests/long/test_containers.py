"""A build in a container, and a command on its host, which has the same host name and other process ids."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from opensearchpy import OpenSearch

from schema.errors import LOCKED
from tests.support.http_servers import held_back
from tests.support.interrupted import AKG, WAIT_SECONDS
from tests.support.operator_session import OperatorSession, open_session
from tests.support.pid_namespaces import NAMESPACE, has_pid_namespaces
from tests.support.project import ROOT

ALIAS = "akg-contained"


@pytest.fixture
def session(tmp_path_factory: pytest.TempPathFactory, client: OpenSearch, node_url: str) -> Iterator[OperatorSession]:
    yield open_session(tmp_path_factory.mktemp("contained"), client, node_url, ALIAS)
    client.indices.delete(index=f"{ALIAS}-*")


@pytest.mark.skipif(not has_pid_namespaces(), reason="this user may not make pid namespaces")
async def test_pruning_on_the_host_leaves_a_build_in_a_container_alone(session: OperatorSession) -> None:
    before = session.state()
    async with held_back(session.url, "POST", "/_bulk") as (url, arrived, released):
        environ = {**os.environ, **session.environ, "AKG_OPENSEARCH_URL": url, "NO_PROXY": "127.0.0.1"}
        build = [*NAMESPACE, sys.executable, "-c", AKG, "index", "build", "--force", "--from-scratch"]
        with subprocess.Popen(build, cwd=ROOT, env=environ, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603, ASYNC220 - this Python
            try:
                await asyncio.wait_for(arrived.wait(), WAIT_SECONDS)
                unfinished = set(session.state()[1]) - set(before[1])
                output = await asyncio.to_thread(session.run, "index", "prune", code=LOCKED)
                assert "Another build is running: process 1 on" in " ".join(output.split())
                assert unfinished <= set(session.state()[1])
                released.set()
                _, errors = await asyncio.to_thread(process.communicate, timeout=WAIT_SECONDS)
            finally:
                process.kill()
    assert process.returncode == 0, errors
    assert set(session.releases.live_indices()) == unfinished
