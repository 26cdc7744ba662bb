"""Requests of every route: typed queries of the search judgments, and entities taken evenly from the lists. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import orjson

from bench.latency.client import request

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from akg.evaluation.metrics import Judgment

SEARCH, SLIPS, SUGGEST = "GET /search", "GET /search, with slips", "GET /suggest"
RECORD, LIST, BATCH, NEIGHBORS = "GET /{type}/{id}", "GET /{type}", "GET /{type}?ids=", "GET /{type}/{id}/neighbors"
RECOMMEND, RELATED = "POST /recommend", "GET /related_conditions/{id}"
NARROWER = "GET /{type}/{id}, narrower conditions"
CONNECTIONS, GRAPH, CHANGES, EXPORT = "GET /connections", "GET /graph", "GET /graph/changes", "GET /export"
MCP = "POST /mcp"
ROUTES = (
    *(SEARCH, SLIPS, SUGGEST, RECORD, NARROWER, LIST, BATCH, NEIGHBORS, RECOMMEND, RELATED),
    *(CONNECTIONS, GRAPH, CHANGES, EXPORT, MCP),
)
# What tells questions apart that look alike: whether one engine request answers them.
ONE_REQUEST = {SEARCH: True, RECORD: True, NEIGHBORS: True, SLIPS: False, NARROWER: False}
MOST = 32  # questions of a route
FEW = 12  # of routes whose questions differ little
TYPED = ("exact", "alias", "abbreviation", "multiword", "lay", "intent")  # kinds of judged queries, without slips
BATCHED = 20  # ids in one batch: as many as a page has
JSON = {"Accept": "application/json"}
MCP_ACCEPT = {"Accept": "application/json, text/event-stream"}


@dataclass(frozen=True, slots=True)
class Question:
    """One request to the service."""

    method: str
    path: str
    body: bytes | None = None

    @property
    def headers(self) -> dict[str, str]:
        """What goes with it."""
        return MCP_ACCEPT if self.path == "/mcp" else JSON

    @property
    def raw(self) -> bytes:
        """The request as bytes."""
        return request(self.method, self.path, self.body, self.headers)

    @property
    def shown(self) -> str:
        """For a reader."""
        return f"{self.method} {self.path}" + (f" {self.body.decode()}" if self.body else "")


@dataclass(frozen=True, slots=True)
class Sample:
    """Entities of a release: keys by type, those of narrower conditions, names, and edges that some of them have."""

    keys: Mapping[str, Sequence[str]]
    narrower: Sequence[str]
    names: Sequence[str]
    edges: Mapping[tuple[str, str], str]


def evenly(many: Sequence[Any], most: int) -> list[Any]:
    """At most so many of them, from all parts of the list."""
    step = max(1.0, len(many) / most)
    return [many[int(place * step)] for place in range(min(most, len(many)))]


def get_question(path: str, **params: object) -> Question:
    return Question("GET", f"{path}?{urlencode(params, doseq=True)}" if params else path)


def posted(path: str, body: object) -> Question:
    return Question("POST", path, orjson.dumps(body))


def queries(judgments: Iterable[Judgment], kinds: Sequence[str], most: int) -> list[str]:
    return evenly([one.query for one in judgments if one.kind in kinds], most)


def questions(sample: Sample, judgments: Sequence[Judgment]) -> dict[str, list[Question]]:
    """All routes with their questions, some more than needed: how many engine requests each takes shows later."""
    typed = [*queries(judgments, TYPED, 2 * MOST), *evenly(sample.names, FEW)]
    wrong = queries(judgments, ("typo",), 2 * FEW)
    conditions = [f"disability:{key}" for key in sample.keys.get("disability", ())]
    jobs = [f"occupation:{key}" for key in sample.keys.get("occupation", ())]
    records = [(kind, key) for kind, keys in sample.keys.items() for key in evenly(keys, 4)]
    return {
        SEARCH: [get_question("/search", query=text) for text in typed],
        SLIPS: [get_question("/search", query=text) for text in wrong],
        SUGGEST: [get_question("/suggest", query=text[: max(2, len(text) * 2 // 3)]) for text in evenly(typed, MOST)],
        RECORD: [get_question(f"/{kind}/{key}") for kind, key in records],
        NARROWER: [get_question(f"/disability/{key}") for key in evenly(sample.narrower, FEW)],
        LIST: [get_question(f"/{kind}", limit=20, offset=20 * page) for kind in sample.keys for page in range(4)],
        BATCH: [get_question(f"/{kind}", ids=",".join(keys[:BATCHED])) for kind, keys in sample.keys.items()],
        NEIGHBORS: [get_question(f"/{kind}/{key}/neighbors", edge=edge) for (kind, key), edge in sample.edges.items()],
        RECOMMEND: [posted("/recommend", {"disability": one}) for one in evenly(conditions, MOST)],
        RELATED: [get_question(f"/related_conditions/{key}") for key in sample.keys.get("disability", ())],
        CONNECTIONS: [
            get_question("/connections", **{"from": job, "to": condition})
            for job, condition in zip(evenly(jobs, FEW), evenly(conditions, FEW), strict=False)
        ],
        GRAPH: [get_question("/graph")],
        CHANGES: [get_question("/graph/changes")],
        EXPORT: [get_question("/export")],
        MCP: [_called("search_accommodations", {"query": text}) for text in evenly(typed, MOST)],
    }


def _called(tool: str, arguments: Mapping[str, object]) -> Question:
    params = {"name": tool, "arguments": arguments}
    return posted("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
