"""The cache of the edge: never behind the live release, never shared between clients, stale only in an outage."""

import asyncio
import itertools
import time
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path

import httpx
import pytest
from opensearchpy import OpenSearch

from tests.support.edge import HIT, SEARCH, Edge, cache_status, edge, kept
from tests.support.fixture_graphs import WORLD, counting_proxy, listening, publish

BEHIND_SECONDS = 1.2  # a second of the edge, and a tenth between two checks of the service
NEVER_KEPT = ("/healthz", "/readyz", "/usage", "/nowhere/at/all", "/search", "/disability/none")
ACCEPTED = (
    *("*/*", "text/html", "application/json", "text/html, application/json;q=0.5", "text/html;q=0, */*"),
    *("text/html;q=0.5, application/json", "text/html,application/xhtml+xml,*/*;q=0.8", "image/png", "application/*"),
    *("text/html; charset=utf-8, application/problem+json", "TEXT/HTML", "application/json;q=0, text/html"),
)
QUOTA = ("ratelimit", "ratelimit-policy")


@pytest.fixture
def client_of_front(front: Edge) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=front.url) as found:
        yield found


def test_a_kept_response_equals_that_of_the_service(client_of_front: httpx.Client, direct: str) -> None:
    response, original = kept(client_of_front, SEARCH), httpx.get(f"{direct}{SEARCH}")
    assert (response.content, response.headers["etag"]) == (original.content, original.headers["etag"])
    assert response.headers["cache-control"] == original.headers["cache-control"]


@pytest.mark.parametrize("path", NEVER_KEPT)
def test_what_is_never_kept(client_of_front: httpx.Client, path: str) -> None:
    for _ in range(5):
        assert HIT not in cache_status(client_of_front.get(path))


def test_answers_to_bodies_are_never_kept(client_of_front: httpx.Client) -> None:
    for _ in range(5):
        response = client_of_front.post("/recommend", json={"disability": "crohns-disease"})
        assert response.status_code == 200
        assert HIT not in cache_status(response)


def test_follows_the_live_release(client: OpenSearch, node_url: str, logs: Path) -> None:
    alias = "akg-edge-follows"
    publish(client, alias, WORLD)
    settings = {"usage_months": 0, "rate_limit": 0, "trusted_proxies": 1}
    with (
        listening(node_url, alias, **settings) as url,
        edge(url, logs) as front,
        httpx.Client(base_url=front.url) as web,
    ):
        old = kept(web, SEARCH).headers["etag"]
        for _ in range(3):
            publish(client, alias, WORLD)
            time.sleep(BEHIND_SECONDS)
            new = web.get(SEARCH).headers["etag"]
            assert new != old
            assert kept(web, SEARCH).headers["etag"] == new
            old = new


def test_a_second_later_the_edge_revalidates_by_etag(client_of_front: httpx.Client) -> None:
    first = kept(client_of_front, "/disability")
    time.sleep(1.0)
    again = client_of_front.get("/disability")
    assert "akg-edge; hit; fwd=stale; fwd-status=304" in cache_status(again)
    assert again.content == first.content


def test_both_forms_are_kept(client_of_front: httpx.Client) -> None:
    plain = kept(client_of_front, SEARCH, **{"Accept-Encoding": "gzip;q=0"})
    compressed = kept(client_of_front, SEARCH, **{"Accept-Encoding": "br, gzip"})
    assert "content-encoding" not in plain.headers
    assert compressed.headers["content-encoding"] == "gzip"
    assert int(compressed.headers["content-length"]) < int(plain.headers["content-length"])
    assert compressed.content == plain.content


@pytest.mark.parametrize("path", ["/", "/explore", "/graph", "/nowhere", "/search"])
def test_a_client_gets_the_form_that_it_accepts(client_of_front: httpx.Client, direct: str, path: str) -> None:
    for accept in itertools.chain.from_iterable(zip(ACCEPTED, reversed(ACCEPTED), strict=True)):
        through = client_of_front.get(path, headers={"Accept": accept})
        original = httpx.get(direct + path, headers={"Accept": accept})
        if original.status_code == httpx.codes.NOT_ACCEPTABLE:  # a kept response is sent all the same, as HTTP allows
            assert through.status_code in {httpx.codes.OK, httpx.codes.NOT_ACCEPTABLE}, accept
        else:
            types = [response.headers.get("content-type") for response in (through, original)]
            assert (through.status_code, types[0]) == (original.status_code, types[1]), accept


