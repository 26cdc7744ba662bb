"""Pages over the small fixture graph: they list what the API returns, work without scripts and explain errors."""

import json
import re
from urllib.parse import urlencode

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from api.about import SCRAPING_POLICY
from api.limits.sliding_window import COUNTED_SLOTS
from tests.support.fixture_graphs import serving

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
POLICY = re.compile(r"default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'")
MS = "/disability/multiple-sclerosis"
# A page, and the API call with the same results in the same order.
LISTS = [
    ("/explore/search?query=memory", "/search?query=memory"),
    ("/explore/search?query=software&scope=solution", "/search?query=software&scope=solution"),
    ("/explore/search?query=telwork", "/search?query=telwork"),
    ("/explore/search?query=e&offset=20", "/search?query=e&offset=20"),
    ("/explore/solution", "/solution?limit=50"),
    ("/explore/solution?setting=school", "/solution?limit=50&setting=school"),
    (f"/explore{MS}/recommends", f"{MS}/neighbors?edge=recommends&limit=50"),
    ("/explore/solution?linked_to=memory-loss&setting=work", "/solution?linked_to=memory-loss&setting=work"),
    # Forms send the fields that are not filled in.
    ("/explore/search?query=memory&scope=&setting=", "/search?query=memory"),
    ("/explore/solution?setting=&grouping=&kind=&linked_to=&edge=&inherited=", "/solution?limit=50"),
    ("/explore/solution?linked_to=&linked_to=memory-loss&edge=", "/solution?linked_to=memory-loss"),
    (
        f"/explore{MS}/recommends?query=&target_type=&min_weight=&basis=&source=&sort=",
        f"{MS}/neighbors?edge=recommends&limit=50",
    ),
]
LICENCES = {  # of the test world
    "CC0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "CC-BY-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "Each page its own": None,
}
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
    "/explore/disability/crohns-disease/recommends?source=atlas",
    "/explore/solution?linked_to=memory-loss&linked_to=attentiveness-concentration",
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


async def get_page(service: httpx.AsyncClient, path: str, status: int = 200) -> LexborHTMLParser:
    response = await service.get(path, headers=BROWSER)
    assert (response.status_code, response.headers["content-type"]) == (status, "text/html; charset=utf-8"), path
    assert POLICY.match(response.headers["content-security-policy"])
    return LexborHTMLParser(response.text)


def find(page: LexborHTMLParser, selector: str) -> LexborNode:
    node = page.css_first(selector)
    assert node is not None, selector
    return node


def ids(page: LexborHTMLParser, selector: str) -> list[str | None]:
    return [node.attributes.get("data-id") for node in page.css(selector)]


@pytest.mark.parametrize(("path", "call"), LISTS)
async def test_a_page_lists_what_the_api_returns(service: httpx.AsyncClient, path: str, call: str) -> None:
    body = (await service.get(call)).json()
    assert ids(await get_page(service, path), ".hits > li") == [card["id"] for card in body["results"]]


def form_values(page: LexborHTMLParser) -> dict[str, str]:
    """The values that the filter form of a page sends."""
    values = {
        node.attributes["name"] or "": node.attributes.get("value") or "" for node in page.css(".filters input[name]")
    }
    for select in page.css(".filters select"):
        option = select.css_first("option[selected]") or select.css_first("option")
        assert option
        values[select.attributes["name"] or ""] = option.attributes["value"] or ""
    return values


def options(page: LexborHTMLParser, name: str) -> dict[str | None, str]:
    return {node.attributes["value"]: node.text() for node in page.css(f'.filters select[name="{name}"] option')}


CROHNS = "/explore/disability/crohns-disease/recommends"


@pytest.mark.parametrize(
    "chosen",
    [
        {"target_type": "solution"},  # the only type that a condition recommends
        {"target_type": "vendor"},  # no edge leads to it
        {"source": "editors"},
        {"source": "jobbook"},  # no edge rests on it
        {"min_weight": "0.333", "sort": "name"},
        {"target_type": "solution", "source": "atlas", "basis": "source", "query": "telework"},
    ],
    ids=str,
)
async def test_chosen_filters_survive_apply_and_can_be_cleared(
    service: httpx.AsyncClient, chosen: dict[str, str]
) -> None:
    page = await get_page(service, f"{CROHNS}?{urlencode(chosen)}")
    sent = form_values(page)
    assert {name: value for name, value in sent.items() if value} == {"sort": "weight", **chosen}
    assert page.css('.filters [type="hidden"]') == []
    applied = await get_page(service, f"{CROHNS}?{urlencode(sent)}")
    assert ids(applied, ".hits > li") == ids(page, ".hits > li")
    kept = {name: value for name, value in chosen.items() if name == "sort"}
    clear = find(page, ".filter-actions a").attributes["href"]
    assert clear == (f"{CROHNS}?{urlencode(kept)}" if kept else CROHNS)


