"""Releases in an older document format give the same responses.

In the older format the record is a part of the entity document, entities have no prior, the index is not sorted by it,
prefixes of whole names are not indexed, and some fields and keys have other names.
"""

import copy
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from opensearchpy import OpenSearch

from api.engine.older_format import PREVIOUS_FIELDS, PREVIOUS_KEYS, lacks_prior
from api.engine.release import EngineResponse
from api.engine.search_engine import SearchEngine
from api.search import query_builder, two_phase
from api.search.query import ParsedQuery, SearchRequest
from api.settings import Settings
from indexer.release.plan import ReleasePlan
from indexer.release.publish import publish_release
from indexer.release.releases import Releases
from schema.codec import pack, unpack
from schema.document_ids import INHERITED, MOVED
from schema.json_types import JsonObject
from tests.support.fixture_graphs import WORLD, plan_of, serving, without_provenance

parse = ParsedQuery.parse

ALIAS = "akg-older"
ADHD = "attention-deficit-hyperactivity-disorder"
Document = dict[str, Any]
PRIOR_FIELDS = ("prior", "standing")
PATHS = (
    *(f"/disability/{ADHD}", "/disability/add", "/disability/nope", "/disability/DOID:1210", "/solution/telework"),
    *("/disability/Disability:LOW-VISION", "/disability/relapsing-remitting-multiple-sclerosis"),
    *("/occupation/15-1252.00", "/occupation/software-developers", "/occupation/15-1252"),
    "/occupation/software-developers/neighbors?edge=requires",
    *("/limitation/blind/neighbors?edge=recommends", "/related_conditions/Multiple-Sclerosis"),
    *("/disability?ids=low-vision,add", "/connections?from=adhd&to=quiet%20works", "/recommend?disability=nope"),
    "/connections?from=relapsing-remitting-multiple-sclerosis&to=telework",
    *("/search?query=low%20visoin", "/search?query=screen", "/search?query=software&setting=school"),
    "/search?query=help%20with%20focus&scope=solution&scope=product",
    "/search?query=apps%20for%20blind%20people&synonyms=off",
    *("/suggest?query=s", "/suggest?query=screen%20re", "/suggest?query=adh"),
)
SEEDS: tuple[JsonObject, ...] = (
    {"disability": "relapsing-remitting multiple sclerosis"},
    {"disability": "adhd"},
    {"disability": "adhd", "setting": "school"},
    {"disability": "relapsing-remitting multiple sclerosis", "occupation": "software developers"},
)
PREVIOUS_NAMES = {**PREVIOUS_FIELDS, **PREVIOUS_KEYS}
PACKED = ("needs", "answer", "reach")
SWITCH_PATHS = ("/search?query=screen", "/suggest?query=s")


def older_documents(documents: Iterable[tuple[str, Document]]) -> Iterator[tuple[str, Document]]:
    written = dict(documents)
    retired = {form for key, body in written.items() if body["doc"] == MOVED for form in (key, key.partition(":")[2])}
    for key, body in written.items():
        older = _with_previous_names(body)
        if body["doc"] == "entity":
            older = {name: value for name, value in older.items() if name not in PRIOR_FIELDS}
            ids = [id_ for id_ in body["ids"] if id_ not in retired]
            yield key, {**older, "ids": ids, "record": written[f"{key}/record"]["record"]}
        elif body["doc"] == INHERITED:
            yield key.replace(INHERITED, PREVIOUS_NAMES[INHERITED]), {**older, "doc": PREVIOUS_NAMES[INHERITED]}
        elif body["doc"] != "record":
            yield key, older


def _with_previous_names(document: Document) -> Document:
    packed = {name: pack(_rename(unpack(document[name]))) for name in PACKED if name in document}
    return _rename({**document, **packed})


def _rename(document: Document) -> Document:
    return {PREVIOUS_NAMES.get(name, name): value for name, value in document.items()}


