"""A release with one vendor of many products, whose array of products is left out beyond the maximum."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from opensearchpy import OpenSearch
from opensearchpy.helpers import bulk

from indexer.content.rows import Link, Source
from indexer.documents.builder import build_documents
from indexer.graph.model import Graph
from indexer.release.releases import Releases
from schema.json_types import JsonObject
from schema.vocabulary import Vocabulary
from tests.support.fixture_graphs import WORLD, plan_of
from tests.support.small_graphs import built, entity

ATLAS = Source("atlas", "Atlas", "Atlas", "https://atlas.example.org/", "CC0-1.0", "", "2026-01-01", core=True)
SOURCE: JsonObject = {
    "id": "atlas",
    "title": "Atlas",
    "url": None,
    "licence": "CC0-1.0",
    "licence_url": None,
    "attribution": "",
}


def hub_graph(vocabulary: Vocabulary, size: int) -> Graph:
    """Return a graph of `vendor:hub` and its products: a hundred weights, and one in ten edges from a source."""
    products = [entity(f"product:p{number:05}", f"Lamp {number}", family="mainstream") for number in range(size)]
    links = [
        Link(
            "sold_by",
            product.id,
            "vendor:hub",
            "editorial" if number % 10 else "source",
            ("atlas",),
            (number % 100 + 1) / 100,
        )
        for number, product in enumerate(products)
    ]
    return built(vocabulary, [entity("vendor:hub", "Hub"), *products], links=links, sources=(ATLAS,))


@contextmanager
def hub_release(client: OpenSearch, alias: str, vocabulary: Vocabulary, size: int) -> Iterator[str]:
    """Publish the release, yield its index, and delete it."""
    releases, plan, now = Releases(client, alias), plan_of(WORLD), datetime.now(UTC)
    index = releases.new_name(now)
    client.indices.create(index=index, body=dict(plan.body))
    documents = build_documents(hub_graph(vocabulary, size), vocabulary)
    bulk(client, ({"_index": index, "_id": key, "_source": body} for key, body in documents))
    client.indices.refresh(index=index)
    counts = {"types": {"product": size, "vendor": 1}, "edges": {"sells": size, "sold_by": size}}
    releases.stamp(index, {**plan.meta, "counts": counts, "sources": [SOURCE], "core_sources": ["atlas"]}, now)
    releases.publish(index)
    try:
        yield index
    finally:
        client.indices.delete(index=f"{alias}-*")
