"""Releases with separate aliases, and services over them."""

import asyncio
import socket
import threading
import time
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from ssl import SSLContext
from typing import Any, cast

import httpx
import orjson
from aiohttp import web
from opensearchpy import OpenSearch
from starlette.types import ASGIApp, Message, Scope

from api.app import create_app
from api.http.server import make_server
from api.settings import SHIPPED_ROOT, Settings
from indexer.content.loader import load_content
from indexer.content.rows import Content
from indexer.release.plan import ReleasePlan, make_plan
from indexer.release.publish import publish_release
from indexer.release.releases import Releases
from indexer.synonyms.lint import require_valid_rules
from indexer.synonyms.rules import rules_and_problems
from schema.synonyms import SynonymRule
from schema.vocabulary import read_vocabulary
from tests.support.asgi_clients import client_of
from tests.support.http_servers import Forward, http_proxy

CHECKOUT = Path(__file__).parents[2]
WORLD = CHECKOUT / "tests" / "data" / "world"
MAPPINGS = SHIPPED_ROOT / "mappings"
TEST_SETTINGS = {"usage_months": 0, "deadline_seconds": 20}  # a busy machine must not change a response


def index_body() -> dict[str, Any]:
    body: dict[str, Any] = orjson.loads((MAPPINGS / "entities.json").read_bytes())
    return body


def read_rules(folder: Path = MAPPINGS / "synonyms") -> tuple[SynonymRule, ...]:
    """Return the rules in a folder; raise SynonymError with all problems."""
    return require_valid_rules(*rules_and_problems(folder))


def plan_of(folder: Path, rules: Sequence[SynonymRule] | None = None) -> ReleasePlan:
    return plan_of_content(load_content(folder, read_vocabulary(MAPPINGS)), rules)


def plan_of_content(content: Content, rules: Sequence[SynonymRule] | None = None) -> ReleasePlan:
    rules = read_rules() if rules is None else rules
    plan, _ = make_plan(content, read_vocabulary(MAPPINGS), index_body(), rules)
    return plan


def publish(client: OpenSearch, alias: str, folder: Path) -> str:
    """Build and publish a release of these tables under an alias; return its index."""
    return publish_plan(client, alias, plan_of(folder))


def publish_plan(client: OpenSearch, alias: str, plan: ReleasePlan) -> str:
    return publish_release(Releases(client, alias), plan, datetime.now(UTC), lambda _: None)


def without_provenance(response: httpx.Response) -> dict[str, Any]:
    """Return the body of a response without its request id and provenance."""
    return {name: value for name, value in response.json().items() if name not in {"provenance", "request_id"}}


@asynccontextmanager
async def serving(urls: str, alias: str, **settings: Any) -> AsyncIterator[httpx.AsyncClient]:  # noqa: ANN401
    defaults = {**TEST_SETTINGS, "alias": alias, "allowed_hosts": ("service",), "rate_limit": 0}
    async with serving_with(Settings(**{**defaults, **settings}), urls) as opened:
        yield opened


@asynccontextmanager
async def serving_with(settings: Settings, urls: str) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(settings, urls.split(","))
    async with running(app), client_of(app, "http://service") as opened:
        yield opened


@asynccontextmanager
async def running(app: ASGIApp) -> AsyncIterator[None]:
    """Send an application its lifespan events, which the transport does not."""
    inbox: asyncio.Queue[Message] = asyncio.Queue()
    outbox: asyncio.Queue[Message] = asyncio.Queue()
    scope: Scope = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}
    lifespan = cast("Coroutine[None, None, None]", app(scope, inbox.get, outbox.put))
    task = asyncio.create_task(lifespan)
    await inbox.put({"type": "lifespan.startup"})
    assert (await outbox.get())["type"] == "lifespan.startup.complete"
    yield
    await inbox.put({"type": "lifespan.shutdown"})
    assert (await outbox.get())["type"] == "lifespan.shutdown.complete"
    await task


@contextmanager
def listening(node_url: str, alias: str, **settings: Any) -> Iterator[str]:  # noqa: ANN401 - as in Settings
    listener = socket.create_server(("127.0.0.1", 0))
    found = Settings(**{**TEST_SETTINGS, "alias": alias, "port": listener.getsockname()[1], **settings})
    server = make_server(create_app(found, [node_url]), found)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@dataclass(frozen=True, slots=True)
class WatchedService:
    """A client of a service, and the paths that the service has requested from OpenSearch."""

    client: httpx.AsyncClient
    calls: list[str]

    @property
    def reads(self) -> int:
        """The number of requests that read data; the others look up the live release."""
        return sum(call.endswith(("_search", "_msearch", "_mget")) for call in self.calls)


@asynccontextmanager
async def counting_proxy(
    node_url: str, tls: SSLContext | None = None, elsewhere: Mapping[str, str] | None = None
) -> AsyncIterator[tuple[str, list[str]]]:
    """Run a proxy of the node; yield its URL and the list of the paths it has been sent.

    `elsewhere` maps paths to the ones that are requested instead.
    """
    calls: list[str] = []

    async def handle(request: web.Request, forward: Forward) -> web.Response:
        calls.append(request.path)
        path = (elsewhere or {}).get(request.path)
        return await forward(request.clone(rel_url=f"{path}?{request.query_string}") if path else request)

    async with http_proxy(node_url, handle, tls) as url:
        yield url, calls
