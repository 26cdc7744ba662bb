"""Ctrl-C at each phase of a real build whose OpenSearch is slow: it ends, and the live release stays.

A proxy holds back one kind of request for longer than the test takes. Meanwhile the lease is renewed.
"""

import asyncio
import os
from collections.abc import Iterator

import pytest
from opensearchpy import OpenSearch

from akg.interrupts import INTERRUPTED
from indexer.release.control_index import control_document
from indexer.release.writer_lease import RENEW_SECONDS
from tests.support.http_servers import held_back
from tests.support.interrupted import AKG, WAIT_SECONDS, end_of, running
from tests.support.operator_session import OperatorSession, open_session

ALIAS = "akg-slow-build"
# The requests of a build in their order: method, part of the path, options of the build. A build reads the fingerprints
# of the live release while it plans.
PHASES = {
    "lease": ("PUT", "/_doc/writer-", ()),
    "plan": ("POST", "/_search", ()),
    "clone": ("PUT", "/_clone/", ()),
    "create": ("PUT", f"/{ALIAS}-f", ("--from-scratch",)),
    "fill": ("POST", "/_bulk", ("--from-scratch",)),
    "merge": ("POST", "/_forcemerge", ("--from-scratch",)),
    "flush": ("POST", "/_flush", ("--from-scratch",)),
    "stamp": ("PUT", "/_mapping", ("--from-scratch",)),
    "alias": ("POST", "/_aliases", ("--from-scratch",)),
}
RENEWED = ("plan", "clone", "fill", "merge", "flush")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory, client: OpenSearch, node_url: str) -> Iterator[OperatorSession]:
    yield open_session(tmp_path_factory.mktemp("slow"), client, node_url, ALIAS)
    client.indices.delete(index=f"{ALIAS}-*")


@pytest.mark.parametrize("phase", PHASES)
async def test_ctrl_c_ends_a_build_at_each_phase(phase: str, session: OperatorSession) -> None:
    method, part, options = PHASES[phase]
    client, releases = session.releases.client, session.releases
    before = session.state()
    async with held_back(session.url, method, part) as (url, arrived, _):
        environ = {**os.environ, **session.environ, "AKG_OPENSEARCH_URL": url, "NO_PROXY": "127.0.0.1"}
        with running([AKG, "index", "build", "--force", *options], environ) as process:
            await asyncio.wait_for(arrived.wait(), WAIT_SECONDS)
            if phase in RENEWED:
                await wait_for_renewal(client, f"writer-{releases.index_alias}")
            errors = await asyncio.to_thread(end_of, process)
    assert process.returncode == INTERRUPTED, errors
    assert "Stopped" in errors
    if phase != "alias":  # there the response says only later whether the alias has moved
        assert releases.live_indices() == before[0]
    session.run("index", "prune")  # what is left is deleted by the next command
    live, indices = session.state()
    assert len(live) == 1
    assert set(indices) <= {*before[1], *live}


async def wait_for_renewal(client: OpenSearch, key: str) -> None:
    """Wait until the lease in OpenSearch has another version than now."""
    first = control_document(client, key)
    assert first is not None
    for _ in range(int(3 * RENEW_SECONDS)):
        await asyncio.sleep(1)
        document = control_document(client, key)
        assert document is not None
        if document.if_unchanged["if_seq_no"] > first.if_unchanged["if_seq_no"]:
            return
    pytest.fail("the lease is not renewed")
