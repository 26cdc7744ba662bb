"""Requests of every route: queries from the search judgments, and an even sample of the entities of each type."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import orjson

from akg.evaluation.metrics import Judgment
from bench.latency.load_client import encode_request

SEARCH, TYPOS, SUGGEST = "GET /search", "GET /search, with typos", "GET /suggest"
RECORD, LIST, BATCH, NEIGHBORS = "GET /{type}/{id}", "GET /{type}", "GET /{type}?ids=", "GET /{type}/{id}/neighbors"
FILTERED, LINKED = "GET /{type}/{id}/neighbors, filtered", "GET /{type}?linked_to="
RECOMMEND, RELATED = "POST /recommend", "GET /related_conditions/{id}"
NARROWER = "GET /{type}/{id}, narrower conditions"
CONNECTIONS, GRAPH, CHANGES, EXPORT = "GET /connections", "GET /graph", "GET /graph/changes", "GET /export"
MCP = "POST /mcp"
ROUTES = (
    *(SEARCH, TYPOS, SUGGEST, RECORD, NARROWER, LIST, LINKED, BATCH, NEIGHBORS, FILTERED, RECOMMEND, RELATED),
    *(CONNECTIONS, GRAPH, CHANGES, EXPORT, MCP),
)
# Whether a repeated request of the route causes exactly one OpenSearch request, as the plain routes send one.
ONE_REQUEST = {SEARCH: True, RECORD: True, NEIGHBORS: True, TYPOS: False}
MAX_REQUESTS = 32  # per route
FEW_REQUESTS = 12  # per route with similar requests
TYPED_KINDS = ("exact", "alias", "abbreviation", "multiword", "lay", "intent")  # kinds of judged queries without typos
BATCH_SIZE = 20  # ids, the size of a page
MIN_WEIGHT = 0.5  # of filtered edges
JSON = {"Accept": "application/json"}
MCP_ACCEPT = {"Accept": "application/json, text/event-stream"}


@dataclass(frozen=True, slots=True)
class Request:
    """A request to the service."""

    method: str
    path: str
    body: bytes | None = None

    @property
    def headers(self) -> dict[str, str]:
        return MCP_ACCEPT if self.path == "/mcp" else JSON

    @property
    def raw(self) -> bytes:
        return encode_request(self.method, self.path, self.body, self.headers)

    @property
    def label(self) -> str:
        return f"{self.method} {self.path}" + (f" {self.body.decode()}" if self.body else "")


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample of a release: keys by type, keys of narrower conditions, names, and an edge of some entities."""

    keys: Mapping[str, Sequence[str]]
    narrower: Sequence[str]
    names: Sequence[str]
    edges: Mapping[tuple[str, str], str]


def evenly(items: Sequence[Any], count: int) -> list[Any]:
    step = max(1.0, len(items) / count)
    return [items[int(place * step)] for place in range(min(count, len(items)))]


def get(path: str, **params: object) -> Request:
    return Request("GET", f"{path}?{urlencode(params, doseq=True)}" if params else path)


def post(path: str, body: object) -> Request:
    return Request("POST", path, orjson.dumps(body))


def queries(judgments: Iterable[Judgment], kinds: Sequence[str], count: int) -> list[str]:
    return evenly([item.query for item in judgments if item.kind in kinds], count)


def sample_requests(sample: Sample, judgments: Sequence[Judgment]) -> dict[str, list[Request]]:
    """Return the requests of all routes, more than needed: some are excluded by ONE_REQUEST later."""
    typed_queries = [*queries(judgments, TYPED_KINDS, 2 * MAX_REQUESTS), *evenly(sample.names, FEW_REQUESTS)]
    typos = queries(judgments, ("typo",), 2 * FEW_REQUESTS)
    conditions = [f"disability:{key}" for key in sample.keys.get("disability", ())]
    jobs = [f"occupation:{key}" for key in sample.keys.get("occupation", ())]
    records = [(kind, key) for kind, keys in sample.keys.items() for key in evenly(keys, 4)]
    return {
        SEARCH: [get("/search", query=text) for text in typed_queries],
        TYPOS: [get("/search", query=text) for text in typos],
        SUGGEST: [
            get("/suggest", query=text[: max(2, len(text) * 2 // 3)]) for text in evenly(typed_queries, MAX_REQUESTS)
        ],
        RECORD: [get(f"/{kind}/{key}") for kind, key in records],
        NARROWER: [get(f"/disability/{key}") for key in evenly(sample.narrower, FEW_REQUESTS)],
        LIST: [get(f"/{kind}", limit=20, offset=20 * page) for kind in sample.keys for page in range(4)],
        BATCH: [get(f"/{kind}", ids=",".join(keys[:BATCH_SIZE])) for kind, keys in sample.keys.items()],
        LINKED: [get("/solution", linked_to=f"limitation:{key}") for key in sample.keys.get("limitation", ())],
        NEIGHBORS: [get(f"/{kind}/{key}/neighbors", edge=edge) for (kind, key), edge in sample.edges.items()],
        FILTERED: [
            get(f"/{kind}/{key}/neighbors", edge=edge, min_weight=MIN_WEIGHT)
            for (kind, key), edge in sample.edges.items()
        ],
        RECOMMEND: [post("/recommend", {"disability": item}) for item in evenly(conditions, MAX_REQUESTS)],
        RELATED: [get(f"/related_conditions/{key}") for key in sample.keys.get("disability", ())],
        CONNECTIONS: [
            get("/connections", **{"from": job, "to": condition})
            for job, condition in zip(evenly(jobs, FEW_REQUESTS), evenly(conditions, FEW_REQUESTS), strict=False)
        ],
        GRAPH: [get("/graph")],
        CHANGES: [get("/graph/changes")],
        EXPORT: [get("/export")],
        MCP: [_tool_call("search_accommodations", {"query": text}) for text in evenly(typed_queries, MAX_REQUESTS)],
    }


def _tool_call(tool: str, arguments: Mapping[str, object]) -> Request:
    params = {"name": tool, "arguments": arguments}
    return post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
