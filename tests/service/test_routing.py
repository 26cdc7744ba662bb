"""Laws of every route: its methods, its media types, and the paths that no route has. OpenSearch is not reached."""

import itertools
from collections.abc import AsyncIterator
from typing import Any, cast

import httpx
import pytest

from api import about
from api.app import create_app
from api.explorer.routes import explorer_routers
from api.http.request_policy import EXPORT_PREFIX, PAGE_PREFIXES
from api.http.routing import FIXED_SEGMENTS, METHODS
from api.http.telemetry import TelemetryMiddleware
from api.limits.rate_limit import bucket_for
from api.mcp.transport import PATH
from api.rest.routes import rest_router
from api.settings import Settings
from schema.entity_kinds import ENTITY_TYPES
from tests.support.asgi_clients import assert_problem, client_of
from tests.support.fixture_graphs import running

NOWHERE = "http://127.0.0.1:9"  # nothing listens there
BASE = "http://localhost"
GENERATED = {PATH: ["POST"]}  # the route that no router adds
UNUSED: Any = cast("Any", None)  # the handlers are defined, not called
DEFINED: dict[str, list[str]] = {
    **GENERATED,
    **{
        route.path: sorted(route.methods)
        for router in (*explorer_routers(UNUSED, UNUSED), rest_router(UNUSED))
        for route in cast("list[Any]", router.routes)
    },
}
ROUTES = {
    path.replace(":path}", "}").format(
        type="disability", id="adhd", edge="affects", file="x.csv", name="x.css", path="index.html"
    ): methods
    for path, methods in DEFINED.items()
}
JSON_ROUTES = [path for path in ROUTES if path != "/" and not path.startswith((EXPORT_PREFIX, *PAGE_PREFIXES))]
WITHOUT_ENGINE = ("/healthz", "/openapi.json", PATH, "/usage")
ALL_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
UNKNOWN_PATHS = [
    *("/related_conditions", "/HEALTHZ", "/recommend/x", "/sitemap.xml", "/ads.txt", "/explore/robots.txt"),
    *("/.well-known/security.txt", "/.well-known/mcp", "/graph/changes/x", "/explore/search/x", "/nowhere/at/all"),
    *(f"/{segment}/x/neighbors" for segment in sorted(FIXED_SEGMENTS - {"explore", "docs"})),
]


@pytest.fixture(scope="module")
def app() -> TelemetryMiddleware:
    return create_app(Settings(deadline_seconds=0.2, rate_limit=0), [NOWHERE])


@pytest.fixture(scope="module")
async def service(app: TelemetryMiddleware) -> AsyncIterator[httpx.AsyncClient]:
    async with running(app), client_of(app, BASE) as opened:
        yield opened


def test_the_fixed_segments_are_those_of_the_routes() -> None:
    segments = {segment for path in DEFINED for segment in path.removeprefix("/explore").split("/")[1:2]}
    names = {segment for segment in segments if segment and segment[0] != "{" and "." not in segment}
    assert names | {"explore"} == FIXED_SEGMENTS
    assert not FIXED_SEGMENTS & set(ENTITY_TYPES)


@pytest.mark.parametrize(("path", "methods"), ROUTES.items())
async def test_options_and_405_name_the_methods_of_the_path(
    service: httpx.AsyncClient, path: str, methods: list[str]
) -> None:
    allowed = [*methods, *(["HEAD"] if "GET" in methods else []), "OPTIONS"]
    options = await service.options(path, headers={"accept": "text/plain"})
    assert (options.status_code, options.headers["allow"], options.content) == (204, ", ".join(allowed), b"")
    for method in set(ALL_METHODS) - set(allowed):
        response = await service.request(method, path)
        assert (response.status_code, response.headers["allow"]) == (405, ", ".join(allowed))
        assert method == "HEAD" or response.json()["allowed"] == allowed
        assert response.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("path", UNKNOWN_PATHS)
