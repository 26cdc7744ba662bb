"""The Host header of a request reaches no response: caches would share what one client made up."""

import httpx
import pytest

from tests.support.fixture_graphs import serving

HOSTS = ("service", "made-up.example:8080", "made-up/x", "a@made-up", "[made-up")
VALUES = {"type": "disability", "id": "crohns-disease", "file": "entities.csv"}
QUERIES = {"query": "adhd", "edge": "has_limitation", "from": "adhd", "to": "low-vision"}
PAGES = (
    *("/openapi.json", "/llms.txt", "/robots.txt", "/favicon.ico", "/docs", "/explore", "/nowhere", "/dragon"),
    *("/explore/search?query=adhd", "/explore/recommend?disability=adhd", "/explore/recommend.json?disability=adhd"),
    *("/explore/connections?from=adhd&to=low-vision", "/explore/compare?first=adhd&second=ms", "/explore/reference"),
    *("/explore/connections?from=adhd&to=nothing-like-it", "/explore/release", "/explore/usage", "/explore/guides"),
    *("/explore/disability", "/explore/disability/crohns-disease", "/explore/disability/crohns-disease/graph"),
    *("/explore/disability/crohns-disease/has_limitation", "/explore/disability/nope", "/explore/search?offset=x"),
    *("/solution/working-from-home?limit=1", "/explore/solution/working-from-home", "/search?query="),
)
CHANGING = ("date", "x-accel-expires")  # times


async def routes(service: httpx.AsyncClient) -> list[tuple[str, str]]:
    """Return each GET route and page with an Accept header."""
    document = (await service.get("/openapi.json")).json()
    paths = []
    for path, methods in document["paths"].items():
        if "get" in methods:
            names = [one["name"] for one in methods["get"].get("parameters", ()) if one.get("required")]
            query = "&".join(f"{name}={QUERIES[name]}" for name in names if name in QUERIES)
            paths.append(f"{path.format(**VALUES)}?{query}")
    return [(path, accept) for path in (*paths, *PAGES) for accept in ("*/*", "text/html")]


@pytest.mark.parametrize("public_url", ["", "https://graph.example/base"])
async def test_no_response_depends_on_the_host(node_url: str, service: httpx.AsyncClient, public_url: str) -> None:
    found = await routes(service)
    assert len(found) > 2 * len(PAGES) + 30
    async with serving(node_url, "akg-world", public_url=public_url, response_cache_bytes=0) as client:
        for path, accept in found:
            responses = [await client.get(path, headers={"host": host, "accept": accept}) for host in HOSTS]
            first, *others = [
                (
                    response.status_code,
                    response.content,
                    [field for field in response.headers.multi_items() if field[0] not in CHANGING],
                )
                for response in responses
            ]
            assert all(other == first for other in others), (path, accept)
            assert b"made-up" not in first[1]
            assert first[0] < 500


async def test_links_begin_with_the_public_url(node_url: str, service: httpx.AsyncClient) -> None:
    assert service  # the world is published
    async with serving(node_url, "akg-world", public_url="https://graph.example") as client:
        for path in ("/llms.txt", "/robots.txt"):
            assert "https://graph.example/export" in (await client.get(path)).text
        page = await client.get("/explore/search?query=adhd", headers={"accept": "text/html"})
        assert "curl &#39;https://graph.example/search?query=adhd&#39;" in page.text


async def test_without_a_public_url_examples_name_the_address_of_the_service(
    node_url: str, service: httpx.AsyncClient
) -> None:
    assert service
    async with serving(node_url, "akg-world", host="0.0.0.0", port=8133, allowed_hosts=()) as client:  # noqa: S104
        page = await client.get("/explore/search?query=adhd", headers={"accept": "text/html"})
        assert "curl &#39;http://localhost:8133/search?query=adhd&#39;" in page.text
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        search = {**call, "params": {"name": "search", "arguments": {"query": "adhd"}}}
        found = (await client.post("/mcp", json=search, headers={"host": "made-up.example"})).json()
        assert found["result"]["structuredContent"]["results"][0]["url"].startswith("http://localhost:8133/")