async def test_the_source_filter_offers_the_sources_of_all_edges_by_title(service: httpx.AsyncClient) -> None:
    titles = {"": "All sources", "atlas": "Atlas of Work and Health", "editors": "Editors of the test world"}
    for path in (CROHNS, f"{CROHNS}?source=atlas", f"{CROHNS}?query=telework", f"{CROHNS}?offset=50"):
        assert options(await get_page(service, path), "source") == titles, path
    inherited = "/explore/disability/relapsing-remitting-multiple-sclerosis/recommends"
    assert options(await get_page(service, inherited), "source") == {}  # all edges rest on one source
    selected = {"": "All sources", "atlas": "Atlas of Work and Health", "jobbook": "The Job Book 7"}
    assert options(await get_page(service, f"{inherited}?source=jobbook"), "source") == selected


@pytest.mark.parametrize("text", ["limitation:memory-loss", "memory-loss", "Memory Loss"])
async def test_a_linked_list_offers_only_needs_that_are_not_chosen(service: httpx.AsyncClient, text: str) -> None:
    path = f"/explore/disability?kind=main&{urlencode({'linked_to': text})}"
    page = await get_page(service, path)
    assert find(page, ".note li span").text() == "Memory Loss"
    assert find(page, ".note li span a").attributes["href"] == "/explore/limitation/memory-loss"
    assert find(page, ".note .remove").attributes["href"] == "/explore/disability?kind=main"
    facets = {node.attributes["href"]: node.text(strip=True) for node in page.css(".narrowing a")}
    assert facets
    assert not any(name.startswith("Memory Loss") for name in facets.values())
    for url, name in facets.items():
        narrowed = await get_page(service, url or "")
        assert str(len(narrowed.css(".hits > li"))) == re.findall(r"\d+$", name)[0]
        assert form_values(narrowed)["kind"] == "main"
    beyond = await get_page(service, f"{path}&offset=100")
    assert not any(node.text().startswith("Memory Loss") for node in beyond.css(".narrowing a"))


async def test_a_linked_list_shows_the_edges_and_the_mcp_arguments(service: httpx.AsyncClient) -> None:
    linked = "linked_to=multiple-sclerosis&edge=recommended_for&inherited=false"
    page = await get_page(service, f"/explore/solution?setting=work&{linked}")
    assert find(page, ".note li span").text() == "helps with Multiple Sclerosis"
    assert find(page, ".note p a").attributes["href"] == (
        "/explore/solution?setting=work&linked_to=multiple-sclerosis&edge=recommended_for"
    )
    request = json.loads(page.css(".api-calls pre")[-1].text())
    assert request["params"]["arguments"] == {
        "type": "solution",
        "setting": "work",
        "linked_to": ["multiple-sclerosis"],
        "edge": ["recommended_for"],
        "inherited": False,
        "limit": 50,
    }


async def test_nothing_understood_has_no_heading(service: httpx.AsyncClient) -> None:
    page = await get_page(service, "/explore/search?query=qqxzy+wwrtp")
    assert not page.css("#reading")


async def test_recommendations_are_those_of_the_api(service: httpx.AsyncClient) -> None:
    params = {"disability": "multiple-sclerosis"}
    body = (await service.post("/recommend", json=params)).json()
    page = await get_page(service, "/explore/recommend?disability=multiple-sclerosis")
    assert ids(page, ".recommended > li") == [solution["id"] for solution in body["results"]]
    assert (await service.get("/explore/recommend.json", params=params)).json() == body


async def test_fields_of_recommendations_are_shown_by_name_and_can_be_removed(service: httpx.AsyncClient) -> None:
    path = "/explore/recommend?disability=disability:multiple-sclerosis&occupation=software-developers"
    page = await get_page(service, path)
    assert find(page, "#field-disability").attributes["value"] == "Multiple Sclerosis"
    assert find(page, "#field-occupation").attributes["value"] == "Software Developers"
    assert find(page, "#reading").text() == "What was understood"
    assert [link.attributes["href"] for link in page.css(".reading .remove")] == [
        "/explore/recommend?occupation=software-developers",
        "/explore/recommend?disability=disability%3Amultiple-sclerosis",
    ]


