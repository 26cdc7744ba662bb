"""Results from responses of OpenSearch: hits, interpretations, facets, corrections, provenance and page links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import orjson
import pytest

from api import about, models
from api.engine.release import EngineResponse, Release, cards, hit_score, hit_sources, total_hits
from api.graph.release_contents import graph_summary
from api.http.envelope import provenance
from api.recommend.service import top_products
from api.result import page_links
from api.search import results
from api.search.query import ParsedQuery, SearchRequest
from api.search.results import alias_interpretations, rule_interpretations
from api.search.spelling import Correction, Dictionary
from schema.synonyms import SynonymMatcher, SynonymRule
from schema.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from schema.json_types import JsonObject

parse = ParsedQuery.parse

ATLAS = {"id": "atlas", "title": "Atlas", "licence": "CC0-1.0", "url": None, "attribution": ""}
FAIR = {"id": "fair", "title": "Fair", "licence": "CC-BY-4.0", "url": "https://fair.example.org/", "attribution": "F."}
BOOK = {"id": "book", "title": "Book", "licence": "CC-BY-4.0", "url": None, "attribution": "B."}
WFH = {"text": "wfh => telework", "given": ["wfh"], "read_as": ["telework"], "file": "abbreviations.txt"}
WFH_RULE = SynonymRule("rules.txt", 1, ("wfh",), ("work from home", "telework"))
CHAIR_RULE = SynonymRule("rules.txt", 2, ("wheelchair", "wheel chair"), ("wheelchair", "wheel chair"))
RELEASE = Release.of(
    "akg-entities-20261121t120000z",
    {
        "data_version": "1.0.0+abc",
        "synonyms_version": "def",
        "released": "2026-11-21T12:00:00Z",
        "counts": {"types": {"solution": 2, "disability": 1}, "edges": {"recommends": 2, "recommended_for": 2}},
        "sources": [ATLAS, FAIR, BOOK],
        "core_sources": ["fair"],
        "rules": [WFH],
        "examples": {"recommends": "disability:a", "recommended_for": "solution:telework"},
    },
)


def card(type_name: str, name: str) -> JsonObject:
    slug = name.lower().replace(" ", "-")
    about = {"id": f"{type_name}:{slug}", "type": type_name, "slug": slug, "name": name}
    return {**about, "summary": "A sentence.", "url": f"/{type_name}/{slug}"}


TELEWORK = card("solution", "Telework")


def hit(shown: JsonObject, tiers: Sequence[str] = ("name",), score: float = 1.0, **fields: list[str]) -> JsonObject:
    doc_values = {"card": [orjson.dumps(shown).decode()], **fields}
    return {"_index": RELEASE.index, "_score": score, "matched_queries": list(tiers), "fields": doc_values}


def response(*hits: JsonObject, **more: Any) -> EngineResponse:  # noqa: ANN401 - further members of the body
    return EngineResponse({"hits": {"total": {"value": 41}, "hits": list(hits)}, **more}, RELEASE)


def test_cards_are_read_from_the_index() -> None:
    chair = card("solution", "Chair")
    found = response(hit(TELEWORK, sources=["atlas", "fair"]), hit(chair), hit(chair, sources=["atlas"]))
    assert cards(found) == [TELEWORK, chair, chair]
    assert hit_sources(found) == ["atlas", "fair", "atlas"]
    assert total_hits(found) == 41


def test_provenance_has_the_release_and_each_core_and_result_source_once() -> None:
    found = provenance(RELEASE, ["atlas", "fair", "atlas", "unheard-of"])
    assert found == {
        "service": "Accommodation Knowledge Graph",
        "version": "0.1.0",
        "data_version": "1.0.0+abc",
        "synonyms_version": "def",
        "released": "2026-11-21T12:00:00Z",
        "sources": [FAIR, ATLAS],
    }
    models.Provenance.model_validate(found)


def test_before_the_first_release_provenance_has_no_versions() -> None:
    found = provenance(None, ["atlas"])
    versions = ("data_version", "synonyms_version", "released")
    assert [found[key] for key in versions] == [None, None, None]
    assert found["sources"] == []
    models.Provenance.model_validate(found)


def test_the_notice_says_that_results_are_not_advice() -> None:
    notice = about.notice("https://advice.example.org/")
    assert (notice["kind"], notice["url"]) == ("informational", "https://advice.example.org/")
    assert "not legal, medical or HR advice" in notice["text"]
    models.Notice.model_validate(notice)


@pytest.mark.parametrize(
    ("total", "limit", "offset", "after", "before"),
    [
        (45, 20, 0, 20, None),  # first
        (45, 20, 20, 40, 0),  # middle
        (45, 20, 40, None, 20),  # last
        (40, 20, 20, None, 0),  # last and full
        (20, 20, 0, None, None),  # only and full
        (45, 20, 5, 25, 0),  # starts inside the first page: the previous page starts at 0
        (45, 20, 44, None, 24),
        (45, 20, 45, None, 25),  # past the end: the previous page has the last twenty
        (45, 20, 1000, None, 25),
        (3, 20, 1000, None, 0),
        (0, 20, 0, None, None),
        (0, 20, 20, None, 0),
    ],
)
def test_a_page_links_to_the_next_and_previous_pages(
    total: int, limit: int, offset: int, after: int | None, before: int | None
) -> None:
    page = page_links("/ability", [("limit", str(limit))], total, limit, offset)
    assert page == {
        "total": total,
        "limit": limit,
        "offset": offset,
        "next": None if after is None else f"/ability?limit={limit}&offset={after}",
        "prev": None if before is None else f"/ability?limit={limit}&offset={before}",
    }


def test_following_the_next_links_lists_every_result_once() -> None:
    seen: list[int] = []
    offset = 0
    while True:
        seen += range(45)[offset : offset + 20]
        link = page_links("/ability", [], 45, 20, offset)["next"]
        if link is None:
            break
        offset = int(dict(parse_qsl(urlsplit(link).query))["offset"])
    assert seen == list(range(45))


def test_page_links_repeat_the_request_parameters_url_encoded() -> None:
    params = [("query", "R&D, café"), ("scope", "solution"), ("scope", "product")]
    link = page_links("/search", params, 50, 20, 0)["next"]
    assert link == "/search?query=R%26D%2C+caf%C3%A9&scope=solution&scope=product&offset=20"


def test_a_hit_is_the_card_with_its_score_and_match_reason() -> None:
    found = response(hit(TELEWORK, ["alias"], 1800.123456, alias_list=["Working from Home"]), hit(TELEWORK, ["name"]))
    first, second = results.hits(SearchRequest(parse("working from home")), found)
    assert first == {
        **TELEWORK,
        "score": 1800.1235,
        "match": {
            "kind": "alias",
            "text": "Working from Home",
            "field": "aliases",
            "why": "‘Working from Home’ is another name of Telework.",
        },
    }
    models.Hit.model_validate(first)
    assert second["match"]["kind"] == "name"


def test_a_rule_is_reported_only_if_synonyms_are_enabled() -> None:
    found = response(hit(TELEWORK, ["synonym"]))
    request = SearchRequest(parse("wfh")).with_rules(RELEASE)
    (hit_by_rule,) = results.hits(request, found)
    assert hit_by_rule["match"]["why"] == "By a synonym rule, ‘wfh’ also finds ‘telework’: its name contains it."
    by_rule = {"from": "wfh", "to": "telework", "entity": TELEWORK, "kind": "rule", "rule": "wfh => telework"}
    assert results.interpretations(request, found, [hit_by_rule]) == [by_rule]
    without = SearchRequest(parse("wfh"), synonyms=False).with_rules(RELEASE)
    assert results.interpretations(without, found, [hit_by_rule]) == []


def test_aliases_come_before_rules_in_the_interpretations() -> None:
    found = response(hit(TELEWORK, ["alias"], alias_list=["WFH"]))
    request = SearchRequest(parse("wfh")).with_rules(RELEASE)
    interpretations = results.interpretations(request, found, results.hits(request, found))
    assert [(interpretation["kind"], interpretation["to"]) for interpretation in interpretations] == [
        ("alias", "Telework"),
        ("rule", "telework"),
    ]
    for interpretation in interpretations:
        models.Interpretation.model_validate(interpretation)


@pytest.mark.parametrize(
    ("found", "offset", "reported"),
    [
        (response(hit(TELEWORK, ["named"]), hit(TELEWORK, ["words", "scoped"])), 0, True),
        (response(hit(TELEWORK, ["named"])), 0, False),  # the type hint matches no hit
        (response(hit(TELEWORK, ["named"])), 20, True),  # the hit that it matches is on the first page
        (response(), 0, False),
        (response(), 20, False),
        (response(hit(TELEWORK, ["aliasform", "scoped"])), 0, False),  # the type phrase is a part of a name
    ],
)
def test_a_type_hint_is_reported_if_it_changes_the_results(
    found: EngineResponse, offset: int, *, reported: bool
) -> None:
    request = SearchRequest(parse("telework vendors"), offset=offset)
    kinds = [interpretation["kind"] for interpretation in results.interpretations(request, found, [])]
    assert ("scope" in kinds) is reported


def test_a_type_phrase_in_the_truncated_part_of_a_query_is_ignored() -> None:
    query = " ".join([*(f"word{number}" for number in range(45)), "vendors"])
    assert results.interpretations(SearchRequest(parse(query), offset=20), response(hit(TELEWORK, ["words"])), []) == []


def test_hits_of_a_corrected_query_explain_the_correction() -> None:
    fixed = results.hits(SearchRequest(parse("telework")), response(hit(TELEWORK, ["name"])))
    (found,) = results.corrected_hits(parse(" telewrok "), parse("telework"), fixed)
    assert fixed[0]["match"]["kind"] == "name"  # unchanged: interpretations are computed from it
    assert found["match"] == {
        "kind": "spelling",
        "text": "Telework",
        "field": "name",
        "why": "No name matched ‘telewrok’ as written; these are results for ‘telework’. "
        "‘telework’ is the name of this entity.",
    }


def test_facets_count_every_type() -> None:
    buckets = [{"key": "solution", "doc_count": 30}, {"key": "disability", "doc_count": 11}]
    found = response(aggregations={"types": {"buckets": buckets}})
    assert results.facets(found) == {"type": {"solution": 30, "disability": 11}}


@pytest.mark.parametrize(
    ("tiers", "strong", "whole"),
    [
        (["id"], True, True),
        (["alias", "most"], True, True),
        (["description", "words"], True, False),
        (["phrase", "words"], True, False),
        (["phrase"], True, False),
        (["prefix"], False, False),
        (["most", "description"], False, False),
    ],
)
def test_the_tiers_of_the_best_hit_tell_a_strong_match_and_a_whole_name(
    tiers: list[str], *, strong: bool, whole: bool
) -> None:
    found = response(hit(TELEWORK, tiers), hit(TELEWORK, ["name"]))
    assert (results.is_strong_match(found), results.is_whole_name(found)) == (strong, whole)


def test_without_hits_there_is_no_strong_match_and_no_whole_name() -> None:
    assert (results.is_strong_match(response()), results.is_whole_name(response())) == (False, False)


def test_corrections_to_whole_names_come_before_those_of_the_suggester() -> None:
    options = [{"options": [{"text": text}]} for text in ("telewrok", "teleworks")]
    suggested = response(suggest={"fixes": options})
    near = [response(hit(TELEWORK, alias_list=["Remote Work"])), response()]
    assert results.corrections(parse("telewrok"), suggested, near, Dictionary(frozenset())) == [
        Correction(parse("Telework"), "<em>Telework</em>"),
        Correction(parse("teleworks"), "<em>teleworks</em>"),
    ]


def test_words_that_occur_in_names_are_not_corrected() -> None:
    far = response(hit(TELEWORK, alias_list=["Low Work", "Tola Work"]))
    correct = Dictionary(frozenset(("work",)))
    assert results.weak_suggestions(parse("lpw work"), far, {"work"}, correct) == [
        Correction(parse("Low Work"), "<em>Low</em> Work", is_weak=True)
    ]
    assert results.weak_suggestions(parse("tele work"), far, {"tele", "work"}, correct) == []


NOTHING = response()
AS_NAME, AS_ALIAS, AS_PHRASE, AS_WORDS, AS_NAMED, AS_MOST, AS_DESCRIPTION = (
    response(hit(TELEWORK, [tier])) for tier in ("name", "alias", "phrase", "words", "named", "most", "description")
)


@pytest.mark.parametrize(
    ("fixed", "original", "query", "fix", "expected"),
    [
        (AS_NAME, NOTHING, "telewrok", "telework", True),
        (AS_PHRASE, NOTHING, "telewrok", "telework", True),
        (AS_WORDS, NOTHING, "telewrok", "telework", False),
        (AS_NAME, AS_MOST, "telewrok policy", "telework policy", True),
        (AS_ALIAS, AS_MOST, "telewrok policy", "telework policy", True),
        (AS_PHRASE, AS_MOST, "telewrok policy", "telework policy", True),  # a match of most words is by chance
        (AS_PHRASE, AS_NAMED, "telewrok policy", "telework policy", False),  # the query contains a name
        (AS_MOST, AS_DESCRIPTION, "telewrok policy", "telework policy", False),
        (AS_NAME, AS_WORDS, "telewrok policy", "telework policy", False),  # the names of one entity match every word
        (AS_NAME, NOTHING, "relework", "telework", True),
        (AS_ALIAS, NOTHING, "horoscope", "boroscope", False),  # another first letter, and an alias only
    ],
)
def test_a_correction_replaces_the_query_only_if_it_is_certain(
    fixed: EngineResponse, original: EngineResponse, query: str, fix: str, *, expected: bool
) -> None:
    assert results.prefer_correction(fixed, original, parse(query), parse(fix)) is expected


def test_completions_are_in_score_order_and_grouped_by_type() -> None:
    chair, table = card("product", "Tele Chair"), card("product", "Tele Table")
    found = results.completions(parse("tele"), response(hit(chair), hit(TELEWORK, score=2.00001), hit(table)))
    assert [completion["id"] for completion in found["results"]] == [chair["id"], TELEWORK["id"], table["id"]]
    assert found["results"][1]["match"]["why"] == "Telework begins with what you typed."
    assert found["groups"] == [
        {"type": "product", "ids": [chair["id"], table["id"]]},
        {"type": "solution", "ids": [TELEWORK["id"]]},
    ]
    for completion in found["results"]:
        models.Hit.model_validate(completion)


def test_top_products_alternate_between_solutions_without_duplicates() -> None:
    a, b, c, d = (card("product", name) for name in "abcd")
    found: list[JsonObject] = [{"products": [a, b]}, {"products": []}, {"products": [c, d]}, {"products": [a, d, b]}]
    assert top_products(found) == [a, c, b, d]
    assert top_products([]) == []


def test_top_products_are_at_most_twenty() -> None:
    many = [card("product", str(number)) for number in range(30)]
    assert top_products([{"products": many[:15]}, {"products": many[15:]}]) == [
        many[place // 2 + 15 * (place % 2)] for place in range(20)
    ]


def test_the_graph_summary_has_counts_and_example_requests(mappings: Path) -> None:
    summary = graph_summary(read_vocabulary(mappings), RELEASE.counts, {"recommends": "disability:migraine"})
    assert summary["totals"] == {"entities": 3, "edges": 2}  # an edge and its inverse are one
    types = {item["name"]: item for item in summary["types"]}
    assert (types["solution"]["total"], types["vendor"]["total"]) == (2, 0)
    assert types["solution"]["example"] == "/solution?limit=5"
    edges = {item["name"]: item for item in summary["edges"]}
    assert edges["recommends"]["example"] == "/disability/migraine/neighbors?edge=recommends&limit=5"
    assert edges["recommends"]["total"] == 2
    assert edges["has_limitation"]["example"] is None  # the release has no such edge
    assert edges["recommended_for"]["example"] is None  # the release has no example of it
    assert edges["broader"]["pairs"] == [[name, name] for name in ("disability", "limitation", "occupation")]
    wrapped = {**summary, "provenance": provenance(RELEASE, ()), "notice": about.notice("/")}
    models.GraphSummary.model_validate(wrapped)


def test_each_rule_that_fires_is_an_interpretation_with_its_replacements() -> None:
    query = parse("Wheel chair or WFH").with_rules(SynonymMatcher([WFH_RULE, CHAIR_RULE]))
    assert rule_interpretations(query, []) == [
        {"from": "wheel chair", "to": "wheelchair", "entity": None, "kind": "rule", "rule": CHAIR_RULE.text},
        {"from": "wfh", "to": "work from home, telework", "entity": None, "kind": "rule", "rule": WFH_RULE.text},
    ]


def test_a_rule_interpretation_has_the_first_hit_that_the_rule_matched() -> None:
    telework, ramps = card("solution", "Telework"), card("solution", "Wheelchair Ramps")
    typed, ruled = {"text": "Wheel Chair", "kind": "name"}, {"text": "Wheelchair Ramps", "kind": "synonym"}
    hits = [{**telework, "match": typed}, {**ramps, "match": ruled}]
    query = parse("wheel chair").with_rules(SynonymMatcher([CHAIR_RULE]))
    (interpretation,) = rule_interpretations(query, hits)
    assert interpretation["entity"] == ramps
    (interpretation,) = rule_interpretations(query, hits[:1])
    assert interpretation["entity"] is None  # its name matches the query as typed


def test_an_alias_in_the_query_is_interpreted_as_its_entity() -> None:
    telework = card("solution", "Telework")
    why = {"kind": "alias", "text": "Working from Home", "field": "aliases", "why": "…"}
    hits = [
        {**telework, "score": 1.0, "match": why},
        {**telework, "score": 0.9, "match": {**why, "text": "Working from Home Policy"}},  # longer than the query
        {**telework, "score": 0.8, "match": {**why, "kind": "name"}},
    ]
    interpretation = {"from": "Working from Home", "to": "Telework", "entity": telework, "kind": "alias"}
    assert alias_interpretations(parse(" working-from home "), hits) == [interpretation]
    assert alias_interpretations(parse("working from home with ms"), hits) == [interpretation]


def test_a_type_hint_is_an_interpretation_with_its_types() -> None:
    found = response(hit(TELEWORK, ["scoped"]))
    assert results.interpretations(SearchRequest(parse("apps for low vision")), found, []) == [
        {"from": "apps", "to": "solution, product", "entity": None, "kind": "scope"}
    ]
    for text in ("low vision", "apps"):
        assert results.interpretations(SearchRequest(parse(text)), found, []) == []


def test_the_score_of_a_sorted_hit_is_its_first_sort_value() -> None:
    assert hit_score({"_score": None, "sort": [6886.4, 12]}) == hit_score({"_score": 6886.4}) == 6886.4
