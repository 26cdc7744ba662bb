"""Invariants of every edge of the shipped graph, in the index and in responses."""

from collections import Counter, defaultdict
from typing import Any

import httpx
import pytest
from opensearchpy import OpenSearch
from opensearchpy.helpers import scan

from api.graph.edges import edge_item
from api.graph.records import MAX_RECORD_EDGES
from schema.edge_documents import EDGE_PAGE_SIZE
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import MAPPINGS

Edges = dict[tuple[str, str], list[dict[str, Any]]]

ONE_SIDED = {"target_total", "order", "school_weight", "vendor"}  # what only one of the two directions has
RECORDS = 400


@pytest.fixture(scope="module")
def entities(client: OpenSearch, real_service: httpx.AsyncClient) -> dict[str, dict[str, Any]]:  # noqa: ARG001 - publishes
    body = {"query": {"term": {"doc": "entity"}}, "_source": ["kind", *read_vocabulary(MAPPINGS).edges]}
    return {hit["_id"]: hit["_source"] for hit in scan(client, index="akg-real-f5", query=body, size=500)}


@pytest.fixture(scope="module")
def edges(client: OpenSearch, entities: dict[str, dict[str, Any]]) -> Edges:
    """All edges by entity and name, in the order of their pages; the pages follow each other and agree on the total."""
    pages: defaultdict[tuple[str, str], dict[int, dict[str, Any]]] = defaultdict(dict)
    for hit in scan(client, index="akg-real-f5", query={"query": {"term": {"doc": "edges"}}}, size=500):
        document = hit["_source"]
        assert document["entity"] == hit["_id"].rsplit("/", 2)[0]
        assert document["entity"] in entities
        pages[document["entity"], document["edge"]][document["page"]] = document
    found = {}
    for owner_and_name, numbered in pages.items():
        ordered = [numbered[number] for number in range(len(numbered))]
        assert {len(page["edges"]) for page in ordered[:-1]} <= {EDGE_PAGE_SIZE}
        found[owner_and_name] = [edge for page in ordered for edge in page["edges"]]
        assert {page["total"] for page in ordered} == {len(found[owner_and_name])}
        assert [edge["order"] for edge in found[owner_and_name]] == [*range(len(found[owner_and_name]))]
    return found


def test_the_arrays_have_the_targets_in_the_order_of_the_edges(
    edges: Edges, entities: dict[str, dict[str, Any]]
) -> None:
    for (owner, name), listed in edges.items():
        assert entities[owner][name] == [edge["target"] for edge in listed]


def test_each_edge_has_the_same_facts_in_both_directions(edges: Edges) -> None:
    vocabulary = read_vocabulary(MAPPINGS)

    def facts(edge: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in edge.items() if not name.startswith("target") and name not in ONE_SIDED}

    seen = {(owner, name, edge["target"]): facts(edge) for (owner, name), listed in edges.items() for edge in listed}
    assert len(seen) == sum(map(len, edges.values()))  # no duplicates
    for (owner, name, target), fields in seen.items():
        assert seen[target, vocabulary.edges[name].inverse, owner] == fields


def test_neighbors_are_sorted_by_weight_then_main_before_narrower_then_name(
    edges: Edges, entities: dict[str, dict[str, Any]]
) -> None:
    def position(edge: dict[str, Any]) -> tuple[float, bool, str, str]:
        is_narrower = entities[edge["target"]]["kind"] == "narrower"
        return -edge["weight"], is_narrower, edge["target_name"].casefold(), edge["target"]

    for place, listed in edges.items():
        assert listed == sorted(listed, key=position), place


def test_an_edge_counts_the_edges_of_the_inverse_name_at_its_target(edges: Edges) -> None:
    vocabulary = read_vocabulary(MAPPINGS)
    for (_, name), listed in edges.items():
        inverse = vocabulary.edges[name].inverse
        assert all(edge["target_total"] == len(edges[edge["target"], inverse]) for edge in listed)


async def test_a_record_has_the_first_neighbors_and_their_total(edges: Edges, real_service: httpx.AsyncClient) -> None:
    owners = sorted({owner for owner, _ in edges})
    for owner in owners[:: len(owners) // RECORDS]:
        type_name, _, key = owner.partition(":")
        groups = (await real_service.get(f"/{type_name}/{key}")).json()["edges"]
        stated = {group["name"]: group for group in groups if (owner, group["name"]) in edges}
        assert stated.keys() == {name for node, name in edges if node == owner}
        for name, group in stated.items():
            listed = edges[owner, name]
            expected = (len(listed), [edge_item(edge) for edge in listed[:MAX_RECORD_EDGES]])
            assert (group["total"], group["items"]) == expected


async def test_the_graph_summary_counts_every_edge(edges: Edges, real_service: httpx.AsyncClient) -> None:
    counted: Counter[str] = Counter()
    for (_, name), items in edges.items():
        counted[name] += len(items)
    summary = (await real_service.get("/graph")).json()["edges"]
    assert {edge["name"]: edge["total"] for edge in summary if edge["total"]} == counted


async def test_the_largest_hub_of_each_edge_is_returned_as_stored(
    edges: Edges, real_service: httpx.AsyncClient
) -> None:
    hubs = {name: owner for owner, name in sorted(edges, key=lambda place: len(edges[place]))}
    for name, owner in hubs.items():
        link: str | None = f"/{owner.partition(':')[0]}/{owner}/neighbors?edge={name}&limit=333"
        neighbors = []
        while link:
            page = (await real_service.get(link)).json()
            neighbors += page["results"]
            assert page["total"] == len(edges[owner, name])
            link = page["next"]
        assert neighbors == [edge_item(edge) for edge in edges[owner, name]]
