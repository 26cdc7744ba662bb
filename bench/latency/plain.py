"""The plain way to put routes before the engine, to be held against: FastAPI, AsyncOpenSearch, orjson, nothing else.

Three routes ask the engine what the service asks it and send what is found: cards with a total, a record, one page of
neighbors. No reasons, no provenance, no limits, no spelling help. With `--cached` a dict keeps each answer by its path.
"""

from __future__ import annotations

import argparse
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
    """The application."""
    app = FastAPI()
    kept: dict[str, bytes] = {}

    def respond(request: Request, body: object) -> Response:
        content = orjson.dumps(body)
        if cached:
            kept[cache_key(request)] = content
        return Response(content, media_type="application/json")

    def known(request: Request) -> Response | None:
        content = kept.get(cache_key(request)) if cached else None
        return Response(content, media_type="application/json") if content is not None else None

    @app.get("/search")
    async def search(request: Request, query: str, limit: Limit = 20) -> Response:
        if (answer := known(request)) is not None:
            return answer
        found = await engine.search(index=index, body=search_body(SearchRequest(ParsedQuery.parse(query), limit=limit)))
        hits = found["hits"]
        cards = [orjson.loads(hit["fields"]["card"][0]) for hit in hits["hits"]]
        return respond(request, {"results": cards, "total": hits["total"]["value"]})

    @app.get("/{kind}/{key}/neighbors")
    async def neighbors(request: Request, kind: str, key: str, edge: str, limit: Limit = 20) -> Response:
        if (answer := known(request)) is not None:
            return answer
        found = await engine.mget(index=index, body={"ids": [f"{kind}:{key}/{edge}/0"]})
        page = found["docs"][0]["_source"]["page"]
        return respond(request, {"results": page["items"][:limit], "total": page["total"]})

    @app.get("/{kind}/{key}")
    async def record(request: Request, kind: str, key: str) -> Response:
        if (answer := known(request)) is not None:
            return answer
        found = await engine.mget(index=index, body={"ids": [f"{kind}:{key}/record"]})
        return respond(request, found["docs"][0]["_source"]["record"])

    return app


def cache_key(request: Request) -> str:
    """What tells questions apart."""
    return f"{request.url.path}?{request.url.query}"


def main() -> None:
    """Serve on a port of this machine."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("engine")
    options.add_argument("index")
    options.add_argument("port", type=int)
    options.add_argument("--cached", action="store_true")
    chosen = options.parse_args()
    engine: Any = AsyncOpenSearch(hosts=[chosen.engine], serializer=FastSerializer(), maxsize=32)
    app = make_app(engine, chosen.index, cached=chosen.cached)
    uvicorn.run(app, port=chosen.port, access_log=False, log_level="warning")


if __name__ == "__main__":
    main()
