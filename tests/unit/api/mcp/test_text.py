"""Results as text: names, ids and reasons, whole ids, and a maximum length."""

import re
from typing import Any

import pytest

from api.mcp import text as tool_text
from api.mcp import tools
from api.mcp.arguments import RelatedArguments, parse_arguments

MAX_LENGTH = 6_000
ID = re.compile(r"\[[a-z]+:[\w.-]+\]")
CC_BY = "https://creativecommons.org/licenses/by/4.0/"
SOURCES = [
    {"id": "jan", "title": "JAN", "licence": "Public domain", "url": None, "attribution": "As listed by JAN."},
    {
        "id": "onet",
        "title": "O*NET",
        "licence": "CC BY 4.0",
        "licence_url": CC_BY,
        "url": None,
        "attribution": "Includes O*NET.",
    },
]
ENVELOPE = {
    "provenance": {"data_version": "1.0.0+abc", "sources": SOURCES},
    "notice": {"text": "This is not advice.", "kind": "informational", "url": "https://example.org"},
}
ENDING = "Sources: JAN, Public domain; O*NET, CC BY 4.0. Data version 1.0.0+abc.\nThis is not advice."


def card(number: int, kind: str = "solution", summary: str = "Helps.") -> dict[str, Any]:
    key = f"thing-number-{number}"
    return {
        "id": f"{kind}:{key}",
        "type": kind,
        "slug": key,
        "name": f"Thing, Number {number}",
        "summary": summary,
        "url": f"/{kind}/{key}",
    }


def page(results: list[dict[str, Any]], total: int, offset: int = 0, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - members
    following = f"?offset={offset + len(results)}" if offset + len(results) < total else None
    return {"results": results, "total": total, "limit": 20, "offset": offset, "next": following, **ENVELOPE, **more}


def search_page(count: int, total: int, summary: str = "Helps.", **more: Any) -> dict[str, Any]:  # noqa: ANN401 - members
    match = {"kind": "alias", "text": "thingummy", "field": "aliases", "why": "‘thingummy’ is another name."}
    hits = [{**card(number, summary=summary), "score": 1.0, "match": match} for number in range(count)]
    empty: dict[str, Any] = {name: [] for name in ("synonyms", "ignored_words", "did_you_mean", "guides")}
    query = {"query": "thing", "corrected": None, "less_likely": None, **empty}
    return {**page(hits, total), **query, "facets": {"type": {}}, **more}


def test_a_search_is_shown_as_text() -> None:
    synonyms = [{"from": "a thing", "to": "thing", "entity": None, "kind": "rule"}]
    body = search_page(2, 7, synonyms=synonyms, facets={"type": {"solution": 6, "product": 1}})
    assert tool_text.search_text(body) == (
        "Results 1–2 of 7 for ‘thing’.\n"
        "1. Thing, Number 0 [solution:thing-number-0]: also called ‘thingummy’. Helps.\n"
        "2. Thing, Number 1 [solution:thing-number-1]: also called ‘thingummy’. Helps.\n"
        "More: the same call with offset=2.\n"
        "‘a thing’ was interpreted as: thing.\n"
        "By type: solution 6, product 1.\n"
        f"From a solution: {tool_text.FROM_HERE['solution']}.\n"
        f"{ENDING}"
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (search_page(0, 0), "No results for ‘thing’.\nTry other words: one subject at a time"),
        (search_page(1, 1), "1 result for ‘thing’.\n1. Thing"),
        (
            search_page(1, 1, corrected={"from": "thng", "to": "thing"}),
            "1 result for ‘thing’.\nNothing matched as written; these are results for ‘thing’.",
        ),
        (
            search_page(0, 0, synonyms=[{"from": "vendor", "to": "vendor", "entity": None, "kind": "scope"}]),
            "No results for ‘thing’.\nSearch for the name without ‘vendor’, then follow an edge from it",
        ),
        (search_page(0, 5, offset=40), "No results at offset 40; there are 5 for ‘thing’."),
    ],
)
def test_a_text_starts_with_the_number_of_results(body: dict[str, Any], message: str) -> None:
    assert tool_text.search_text(body).startswith(message)


