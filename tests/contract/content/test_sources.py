"""Every document of the shipped graph names the sources of all that it shows: entities, edges, aliases, groupings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from indexer.documents.builder import build_documents
from schema.codec import unpack
from schema.document_ids import EDGES, ENTITY, INHERITED, NEEDS, PRODUCTS, RECORD, RELATED
from tests.support.json_bodies import objects

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.graph.model import Graph
    from schema.vocabulary import Vocabulary

OCCUPATIONAL = "onet-30.3"


def ids(sources: list[dict[str, str]]) -> set[str]:
    return {source["id"] for source in sources}


def seed_parts(body: dict[str, Any]) -> tuple[Any, set[str]]:
    seed = unpack(body["needs"])
    return [seed["card"], seed["inherits"], [need["entity"] for need in seed["needs"]]], set(seed["sources"])


# What a document of each kind shows, and the sources that responses from it name.
SHOWN: dict[str, Callable[[dict[str, Any]], tuple[Any, set[str]]]] = {
    RECORD: lambda body: (body["record"], ids(body["record"]["sources"])),
    INHERITED: lambda body: (body[INHERITED], ids(body[INHERITED]["sources"])),
    EDGES: lambda body: (body["page"], {*body["sources"], *edge_sources(body["page"])}),
    RELATED: lambda body: (body["related"], set(body["related"]["sources"])),
    PRODUCTS: lambda body: (body["products"], set(body["products"]["sources"])),
    NEEDS: seed_parts,
}


def edge_sources(page: dict[str, Any]) -> set[str]:
    return {source for item in page["items"] for source in (*item["sources"], *item.get("school_sources", ()))}


@pytest.fixture(scope="module")
def documents(graph: Graph, vocabulary: Vocabulary) -> dict[str, dict[str, Any]]:
    return dict(build_documents(graph, vocabulary))


def test_every_document_names_the_sources_of_all_that_it_shows(
    graph: Graph, documents: dict[str, dict[str, Any]]
) -> None:
    missing = []
    for key, body in documents.items():
        if body["doc"] not in SHOWN:
            continue
        shown, named = SHOWN[body["doc"]](body)
        for item in objects(shown):
            needed = {*item.get("school_sources", ()), *filter(None, [item.get("source")])}
            if item.get("id") in graph.nodes:
                needed |= {*graph.nodes[item["id"]].sources}
            elif "basis" in item:  # a grouping
                needed |= {*item["sources"]}
            if not needed <= named:
                missing.append(f"{key}: {item.get('id', item)} needs {sorted(needed - named)}")
    assert missing == []


def test_records_that_list_abilities_or_occupations_name_their_source(documents: dict[str, dict[str, Any]]) -> None:
    records = [body["record"] for body in documents.values() if body["doc"] == RECORD]
    assert len(records) > 12_000
    listing = [
        record
        for record in records
        if any(str(item.get("id", "")).startswith(("ability:", "occupation:")) for item in objects(record))
    ]
    assert len(listing) > 1_000
    assert [record["id"] for record in listing if OCCUPATIONAL not in ids(record["sources"])] == []


def test_hits_name_the_sources_of_their_aliases_and_groupings(
    graph: Graph, documents: dict[str, dict[str, Any]]
) -> None:
    for key, body in documents.items():
        if body["doc"] == ENTITY:
            rows = [graph.nodes[key].sources, *(alias.sources for alias in graph.aliases.get(key, ()))]
            rows += [member.sources for member in graph.groupings.get(key, ())]
            assert {source for row in rows for source in row} <= set(body["sources"]), key
