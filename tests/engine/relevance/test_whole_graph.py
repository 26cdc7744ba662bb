"""Invariants of every edge of the shipped graph, in the index and in responses."""

from collections import Counter, defaultdict
from typing import Any

import httpx
import pytest
from opensearchpy import OpenSearch
from opensearchpy.helpers import scan

from indexer.documents.record import MAX_EDGES
from schema.document_ids import EDGE_PAGE_SIZE
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import MAPPINGS

Edges = dict[tuple[str, str], list[dict[str, Any]]]

TARGET_FIELDS = {"id", "type", "slug", "name", "summary", "url", "settings", "market_verification"}


@pytest.fixture(scope="module")
def records(client: OpenSearch, real_service: httpx.AsyncClient) -> dict[str, list[dict[str, Any]]]:  # noqa: ARG001 - publishes
    body = {"query": {"term": {"doc": "record"}}, "_source": ["record.id", "record.edges"]}
    found = [hit["_source"]["record"] for hit in scan(client, index="akg-real", query=body)]
    return {record["id"]: record.get("edges", []) for record in found}


@pytest.fixture(scope="module")
def kinds(client: OpenSearch, real_service: httpx.AsyncClient) -> dict[str, str | list[str]]:  # noqa: ARG001 - publishes
    body = {"query": {"term": {"doc": "entity"}}, "_source": ["kind"]}
    return {hit["_id"]: hit["_source"]["kind"] for hit in scan(client, index="akg-real", query=body)}


@pytest.fixture(scope="module")
def edges(client: OpenSearch, records: dict[str, list[dict[str, Any]]]) -> Edges:
    """All edges by entity and name, in the order of their pages; the pages follow each other and agree on the total."""
    pages: defaultdict[tuple[str, str], dict[int, dict[str, Any]]] = defaultdict(dict)
    for hit in scan(client, index="akg-real", query={"query": {"term": {"doc": "edges"}}}, size=500):
        document = hit["_source"]
        owner = hit["_id"].rsplit("/", 2)[0]
        assert owner in records
        assert document["targets"] == [item["id"] for item in document["page"]["items"]]
        pages[owner, document["edge"]][document["number"]] = document["page"]
    found = {}
    for owner_and_name, numbered in pages.items():
        ordered = [numbered[number] for number in range(len(numbered))]
        assert {len(page["items"]) for page in ordered[:-1]} <= {EDGE_PAGE_SIZE}
        found[owner_and_name] = [item for page in ordered for item in page["items"]]
        assert {page["total"] for page in ordered} == {len(found[owner_and_name])}
    return found


def test_each_edge_has_the_same_facts_in_both_directions(edges: Edges) -> None:
    vocabulary = read_vocabulary(MAPPINGS)

    def facts(item: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in item.items() if name not in TARGET_FIELDS}

    seen = {(owner, name, item["id"]): facts(item) for (owner, name), items in edges.items() for item in items}
    assert len(seen) == sum(map(len, edges.values()))  # no duplicates
    for (owner, name, target), fields in seen.items():
        assert seen[target, vocabulary.edges[name].inverse, owner] == fields


def test_neighbors_are_sorted_by_weight_then_main_before_narrower_then_name(
    edges: Edges, kinds: dict[str, str | list[str]]
) -> None:
    def position(item: dict[str, Any]) -> tuple[float, bool, str, str]:
        return -item["weight"], kinds[item["id"]] == "narrower", item["name"].casefold(), item["id"]

    for place, items in edges.items():
        assert items == sorted(items, key=position), place


def test_a_record_has_the_first_neighbors_and_their_total(
    edges: Edges, records: dict[str, list[dict[str, Any]]]
) -> None:
    groups = {
        (owner, group["name"]): group
        for owner, groups in records.items()
        for group in groups
        if group["items"]  # inherited edges are added when it is read
    }
    assert groups.keys() == edges.keys()
    for place, group in groups.items():
        assert (group["total"], group["items"]) == (len(edges[place]), edges[place][:MAX_EDGES])


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
        assert neighbors == edges[owner, name]
