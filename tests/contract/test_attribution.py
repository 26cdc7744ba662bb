"""Records name the sources of all that they show over every transport: REST, MCP tools and resources, pages."""

import random
from collections.abc import AsyncIterator
from typing import Any

import httpx
import orjson
import pytest
from mcp import Client
from selectolax.lexbor import LexborHTMLParser

from api.engine.search_engine import SearchEngine
from api.http.envelope import Envelope
from api.mcp.server import mcp_server
from api.service import GraphService
from api.settings import Settings
from indexer.graph.model import Graph, alias_groups
from schema.english_words import english_words
from schema.vocabulary import Vocabulary
from tests.support.fixture_graphs import TEST_SETTINGS
from tests.support.json_bodies import objects

SAMPLE = 12  # of each type, and of the conditions with a grouping, beside all limitations with abilities
TOOLS: list[tuple[str, dict[str, str]]] = [
    ("get_entity", {"detail": "brief"}),
    ("get_entity", {"detail": "full"}),
    ("fetch", {}),
]
BROWSER = {"Accept": "text/html"}


@pytest.fixture(scope="module")
def graph(shipped_graph: Graph) -> Graph:
    return shipped_graph


@pytest.fixture(scope="module")
def sampled(graph: Graph) -> list[str]:
    choice = random.Random(20_261_124)  # noqa: S311 - a sample
    by_type: dict[str, list[str]] = {}
    for entity in graph.nodes.values():
        by_type.setdefault(entity.type, []).append(entity.id)
    ids = [entity for entities in by_type.values() for entity in choice.sample(entities, SAMPLE)]
    ids += choice.sample(sorted(graph.groupings), SAMPLE)
    return list(
        dict.fromkeys([*ids, *(entity for entity in by_type["limitation"] if graph.edges[entity].get("limits"))])
    )


@pytest.fixture(scope="module")
async def tools(node_url: str, real_service: httpx.AsyncClient, vocabulary: Vocabulary) -> AsyncIterator[Client]:
    assert real_service  # publishes the graph
    settings = Settings(**TEST_SETTINGS, alias="akg-real")
    engine = SearchEngine(settings, [node_url])
    yield Client(mcp_server(GraphService(engine, vocabulary, english_words()), Envelope(settings), settings))
    await engine.close()


def needed(graph: Graph, record: dict[str, Any]) -> set[str]:
    """Return the sources of an entity, its aliases and groupings, its edges, and all entities in the record."""
    entity = record["id"]
    groups = [alias.sources for alias in alias_groups(graph, entity).shown]
    groups += [member.sources for member in graph.groupings.get(entity, ())]
    shown = {name: value for name, value in record.items() if name not in {"provenance", "notice", "sources"}}
    for item in objects(shown):
        groups += [item.get("sources", ()), item.get("school_sources", ())]
        groups += [graph.nodes[item["id"]].sources] if item.get("id") in graph.nodes else []
    return {"jan", "onet-30.3", *(source for group in groups for source in group)}


def named(body: Any) -> set[str]:  # noqa: ANN401 - JSON
    return {source["id"] for source in body["provenance"]["sources"]}


async def test_a_record_names_its_sources_over_every_transport(
    graph: Graph, sampled: list[str], real_service: httpx.AsyncClient, tools: Client
) -> None:
    titles = {source.title: source.id for source in graph.sources.values()}
    assert len(sampled) > 100
    async with tools:
        for entity in sampled:
            path = "/".join(("", *entity.split(":", 1)))
            record = (await real_service.get(path)).json()
            page = LexborHTMLParser((await real_service.get(f"/explore{path}", headers=BROWSER)).text)
            listed = " ".join(node.text() for node in page.css(".sources"))
            resource = await tools.read_resource(f"akg://entity{path}")
            results = [await tools.call_tool(name, {"id": entity, **detail}) for name, detail in TOOLS]
            answers = {
                "REST": named(record),
                "resource": named(orjson.loads(resource.contents[0].text)),  # type: ignore[union-attr]
                "resource _meta": named(resource.meta),
                "page": {source for title, source in titles.items() if title in listed},
                **{str(call): named(result.meta) for call, result in zip(TOOLS, results, strict=True)},
            }
            missing = {name: needed(graph, record) - found for name, found in answers.items()}
            assert {name: ids for name, ids in missing.items() if ids} == {}, entity


async def test_a_hit_by_an_alias_names_the_source_of_the_alias(graph: Graph, real_service: httpx.AsyncClient) -> None:
    shown = [
        alias
        for entity in graph.nodes
        for alias in alias_groups(graph, entity).shown
        if set(alias.sources) - {*graph.nodes[entity].sources, "jan", "onet-30.3"}
    ]
    found = 0
    for alias in random.Random(20_261_124).sample(shown, 4 * SAMPLE):  # noqa: S311 - a sample
        for path in ("/search", "/suggest"):
            body = (await real_service.get(path, params={"query": alias.text})).json()
            if alias.entity in {hit["id"] for hit in body["results"]}:
                found += 1
                assert set(alias.sources) <= named(body), f"{path}: {alias}"
    assert found > 4 * SAMPLE