async def test_a_link_shows_more_recommendations(service: httpx.AsyncClient) -> None:
    path = "/explore/recommend?disability=multiple-sclerosis&limit="
    few, many = await get_page(service, f"{path}1"), await get_page(service, f"{path}100")
    assert len(ids(few, ".recommended > li[data-id]")) == 1
    assert [link.attributes["href"] for link in few.css("main a") if link.text().startswith("Show all")] == [
        f"{path}100"
    ]
    assert not [link for link in many.css("main a") if link.text().startswith("Show all")]
    await get_page(service, f"{path}501", 422)


async def test_an_entity_page_lists_the_relations_of_the_record(service: httpx.AsyncClient) -> None:
    record = (await service.get("/disability/multiple-sclerosis")).json()
    page = await get_page(service, "/explore/disability/multiple-sclerosis")
    for edge in record["edges"]:
        assert ids(page, f'[data-edge="{edge["name"]}"] > li') == [card["id"] for card in edge["items"]]


@pytest.mark.parametrize("path", [*PAGES, "/explore/no-such-page"])
async def test_a_page_says_what_to_read_in_bulk(service: httpx.AsyncClient, path: str) -> None:
    footer = LexborHTMLParser((await service.get(path, headers=BROWSER)).text).css_first("footer")
    assert footer
    assert SCRAPING_POLICY in footer.text()
    assert footer.css_first('a[href="/export"]')


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_links_the_licence_of_each_source(service: httpx.AsyncClient, path: str) -> None:
    page = await get_page(service, path)
    listed = {node.text(strip=True): node.css_first("a") for node in page.css(".sources .licence")}
    assert listed
    assert {text: link and link.attributes["href"] for text, link in listed.items()} == {
        text: LICENCES[text] for text in listed
    }


async def test_responses_name_the_address_of_each_licence(service: httpx.AsyncClient) -> None:
    for path in ("/search?query=memory", "/disability/multiple-sclerosis", "/product?limit=1", "/no-such-page"):
        body = (await service.get(path)).json()
        sources = [*body["provenance"]["sources"], *body.get("sources", ())]
        assert {source["licence"]: source["licence_url"] for source in sources}.items() <= LICENCES.items()


async def test_a_comparison_finds_what_both_conditions_share(service: httpx.AsyncClient) -> None:
    async def neighbors(slug: str, edge: str) -> set[str]:
        body = (await service.get(f"/disability/{slug}/neighbors?edge={edge}&limit=500")).json()
        return {card["id"] for card in body["results"]}

    page = await get_page(service, "/explore/compare?first=multiple+sclerosis&second=low-vision")
    both = set(ids(page, "[data-both] [data-id]"))
    pair = ("multiple-sclerosis", "low-vision")
    for edge in ("has_limitation", "recommends"):
        first, second = [await neighbors(slug, edge) for slug in pair]
        assert first & second <= both
        assert not (first ^ second) & both


@pytest.mark.parametrize("path", PAGES)
async def test_every_page_has_a_title_a_notice_and_its_api_calls(service: httpx.AsyncClient, path: str) -> None:
    page = await get_page(service, path)
    assert find(page, "html").attributes["lang"] == "en"
    assert "Accommodation Knowledge Graph" in find(page, "title").text()
    assert len(page.css("h1")) == 1
    assert "not legal, medical or HR advice" in find(page, ".notice").text()
    assert [node.html for node in page.css("style, [style], script:not([src]), [onclick]")] == []
    resources = [node.attributes.get("src") or node.attributes["href"] for node in page.css("[src], link[href]")]
    assert [url for url in resources if url and not url.startswith("/explore/static/")] == []
    for link in page.css(".api-calls a"):
        response = await service.get(link.attributes["href"] or "")
        assert response.headers["content-type"].startswith("application/json"), link.html
        assert response.status_code == 200


async def test_an_ambiguous_name_links_the_alternatives(service: httpx.AsyncClient) -> None:
    page = await get_page(service, "/explore/connections?from=low-vision&to=multiple-sclerosis")
    assert "Showing results for the" in find(page, ".note").text()
    alternative = find(page, ".note a")
    assert alternative.text() == "Low Vision"
    assert page.css(".warnings") == []
    assert (await get_page(service, alternative.attributes["href"] or "")).css(".note") == []


