"""Warm-up: send every request once and record the OpenSearch requests that it causes.

A proxy records them, so what is sent to OpenSearch directly is what the service sends, to the byte.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx

from akg.evaluation.metrics import read_judgments
from bench.latency.client import request
from bench.latency.questions import MOST, ONE_REQUEST, Question, Sample, evenly, questions
from bench.latency.services import service
from bench.proxies import http_proxy
from tests.support.fixture_graphs import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aiohttp import web

    from bench.proxies import Forward

ASKING = ("_search", "_msearch", "_mget")  # beside these the service only looks which release is live
JUDGMENTS = CHECKOUT / "mappings" / "relevance" / "judgments.tsv"
NO_CACHE = {"AKG_RESPONSE_CACHE_BYTES": "0"}
PARTS = 4  # of a list, from each of which some entities are taken
OK = 200


@dataclass(frozen=True, slots=True)
class Call:
    """One request to the engine: what is after the host, the form of its body, and the body."""

    method: str
    path: str
    content_type: str
    body: bytes

    @property
    def asks(self) -> bool:
        """Whether it asks for a part of an answer."""
        return self.path.partition("?")[0].rpartition("/")[2] in ASKING

    @property
    def raw(self) -> bytes:
        """The same request on a connection of one's own."""
        return request(self.method, self.path, self.body, {"Content-Type": self.content_type})


@dataclass(slots=True)
class Recorder:
    """Handles requests through a proxy, and keeps the calls since the last `take`."""

    calls: list[Call] = field(default_factory=list)

    async def handle(self, request: web.Request, forward: Forward) -> web.Response:
        """Record a request and pass it on."""
        kind = request.headers.get("Content-Type", "application/json")
        self.calls.append(Call(request.method, request.path_qs, kind, await request.read()))
        return await forward(request)

    def take(self) -> list[Call]:
        """Return the requests since the last call, and clear them."""
        taken = [call for call in self.calls if call.asks]
        self.calls.clear()
        return taken


class QuestionError(Exception):
    """The service does not answer a question that it should."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request, its number of engine requests when new, and its engine requests when repeated."""

    question: Question
    first: int
    calls: Sequence[Call]


@dataclass(frozen=True, slots=True)
class Asking:
    """The service under the recorder."""

    client: httpx.AsyncClient
    recorder: Recorder

    async def get(self, path: str, **params: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever a query takes
        """An answer, while nothing is kept."""
        answer = await self.client.get(path, params=params)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    async def ask(self, question: Question) -> Recorded:
        """Ask twice: what the first answer taught the service may spare requests for the second."""
        self.recorder.take()
        await self._answer(question)
        first = len(self.recorder.take())
        await self._answer(question)
        return Recorded(question, first, self.recorder.take())

    async def _answer(self, question: Question) -> None:
        headers = {**question.headers, "Content-Type": "application/json"}
        answer = await self.client.request(question.method, question.path, content=question.body, headers=headers)
        if answer.status_code != OK:
            raise QuestionError(f"{question.shown}: {answer.status_code} {answer.text[:300]}")

    async def sample(self) -> Sample:
        """Entities from all parts of each type's list; of conditions, those with lists of their own."""
        keys: dict[str, list[str]] = {}
        names: list[str] = []
        edges = {}
        for kind in [one["name"] for one in (await self.get("/graph"))["types"] if one["total"]]:
            cards = await self._cards(kind, **({"kind": "main"} if kind == "disability" else {}))
            keys[kind] = [_key(card) for card in cards]
            names += [card["name"] for card in evenly(cards, PARTS)]
            for key in evenly(keys[kind], PARTS):
                totals = (await self.get(f"/{kind}/{key}"))["edges"]
                if totals:
                    edges[kind, key] = max(totals, key=lambda one: int(one["total"]))["name"]
        narrower = await self._cards("disability", kind="narrower")
        return Sample(keys, [_key(card) for card in narrower], names, edges)

    async def _cards(self, type_name: str, /, **narrowed: str) -> list[dict[str, Any]]:
        total = (await self.get(f"/{type_name}", limit=1, **narrowed))["total"]
        starts = dict.fromkeys(total * part // PARTS for part in range(PARTS))
        pages = [await self.get(f"/{type_name}", limit=MOST // PARTS, offset=start, **narrowed) for start in starts]
        return list({card["id"]: card for page in pages for card in page["results"]}.values())


def _key(card: dict[str, Any]) -> str:
    key: str = card["url"].rpartition("/")[2]
    return key


async def prepare(
    engine_url: str, alias: str, routes: Sequence[str], advance: Callable[[], None]
) -> Mapping[str, Sequence[Recorded]]:
    """The questions of these routes with the engine requests of each."""
    recorder = Recorder()
    async with http_proxy(engine_url, recorder.handle) as proxy_url:
        with service(proxy_url, alias, NO_CACHE) as running:
            address = f"http://127.0.0.1:{running.port}"
            async with httpx.AsyncClient(base_url=address, timeout=30) as client:
                asking = Asking(client, recorder)
                wanted = questions(await asking.sample(), read_judgments(JUDGMENTS))
                found = {}
                for route in routes:
                    recorded = [await asking.ask(question) for question in wanted[route]]
                    found[route] = fitting(route, recorded)
                    advance()
                return found


def fitting(route: str, recorded: Sequence[Recorded]) -> list[Recorded]:
    """Those that are of the route's kind, as many as are needed."""
    one = ONE_REQUEST.get(route)
    return evenly([each for each in recorded if one is None or (each.first == 1) is one], MOST)
