"""Warm-up: send every request once and record the OpenSearch requests that it causes.

A proxy records them, so what is sent to OpenSearch directly is what the service sends, to the byte.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
from aiohttp import web

from akg.evaluation.metrics import read_judgments
from bench.latency.load_client import encode_request
from bench.latency.route_requests import MAX_REQUESTS, ONE_REQUEST, Request, Sample, evenly, sample_requests
from bench.latency.services import service
from tests.support.fixture_graphs import CHECKOUT
from tests.support.http_servers import Forward, http_proxy

QUERY_ENDPOINTS = ("_search", "_msearch", "_mget")  # other requests only check which release is live
JUDGMENTS = CHECKOUT / "mappings" / "relevance" / "judgments.tsv"
NO_CACHE = {"AKG_RESPONSE_CACHE_BYTES": "0"}
PARTS = 4  # of a list; the sample has entities of each part
OK = 200


@dataclass(frozen=True, slots=True)
class Call:
    """A request to OpenSearch: method, path with query string, content type and body."""

    method: str
    path: str
    content_type: str
    body: bytes

    @property
    def is_query(self) -> bool:
        """Whether the request fetches data for a response."""
        return self.path.partition("?")[0].rpartition("/")[2] in QUERY_ENDPOINTS

    @property
    def raw(self) -> bytes:
        return encode_request(self.method, self.path, self.body, {"Content-Type": self.content_type})


@dataclass(slots=True)
class Recorder:
    """Proxy handler that records the calls since the last `take`."""

    calls: list[Call] = field(default_factory=list)

    async def handle(self, request: web.Request, forward: Forward) -> web.Response:
        kind = request.headers.get("Content-Type", "application/json")
        self.calls.append(Call(request.method, request.path_qs, kind, await request.read()))
        return await forward(request)

    def take(self) -> list[Call]:
        """Return the requests since the last call, and clear them."""
        queries = [call for call in self.calls if call.is_query]
        self.calls.clear()
        return queries


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request, its number of OpenSearch requests when new, and its OpenSearch requests when repeated."""

    request: Request
    first: int
    calls: Sequence[Call]


@dataclass(frozen=True, slots=True)
class RecordingClient:
    """A client of the service whose OpenSearch requests are recorded."""

    client: httpx.AsyncClient
    recorder: Recorder

    async def get(self, path: str, **params: Any) -> dict[str, Any]:  # noqa: ANN401 - query parameters
        response = await self.client.get(path, params=params)
        response.raise_for_status()
        recorded_by_route: dict[str, Any] = response.json()
        return recorded_by_route

    async def send(self, request: Request) -> Recorded:
        """Send a request twice: a repeated request may need fewer OpenSearch requests."""
        self.recorder.take()
        await self._response(request)
        first = len(self.recorder.take())
        await self._response(request)
        return Recorded(request, first, self.recorder.take())

    async def _response(self, request: Request) -> None:
        headers = {**request.headers, "Content-Type": "application/json"}
        response = await self.client.request(request.method, request.path, content=request.body, headers=headers)
        if response.status_code != OK:
            raise SystemExit(f"{request.label}: {response.status_code} {response.text[:300]}")

    async def sample(self) -> Sample:
        """Return a sample of entities from all parts of the list of each type."""
        keys: dict[str, list[str]] = {}
        names: list[str] = []
        edges = {}
        for kind in [item["name"] for item in (await self.get("/graph"))["types"] if item["total"]]:
            cards = await self._cards(kind, **({"kind": "main"} if kind == "disability" else {}))
            keys[kind] = [_key(card) for card in cards]
            names += [card["name"] for card in evenly(cards, PARTS)]
            for key in evenly(keys[kind], PARTS):
                totals = (await self.get(f"/{kind}/{key}"))["edges"]
                if totals:
                    edges[kind, key] = max(totals, key=lambda item: int(item["total"]))["name"]
        narrower = await self._cards("disability", kind="narrower")
        return Sample(keys, [_key(card) for card in narrower], names, edges)

    async def _cards(self, type_name: str, /, **filters: str) -> list[dict[str, Any]]:
        total = (await self.get(f"/{type_name}", limit=1, **filters))["total"]
        starts = dict.fromkeys(total * part // PARTS for part in range(PARTS))
        pages = [
            await self.get(f"/{type_name}", limit=MAX_REQUESTS // PARTS, offset=start, **filters) for start in starts
        ]
        return list({card["id"]: card for page in pages for card in page["results"]}.values())


def _key(card: dict[str, Any]) -> str:
    key: str = card["url"].rpartition("/")[2]
    return key


async def record_requests(
    engine_url: str, alias: str, routes: Sequence[str], advance: Callable[[], None]
) -> Mapping[str, Sequence[Recorded]]:
    """Return the requests of these routes with the OpenSearch requests of each."""
    recorder = Recorder()
    async with http_proxy(engine_url, recorder.handle) as proxy_url:
        with service(proxy_url, alias, NO_CACHE) as running:
            address = f"http://127.0.0.1:{running.port}"
            async with httpx.AsyncClient(base_url=address, timeout=30) as client:
                recording = RecordingClient(client, recorder)
                requests = sample_requests(await recording.sample(), read_judgments(JUDGMENTS))
                recorded_by_route = {}
                for route in routes:
                    recorded = [await recording.send(request) for request in requests[route]]
                    recorded_by_route[route] = select_requests(route, recorded)
                    advance()
                return recorded_by_route


def select_requests(route: str, recorded: Sequence[Recorded]) -> list[Recorded]:
    """Return at most MAX_REQUESTS that match ONE_REQUEST of the route."""
    is_single = ONE_REQUEST.get(route)
    return evenly(
        [record for record in recorded if is_single is None or (len(record.calls) == 1) is is_single], MAX_REQUESTS
    )
