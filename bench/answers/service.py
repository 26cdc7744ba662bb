"""Client of one running service: its entities, records, neighbors, related conditions and recommendations."""

import asyncio
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import httpx
import orjson

ATTEMPTS = 3
RETRIED = frozenset({429, 503, 504})
TIMEOUT_SECONDS = 120
LIST_LIMIT = 100
NEIGHBOR_LIMIT = 500
RELATED_LIMIT = 50
RECOMMEND_LIMIT = 500
SEED_FIELDS = {"disability": "disability", "limitation": "limitation", "workrelatedfunction": "work_function"}


class Reply(NamedTuple):
    """The status of a response, or the error instead of one, and the body of a status of 200."""

    status: int | str
    body: Mapping[str, Any]


def is_loopback(url: str) -> bool:
    """Return whether a URL names a host on the loopback interface."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return False
    if parts.hostname == "localhost":
        return True
    try:
        return ip_address(parts.hostname).is_loopback
    except ValueError:  # another name
        return False


class Service:
    """A service at a URL; `slots` limits the requests in flight, of all services that share it."""

    def __init__(self, url: str, slots: asyncio.Semaphore, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._url = url.rstrip("/")
        self._slots = slots
        # A compressed body costs the service more time than the loopback interface saves.
        headers = {"accept": "application/json", "accept-encoding": "identity", "user-agent": "answers"}
        self.client = httpx.AsyncClient(
            base_url=url, headers=headers, timeout=TIMEOUT_SECONDS, trust_env=False, transport=transport
        )

    async def _send(
        self, path: str, parameters: Mapping[str, str | int], body: Mapping[str, Any] | None = None
    ) -> Reply:
        """Send a request, and repeat it while the service is busy; never raise for a status."""
        reply = Reply("no response", {})
        for attempt in range(ATTEMPTS):
            await asyncio.sleep(attempt)
            async with self._slots:
                try:
                    response = await self.client.request("POST" if body else "GET", path, params=parameters, json=body)
                except httpx.TransportError as error:
                    reply = Reply(f"no response: {type(error).__name__}", {})
                    continue
            if response.status_code == httpx.codes.OK:
                return Reply(200, orjson.loads(response.content))
            reply = Reply(response.status_code, {})
            if response.status_code not in RETRIED:
                break
        return reply

    async def _pages(self, path: str, limit: int, **parameters: str) -> Reply:
        """Return the first page with the results of all pages, or the first page that failed."""
        first = await self._send(path, {**parameters, "limit": limit, "offset": 0})
        results = list(first.body.get("results", ()))
        while results and len(results) < first.body["total"]:
            page = await self._send(path, {**parameters, "limit": limit, "offset": len(results)})
            if page.status != httpx.codes.OK:
                return page
            if not page.body["results"]:  # fewer results than `total`; the comparison shows both numbers
                break
            results += page.body["results"]
        return Reply(first.status, {**first.body, "results": results})

    async def entities(self) -> dict[str, list[str]]:
        """Return the ids of all entities by type; raise `ConnectionError` if a list cannot be read."""
        graph = await self._send("/graph", {})
        self._check(graph, "/graph")
        found = {}
        for kind in (entry["name"] for entry in graph.body["types"]):
            pages = await self._pages(f"/{kind}", LIST_LIMIT)
            self._check(pages, f"/{kind}")
            found[kind] = [card["id"] for card in pages.body["results"]]
        return found

    def _check(self, reply: Reply, path: str) -> None:
        if reply.status != httpx.codes.OK:
            raise ConnectionError(f"{self._url}{path}: {reply.status}. Start the service, or correct its address.")

    async def record(self, entity: str) -> Reply:
        return await self._send(_path(entity), {})

    async def neighbors(self, entity: str, edge: str) -> Reply:
        return await self._pages(f"{_path(entity)}/neighbors", NEIGHBOR_LIMIT, edge=edge)

    async def related(self, entity: str) -> Reply:
        key = quote(entity.partition(":")[2], safe="")
        return await self._send(f"/related_conditions/{key}", {"limit": RELATED_LIMIT})

    async def recommend(self, entity: str) -> Reply:
        seed = {SEED_FIELDS[entity.partition(":")[0]]: entity}
        return await self._send("/recommend", {}, {**seed, "limit": RECOMMEND_LIMIT})


def _path(entity: str) -> str:
    kind, _, key = entity.partition(":")
    return f"/{kind}/{quote(key, safe='')}"
