"""Shortened results: their size, what they keep, and the counts of what they leave out."""

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.mcp.brief import MAX_BYTES, shorten_result

CC_BY = {
    "id": "onet",
    "title": "O*NET",
    "licence": "CC BY 4.0",
    "licence_url": "https://creativecommons.org/licenses/by/4.0/",
    "url": "https://example.org/onet",
    "attribution": "Includes O*NET. " * 20,
}
FREE = {
    "id": "list",
    "title": "A list of products",
    "licence": "MIT",
    "licence_url": None,
    "url": "https://example.org/list",
    "attribution": "Names of products. " * 10,
}
NOTICE = {"text": "This is not advice. " * 9, "kind": "informational", "url": "https://example.org"}


def card(number: int, kind: str = "solution", **members: Any) -> dict[str, Any]:  # noqa: ANN401 - of a card
    key = f"thing-number-{number}"
    url = f"/{kind}/{key}"
    base = {"id": f"{kind}:{key}", "type": kind, "slug": key, "name": f"Thing, Number {number}", "url": url}
    return {**base, "summary": "Helps people who need it, wherever they are. " * 8, **members}


def result(number: int, products: int, answers: int) -> dict[str, Any]:
    verified = {"status": "unverified", "checked": None}
    shown = [
        card(place, "product", market_verification=verified, vendor=card(place, "vendor")) for place in range(products)
    ]
    needs = [{"entity": card(place, "limitation"), "weight": 0.5, "seed": "disability"} for place in range(answers)]
    parts = {"coverage": 0.1, "evidence": 0.2}
    return card(
        number, rank=number + 1, score=0.3, score_parts=parts, answers=needs, why="Listed. " * 30, products=shown
    )


def page(results: int, products: int = 5, answers: int = 5, sources: int = 24) -> dict[str, Any]:
    return {
        "results": [result(number, products, answers) for number in range(results)],
        "total": 500,
        "limit": results,
        "offset": 0,
        "next": "/recommend?offset=20",
        "products": [card(place, "product") for place in range(products * results)],
        "provenance": {"data_version": "1", "sources": [CC_BY, *([FREE] * sources)]},
        "notice": NOTICE,
    }


def test_a_short_result_stays_as_it_is() -> None:
    body = page(1, 0, 0, 1)
    assert shorten_result(body) == body


@given(st.integers(0, 60), st.integers(0, 5), st.integers(0, 12), st.integers(0, 24))
@settings(max_examples=40, deadline=None)
def test_a_result_has_a_maximum_size_and_counts_what_it_leaves_out(
    results: int, products: int, answers: int, sources: int
) -> None:
    body = page(results, products, answers, sources)
    content = shorten_result(body)
    assert len(orjson.dumps(content)) <= MAX_BYTES
    assert content["total"] == 500
    assert content["notice"] == NOTICE
    assert len(content["results"]) + content.get("omitted", {}).get("results", 0) == results
    assert [hit["id"] for hit in content["results"]] == [hit["id"] for hit in body["results"]][
        : len(content["results"])
    ]
    assert {hit["name"] for hit in content["results"]} <= {hit["name"] for hit in body["results"]}
    assert [source["id"] for source in content["provenance"]["sources"]] == ["onet", *(["list"] * sources)]
    assert content["provenance"]["sources"][0] == CC_BY


def test_details_go_before_results() -> None:
    content = shorten_result(page(12))
    assert len(content["results"]) == 12
    first = content["results"][0]
    assert first.keys() == {"id", "type", "name", "summary", "rank", "score", "answers", "why", "products"}
    assert first["answers"][0]["entity"] == {"id": "limitation:thing-number-0", "name": "Thing, Number 0"}
    assert first["products"][0]["market_verification"] == {"status": "unverified"}
    assert first["summary"].endswith("…")
    assert content["omitted"]["products"] == 60 + 12 * (5 - len(first["products"]))
    assert content["provenance"]["sources"][1] == {"id": "list", "title": "A list of products", "licence": "MIT"}


@pytest.mark.parametrize("headings", [20, 60, 200])
def test_a_long_record_keeps_its_edges_with_their_totals(headings: int) -> None:
    ideas = [
        {"heading": {"id": f"limitation:{place}", "name": f"Heading {place}"}, "solutions": [card(1), card(2)] * 4}
        for place in range(headings)
    ]
    edges = [{"name": f"edge{place}", "total": 90, "items": [card(1)] * 10} for place in range(9)]
    body = {**page(0), **card(0), "accommodation_ideas": ideas, "edges": edges, "sources": [FREE]}
    content = shorten_result(body)
    assert len(orjson.dumps(content)) <= MAX_BYTES
    assert [edge["total"] for edge in content["edges"]] == [90] * 9
    assert all(edge["items"] for edge in content["edges"])
    assert content["summary"] == body["summary"]
    assert len(content["accommodation_ideas"]) + content["omitted"].get("accommodation_ideas", 0) == headings


def test_cautions_are_never_cut_nor_left_out() -> None:
    text = "Skin that does not feel heat can burn unnoticed, so check it often. " * 2
    cautions = [{"text": text, "severity": "must", "about": [card(9)], "source": {"title": "A page"}}] * 6
    results = [{**result(number, products=5, answers=9), "cautions": cautions} for number in range(20)]
    shortened = shorten_result({"results": results, "total": 20, "provenance": {"sources": [FREE]}, "notice": NOTICE})
    assert len(orjson.dumps(shortened)) <= MAX_BYTES
    assert shortened["omitted"]["results"]
    for shown in shortened["results"]:
        assert shown["cautions"] == [{"text": text, "severity": "must"}] * 6
