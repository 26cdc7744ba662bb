"""OpenSearch behind TLS with client certificates, and a cluster with a node that is down."""

from __future__ import annotations

import asyncio
import ssl
import time
from typing import TYPE_CHECKING

import pytest
import trustme
from opensearchpy import OpenSearchException

from akg.connection import cluster_health, connect
from akg.node.errors import ClusterError
from api.settings import read_settings
from tests.support.fixture_graphs import counted, serving
from tests.support.misbehaving_servers import peer
from tests.support.serving import free_port

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import httpx

PATIENCE = 30  # seconds, for a busy machine
PAUSE = 1.0  # seconds without requests for a node that failed


@pytest.fixture(scope="module")
async def guarded(
    node_url: str, service: httpx.AsyncClient, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[dict[str, str]]:
    """The node behind TLS, for those with a certificate of ours: the settings that lead there."""
    assert service
    folder = tmp_path_factory.mktemp("certificates")
    authority, ours = trustme.CA(), trustme.CA()
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.verify_mode = ssl.CERT_REQUIRED
    authority.issue_cert("127.0.0.1").configure_cert(tls)
    ours.configure_trust(tls)
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    ours.cert_pem.write_to_path(str(folder / "other.pem"))
    mine = ours.issue_cert("akg")
    mine.private_key_pem.write_to_path(str(folder / "key.pem"))
    mine.cert_chain_pems[0].write_to_path(str(folder / "cert.pem"))
    mine.private_key_and_cert_chain_pem.write_to_path(str(folder / "both.pem"))
    async with counted(node_url, tls) as (url, _):
        yield {
            "AKG_ALIAS": "akg-world",
            "AKG_OPENSEARCH_URL": url,
            "AKG_OPENSEARCH_CA_FILE": str(folder / "ca.pem"),
            "AKG_OPENSEARCH_CLIENT_CERT": str(folder / "cert.pem"),
            "AKG_OPENSEARCH_CLIENT_KEY": str(folder / "key.pem"),
        }


def with_one_file(environ: dict[str, str]) -> dict[str, str]:
    both = environ["AKG_OPENSEARCH_CLIENT_CERT"].replace("cert.pem", "both.pem")
    return {**environ, "AKG_OPENSEARCH_CLIENT_CERT": both, "AKG_OPENSEARCH_CLIENT_KEY": ""}


def without_certificate(environ: dict[str, str]) -> dict[str, str]:
    return {**environ, "AKG_OPENSEARCH_CLIENT_CERT": "", "AKG_OPENSEARCH_CLIENT_KEY": ""}


def trusting_another(environ: dict[str, str]) -> dict[str, str]:
    other = environ["AKG_OPENSEARCH_CA_FILE"].replace("ca.pem", "other.pem")
    return {**environ, "AKG_OPENSEARCH_CA_FILE": other}


@pytest.mark.parametrize(
    ("change", "status"),
    [(dict, 200), (with_one_file, 200), (without_certificate, 503), (trusting_another, 503)],
)
async def test_service_and_commands_need_the_right_certificates(
    guarded: dict[str, str], change: type[dict[str, str]], status: int
) -> None:
    environ = change(guarded)
    settings = read_settings(environ)
    given = settings.model_dump(include={name[4:].lower() for name in environ} - {"opensearch_url", "alias"})
    async with serving(settings.opensearch_url[0], "akg-world", deadline_seconds=PATIENCE, **given) as service:
        assert (await service.get("/search?query=deaf")).status_code == status

    def aliases_of_commands() -> tuple[object, object]:
        with connect(settings) as client:
            return client.cluster.health()["cluster_name"], cluster_health(settings).name

    if status == 200:
        assert await asyncio.to_thread(aliases_of_commands) == ("akg", "akg")
    else:
        with pytest.raises((OpenSearchException, ClusterError)):
            await asyncio.to_thread(aliases_of_commands)


async def test_one_of_several_nodes_may_be_down(node_url: str, service: httpx.AsyncClient) -> None:
    assert service
    gone = f"http://127.0.0.1:{free_port()}"
    for urls in (f"{gone},{node_url}", f"{node_url},{gone}"):
        async with serving(urls, "akg-world", response_cache_bytes=0, deadline_seconds=PATIENCE) as opened:
            assert await statuses(opened, 6) == {200}


async def test_one_of_several_nodes_may_hang(node_url: str, service: httpx.AsyncClient) -> None:
    assert service
    async with peer(hangs_up=False) as silent:
        urls = f"{silent.url},{node_url}"
        async with serving(urls, "akg-world", response_cache_bytes=0, deadline_seconds=5, stale_seconds=0) as opened:
            assert await statuses(opened, 2) == {200}
            began = time.monotonic()
            assert await statuses(opened, 6) == {200}
            assert silent.calls == 1 or time.monotonic() - began > PAUSE
            await asyncio.sleep(PAUSE)
            assert await statuses(opened, 6) == {200}
            assert silent.calls > 1


async def statuses(service: httpx.AsyncClient, requests: int) -> set[int]:
    return {(await service.get("/search?query=deaf")).status_code for _ in range(requests)}
