"""What the pages work out for themselves: who wants a page, links, comparisons, chains, bars, the calls at the foot."""

from __future__ import annotations

from typing import Any

import pytest

from api.explorer.calls import Call, given
from api.explorer.charts import rounded_up, usage_chart
from api.explorer.indexing import index, llms
from api.explorer.preference import wants_page
from api.explorer.shapes import bar, chain, changed, facets, mending, most_touching, namesakes, page_link, shared

CHROMIUM = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        (CHROMIUM, True),
        ("text/html", True),
        ("TEXT/HTML; charset=utf-8", True),
        ("text/html;q=0.9, application/json;q=0.8", True),
        ("text/html, application/json", False),  # equals: programs win
        ("application/json, text/html;q=0.9", False),
        ("application/json", False),
        ("*/*", False),
        ("", False),
        ("text/html;q=0", False),
        ("text/html;q=much", False),
        ("text/*", False),
    ],
)
def test_pages_are_for_those_who_name_html_first(accept: str, wanted: bool) -> None:  # noqa: FBT001 - a column of the table
    assert wants_page(accept) is wanted


@pytest.mark.parametrize(
    ("link", "page"),
    [
        (None, None),
        ("/search?query=hands+shake&offset=20", "/explore/search?query=hands+shake&offset=20"),
        ("/disability?limit=50&kind=main&offset=50", "/explore/disability?kind=main&offset=50"),
        (
            "/limitation/low-vision/neighbors?edge=limitation_of&limit=50&offset=50",
            "/explore/limitation/low-vision/limitation_of?offset=50",
        ),
    ],
)
def test_links_of_the_api_become_links_of_pages(link: str | None, page: str | None) -> None:
    assert page_link(link) == page


def card(name: str, weight: float = 0.5) -> dict[str, Any]:
    kind, _, slug = name.partition(":")
    return {"id": name, "type": kind, "slug": slug, "name": slug.title(), "weight": weight}


def test_two_lists_are_cut_into_what_both_have_and_what_one_has() -> None:
    first, second = [card("a:1", 0.9), card("a:2")], [card("a:3"), card("a:1", 0.2)]
    assert shared(first, second) == {
        "both": [{"card": first[0], "weights": (0.9, 0.2)}],
        "first": [first[1]],
        "second": [second[0]],
    }


def test_what_changed_is_told_by_type_with_the_first_names() -> None:
    new, gone = (
        {"id": f"solution:{name}", "type": "solution", "change": kind}
        for name, kind in (("a", "added"), ("b", "removed"))
    )
    types = [
        {"name": "ability", "added": 0, "changed": 2, "removed": 0},
        {"name": "solution", "added": 1, "changed": 0, "removed": 1},
    ]
    assert changed({"types": types, "entities": [new, gone]}, 1) == [
        {**types[0], "items": [], "more": 2},
        {**types[1], "items": [new], "more": 1},
    ]


def test_a_facet_leads_to_its_type_alone_and_back() -> None:
    body = {"facets": {"type": {"solution": 67, "product": 4}}}
    assert facets(body, "a b", ["solution"], "work") == [
        {"type": "solution", "count": 67, "chosen": True, "link": "/explore/search?query=a+b&setting=work"},
        {
            "type": "product",
            "count": 4,
            "chosen": False,
            "link": "/explore/search?query=a+b&setting=work&scope=product",
        },
    ]


def test_a_chain_goes_from_the_seed_to_the_vendor() -> None:
    seed, need = card("disability:ms"), card("limitation:fatigue")
    vendor = card("vendor:v")
    product = {**card("product:p"), "vendor": vendor}
    result = {**card("solution:s"), "answers": [{"entity": need, "seed": "disability"}], "products": [product]}
    assert [(one["label"], one["card"]["id"]) for one in chain(result, [{"field": "disability", "entity": seed}])] == [
        ("", "disability:ms"),
        ("can bring", "limitation:fatigue"),
        ("is helped by", "solution:s"),
        ("can be done with", "product:p"),
        ("is made or sold by", "vendor:v"),
    ]


def test_a_chain_from_a_limitation_names_it_once() -> None:
    need = card("limitation:fatigue")
    result = {**card("solution:s"), "answers": [{"entity": need, "seed": "limitation"}], "products": []}
    found = chain(result, [{"field": "limitation", "entity": need}])
    assert [one["card"]["id"] for one in found] == ["limitation:fatigue", "solution:s"]


