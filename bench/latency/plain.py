"""A minimal application on OpenSearch for comparison: FastAPI, AsyncOpenSearch and orjson only.

Three routes send the same OpenSearch request as the service and return cards with a total, a record, or one page of
neighbors; no reasons, provenance, limits or spelling help. With `--cached`, a dict caches each response by its path.
"""

import sys
from typing import Annotated, Any

import orjson
import uvicorn
from fastapi import FastAPI, Query, Request, Response
from opensearchpy import AsyncOpenSearch

from api.engine.client import FastSerializer
from api.search.query import ParsedQuery, SearchRequest
from api.search.query_builder import search_body

Limit = Annotated[int, Query(ge=1, le=500)]


def make_app(engine: AsyncOpenSearch, index: str, *, cached: bool) -> FastAPI:
    app = FastAPI()
    cache: dict[str, bytes] = {}

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
        result = await engine.search(
            index=index, body=search_body(SearchRequest(ParsedQuery.parse(query), limit=limit))
        )
        hits = result["hits"]
        cards = [orjson.loads(hit["fields"]["card"][0]) for hit in hits["hits"]]
        return respond(request, {"results": cards, "total": hits["total"]["value"]})

    @app.get("/{kind}/{key}/neighbors")
    async def neighbors(request: Request, kind: str, key: str, edge: str, limit: Limit = 20) -> Response:
        if (response := cached_response(request)) is not None:
            return response
        result = await engine.mget(index=index, body={"ids": [f"{kind}:{key}/{edge}/0"]})
        page = result["docs"][0]["_source"]["page"]
        return respond(request, {"results": page["items"][:limit], "total": page["total"]})

    @app.get("/{kind}/{key}")
    async def record(request: Request, kind: str, key: str) -> Response:
        if (response := cached_response(request)) is not None:
            return response
        result = await engine.mget(index=index, body={"ids": [f"{kind}:{key}/record"]})
        return respond(request, result["docs"][0]["_source"]["record"])

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
