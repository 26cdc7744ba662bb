"""A build while OpenSearch rejects every request for a minute, as its circuit breakers do."""

import asyncio
import time
from collections.abc import Iterator

import pytest
from aiohttp import web
from opensearchpy import OpenSearch

from tests.support.http_servers import Forward, http_proxy
from tests.support.operator_session import OperatorSession, open_session

BUSY_SECONDS = 60
REJECTION = {"error": {"type": "circuit_breaking_exception", "reason": "[parent] Data too large"}, "status": 429}


@pytest.fixture
def session(tmp_path_factory: pytest.TempPathFactory, client: OpenSearch, node_url: str) -> Iterator[OperatorSession]:
    yield open_session(tmp_path_factory.mktemp("busy"), client, node_url, "akg-busy")
    client.indices.delete(index="akg-busy-*")


# The first and the last request that each kind of build changes something with, and one between: the others go through
# the same transport, and the series of faults has a 429 at each. An incremental build begins with a clone.
@pytest.mark.parametrize(
    ("step", "kind"),
    [
        *((step, "--from-scratch") for step in ("_bulk", "_mapping", "_aliases")),
        *((step, "") for step in ("_clone", "_refresh", "_settings")),
    ],
)
async def test_a_build_survives_a_minute_of_429(step: str, kind: str, session: OperatorSession) -> None:
    before = session.releases.live_indices()
    began: list[float] = []

    async def handle(request: web.Request, forward: Forward) -> web.Response:
        if not began and request.method != "GET" and step in request.path:
            began.append(time.monotonic())
        if began and time.monotonic() < began[0] + BUSY_SECONDS:
            return web.json_response(REJECTION, status=429)
        return await forward(request)

    async with http_proxy(session.url, handle) as url:
        words = ("index", "build", "--force", *filter(None, [kind]))
        await asyncio.to_thread(session.run, *words, environ={"AKG_OPENSEARCH_URL": url})
    assert time.monotonic() >= began[0] + BUSY_SECONDS
    (live,) = session.releases.live_indices()
    assert [live] != before
