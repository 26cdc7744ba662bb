"""A release of an earlier version is answered from as it was.

There the record is inside the document of its entity, no entity has points of its own, nothing is sorted by them, and
no beginnings of whole names are kept.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from api.engine.older_format import lacks_prior
from api.engine.search_engine import SearchEngine
from api.search import query_builder, two_phase
from api.search.query import ParsedQuery, SearchRequest
from api.settings import Settings
from indexer.release.publish import publish_release
from indexer.release.releases import Releases
from tests.support.fixture_graphs import WORLD, plan_of, said, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    import httpx
    from opensearchpy import OpenSearch

    from api.engine.release import EngineResponse
    from indexer.release.plan import ReleasePlan

parse = ParsedQuery.parse

ALIAS = "akg-older"
ADHD = "attention-deficit-hyperactivity-disorder"
Document = dict[str, Any]
POINTS = ("prior", "standing")
PATHS = (
    *(f"/disability/{ADHD}", "/disability/add", "/disability/nope", "/disability/DOID:1210", "/solution/telework"),
    *("/disability/Disability:LOW-VISION", "/disability/relapsing-remitting-multiple-sclerosis"),
    *("/occupation/15-1252.00", "/occupation/software-developers", "/occupation/15-1252"),
    "/occupation/software-developers/neighbors?edge=requires",
    *("/limitation/blind/neighbors?edge=recommends", "/related_conditions/Multiple-Sclerosis"),
    *("/disability?ids=low-vision,add", "/connections?from=adhd&to=quiet%20works", "/recommend?disability=nope"),
    *("/search?query=low%20visoin", "/search?query=screen", "/search?query=software&setting=school"),
    "/search?query=help%20with%20focus&scope=solution&scope=product",
    "/search?query=apps%20for%20blind%20people&synonyms=off",
    *("/suggest?query=s", "/suggest?query=screen%20re", "/suggest?query=adh"),
)
SWAPPED = ("/search?query=screen", "/suggest?query=s")


def as_before(documents: Iterable[tuple[str, Document]]) -> Iterator[tuple[str, Document]]:
    """The documents as they were: a record was a part of what finds it, and searches computed the prior."""
    written = dict(documents)
    for key, body in written.items():
        if body["doc"] == "entity":
            before = {name: part for name, part in body.items() if name not in POINTS}
            yield key, {**before, "record": written[f"{key}/record"]["record"]}
        elif body["doc"] != "record":
            yield key, body


def of_before(plan: ReleasePlan) -> ReleasePlan:
    """The plan as an earlier version would have made it."""
    body = copy.deepcopy(dict(plan.body))
    fields = body["mappings"]["properties"]
    del body["settings"]["index"]["sort"]
    for name in POINTS:
        del fields[name]
    for name in ("name", "aliases"):
        del fields[name]["fields"]["begins"]
    meta = {name: part for name, part in plan.meta.items() if name != "documents_version"}
    return replace(plan, documents=as_before(plan.documents), body=body, meta=meta)


@pytest.fixture
async def before(client: OpenSearch, node_url: str) -> AsyncIterator[httpx.AsyncClient]:
    plan = plan_of(WORLD)
    publish_release(Releases(client, ALIAS), of_before(plan), datetime.now(UTC), lambda _: None)
    async with serving(node_url, ALIAS) as service:
        yield service
    client.indices.delete(index=f"{ALIAS}-*")


async def test_every_answer_is_the_same(before: httpx.AsyncClient, service: httpx.AsyncClient) -> None:
    for path in PATHS:
        now, then = [await one.get(path) for one in (service, before)]
        assert now.status_code == then.status_code, path
        assert said(now) == said(then), path


async def test_the_first_answer_after_a_swap_to_an_older_release_and_back_is_right(
    client: OpenSearch, node_url: str
) -> None:
    alias = f"{ALIAS}-swapped"
    releases = Releases(client, alias)
    publish_release(releases, plan_of(WORLD), datetime.now(UTC), lambda _: None)
    async with serving(node_url, alias, release_check_seconds=60, response_cache_bytes=0) as one:
        first = [said(await one.get(path)) for path in SWAPPED]
        for path, expected in zip(SWAPPED, first, strict=True):
            for again in (of_before(plan_of(WORLD)), plan_of(WORLD)):
                publish_release(releases, again, datetime.now(UTC), lambda _: None)
                assert said(await one.get(path)) == expected
    client.indices.delete(index=f"{alias}-*")


async def test_an_answer_goes_on_in_the_older_release_that_it_began_in(client: OpenSearch, node_url: str) -> None:
    """However often the service has looked since, and found another one live."""
    alias = f"{ALIAS}-began"
    releases = Releases(client, alias)
    publish_release(releases, of_before(plan_of(WORLD)), datetime.now(UTC), lambda _: None)
    engine = SearchEngine(Settings(alias=alias), [node_url])
    bodies = [
        query_builder.search_body(SearchRequest(parse("screen"))),
        query_builder.suggest_body(parse("s"), (), 10),
    ]
    before = await engine.refresh_live_release()
    first = [_shown(await engine.search(body)) for body in bodies]
    publish_release(releases, plan_of(WORLD), datetime.now(UTC), lambda _: None)
    assert [lacks_prior(await engine.refresh_live_release()) for _ in range(2)] == [False, False]
    assert [_shown(answer) for answer in await engine.search_all(bodies, before)] == first
    assert [_shown(await engine.search(body, before)) for body in bodies] == first
    assert [_shown(await engine.search(body)) for body in bodies] == first
    await engine.close()
    client.indices.delete(index=f"{alias}-*")


async def test_a_single_word_needs_one_search_where_an_older_release_went_live_since(
    client: OpenSearch, node_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(two_phase, "LARGE", 1)
    alias = f"{ALIAS}-parted"
    releases = Releases(client, alias)
    publish_release(releases, plan_of(WORLD), datetime.now(UTC), lambda _: None)
    async with serving(node_url, alias, release_check_seconds=0.001, response_cache_bytes=0) as one:
        first = said(await one.get("/search?query=screen"))
        for again in (of_before(plan_of(WORLD)), plan_of(WORLD)):
            publish_release(releases, again, datetime.now(UTC), lambda _: None)
            answers = [await one.get("/search?query=screen") for _ in range(2)]
            assert [said(answer) for answer in answers] == [first, first]
    client.indices.delete(index=f"{alias}-*")


def _shown(answer: EngineResponse) -> list[str]:
    return [hit["fields"]["card"][0] for hit in answer.body["hits"]["hits"]]
