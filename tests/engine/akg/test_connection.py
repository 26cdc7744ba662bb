"""Connections to OpenSearch: TLS with client certificates, and a cluster with a node that is down."""

import asyncio
import ssl
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import trustme
from opensearchpy import OpenSearchException

from akg.connection import cluster_health, connect
from akg.node.errors import ClusterError
from api.settings import read_settings
from tests.support.fixture_graphs import counting_proxy, serving
from tests.support.misbehaving_servers import peer
from tests.support.serving import free_port

TIMEOUT_SECONDS = 30  # for a busy machine
PAUSE_SECONDS = 1.0  # without requests to a node that failed


@pytest.fixture(scope="module")
async def guarded(
    node_url: str, service: httpx.AsyncClient, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[str, Path]]:
    """The node behind TLS that requires a client certificate: its URL, and the folder of the certificates."""
    assert service
    folder = tmp_path_factory.mktemp("certificates")
    authority, client_authority = trustme.CA(), trustme.CA()
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.verify_mode = ssl.CERT_REQUIRED
    authority.issue_cert("127.0.0.1").configure_cert(tls)
    client_authority.configure_trust(tls)
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    client_authority.cert_pem.write_to_path(str(folder / "other.pem"))
    certificate = client_authority.issue_cert("akg")
    certificate.private_key_pem.write_to_path(str(folder / "key.pem"))
    certificate.cert_chain_pems[0].write_to_path(str(folder / "cert.pem"))
    certificate.private_key_and_cert_chain_pem.write_to_path(str(folder / "both.pem"))
    async with counting_proxy(node_url, tls) as (url, _):
        yield url, folder


@pytest.mark.parametrize(
    ("ca", "cert", "key", "status"),
    [
        ("ca.pem", "cert.pem", "key.pem", 200),
        ("ca.pem", "both.pem", "", 200),
        ("ca.pem", "", "", 503),
        ("other.pem", "cert.pem", "key.pem", 503),
    ],
)
async def test_service_and_commands_need_the_right_certificates(
    guarded: tuple[str, Path], ca: str, cert: str, key: str, status: int
) -> None:
    url, folder = guarded
    names = {"opensearch_ca_file": ca, "opensearch_client_cert": cert, "opensearch_client_key": key}
    environ = {f"AKG_{name.upper()}": f"{folder}/{file}" if file else "" for name, file in names.items()}
    settings = read_settings({"AKG_OPENSEARCH_URL": url, "AKG_ALIAS": "akg-world", **environ})
    files = settings.model_dump(include=set(names))
    async with serving(url, "akg-world", deadline_seconds=TIMEOUT_SECONDS, **files) as service:
        assert (await service.get("/search?query=deaf")).status_code == status

    def cluster_names() -> tuple[object, object]:
        with connect(settings) as client:
            return client.cluster.health()["cluster_name"], cluster_health(settings).name

    if status == 200:
        assert await asyncio.to_thread(cluster_names) == ("akg", "akg")
    else:
        with pytest.raises((OpenSearchException, ClusterError)):
            await asyncio.to_thread(cluster_names)


async def test_one_of_several_nodes_may_be_down(node_url: str, service: httpx.AsyncClient) -> None:
    assert service
    down = f"http://127.0.0.1:{free_port()}"
    for urls in (f"{down},{node_url}", f"{node_url},{down}"):
        async with serving(urls, "akg-world", response_cache_bytes=0, deadline_seconds=TIMEOUT_SECONDS) as opened:
            assert await statuses(opened, 6) == {200}


async def test_one_of_several_nodes_may_hang(node_url: str, service: httpx.AsyncClient) -> None:
    assert service
    async with peer(hangs_up=False) as silent:
        urls = f"{silent.url},{node_url}"
        async with serving(urls, "akg-world", response_cache_bytes=0, deadline_seconds=5, stale_seconds=0) as opened:
            assert await statuses(opened, 2) == {200}
            began = time.monotonic()
            assert await statuses(opened, 6) == {200}
            assert silent.calls == 1 or time.monotonic() - began > PAUSE_SECONDS
            await asyncio.sleep(PAUSE_SECONDS)
            assert await statuses(opened, 6) == {200}
            assert silent.calls > 1


async def statuses(service: httpx.AsyncClient, requests: int) -> set[int]:
    return {(await service.get("/search?query=deaf")).status_code for _ in range(requests)}