async def test_a_path_without_a_route_is_unknown_with_every_method(
    app: TelemetryMiddleware, service: httpx.AsyncClient, path: str
) -> None:
    app.usage.totals.clear()
    for method in (*METHODS, "DELETE"):
        response = await service.request(method, path)
        assert response.status_code == 404
        assert method == "HEAD" or "There is no such path" in response.json()["detail"]
        assert response.headers["content-type"] == "application/problem+json"
    assert {key.route for key in app.usage.totals} == {"unrouted", "options"}


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/sitemap.xml", {"accept": "application/xml"}, 404),
        ("GET", "/nowhere/at/all", {"accept": "text/csv"}, 404),
        ("POST", "/nowhere/at/all", {"content-type": "application/x-www-form-urlencoded"}, 404),
        ("POST", "/search", {"content-type": "application/x-www-form-urlencoded"}, 405),
        ("DELETE", "/search", {"accept": "text/csv"}, 405),
        ("GET", "/search", {"accept": "text/csv"}, 406),
        ("POST", "/recommend", {"content-type": "text/plain"}, 415),
    ],
)
async def test_path_and_method_come_before_media_types(
    service: httpx.AsyncClient, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    response = await service.request(method, path, headers=headers, content=b"a=b" if method == "POST" else None)
    assert_problem(response, status)
    assert ("allow" in response.headers) == (status == 405)


@pytest.mark.parametrize("name", ["dragon", "Disability", "related-conditions"])
async def test_another_word_is_an_unknown_type(service: httpx.AsyncClient, name: str) -> None:
    for path in (f"/{name}", f"/{name}/x", f"/{name}/x/neighbors?edge=affects", f"/explore/{name}"):
        response = await service.get(path)
        assert (response.status_code, response.json()["detail"][0]["type"]) == (422, "unknown_type")
    other_method = await service.delete(f"/{name}")
    assert (other_method.status_code, other_method.headers["allow"]) == (405, "GET, HEAD, OPTIONS")


@pytest.mark.parametrize(("path", "method"), [(path, method) for path, found in ROUTES.items() for method in found])
async def test_without_an_accept_header_a_client_accepts_anything(
    service: httpx.AsyncClient, path: str, method: str
) -> None:
    fields, content = ({"content-type": "application/json"}, b"{}") if method == "POST" else ({}, None)
    request = httpx.Request(method, BASE + path, headers=fields, content=content)
    anything = httpx.Request(method, BASE + path, headers={**fields, "accept": "*/*"}, content=content)
    without, with_any = await service.send(request), await service.send(anything)
    assert "accept" not in request.headers
    assert without.status_code == with_any.status_code not in {406, 415}
    assert without.headers.get("content-type") == with_any.headers.get("content-type")


@pytest.mark.parametrize(("path", "accept"), list(itertools.product(JSON_ROUTES, ["text/plain", "image/*", "*/*;q=0"])))
async def test_a_client_that_does_not_accept_json_gets_a_406_with_both_blocks(
    service: httpx.AsyncClient, path: str, accept: str
) -> None:
    method = "GET" if "GET" in ROUTES[path] else "POST"
    assert_problem(await service.request(method, path, headers={"accept": accept}), 406)


@pytest.mark.parametrize("path", [path for path in ROUTES if "POST" in ROUTES[path]])
async def test_a_body_that_is_not_declared_as_json_is_a_415_with_both_blocks(
    service: httpx.AsyncClient, path: str
) -> None:
    for media_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert_problem(await service.post(path, content=b"{}", headers={"content-type": media_type}), 415)


@pytest.mark.parametrize("media_type", ["application/json; charset=utf-8", "Application/JSON", "application/x+json"])
@pytest.mark.parametrize("accept", ["*/*", "application/*", "application/problem+json", "text/html, */*;q=0.8"])
async def test_mcp_takes_every_form_of_json_that_the_rest_api_takes(
    service: httpx.AsyncClient, media_type: str, accept: str
) -> None:
    ping = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
    response = await service.post(PATH, content=ping, headers={"content-type": media_type, "accept": accept})
    assert (response.status_code, response.json()["result"]) == (200, {})


@pytest.mark.parametrize("path", [path for path, methods in ROUTES.items() if "POST" in methods])
async def test_a_body_that_is_too_large_is_a_413_with_both_blocks(service: httpx.AsyncClient, path: str) -> None:
    body = b'"' + b"x" * 3_000_000 + b'"'
    assert_problem(await service.post(path, content=body, headers={"content-type": "application/json"}), 413)


@pytest.mark.parametrize("path", [path for path in JSON_ROUTES if path not in WITHOUT_ENGINE])
async def test_a_route_that_cannot_reach_opensearch_is_a_503_with_both_blocks(
    service: httpx.AsyncClient, path: str
) -> None:
    valid = {"query": "adhd", "edge": "affects", "from": "adhd", "to": "low-vision"}
    method = "GET" if "GET" in ROUTES[path] else "POST"
    body = {"disability": "adhd"} if method == "POST" else None
    assert_problem(await service.request(method, path, params=valid, json=body), 503)


@pytest.fixture(scope="module")
async def limited() -> AsyncIterator[httpx.AsyncClient]:
    """A service that answers one request of each client, which it knows by the header of its proxy."""
    limits = {"rate_limit": 1, "rate_limit_suggest": 1, "rate_limit_mcp": 1, "trusted_proxies": 1}
    app = create_app(Settings(deadline_seconds=0.2, **limits), [NOWHERE])
    async with running(app), client_of(app, BASE) as opened:
        yield opened


@pytest.mark.parametrize(("number", "path"), [*enumerate(path for path in ROUTES if bucket_for(path))])
async def test_a_client_over_its_limit_gets_a_429_with_both_blocks(
    limited: httpx.AsyncClient, number: int, path: str
) -> None:
    method, headers = "GET" if "GET" in ROUTES[path] else "POST", {"x-forwarded-for": f"192.0.2.{number}"}
    assert (await limited.request(method, path, headers=headers)).status_code != 429
    assert_problem(await limited.request(method, path, headers=headers), 429)


async def test_the_openapi_document_and_llms_txt_have_both_blocks(service: httpx.AsyncClient) -> None:
    document = (await service.get("/openapi.json")).json()
    assert document["x-provenance"].keys() >= {"service", "data_version", "sources"}
    assert document["x-notice"]["text"] == about.NOTICE
    text = (await service.get("/llms.txt")).text
    assert all(part in text for part in ("## Sources", about.NOTICE, about.SCRAPING_POLICY))


async def test_crawlers_are_led_to_the_api_and_the_exports(service: httpx.AsyncClient) -> None:
    response = await service.get("/robots.txt", headers={"accept": "text/html"})
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    lines = response.text.splitlines()
    assert {"User-agent: *", "Disallow: /explore/", f"# {about.SCRAPING_POLICY}"} <= set(lines)
    assert {"# Files of the whole graph: /export", "# Every call of the API: /openapi.json"} <= set(lines)


@pytest.mark.parametrize("path", ["/", "/openapi.json", "/llms.txt", "/robots.txt"])
async def test_what_no_release_determines_has_an_etag_of_its_content(service: httpx.AsyncClient, path: str) -> None:
    first = await service.get(path)
    assert (first.status_code, first.headers["cache-control"]) == (200, "public, max-age=300")
    again = await service.get(path, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])


async def test_the_icon_is_that_of_the_pages(service: httpx.AsyncClient) -> None:
    response = await service.get("/favicon.ico", headers={"accept": "image/*"})
    assert (response.status_code, response.headers["content-type"]) == (200, "image/svg+xml")