async def test_an_unchanged_page_is_not_sent_again(service: httpx.AsyncClient) -> None:
    first = await service.get("/explore/disability/low-vision", headers=BROWSER)
    known = {**BROWSER, "If-None-Match": first.headers["etag"]}
    second = await service.get("/explore/disability/low-vision", headers=known)
    assert (second.status_code, second.content) == (304, b"")
    assert first.headers["cache-control"] == "public, max-age=300"


async def test_programs_get_the_index_and_browsers_the_home_page(service: httpx.AsyncClient) -> None:
    for headers in ({}, {"Accept": "application/json"}, {"Accept": "*/*"}):
        response = await service.get("/", headers=headers)
        assert response.headers["content-type"] == "application/json"
        assert "Accept" in response.headers["vary"].split(", ")
        assert {call["path"] for call in response.json()["calls"]} >= {"/search", "/recommend"}
    page = await get_page(service, "/")
    assert find(page, "#field-query")


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("/explore/disability/low-vison", 404, "Low Vision"),
        ("/explore/nothing", 422, "unknown type"),
        ("/nothing/at/all/here", 404, "There is no such path"),
        ("/disability/low-vison", 404, "Low Vision"),
        ("/explore/search?query=a&offset=-1", 422, "greater than or equal to 0"),
        ("/explore/recommend?disability=multipel", 422, "Unknown disability"),
        ("/explore/connections?from=qqqq&to=low-vision", 422, "Unknown entity"),
        ("/explore/compare?first=qqqq&second=low-vision", 422, "Unknown disability"),
        ("/explore/disability/multiple-sclerosis/nope", 422, "unknown edge"),
        ("/explore/static/nope.js", 404, "There is no such file"),
    ],
)
async def test_browsers_get_errors_as_pages(service: httpx.AsyncClient, path: str, status: int, text: str) -> None:
    page = await get_page(service, path, status)
    assert text in find(page, "main").text()
    response = await service.get(path, headers={"Accept": "application/json"})
    assert response.status_code == status
    if not path.startswith(("/explore/recommend", "/explore/connections", "/explore/compare")):
        assert "json" in response.headers["content-type"]


async def test_escapes_text_from_the_caller(service: httpx.AsyncClient) -> None:
    page = await get_page(service, "/explore/search?query=%3Cscript%3Ealert(1)%3C/script%3E%22%27")
    assert page.css("script:not([src])") == []
    assert find(page, "#field-query").attributes["value"] == "<script>alert(1)</script>\"'"


async def test_a_retired_id_redirects_to_the_page_of_its_replacement(service: httpx.AsyncClient) -> None:
    response = await service.get("/explore/disability/add", headers=BROWSER)
    assert response.status_code == 301
    assert response.headers["location"] == "/explore/disability/attention-deficit-hyperactivity-disorder"


async def test_static_files_are_immutable_and_compressed(service: httpx.AsyncClient) -> None:
    page = await get_page(service, "/")
    url = find(page, 'link[rel="stylesheet"]').attributes["href"] or ""
    response = await service.get(url)
    assert "immutable" in response.headers["cache-control"]
    assert response.headers["content-encoding"] == "gzip"
    assert (await service.get(url, headers={"If-None-Match": response.headers["etag"]})).status_code == 304


async def test_pages_are_rate_limited_and_static_files_are_not(node_url: str, service: httpx.AsyncClient) -> None:
    assert service  # publishes the fixture graph
    async with serving(node_url, "akg-world", rate_limit=1) as limited:
        assert (await limited.get("/explore/static/explorer.css")).status_code == 200
        assert (await limited.get("/", headers=BROWSER)).status_code == 200
        rejected = await limited.get("/", headers=BROWSER)
        assert (rejected.status_code, rejected.headers["content-type"]) == (429, "text/html; charset=utf-8")
        assert 0 < int(rejected.headers["retry-after"]) <= COUNTED_SLOTS  # exact in the unit tests
        assert "ratelimit" in rejected.headers


async def test_llms_txt_describes_the_service(service: httpx.AsyncClient) -> None:
    response = await service.get("/llms.txt")
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert response.text.startswith("# Accommodation Knowledge Graph\n\n> What helps")
    assert "no authentication): /mcp\n" in response.text