async def test_equal_requests_ask_once_whatever_their_headers(node_url: str, front: Edge, logs: Path) -> None:
    assert front  # the world is published
    accepts, encodings = ("*/*", "application/json", "text/html, */*"), ("gzip", "identity", "br, gzip")
    hosts, origins = ("localhost", "127.0.0.1", "[::1]"), ("https://one.example", "https://two.example")
    forms = itertools.islice(itertools.product(accepts, encodings, hosts, origins), 48)
    settings = {"usage_months": 0, "rate_limit": 0, "trusted_proxies": 1}
    async with counting_proxy(node_url) as (address, calls), AsyncExitStack() as opened:
        url = await asyncio.to_thread(opened.enter_context, listening(address, "akg-world", **settings))
        before = await asyncio.to_thread(opened.enter_context, edge(url, logs))
        limits = httpx.Limits(max_connections=48)
        client = await opened.enter_async_context(httpx.AsyncClient(base_url=before.url, limits=limits, timeout=30))
        await client.get(SEARCH)  # also reads the guides, once for a release
        calls.clear()
        await client.get("/search?query=alone")
        of_one = searches(calls)  # without hits, a search has more than one part
        calls.clear()
        names = ("Accept", "Accept-Encoding", "Host", "Origin")
        sent = [client.get("/search?query=together", headers=dict(zip(names, form, strict=True))) for form in forms]
        assert {response.status_code for response in await asyncio.gather(*sent)} == {200}
        assert searches(calls) == of_one


def searches(calls: Iterable[str]) -> int:
    """Count the searches; the service also asks once a second which release is live."""
    return sum("_mapping" not in path for path in calls)


def test_every_origin_may_read_a_kept_response(client_of_front: httpx.Client) -> None:
    for origin in ("https://one.example", "https://two.example"):
        response = kept(client_of_front, SEARCH, Origin=origin)
        assert response.headers["access-control-allow-origin"] == "*"


def test_only_listed_origins_may_read_where_there_is_a_list(node_url: str, logs: Path) -> None:
    ours, other = "https://ours.example", "https://other.example"
    settings = {"usage_months": 0, "rate_limit": 0, "trusted_proxies": 1, "allowed_origins": (ours,)}
    with (
        listening(node_url, "akg-world", **settings) as url,
        edge(url, logs, AKG_ALLOWED_ORIGINS=ours) as front,
        httpx.Client(base_url=front.url) as web,
    ):
        call = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        statuses = {
            origin: web.post("/mcp", json=call, headers={"Origin": origin}).status_code for origin in (ours, other)
        }
        assert statuses == {ours: 200, other: 403}
        assert "access-control-allow-origin" not in kept(web, SEARCH, Origin=other).headers
        assert kept(web, SEARCH, Origin=ours).headers["access-control-allow-origin"] == ours
        assert "access-control-allow-origin" not in kept(web, SEARCH, Origin=other).headers


def test_the_quota_of_a_client_is_never_in_a_kept_response(node_url: str, logs: Path) -> None:
    with (
        listening(node_url, "akg-world", usage_months=0, rate_limit=1000, trusted_proxies=1) as url,
        edge(url, logs) as front,
        httpx.Client(base_url=front.url) as web,
    ):
        first = web.get("/graph/changes")
        assert all(name in first.headers for name in QUOTA)
        response = kept(web, SEARCH)
        assert not any(name in response.headers for name in QUOTA)
        time.sleep(1.0)
        revalidated = web.get(SEARCH)
        assert not any(name in revalidated.headers for name in QUOTA)


def test_a_host_gets_only_what_was_kept_for_it(client_of_front: httpx.Client) -> None:
    for host in ("localhost", "127.0.0.1"):
        text = kept(client_of_front, "/llms.txt", Host=host).text
        assert ("127.0.0.1" if host == "localhost" else "localhost") not in text


def test_while_the_service_is_away_known_requests_get_a_stale_response(node_url: str, logs: Path) -> None:
    with ExitStack() as opened:
        with listening(node_url, "akg-world", usage_months=0, rate_limit=0, trusted_proxies=1) as url:
            front = opened.enter_context(edge(url, logs))
            web = opened.enter_context(httpx.Client(base_url=front.url))
            before = kept(web, SEARCH)
        time.sleep(1.0)
        stale = web.get(SEARCH)
        assert (stale.status_code, stale.content) == (200, before.content)
        assert "akg-edge; hit; fwd=stale" in cache_status(stale)
        assert stale.headers["cache-control"] == "no-store"
        assert stale.headers["warning"].startswith("110 ")
        unknown = web.get("/search?query=never-asked")
        assert (unknown.status_code, unknown.json()["title"]) == (503, "Service unavailable")
        assert unknown.headers["retry-after"]
