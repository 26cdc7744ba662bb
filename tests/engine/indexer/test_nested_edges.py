"""Edges are nested fields and arrays: the engine can query them, and no route reads edges from anywhere else."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, get_args

import httpx
import pytest
from opensearchpy import OpenSearch
from opensearchpy.helpers import bulk

from indexer.release.releases import Releases
from schema.entity_kinds import EdgeName
from tests.support.fixture_graphs import WORLD, plan_of, serving

Body = dict[str, Any]
Written = Mapping[str, Mapping[str, Any]]
ALIAS = "akg-blanked"
# Requests that need edges, each with a body if it is a POST.
LIST_PATHS: list[tuple[str, Body | None]] = [
    ("/disability/multiple-sclerosis/neighbors?edge=recommends", None),
    ("/disability/multiple-sclerosis/neighbors?edge=recommends&sort=name", None),
    ("/disability/relapsing-remitting-multiple-sclerosis/neighbors?edge=has_limitation", None),
    ("/recommend", {"disability": "multiple-sclerosis"}),
    ("/recommend", {"limitation": "memory-loss"}),
    ("/connections?from=adhd&to=quiet%20works", None),
]
ARRAY_PATHS: list[tuple[str, Body | None]] = [
    ("/solution?linked_to=disability:multiple-sclerosis", None),
    ("/related_conditions/chronic-optic-neuritis", None),
    ("/connections?from=adhd&to=quiet%20works", None),
]


def nested_query(client: OpenSearch, edge: str, *conditions: Body) -> set[tuple[str, str]]:
    """Return the edges of a name that meet all conditions at once, as (entity, target)."""
    nested = {"path": "edges", "query": {"bool": {"filter": list(conditions)}}, "inner_hits": {"size": 100}}
    filters = [{"term": {"doc": "edges"}}, {"term": {"edge": edge}}, {"nested": nested}]
    response = client.search(index="akg-world-f5", body={"size": 1000, "query": {"bool": {"filter": filters}}})
    return {
        (hit["_source"]["entity"], inner["_source"]["target"])
        for hit in response["hits"]["hits"]
        for inner in hit["inner_hits"]["edges"]["hits"]["hits"]
    }


def edges(written: Written, edge: str, matches: Callable[[Body], bool]) -> Iterator[tuple[str, str]]:
    for body in written.values():
        if body["doc"] == "edges" and body["edge"] == edge:
            yield from ((body["entity"], one["target"]) for one in body["edges"] if matches(one))


def test_edges_are_queried_by_weight_basis_and_source(
    service: httpx.AsyncClient, client: OpenSearch, written: Written
) -> None:
    assert service
    strong = {"range": {"edges.weight": {"gte": 0.5}}}
    found = nested_query(client, "recommends", strong, {"term": {"edges.basis": "source"}})
    assert found == set(edges(written, "recommends", lambda one: one["weight"] >= 0.5 and one["basis"] == "source"))
    assert found
    by_source = nested_query(client, "requires", {"term": {"edges.sources": "jobbook"}})
    assert by_source == set(edges(written, "requires", lambda one: "jobbook" in one["sources"])) != set()
    by_importance = nested_query(client, "requires", {"range": {"edges.importance": {"gte": 4}}})
    assert by_importance == set(edges(written, "requires", lambda one: one["importance"] >= 4))
    via = nested_query(client, "recommends", {"term": {"edges.via": "limitation:memory-loss"}})
    assert via == set(edges(written, "recommends", lambda one: "limitation:memory-loss" in one.get("via", ())))


def test_conditions_hold_for_one_edge(service: httpx.AsyncClient, client: OpenSearch, written: Written) -> None:
    """Flattened objects would match an entity of which one edge has the basis and another the weight."""
    assert service
    found = nested_query(
        client, "recommends", {"term": {"edges.basis": "editorial"}}, {"range": {"edges.weight": {"gte": 1}}}
    )
    both = set(edges(written, "recommends", lambda one: one["basis"] == "editorial" and one["weight"] >= 1))
    assert found == both


@asynccontextmanager
async def blanked_service(
    client: OpenSearch, node_url: str, blank: Callable[[Body], Body]
) -> AsyncIterator[httpx.AsyncClient]:
    """Serve a copy of the test world in which every document was changed, published without verification."""
    releases, plan, now = Releases(client, ALIAS), plan_of(WORLD), datetime.now(UTC)
    index = releases.new_name(now)
    client.indices.create(index=index, body=dict(plan.body))
    actions = ({"_index": index, "_id": key, "_source": blank(body)} for key, body in plan.documents)
    bulk(client, actions)
    client.indices.refresh(index=index)
    releases.stamp(index, replace(plan).meta, now)
    releases.publish(index)
    async with serving(node_url, ALIAS) as opened:
        yield opened
    client.indices.delete(index=f"{ALIAS}-*")


def without_nested_edges(body: Body) -> Body:
    return {**body, "edges": []} if body["doc"] == "edges" else body


def without_arrays(body: Body) -> Body:
    gone = {*get_args(EdgeName), "linked"} if body["doc"] == "entity" else set()
    return {name: value for name, value in body.items() if name not in gone}


async def results(service: httpx.AsyncClient, path: str, body: Body | None) -> Any:  # noqa: ANN401 - a list, or an error
    response = await (service.get(path) if body is None else service.post(path, json=body))
    return response.json().get("results") if response.is_success else response.status_code


@pytest.mark.parametrize(
    ("blank", "paths"),
    [(without_nested_edges, LIST_PATHS), (without_arrays, ARRAY_PATHS)],
    ids=["nested edges", "arrays"],
)
async def test_a_blanked_field_breaks_the_routes_that_read_it(
    service: httpx.AsyncClient,
    client: OpenSearch,
    node_url: str,
    blank: Callable[[Body], Body],
    paths: list[tuple[str, Body | None]],
) -> None:
    async with blanked_service(client, node_url, blank) as blanked:
        for path, body in paths:
            complete, lacking = await results(service, path, body), await results(blanked, path, body)
            assert complete, path
            if path.startswith("/related_conditions"):  # siblings stay, without what they share
                assert [hit["shared"] for hit in lacking] == [[]] * len(complete) != [hit["shared"] for hit in complete]
            else:
                assert not isinstance(lacking, list) or not lacking, path
        record = (await blanked.get("/disability/multiple-sclerosis")).json()
        if blank is without_nested_edges:
            assert not any(group["items"] for group in record.get("edges", ()))
