"""Pages over the small world: they list what the API returns, work without scripts, and say errors in words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode
from worlds import serving

if TYPE_CHECKING:
    import httpx

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
POLICY = re.compile(r"default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'")
# A page, the call whose results it must list in the same order, and what holds the ids on the page.
SAME = [
    ("/explore/search?query=memory", "/search?query=memory", ".hits > li"),
    ("/explore/search?query=software&scope=solution", "/search?query=software&scope=solution", ".hits > li"),
    ("/explore/search?query=telwork", "/search?query=telwork", ".hits > li"),
    ("/explore/search?query=e&offset=20", "/search?query=e&offset=20", ".hits > li"),
    ("/explore/solution", "/solution?limit=50", ".hits > li"),
    ("/explore/solution?setting=school", "/solution?limit=50&setting=school", ".hits > li"),
    (
        "/explore/disability/multiple-sclerosis/recommends",
        "/disability/multiple-sclerosis/neighbors?edge=recommends&limit=50",
        ".hits > li",
    ),
]
PAGES = [
    "/",
    "/explore/search",
    "/explore/search?query=memory",
    "/explore/search?query=zzzzqqqq",
    "/explore/disability",
    "/explore/disability/multiple-sclerosis",
    "/explore/disability/relapsing-remitting-multiple-sclerosis",
    "/explore/product/largeview-magnifier",
    "/explore/occupation/software-developers",
    "/explore/disability/multiple-sclerosis/graph",
    "/explore/recommend",
    "/explore/recommend?disability=multiple-sclerosis&occupation=software-developers",
    "/explore/connections",
    "/explore/connections?from=software-developers&to=multiple-sclerosis",
    "/explore/compare",
    "/explore/compare?first=multiple-sclerosis&second=disability:low-vision",
    "/explore/release",
    "/explore/usage",
    "/explore/reference",
]


async def drawn(service: httpx.AsyncClient, path: str, status: int = 200) -> LexborHTMLParser:
    """The page at this path as a browser gets it."""
    response = await service.get(path, headers=BROWSER)
    assert (response.status_code, response.headers["content-type"]) == (status, "text/html; charset=utf-8"), path
    assert POLICY.match(response.headers["content-security-policy"])
    return LexborHTMLParser(response.text)


def found(page: LexborHTMLParser, selector: str) -> LexborNode:
    """The first of what must be there."""
    node = page.css_first(selector)
    assert node is not None, selector
    return node


def ids(page: LexborHTMLParser, selector: str) -> list[str | None]:
    return [node.attributes.get("data-id") for node in page.css(selector)]


@pytest.mark.parametrize(("path", "call", "selector"), SAME)
async def test_a_page_lists_what_the_api_returns(
    service: httpx.AsyncClient, path: str, call: str, selector: str
) -> None:
    answer = (await service.get(call)).json()
    assert ids(await drawn(service, path), selector) == [one["id"] for one in answer["results"]]


async def test_recommendations_are_those_of_the_api(service: httpx.AsyncClient) -> None:
    asked = {"disability": "multiple-sclerosis"}
    answer = (await service.post("/recommend", json=asked)).json()
    page = await drawn(service, "/explore/recommend?disability=multiple-sclerosis")
    assert ids(page, ".recommended > li") == [one["id"] for one in answer["results"]]
    assert (await service.get("/explore/recommend.json", params=asked)).json() == answer


async def test_an_entity_shows_its_relations_as_the_record_has_them(service: httpx.AsyncClient) -> None:
    record = (await service.get("/disability/multiple-sclerosis")).json()
    page = await drawn(service, "/explore/disability/multiple-sclerosis")
    for edge in record["edges"]:
        assert ids(page, f'[data-edge="{edge["name"]}"] > li') == [one["id"] for one in edge["items"]]


async def test_a_comparison_finds_what_both_lists_have(service: httpx.AsyncClient) -> None:
    async def listed(slug: str, edge: str) -> set[str]:
        answer = (await service.get(f"/disability/{slug}/neighbors?edge={edge}&limit=500")).json()
        return {one["id"] for one in answer["results"]}

    page = await drawn(service, "/explore/compare?first=multiple+sclerosis&second=low-vision")
    both: set[Any] = set(ids(page, "[data-id]"))
    pair = ("multiple-sclerosis", "low-vision")
    for edge in ("has_limitation", "recommends"):
        first, second = [await listed(slug, edge) for slug in pair]
        assert first & second <= both
        assert not (first ^ second) & both


@pytest.mark.parametrize("path", PAGES)
async def test_every_page_has_its_title_notice_and_the_same_answer_for_programs(
    service: httpx.AsyncClient, path: str
) -> None:
    page = await drawn(service, path)
    assert found(page, "html").attributes["lang"] == "en"
    assert "Accommodation Knowledge Graph" in found(page, "title").text()
    assert len(page.css("h1")) == 1
    assert "not legal, medical or HR advice" in found(page, ".notice").text()
    assert [node.html for node in page.css("style, [style], script:not([src]), [onclick]")] == []
    outside = [node.attributes.get("src") or node.attributes["href"] for node in page.css("[src], link[href]")]
    assert [one for one in outside if one and not one.startswith("/explore/static/")] == []
    for link in page.css(".same a"):
        answer = await service.get(link.attributes["href"] or "")
        assert answer.headers["content-type"].startswith("application/json"), link.html
        assert answer.status_code == 200


async def test_what_else_is_called_so_is_offered_by_name(service: httpx.AsyncClient) -> None:
    page = await drawn(service, "/explore/connections?from=low-vision&to=multiple-sclerosis")
    assert "was taken for the" in found(page, ".told").text()
    other = found(page, ".told a")
    assert other.text() == "Low Vision"
    assert page.css(".warnings") == []
    chosen = await drawn(service, other.attributes["href"] or "")
    assert chosen.css(".told") == []


async def test_a_page_is_sent_again_only_if_it_changed(service: httpx.AsyncClient) -> None:
    first = await service.get("/explore/disability/low-vision", headers=BROWSER)
    again = await service.get(
        "/explore/disability/low-vision", headers={**BROWSER, "If-None-Match": first.headers["etag"]}
    )
    assert (again.status_code, again.content) == (304, b"")
    assert first.headers["cache-control"] == "public, max-age=300"


async def test_programs_get_the_index_and_browsers_the_first_page(service: httpx.AsyncClient) -> None:
    for headers in ({}, {"Accept": "application/json"}, {"Accept": "*/*"}):
        response = await service.get("/", headers=headers)
        assert response.headers["content-type"] == "application/json"
        assert "Accept" in response.headers["vary"].split(", ")
        assert {one["path"] for one in response.json()["calls"]} >= {"/search", "/recommend"}
    page = await drawn(service, "/")
    assert found(page, "#field-query")


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/explore/disability/low-vison", 404, "Low Vision"),
        ("/explore/nothing", 422, "unknown type"),
        ("/nothing/at/all/here", 404, "There is no such path"),
        ("/disability/low-vison", 404, "Low Vision"),
        ("/explore/search?query=a&offset=-1", 422, "greater than or equal to 0"),
        ("/explore/recommend?disability=multipel", 422, "no disability"),
        ("/explore/connections?from=qqqq&to=low-vision", 422, "nothing is called"),
        ("/explore/compare?first=qqqq&second=low-vision", 422, "no disability is called"),
        ("/explore/disability/multiple-sclerosis/nope", 422, "unknown edge"),
        ("/explore/static/nope.js", 404, "There is no such file"),
    ],
)
async def test_errors_are_pages_for_those_who_ask_for_pages(
    service: httpx.AsyncClient, path: str, status: int, says: str
) -> None:
    page = await drawn(service, path, status)
    assert says in found(page, "main").text()
    programs = await service.get(path, headers={"Accept": "application/json"})
    assert programs.status_code == status
    if not path.startswith(("/explore/recommend", "/explore/connections", "/explore/compare")):
        assert "json" in programs.headers["content-type"]


async def test_text_of_a_caller_stays_text(service: httpx.AsyncClient) -> None:
    page = await drawn(service, "/explore/search?query=%3Cscript%3Ealert(1)%3C/script%3E%22%27")
    assert page.css("script:not([src])") == []
    assert found(page, "#field-query").attributes["value"] == "<script>alert(1)</script>\"'"


async def test_a_retired_id_leads_to_the_page_of_its_heir(service: httpx.AsyncClient) -> None:
    response = await service.get("/explore/disability/add", headers=BROWSER)
    assert response.status_code == 301
    assert response.headers["location"] == "/explore/disability/attention-deficit-hyperactivity-disorder"


async def test_files_may_be_kept_for_good_and_come_packed(service: httpx.AsyncClient) -> None:
    page = await drawn(service, "/")
    address = found(page, 'link[rel="stylesheet"]').attributes["href"] or ""
    sent = await service.get(address)
    assert "immutable" in sent.headers["cache-control"]
    assert sent.headers["content-encoding"] == "gzip"
    assert (await service.get(address, headers={"If-None-Match": sent.headers["etag"]})).status_code == 304


async def test_pages_are_limited_and_files_are_not(node_url: str, service: httpx.AsyncClient) -> None:
    assert service  # the world is published
    async with serving(node_url, "akg-world", rate_limit=1) as narrow:
        assert (await narrow.get("/explore/static/explorer.css")).status_code == 200
        assert (await narrow.get("/", headers=BROWSER)).status_code == 200
        refused = await narrow.get("/", headers=BROWSER)
        assert (refused.status_code, refused.headers["content-type"]) == (429, "text/html; charset=utf-8")
        assert refused.headers["retry-after"] == "60"
        assert "ratelimit" in refused.headers


async def test_language_models_are_told_where_to_ask(service: httpx.AsyncClient) -> None:
    response = await service.get("/llms.txt")
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert response.text.startswith("# Accommodation Knowledge Graph\n\n> What helps")
    assert "http://service/mcp" in response.text
