"""Cached responses on OpenSearch: served while their release is live, and no longer."""

import httpx
from opensearchpy import OpenSearch

from api import models
from indexer.release.releases import Releases
from tests.support.fixture_graphs import WORLD, listening, publish, serving

PATH = "/search?query=crohns"
OTHERS = iter(f"/search?query=crohns&limit={limit}" for limit in range(1, 29))  # never cached


async def test_a_response_is_cached_until_another_release_is_live(client: OpenSearch, node_url: str) -> None:
    alias = "akg-again"
    first = publish(client, alias, WORLD)
    releases = Releases(client, alias)
    async with serving(node_url, alias) as service:
        made = await service.get(PATH)
        again = await service.get(PATH)
        assert (again.content, again.headers["etag"]) == (made.content, made.headers["etag"])
        assert again.headers["cache-status"] == "akg; hit"
        second = publish(client, alias, WORLD)
        assert second != first
        newer = await _of_the_live_release(service)
        assert newer.headers["etag"] != made.headers["etag"]
        releases.rollback(first)
        assert (await _of_the_live_release(service)).headers["etag"] == made.headers["etag"]


async def test_a_repeated_request_on_a_socket_never_gets_another_release(client: OpenSearch, node_url: str) -> None:
    alias = "akg-repeated"
    first = publish(client, alias, WORLD)
    with listening(node_url, alias, rate_limit=0) as base:
        async with httpx.AsyncClient(base_url=base) as service:
            made, *again = [await service.get(PATH) for _ in range(4)]
            assert {response.content for response in again} == {made.content}
            assert {response.headers.get("cache-status") for response in again} == {"akg; hit"}
            publish(client, alias, WORLD)
            newer = [await _of_the_live_release(service) for _ in range(4)]
            assert made.headers["etag"] not in {response.headers["etag"] for response in newer}
            Releases(client, alias).rollback(first)
            back = [await _of_the_live_release(service) for _ in range(4)]
            assert {response.content for response in back} == {made.content}


async def _of_the_live_release(service: httpx.AsyncClient) -> httpx.Response:
    """Repeat the request, after another request has shown which release is live."""
    seen = models.SearchPage.model_validate_json((await service.get(next(OTHERS))).content)
    response = await service.get(PATH)
    found = models.SearchPage.model_validate_json(response.content)
    assert found.provenance.released == seen.provenance.released
    return response
