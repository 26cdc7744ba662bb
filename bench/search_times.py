"""Measure searches against a plain multi_match on the same index, in one run.

    python -m bench.search_times --service http://localhost:8092 --engine http://127.0.0.1:9200

The service must have its response cache and rate limits off; with `--service` for each of several processes, requests
go to them in turn, as from an edge. Queries are names, aliases and the judged queries, none twice in a round. The
engine rows send bodies to OpenSearch, the service rows GET requests; the proxy is FastAPI and opensearch-py with one
multi_match and nothing else. Contenders take turns, each alone on the machine.

The service has three rows more: names and aliases of the graph, judged queries whose first results are good ("near"),
and those for which it also looks for spelling and fewer words ("poor").
"""

import argparse
import asyncio
import itertools
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

import aiohttp
import orjson
import uvicorn
from fastapi import FastAPI, Response
from opensearchpy import AsyncOpenSearch
from rich.console import Console

from akg.evaluation import metrics, search_eval
from api.engine.search_engine import SearchEngine
from api.search.fallback.attempts import evidence_bodies
from api.search.query import ParsedQuery, SearchRequest
from api.search.query_builder import HIT, search_body
from api.search.results import select
from api.settings import Settings
from bench.figures import percentile
from schema.english_words import english_words
from schema.json_types import JsonObject
from tests.support.fixture_graphs import MAPPINGS

FIELDS = ("names", "demoted_names", "related", "description")
NAMES, IN_FLIGHT, ROUNDS, SEED = 600, 8, 3, 7
PROXY_PORT, START_SECONDS = 8197, 4
out = Console(highlight=False, soft_wrap=True)
Send = Callable[[str], Awaitable[object]]


def multi_match(text: str, *, facets: bool) -> JsonObject:
    """Return a search that a program without ranking of its own would send: 20 hits with one column."""
    query = {"multi_match": {"query": text, "fields": list(FIELDS)}}
    body: JsonObject = {"size": 20, **HIT, "track_total_hits": True, "query": query}
    return {**body, "aggs": {"types": {"terms": {"field": "type", "size": 20}}}} if facets else body


async def times(send: Send, queries: Sequence[str]) -> list[float]:
    """Return the milliseconds of each query, one at a time."""
    found = []
    for query in queries:
        start = time.perf_counter()
        await send(query)
        found.append((time.perf_counter() - start) * 1e3)
    return found


async def rate(send: Send, queries: Sequence[str]) -> float:
    """Return the queries per second with IN_FLIGHT at a time."""
    pending = iter(queries)

    async def worker() -> None:
        for query in pending:
            await send(query)

    start = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))
    return len(queries) / (time.perf_counter() - start)


async def main(services: Sequence[str], engine_url: str) -> None:
    engine = SearchEngine(Settings(), [engine_url])
    release = await engine.refresh_live_release()
    names = [name.text async for name in search_eval.entity_names(engine) if name.kind in ("name", "alias")]
    judged = [judgment.query for judgment in metrics.read_judgments(MAPPINGS / "relevance" / "judgments.tsv")]
    queries = [*random.Random(SEED).sample(names, NAMES), *judged]  # noqa: S311 - a sample, not a secret
    requests = {query: SearchRequest(ParsedQuery.parse(query)).with_release(release) for query in queries}
    bodies = {query: search_body(request) for query, request in requests.items()}
    sizes = [len(orjson.dumps(body)) for body in bodies.values()]
    client = AsyncOpenSearch(engine_url, pool_maxsize=32)
    poor = [query for query in judged if await is_poor(engine, requests[query])]

    async def search(body: JsonObject) -> object:
        return await client.search(index=release.index, body=body, params={"request_cache": "false"})

    turns = itertools.cycle(services)
    async with aiohttp.ClientSession() as session:

        async def get(url: str, query: str) -> object:
            async with session.get(f"{url}/search", params={"query": query}) as response:
                return await response.read()

        contenders: dict[str, Send] = {
            "OpenSearch, multi_match with facets": lambda query: search(multi_match(query, facets=True)),
            "OpenSearch, the search": lambda query: search(bodies[query]),
            "OpenSearch, multi_match": lambda query: search(multi_match(query, facets=False)),
            "proxy, multi_match": lambda query: get(f"http://127.0.0.1:{PROXY_PORT}", query),
            "service": lambda query: get(next(turns), query),
        }
        of_service = {
            "service, names": queries[:NAMES],
            "service, near": [query for query in judged if query not in poor],
            "service, poor": poor,
        }
        await asyncio.sleep(START_SECONDS)  # until the proxy listens
        rows = {name: (send, queries) for name, send in contenders.items()}
        await compare(rows | {name: (contenders["service"], some) for name, some in of_service.items()})
    out.print(f"Request body: mean {statistics.mean(sizes):,.0f} bytes, p95 {percentile(sizes, 0.95):,.0f}")
    await client.close()
    await engine.close()


async def is_poor(engine: SearchEngine, request: SearchRequest) -> bool:
    """Return whether the first results of a query are so poor that the service looks for spelling and fewer words."""
    found = select(request, await engine.search(search_body(request)))
    return bool(evidence_bodies(found, english_words()))


async def compare(rows: Mapping[str, tuple[Send, Sequence[str]]]) -> None:
    """Print the table: one at a time, then IN_FLIGHT at a time."""
    out.print("| contender | queries | mean ms | p50 | p95 | queries/s, 8 in flight |")
    out.print("| --- | --- | --- | --- | --- | --- |")
    for send, queries in rows.values():
        await rate(send, queries)  # warm up
    alone: dict[str, list[float]] = {name: [] for name in rows}
    together: dict[str, list[float]] = {name: [] for name in rows}
    for _ in range(ROUNDS):
        for name, (send, queries) in rows.items():
            alone[name] += await times(send, queries)
            together[name].append(await rate(send, queries))
    for name, found in alone.items():
        low, high = min(together[name]), max(together[name])
        rates = f"{statistics.median(together[name]):,.0f} ({low:,.0f}–{high:,.0f})"
        cells = (statistics.mean(found), percentile(found, 0.5), percentile(found, 0.95))
        out.print(f"| {name} | {len(rows[name][1])} | {' | '.join(f'{cell:.2f}' for cell in cells)} | {rates} |")


def serve_proxy(engine_url: str, index: str) -> None:
    """Serve one multi_match with FastAPI and opensearch-py."""
    app, client = FastAPI(), AsyncOpenSearch(engine_url, pool_maxsize=32)

    @app.get("/search")
    async def search(query: str) -> Response:
        found = await client.search(index=index, body=multi_match(query, facets=False))
        return Response(orjson.dumps(found["hits"]), media_type="application/json")

    uvicorn.run(app, port=PROXY_PORT, log_level="error", access_log=False)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--service", action="append", help="default: http://localhost:8080; may be repeated")
    parser.add_argument("--engine", default="http://127.0.0.1:9200")
    parser.add_argument("--proxy", metavar="INDEX", help="serve the proxy for an index instead")
    options = parser.parse_args()
    if options.proxy:
        serve_proxy(options.engine, options.proxy)
    else:
        index = Settings().index_alias
        command = [sys.executable, "-m", "bench.search_times", "--engine", options.engine, "--proxy", index]
        with subprocess.Popen(command) as proxy:
            try:
                asyncio.run(main(options.service or ["http://localhost:8080"], options.engine))
            finally:
                proxy.terminate()
