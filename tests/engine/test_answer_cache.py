"""Answers given again: from memory while their release is live, and not a question longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
from worlds import WORLD, listening, publish, serving

from api import models
from indexer.release import Releases

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

ASKED = "/search?query=crohns"
OTHERS = iter(f"/search?query=crohns&limit={limit}" for limit in range(1, 29))  # never asked before


async def test_an_answer_is_given_again_until_another_release_is_seen(client: OpenSearch, node_url: str) -> None:
    alias = "akg-again"
    first = publish(client, alias, WORLD)
    desk = Releases(client, alias)
    async with serving(node_url, alias) as service:
        made = await service.get(ASKED)
        again = await service.get(ASKED)
        assert (again.content, again.headers["etag"]) == (made.content, made.headers["etag"])
        assert again.headers["cache-status"] == "akg; hit"
        second = publish(client, alias, WORLD)
        assert second != first
        newer = await _of_the_live_release(service)
        assert newer.headers["etag"] != made.headers["etag"]
        desk.rollback()
        assert (await _of_the_live_release(service)).headers["etag"] == made.headers["etag"]


async def test_on_a_socket_what_comes_again_byte_for_byte_is_never_of_another_release(
    client: OpenSearch, node_url: str
) -> None:
    alias = "akg-repeated"
    publish(client, alias, WORLD)
    with listening(node_url, alias, rate_limit=0) as base:
        async with httpx.AsyncClient(base_url=base) as service:
            made, *again = [await service.get(ASKED) for _ in range(4)]
            assert {answer.content for answer in again} == {made.content}
            assert {answer.headers.get("cache-status") for answer in again} == {"akg; hit"}
            publish(client, alias, WORLD)
            newer = [await _of_the_live_release(service) for _ in range(4)]
            assert made.headers["etag"] not in {answer.headers["etag"] for answer in newer}
            Releases(client, alias).rollback()
            back = [await _of_the_live_release(service) for _ in range(4)]
            assert {answer.content for answer in back} == {made.content}


async def _of_the_live_release(service: httpx.AsyncClient) -> httpx.Response:
    """The answer to the question asked before, after another one has shown which release is live."""
    seen = models.SearchPage.model_validate_json((await service.get(next(OTHERS))).content)
    answer = await service.get(ASKED)
    found = models.SearchPage.model_validate_json(answer.content)
    assert found.provenance.released == seen.provenance.released
    return answer
