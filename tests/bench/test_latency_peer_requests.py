"""Requests to other programs, and the queries with a full page of hits in all of them."""

from collections.abc import Sequence

import httpx
import pytest
from opensearchpy import OpenSearch

from bench.latency.peer_requests import (
    PAGE_SIZE,
    PeerQueries,
    documents,
    full_page_queries,
    records,
    searches,
    tilde_encode,
)
from bench.latency.report import CACHED, SQL_ROUTE, STAC, TABLE_ROUTE, UNCACHED
from bench.latency.services import service
from bench.latency.warm_up import NO_CACHE
from indexer.graph.model import Graph
from tests.support.fixture_graphs import WORLD, publish

ASK = PeerQueries(["low vision"], [{"id": "occupation:11-1011.00", "item": "occupation_11-1011.00"}], items=7)


@pytest.mark.parametrize(
    ("program", "search", "record"),
    [
        (UNCACHED, "/search?query=low+vision&limit=20", "/occupation/11-1011.00"),
        (CACHED, "/search?query=low+vision&limit=20", "/occupation/11-1011.00"),
        (
            STAC,
            "/search?q=low+vision&collections=cards&limit=7",
            "/collections/records/items/occupation_11-1011.00",
        ),
        (
            TABLE_ROUTE,
            "/entities/entities.json?_search=low+vision&_size=20&_shape=objects&_col=id&_col=type&_col=name&_col=card",
            "/entities/records/occupation~3A11-1011~2E00.json?_shape=objects",
        ),
    ],
)
def test_each_program_has_its_request_format(program: str, search: str, record: str) -> None:
    assert (searches(ASK)[program], records(ASK)[program]) == ([search], [record])


def test_sql_values_are_bound_parameters() -> None:
    assert searches(ASK)[SQL_ROUTE][0].endswith("&q=low+vision&_shape=objects")
    assert records(ASK)[SQL_ROUTE][0].endswith("&id=occupation%3A11-1011.00&_shape=objects")


@pytest.mark.parametrize(("key", "encoded"), [("a-b_1", "a-b_1"), ("a:b.c d", "a~3Ab~2Ec~20d")])
def test_keys_are_encoded_as_datasette_does(key: str, encoded: str) -> None:
    assert tilde_encode(key) == encoded


@pytest.mark.parametrize(
    ("judged", "count", "expected"),
    [
        (["Low  Vision!", "vision low", "hearing"], 2, ["low vision", "hearing"]),
        (["nothing"], 1, ["hearing"]),  # a word of the texts if no judged query fills a page
        (["low vision"], 1, ["low vision"]),
    ],
)
def test_queries_have_a_full_page_of_hits(judged: Sequence[str], count: int, expected: list[str]) -> None:
    texts = ["Low vision. Hearing"] * PAGE_SIZE + ["something else altogether"] * (PAGE_SIZE * PAGE_SIZE)
    assert full_page_queries(texts, judged, count) == expected


def test_every_entity_is_a_document_with_its_record(node_url: str, client: OpenSearch, graph: Graph) -> None:
    publish(client, "akg-peers", WORLD)
    with (
        service(node_url, "akg-peers", NO_CACHE) as running,
        httpx.Client(base_url=f"http://127.0.0.1:{running.port}", timeout=30) as source,
    ):
        found = {document["id"]: document for document in documents(client, "akg-peers-f5", source)}
    client.indices.delete(index="akg-peers-*")
    assert found.keys() == graph.nodes.keys()
    telework = found["solution:telework"]
    assert telework["record"].items() >= telework["card"].items()
    assert {"edges", "sources"} < telework["record"].keys()
    assert "provenance" not in telework["record"]