def older_plan(plan: ReleasePlan) -> ReleasePlan:
    body = copy.deepcopy(dict(plan.body))
    fields = body["mappings"]["properties"]
    del body["settings"]["index"]["sort"]
    for name in PRIOR_FIELDS:
        del fields[name]
    for name in ("name", "aliases"):
        del fields[name]["fields"]["begins"]
    body["mappings"]["properties"] = {PREVIOUS_NAMES.get(name, name): field for name, field in fields.items()}
    meta = {name: value for name, value in plan.meta.items() if name != "documents_version"}
    return replace(plan, documents=older_documents(plan.documents), body=body, meta=meta)


@pytest.fixture
async def older_service(client: OpenSearch, node_url: str) -> AsyncIterator[httpx.AsyncClient]:
    plan = plan_of(WORLD)
    publish_release(Releases(client, ALIAS), older_plan(plan), datetime.now(UTC), lambda _: None)
    async with serving(node_url, ALIAS) as service:
        yield service
    client.indices.delete(index=f"{ALIAS}-*")


async def test_responses_equal_those_of_a_current_release(
    older_service: httpx.AsyncClient, service: httpx.AsyncClient
) -> None:
    for path in PATHS:
        current, older = [await client.get(path) for client in (service, older_service)]
        assert current.status_code == older.status_code, path
        assert without_provenance(current) == without_provenance(older), path
    for seeds in SEEDS:
        current, older = [await client.post("/recommend", json=seeds) for client in (service, older_service)]
        assert current.status_code == 200, current.text
        assert without_provenance(current) == without_provenance(older), seeds


async def test_the_first_response_after_a_switch_between_formats_is_correct(client: OpenSearch, node_url: str) -> None:
    alias = f"{ALIAS}-switched"
    releases = Releases(client, alias)
    publish_release(releases, plan_of(WORLD), datetime.now(UTC), lambda _: None)
    async with serving(node_url, alias, release_check_seconds=60, response_cache_bytes=0) as service:
        first = [without_provenance(await service.get(path)) for path in SWITCH_PATHS]
        for path, expected in zip(SWITCH_PATHS, first, strict=True):
            for plan in (older_plan(plan_of(WORLD)), plan_of(WORLD)):
                publish_release(releases, plan, datetime.now(UTC), lambda _: None)
                assert without_provenance(await service.get(path)) == expected
    client.indices.delete(index=f"{alias}-*")


async def test_a_request_continues_in_the_older_release_it_started_in(client: OpenSearch, node_url: str) -> None:
    """Even if the service has since seen another live release."""
    alias = f"{ALIAS}-started"
    releases = Releases(client, alias)
    publish_release(releases, older_plan(plan_of(WORLD)), datetime.now(UTC), lambda _: None)
    engine = SearchEngine(Settings(alias=alias), [node_url])
    bodies = [
        query_builder.search_body(SearchRequest(parse("screen"))),
        query_builder.suggest_body(parse("s"), (), 10),
    ]
    older = await engine.refresh_live_release()
    first = [_cards(await engine.search(body)) for body in bodies]
    publish_release(releases, plan_of(WORLD), datetime.now(UTC), lambda _: None)
    assert [lacks_prior(await engine.refresh_live_release()) for _ in range(2)] == [False, False]
    assert [_cards(response) for response in await engine.search_all(bodies, older)] == first
    assert [_cards(await engine.search(body, older)) for body in bodies] == first
    assert [_cards(await engine.search(body)) for body in bodies] == first
    await engine.close()
    client.indices.delete(index=f"{alias}-*")


async def test_a_single_word_is_searched_once_after_an_older_release_went_live(
    client: OpenSearch, node_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(two_phase, "LARGE", 1)
    alias = f"{ALIAS}-two-phase"
    releases = Releases(client, alias)
    publish_release(releases, plan_of(WORLD), datetime.now(UTC), lambda _: None)
    async with serving(node_url, alias, release_check_seconds=0.001, response_cache_bytes=0) as service:
        first = without_provenance(await service.get("/search?query=screen"))
        for plan in (older_plan(plan_of(WORLD)), plan_of(WORLD)):
            publish_release(releases, plan, datetime.now(UTC), lambda _: None)
            responses = [await service.get("/search?query=screen") for _ in range(2)]
            assert [without_provenance(response) for response in responses] == [first, first]
    client.indices.delete(index=f"{alias}-*")


def _cards(response: EngineResponse) -> list[str]:
    return [hit.fields["card"][0] for hit in response.hits]
