"""A minimal application on OpenSearch for comparison: FastAPI, AsyncOpenSearch and orjson only.

Three routes send the same OpenSearch request as the service and return cards with a total, an entity with its first
edges, or one page of edges; no reasons, provenance, limits or spelling help. With `--cached`, a dict caches each
response by its path.
"""

import sys
from typing import Annotated, Any

import orjson
import uvicorn
from fastapi import FastAPI, Query, Request, Response
from opensearchpy import AsyncOpenSearch

from api.engine.client import FastSerializer
from api.engine.release import Hit
from api.graph.records import MAX_RECORD_EDGES
from api.search.query import ParsedQuery, SearchRequest
from api.search.query_builder import search_body
from schema.edge_documents import edge_page_id
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import MAPPINGS

RECORD_FIELDS = ("card", "summaries", "alias_details", "attributes", "grouping_details", "external_ids", "sources")
Limit = Annotated[int, Query(ge=1, le=500)]


def make_app(engine: AsyncOpenSearch, index: str, *, cached: bool) -> FastAPI:
    app = FastAPI()
    cache: dict[str, bytes] = {}
    vocabulary = read_vocabulary(MAPPINGS)

    def respond(request: Request, body: object) -> Response:
        content = orjson.dumps(body)
        if cached:
            cache[cache_key(request)] = content
        return Response(content, media_type="application/json")

    def cached_response(request: Request) -> Response | None:
        content = cache.get(cache_key(request)) if cached else None
        return Response(content, media_type="application/json") if content is not None else None

    @app.get("/search")
    async def search(request: Request, query: str, limit: Limit = 20) -> Response:
        if (response := cached_response(request)) is not None:
            return response
        result = await engine.search(index=index, body=search_body(SearchRequest(ParsedQuery.parse(query)), size=limit))
        hits = result["hits"]
        cards = [Hit.parse(hit).payload["card"] for hit in hits["hits"]]
        return respond(request, {"results": cards, "total": hits["total"]["value"]})

    @app.get("/{kind}/{key}/neighbors")
    async def neighbors(request: Request, kind: str, key: str, edge: str, limit: Limit = 20) -> Response:
        if (response := cached_response(request)) is not None:
            return response
        result = await engine.mget(index=index, body={"ids": [f"{kind}:{key}/{edge}/0"]})
        page = result["docs"][0]["_source"]
        return respond(request, {"results": page["edges"][:limit], "total": page["total"]})

    @app.get("/{kind}/{key}")
    async def record(request: Request, kind: str, key: str) -> Response:
        if (response := cached_response(request)) is not None:
            return response
        id_ = f"{kind}:{key}"
        pages = [edge_page_id(id_, edge.name, 0) for edge in vocabulary.edges_from(kind)]
        result = await engine.mget(index=index, body={"ids": [id_, *pages]})
        entity, *found = [document["_source"] for document in result["docs"] if document["found"]]
        edges = {page["edge"]: {"total": page["total"], "items": page["edges"][:MAX_RECORD_EDGES]} for page in found}
        return respond(request, {name: entity[name] for name in RECORD_FIELDS} | {"edges": edges})

    return app


def cache_key(request: Request) -> str:
    return f"{request.url.path}?{request.url.query}"


def main() -> None:
    """Serve the routes. Arguments: URL of OpenSearch, index, port, and optionally `--cached`."""
    url, index, port, *options = sys.argv[1:]
    engine: Any = AsyncOpenSearch(hosts=[url], serializer=FastSerializer(), maxsize=32)
    app = make_app(engine, index, cached="--cached" in options)
    uvicorn.run(app, port=int(port), access_log=False, log_level="warning")


if __name__ == "__main__":
    main()