def test_a_suggestion_is_offered() -> None:
    suggestions = [{"query": "thing", "highlighted": "<em>thing</em>", "total": 1_234}]
    assert "Did you mean ‘thing’ (1,234)?" in tool_text.search_text(search_page(0, 0, did_you_mean=suggestions))


def test_a_text_names_the_ignored_words_and_the_less_likely_results() -> None:
    less_likely = {"total": 1_204, "url": "/search?query=thing&matching=loose"}
    text = tool_text.search_text(search_page(1, 1, ignored_words=["zebra", "crossing"], less_likely=less_likely))
    assert "\nNot used, because too few entities have it: zebra, crossing.\n" in text
    assert "\n1,204 less likely results: the same call with matching=loose.\n" in text
    plain = tool_text.search_text(search_page(1, 1))
    assert "Not used" not in plain
    assert "less likely" not in plain


@pytest.mark.parametrize(
    ("kind", "to", "sentence"),
    [
        ("setting", "testing", "‘in exams’ was interpreted as the setting testing."),
        ("scope", "vendor", "‘in exams’ was interpreted as the type vendor."),
        ("alias", "Exam", "‘in exams’ was interpreted as: Exam."),
    ],
)
def test_an_interpretation_is_a_sentence(kind: str, to: str, sentence: str) -> None:
    synonym = {"from": "in exams", "to": to, "entity": None, "kind": kind}
    assert f"\n{sentence}\n" in tool_text.search_text(search_page(1, 1, synonyms=[synonym]))


@pytest.mark.parametrize("count", [1, 7, 20, 60, 100, 500])
@pytest.mark.parametrize("summary", ["Helps.", "Helps people who need it, wherever they are. " * 20])
def test_a_text_has_a_maximum_length_and_whole_ids(count: int, summary: str) -> None:
    text = tool_text.search_text(search_page(count, 1_000, summary))
    assert len(text) < MAX_LENGTH
    assert text.endswith(ENDING)
    lines = [line for line in text.splitlines() if re.match(r"\d+\. ", line)]
    assert lines
    assert all(ID.search(line) for line in lines)
    assert f"offset={len(lines)}" in text  # how to get the rest
    assert count > 60 or len(lines) == count


def test_a_text_says_that_reasons_are_shortened() -> None:
    long = "Helps people who need it, wherever they are. " * 20
    assert "Reasons are shortened" not in tool_text.search_text(search_page(10, 10, long))
    assert "Reasons are shortened" in tool_text.search_text(search_page(60, 60, long))


def test_a_text_has_the_warnings() -> None:
    warning = {"parameter": "id", "message": "solution:a is now solution:b.", "nearest": None}
    assert "\nNote: solution:a is now solution:b.\n" in tool_text.cards_text(page([card(1)], 1, warnings=[warning]))


def linked(number: int, *links: tuple[str, str, bool], **more: Any) -> dict[str, Any]:  # noqa: ANN401 - members
    entries = [{"linked_to": id_, "edge": edge, "inherited": inherited} for id_, edge, inherited in links]
    return {**card(number, **more), "links": entries}


def facet(number: int, total: int) -> dict[str, Any]:
    entity = card(number, "limitation")
    return {"entity": {name: entity[name] for name in ("id", "name", "type")}, "total": total}