def test_the_parts_of_a_score_stand_side_by_side() -> None:
    assert bar({"coverage": 0.25, "evidence": 0.5}, 1.0) == [
        {"name": "coverage", "points": 0.25, "x": 0.0, "width": 25.0},
        {"name": "evidence", "points": 0.5, "x": 25.0, "width": 50.0},
    ]


def test_what_touches_most_abilities_comes_first() -> None:
    one, two = card("limitation:one"), card("limitation:two")
    assert most_touching([{"limitations": [one, two]}, {"limitations": [two]}]) == [two, one]


def test_what_was_not_found_is_answered_with_links_to_the_nearest() -> None:
    near = {"id": "disability:low-vision", "slug": "low-vision", "name": "Low Vision"}
    message = "no disability is called 'low vison'; nearest: disability:low-vision"
    problem = {"loc": ["body", "disability"], "msg": message, "ctx": {"nearest": [near]}}
    assert mending([problem], {"disability": "low vison", "setting": "work"}, "/explore/recommend") == [
        {
            "field": "disability",
            "message": "no disability is called 'low vison'",
            "nearest": [{"name": "Low Vision", "link": "/explore/recommend?disability=low-vision&setting=work"}],
        }
    ]


def test_namesakes_are_read_from_what_the_api_says() -> None:
    told = (
        "'a: b' was taken for occupation:53-7051.00; also called so: occupation:53-3032.00, disability:x. Give an id."
    )
    other = {"parameter": "limt", "message": "there is no 'limt'", "nearest": "limit"}
    warned = [{"parameter": "occupation", "message": told, "nearest": "occupation:53-3032.00"}, other]
    assert namesakes(warned) == {"occupation": ["occupation:53-3032.00", "disability:x"]}


def test_a_call_can_be_pasted_into_a_shell() -> None:
    call = Call("/search", given((("query", "it's"), ("setting", None))), tool="search_accommodations")
    assert call.curl("http://here") == "curl 'http://here/search?query=it%27s'"
    posted = Call("/recommend", body={"disability": "crohn's"}, link="/explore/recommend.json?disability=x")
    assert posted.json == "/explore/recommend.json?disability=x"
    assert posted.curl("http://here").endswith("""-d '{"disability": "crohn'"'"'s"}'""")
    assert posted.mcp == ""
    assert '"name": "search_accommodations"' in call.mcp


@pytest.mark.parametrize(("value", "top"), [(0, 10), (10, 10), (11, 20), (51, 100), (2_001, 5_000)])
def test_the_top_of_a_chart_is_a_round_number(value: int, top: int) -> None:
    assert rounded_up(value) == top


def test_days_that_are_not_told_of_have_no_bar() -> None:
    found = usage_chart(
        [{"date": "2026-11-20", "requests": 100}, {"date": "2026-11-18", "requests": None}], 3, "2026-11-20"
    )
    assert [(one.date, one.requests, one.known, one.height) for one in found.bars] == [
        ("2026-11-18", None, True, 0.0),
        ("2026-11-19", None, False, 0.0),
        ("2026-11-20", 100, True, 180.0),
    ]


def test_the_index_names_each_call_with_an_example_that_works() -> None:
    parameters = [
        {"name": "type", "in": "path", "required": True, "example": "ability"},
        {"name": "limit", "in": "query", "required": False, "example": 100},
        {"name": "edge", "in": "query", "required": True, "example": "a b"},
    ]
    operation = {"description": "List them.\nMore.", "parameters": parameters}
    document = {"info": {"description": "What helps."}, "paths": {"/": {"get": {}}, "/{type}": {"get": operation}}}
    found = index(document)
    assert found["calls"] == [
        {"method": "GET", "path": "/{type}", "says": "List them.", "example": "/ability?edge=a+b", "body": None}
    ]
    text = llms(found, "https://example.org", {"text": "No advice.", "url": "https://askjan.org/"})
    assert text.startswith("# Accommodation Knowledge Graph\n\n> What helps.\n")
    assert "- [`GET /{type}`](https://example.org/ability?edge=a+b): List them." in text
