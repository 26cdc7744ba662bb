"""Every document of the shipped graph names the sources of all that it shows: entities, edges, aliases, groupings."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import orjson
import pytest

from api.graph.edges import edge_sources
from api.graph.ideas import ideas_of_condition, ideas_of_need
from api.graph.listings import Listings
from api.graph.records import RecordParts, build_record
from indexer.documents.facts import source_line
from indexer.graph.model import Graph
from schema.document_ids import EDGES, ENTITY
from schema.entity_kinds import NEED_TYPES
from schema.vocabulary import Vocabulary
from tests.support.json_bodies import objects
from tests.support.search_responses import RELEASE
from tests.support.written_documents import Written, edges_of, of_kind

OCCUPATIONAL = "onet-30.3"


def test_hits_name_the_sources_of_their_aliases_and_groupings(graph: Graph, written: Written) -> None:
    for key, body in of_kind(written, ENTITY).items():
        rows = [graph.nodes[key].sources, *(alias.sources for alias in graph.aliases.get(key, ()))]
        rows += [member.sources for member in graph.groupings.get(key, ())]
        assert set(body["sources"]) == {*chain.from_iterable(rows)}, key
        assert {alias["source"] for alias in body["alias_details"]} <= set(body["sources"]), key


def test_entities_name_the_sources_of_all_their_edges(graph: Graph, written: Written) -> None:
    for key, body in of_kind(written, ENTITY).items():
        edges = chain.from_iterable(graph.edges.get(key, {}).values())
        assert set(body["edge_sources"]) == {
            source for edge in edges for source in (*edge.sources, *edge.facts.get("school_sources", ()))
        }, key


def test_edges_name_their_sources_and_those_of_their_target(graph: Graph, written: Written) -> None:
    pages = of_kind(written, EDGES)
    assert sum(len(body["edges"]) for body in pages.values()) > 100_000
    for key, body in pages.items():
        assert body["sources"] == written[body["entity"]]["sources"], key
        for edge in body["edges"]:
            assert edge["target_sources"] == graph.nodes[edge["target"]].sources, (key, edge["target"])
            assert edge["sources"], (key, edge["target"])
            assert ("school_basis" in edge) == bool(edge.get("school_sources")), (key, edge["target"])
            assert ("school_weight" in edge) <= ("school_basis" in edge), (key, edge["target"])


@pytest.fixture(scope="module")
def records(graph: Graph, vocabulary: Vocabulary, written: Written, listings: Listings) -> dict[str, Any]:
    """The record of each entity, as the service composes it; of a narrower condition without what it inherits."""
    release = replace(RELEASE, sources={source.id: source_line(source) for source in graph.sources.values()})
    found = {}
    for key, body in of_kind(written, ENTITY).items():
        parts = RecordParts.parse(body, (written.get(f"{key}/{name}/0") for name in graph.edges.get(key, {})))
        if "inherits_from" in body:
            parts.inherits = ()
        elif body["type"] == "disability":
            parts.ideas = ideas_of_condition(key, listings)
            parts.sources += edge_sources(listings.conditions[key].edges.get("recommends", ()))
        elif body["type"] in NEED_TYPES and "recommends" in body:
            edges = edges_of(written, key, "recommends")
            parts.ideas = ideas_of_need(orjson.loads(body["card"]), edges)
            parts.sources += edge_sources(edges)
        found[key] = build_record(vocabulary, release, parts)
    return found


def test_every_record_names_the_sources_of_all_that_it_shows(graph: Graph, records: dict[str, Any]) -> None:
    missing = []
    for key, record in records.items():
        named = ids(record["sources"])
        for item in objects({name: value for name, value in record.items() if name != "sources"}):
            needed = set(_sources_of(graph, item))
            if not needed <= named:
                missing.append(f"{key}: {item.get('id', item)} needs {sorted(needed - named)}")
    assert missing == []


def _sources_of(graph: Graph, item: dict[str, Any]) -> Iterator[str]:
    """Yield the sources of an object of a record: an entity at the end of an edge, an alias, or a grouping."""
    yield from (*item.get("sources", ()), *item.get("school_sources", ()), *filter(None, [item.get("source")]))
    if item.get("id") in graph.nodes:
        yield from graph.nodes[item["id"]].sources


def ids(sources: list[dict[str, str]]) -> set[str]:
    return {source["id"] for source in sources}


def test_records_that_list_abilities_or_occupations_name_their_source(records: dict[str, Any]) -> None:
    assert len(records) > 12_000
    listing = [
        record
        for record in records.values()
        if any(str(item.get("id", "")).startswith(("ability:", "occupation:")) for item in objects(record))
    ]
    assert len(listing) > 1_000
    assert [record["id"] for record in listing if OCCUPATIONAL not in ids(record["sources"])] == []