def test_a_linked_list_shows_links_and_facets() -> None:
    fatigue, sclerosis = "limitation:thing-number-7", "disability:ms"
    both = linked(1, (sclerosis, "recommended_for", True), (fatigue, "recommended_for", False))
    inherited = linked(2, (sclerosis, "recommended_for", True))
    facets = {"recommended_for": [facet(7, 1_234), facet(8, 1_200), *(facet(number, 1) for number in range(10, 20))]}
    lines = tool_text.cards_text(page([both, inherited], 1_234, facets=facets)).splitlines()
    assert lines[1:3] == [
        (
            "1. Thing, Number 1 [solution:thing-number-1]: Stated: recommended_for [limitation:thing-number-7]. "
            "Inherited: recommended_for [disability:ms]. Helps."
        ),
        "2. Thing, Number 2 [solution:thing-number-2]: Inherited: recommended_for [disability:ms]. Helps.",
    ]
    (shown,) = [line for line in lines if line.startswith("Facets of ")]
    assert shown.startswith(
        "Facets of recommended_for, to narrow the list by linked_to: "
        "Thing, Number 8 [limitation:thing-number-8] 1,200; Thing, Number 10 [limitation:thing-number-10] 1; "
    )
    assert len(ID.findall(shown)) == tool_text.FEW


def test_a_list_without_linked_results_has_no_facets() -> None:
    assert "Facets" not in tool_text.cards_text(page([], 0, facets={"recommended_for": []}))
    assert "Facets" not in tool_text.cards_text(page([], 9, offset=40, facets={"recommended_for": [facet(1, 9)]}))
    assert "Facets" not in tool_text.cards_text(page([card(1)], 1))


@pytest.mark.parametrize("count", [1, 20, 100])
def test_links_and_facets_have_a_maximum_length(count: int) -> None:
    links = [(f"limitation:need-{'x' * 80}-{number}", "recommended_for", number > 4) for number in range(20)]
    long = [
        {**entry, "entity": {**entry["entity"], "name": "Name " * 40}} for entry in map(facet, range(20), range(20))
    ]
    body = page([linked(number, *links) for number in range(count)], count, facets={"recommended_for": long})
    text = tool_text.cards_text(body)
    assert len(text) < MAX_LENGTH
    assert text.endswith(ENDING)
    lines = text.splitlines()
    assert all(line.count("[") == line.count("]") for line in lines)
    (shown,) = [line for line in lines if line.startswith("Facets of ")]
    assert len(shown) < tool_text.WIDTHS[0] + 100
    assert len(ID.findall(shown)) == 1  # whole entries only


@pytest.mark.parametrize(("sort", "order"), [("weight", "strongest first"), ("name", "by name")])
def test_the_text_of_neighbors_says_their_order(sort: str, order: str) -> None:
    body = page([], 0, entity=card(2, "product"), edge="sold_by")
    arguments = parse_arguments(RelatedArguments, {"id": "product:a", "edge": "sold_by", "sort": sort})
    first, *_ = tools.TOOLS["get_related"].render(body, arguments).splitlines()
    assert first == (f"No results at the end of edge sold_by from Thing, Number 2 [product:thing-number-2], {order}.")


def test_neighbors_are_shown_as_text() -> None:
    vendor = {
        **card(1, "vendor"),
        "weight": 1.0,
        "basis": "source",
        "sources": ["jan"],
        "rank": 3,
        "reason": "It fits.",
    }
    text = tool_text.neighbors_text(page([vendor], 1, entity=card(2, "product"), edge="sold_by"))
    assert text.splitlines()[:2] == [
        "1 result at the end of edge sold_by from Thing, Number 2 [product:thing-number-2], strongest first.",
        "1. Thing, Number 1 [vendor:thing-number-1]: weight 1.00, basis source, rank 3, It fits. Helps.",
    ]


def test_related_conditions_are_shown_as_text() -> None:
    shared = [card(number, "limitation") for number in range(6)]
    related = {**card(1, "disability"), "score": 0.5, "shared": shared, "shared_total": 6, "why": "They share things."}
    text = tool_text.related_text({**page([related], 2, entity=card(2, "disability")), "next": None, "limit": 1})
    assert "related to Thing, Number 2 [disability:thing-number-2]" in text
    assert "score 0.50; They share things. Shared: Thing, Number 0; Thing, Number 1;" in text
    assert "Thing, Number 5." in text
    assert "More: the same call with limit=2." in text
    none = tool_text.related_text(page([{**related, "shared": [], "shared_total": 0}], 1, entity=card(2)))
    assert "score 0.50; They share things." in none
    assert "Shared:" not in none
    several = tool_text.related_text({**page([related, related], 2, entity=card(2, "disability")), "limit": 2})
    assert "Shared:" not in several
    assert "The reasons in full, for one of them: the same call with other=<id>." in several


def test_recommendations_are_shown_as_text() -> None:
    product = {**card(3, "product"), "vendor": card(4, "vendor")}
    solution = {**card(1), "rank": 1, "score": 0.9, "why": "Thing, Number 1: listed for Thing.", "products": [product]}
    solution |= {"cautions": [{"text": "Check the skin."}], "outside_setting": True}
    seed = {"field": "limitation", "given": "thing", "entity": card(2, "limitation"), "matched_by": "name"}
    coverage = [{"entity": card(2, "limitation"), "solutions": 4}]
    left_out = [{"entity": card(5), "reason": "It is for cold."}]
    cautions = [{"text": "Ask first.", "severity": "must"}]
    body = page([solution], 1, seeds=[seed], coverage=coverage, products=[], left_out=left_out, cautions=cautions)
    part = {"text": "sit", "role": "limitation", "entity": card(2, "limitation"), "alternatives": [card(5)]}
    dropped = {**part, "text": "deaf", "reason": "It does not apply."}
    group = {"entity": card(2, "limitation"), "job": "Stamina", "results": ["solution:thing-number-1"]}
    body |= {
        "reading": {"parts": [part], "dropped": [dropped], "unused": ["moon"]},
        "groups": [group],
        "guides": [{"id": "crisis-help", "title": "Help now", "summary": "Call 988."}],
        "guidance_note": "The editors wrote it.",
        "notice": {**body["notice"], "contact_url": "https://a.example/"},
    }
    assert tool_text.recommend_text(body).startswith(
        "Guide: Help now [akg://guides/crisis-help]: Call 988.\n"
        "1 result recommended for limitation Thing, Number 2 [limitation:thing-number-2].\n"
        "Understood: ‘sit’ as limitation Thing, Number 2 [limitation:thing-number-2] (or Thing, Number 5).\n"
        "Dropped: ‘deaf’: It does not apply.\n"
        "Not understood: ‘moon’.\n"
        "Caution (must): Ask first.\n"
        "Left out as wrong here: Thing, Number 5 [solution:thing-number-5]: It is for cold.\n"
        "The editors wrote it.\n"
        "Report a mistake: https://a.example/\n"
        "1. Thing, Number 1 [solution:thing-number-1]: For other settings. Caution: Check the skin. score 0.90. Listed "
        "for Thing. Products: Thing, Number 3 [product:thing-number-3] by Thing, Number 4.\n"
        "Accommodations for each need: Thing, Number 2 4.\n"
        "A job alone is only a way in; choose what applies. "
        "By need: Thing, Number 2 (Stamina): solution:thing-number-1.\n"
    )


def record(edges: int = 1, ideas: int = 1) -> dict[str, Any]:
    edge = {"name": "limits", "label": "can limit", "total": 9, "items": [card(number) for number in range(9)]}
    idea = {"heading": {"name": "Seeing"}, "solutions": [card(1), card(2), card(3)]}
    return {
        **card(0, "ability"),
        **ENVELOPE,
        "summaries": {"short": "Helps.", "plain": "Helps a lot."},
        "aliases": [{"text": "thingummy", "kind": "lay", "source": "jan"}],
        "attributes": {"group": "things"},
        "external_ids": {"page": "https://example.org/thing"},
        "sources": SOURCES,
        "edges": [edge] * edges,
        "accommodation_ideas": [idea] * ideas,
    }


def test_an_entity_is_shown_as_text() -> None:
    lines = tool_text.entity_text(record()).splitlines()
    assert lines[:3] == [
        "Thing, Number 0 [ability:thing-number-0] is an ability. Helps a lot.",
        "Also called: thingummy.",
        "Facts: group things, page https://example.org/thing.",
    ]
    assert lines[3].startswith("limits (can limit), 9: Thing, Number 0 [solution:thing-number-0]; ")
    assert lines[3].endswith("; and 4 more")
    assert lines[4].startswith("Listed under Seeing: Thing, Number 1 [solution:thing-number-1]; ")
    assert lines[4].endswith("; and 1 more")


def test_a_heading_with_one_solution_has_no_more() -> None:
    body = record()
    body["accommodation_ideas"][0]["solutions"] = [card(1)]
    assert "Listed under Seeing: Thing, Number 1 [solution:thing-number-1]\n" in tool_text.entity_text(body)


def test_a_text_without_room_for_lines_has_its_head_and_ending() -> None:
    text = tool_text.entity_text(record(5, 5), max_length=10)
    assert "limits (can limit)" not in text
    assert "10 lines are left out here; structuredContent has them with detail=full." in text
    assert text.endswith(ENDING)


def test_a_product_that_is_no_longer_sold_is_marked() -> None:
    product = {**card(1, "product"), "market_verification": {"status": "discontinued"}}
    assert "[product:thing-number-1] (discontinued): Helps." in tool_text.cards_text(page([product], 1))


def test_a_document_has_a_maximum_length_as_json() -> None:
    document = tools.document({**record(18, 60), "sources": SOURCES}, "https://akg.example.org")
    assert len(tools.as_json(document)) < MAX_LENGTH
    assert document["url"] == "https://akg.example.org/ability/thing-number-0"
    assert document["text"].endswith(ENDING)
    assert document["metadata"]["licences"] == f"JAN: Public domain; O*NET: CC BY 4.0 ({CC_BY})"


@pytest.mark.parametrize(
    ("base", "address"),
    [
        ("https://example.org", "https://example.org/solution/thing-number-1"),
        ("", "akg://entity/solution/thing-number-1"),
    ],
)
def test_a_hit_has_an_address_to_cite(base: str, address: str) -> None:
    (hit,) = tools.document_hits(page([card(1)], 1, guides=[]), base)["results"]
    assert hit == {"id": "solution:thing-number-1", "title": "Thing, Number 1", "url": address}


def connection_page(results: list[dict[str, Any]], total: int, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - members
    ends = {"from": {"entity": card(1)}, "to": {"entity": card(2, "product")}, "reason": None}
    return {**page(results, total), **ends, "next": None, **more}


CONNECTION = {
    "length": 1,
    "why": "Thing 1 is done with thing 2.",
    "steps": [{"from": card(1), "to": card(2, "product")}],
}


def test_connections_are_shown_as_text() -> None:
    text = tool_text.connections_text(connection_page([CONNECTION], 1))
    assert text.startswith(
        "1 result between Thing, Number 1 [solution:thing-number-1] and Thing, Number 2 [product:thing-number-2]."
    )
    assert "1. 1 relation: Thing 1 is done with thing 2. [solution:thing-number-1 > product:thing-number-2]" in text
    assert text.endswith(ENDING)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (connection_page([], 0, reason="They are one."), "They are one."),
        (connection_page([CONNECTION] * 20, 98), "one call returns at most 20"),
        (connection_page([CONNECTION] * 15, 98, limit=15), "the same call with limit=20."),
    ],
)
def test_a_text_says_why_there_are_no_more_connections_or_how_to_get_them(body: dict[str, Any], sentence: str) -> None:
    assert sentence in tool_text.connections_text(body)
