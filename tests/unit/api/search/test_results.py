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
    ready = {"card": [orjson.dumps(shown).decode()], **fields}
    return {"_index": RELEASE.index, "_score": score, "matched_queries": list(tiers), "fields": ready}


def answer(*hits: JsonObject, **more: Any) -> EngineResponse:  # noqa: ANN401 - whatever else the engine's body holds
    return EngineResponse({"hits": {"total": {"value": 41}, "hits": list(hits)}, **more}, RELEASE)


def test_cards_come_ready_from_the_index() -> None:
    operator = card("solution", "Desk")
    found = answer(hit(TELEWORK, sources=["atlas", "fair"]), hit(operator), hit(operator, sources=["atlas"]))
    assert cards(found) == [TELEWORK, operator, operator]
    assert hit_sources(found) == ["atlas", "fair", "atlas"]
    assert total_hits(found) == 41


def test_provenance_names_the_release_its_core_sources_and_the_answers_own_once() -> None:
    said = provenance(RELEASE, ["atlas", "fair", "atlas", "unheard-of"])
    assert said == {
        "service": "Accommodation Knowledge Graph",
        "version": "0.1.0",
        "data_version": "1.0.0+abc",
        "synonyms_version": "def",
        "released": "2026-11-21T12:00:00Z",
        "sources": [FAIR, ATLAS],
    }
    models.Provenance.model_validate(said)


def test_before_the_first_release_provenance_has_no_versions() -> None:
    said = provenance(None, ["atlas"])
    versions = ("data_version", "synonyms_version", "released")
    assert [said[key] for key in versions] == [None, None, None]
    assert said["sources"] == []
    models.Provenance.model_validate(said)


def test_the_notice_says_that_this_is_no_advice() -> None:
    said = about.notice("https://advice.example.org/")
    assert (said["kind"], said["url"]) == ("informational", "https://advice.example.org/")
    assert "not legal, medical or HR advice" in said["text"]
    models.Notice.model_validate(said)


@pytest.mark.parametrize(
    ("total", "limit", "offset", "after", "before"),
    [
        (45, 20, 0, 20, None),  # first
        (45, 20, 20, 40, 0),  # middle
        (45, 20, 40, None, 20),  # last
        (40, 20, 20, None, 0),  # last and full
        (20, 20, 0, None, None),  # only and full
        (45, 20, 5, 25, 0),  # begun in the middle: back to the beginning, not before it
        (45, 20, 44, None, 24),
        (45, 20, 45, None, 25),  # over the end: back to the last twenty
        (45, 20, 1000, None, 25),
        (3, 20, 1000, None, 0),
        (0, 20, 0, None, None),
        (0, 20, 20, None, 0),
    ],
)
def test_a_page_links_to_its_neighbours(
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


def test_following_next_shows_everything_once() -> None:
    seen: list[int] = []
    offset = 0
    while True:
        seen += range(45)[offset : offset + 20]
        link = page_links("/ability", [], 45, 20, offset)["next"]
        if link is None:
            break
        offset = int(dict(parse_qsl(urlsplit(link).query))["offset"])
    assert seen == list(range(45))


def test_links_keep_the_callers_own_parameters_safely_written() -> None:
    params = [("query", "R&D, café"), ("scope", "solution"), ("scope", "product")]
    link = page_links("/search", params, 50, 20, 0)["next"]
    assert link == "/search?query=R%26D%2C+caf%C3%A9&scope=solution&scope=product&offset=20"


def test_a_hit_is_its_card_with_score_and_reason() -> None:
    found = answer(hit(TELEWORK, ["alias"], 1800.123456, alias_list=["Working from Home"]), hit(TELEWORK, ["name"]))
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


def test_rules_explain_a_hit_only_where_they_took_part() -> None:
    found = answer(hit(TELEWORK, ["synonym"]))
    request = SearchRequest(parse("wfh")).with_rules(RELEASE)
    (hit_by_rule,) = results.hits(request, found)
    assert hit_by_rule["match"]["why"] == "By a synonym rule, ‘wfh’ also finds ‘telework’: its name has it."
    by_rule = {"from": "wfh", "to": "telework", "entity": TELEWORK, "kind": "rule", "rule": "wfh => telework"}
    assert results.interpretations(request, found, [hit_by_rule]) == [by_rule]
    without = SearchRequest(parse("wfh"), synonyms=False).with_rules(RELEASE)
    assert results.interpretations(without, found, [hit_by_rule]) == []


def test_other_names_come_before_rules_in_how_the_words_were_read() -> None:
    found = answer(hit(TELEWORK, ["alias"], alias_list=["WFH"]))
    request = SearchRequest(parse("wfh")).with_rules(RELEASE)
    interpretations = results.interpretations(request, found, results.hits(request, found))
    assert [(one["kind"], one["to"]) for one in interpretations] == [("alias", "Telework"), ("rule", "telework")]
    for one in interpretations:
        models.Interpretation.model_validate(one)


@pytest.mark.parametrize(
    ("found", "offset", "reported"),
    [
        (answer(hit(TELEWORK, ["named"]), hit(TELEWORK, ["words", "scoped"])), 0, True),
        (answer(hit(TELEWORK, ["named"])), 0, False),  # it moved nothing
        (answer(hit(TELEWORK, ["named"])), 20, True),  # what it moved stands on the first page
        (answer(), 0, False),
        (answer(), 20, False),
        (answer(hit(TELEWORK, ["aliasform", "scoped"])), 0, False),  # it is a part of a name
    ],
)
def test_a_type_word_is_reported_where_it_moved_something(
    found: EngineResponse, offset: int, *, reported: bool
) -> None:
    request = SearchRequest(parse("telework vendors"), offset=offset)
    kinds = [one["kind"] for one in results.interpretations(request, found, [])]
    assert ("scope" in kinds) is reported


def test_words_beyond_the_part_that_is_searched_are_not_read_as_a_type_word() -> None:
    query = " ".join([*(f"word{number}" for number in range(45)), "vendors"])
    assert results.interpretations(SearchRequest(parse(query), offset=20), answer(hit(TELEWORK, ["words"])), []) == []


def test_hits_of_a_corrected_query_say_so() -> None:
    fixed = results.hits(SearchRequest(parse("telework")), answer(hit(TELEWORK, ["name"])))
    (found,) = results.corrected_hits(parse(" telewrok "), parse("telework"), fixed)
    assert fixed[0]["match"]["kind"] == "name"  # from which it is reported how the words were read
    assert found["match"] == {
        "kind": "spelling",
        "text": "Telework",
        "field": "name",
        "why": "No name matched ‘telewrok’ as written; these are results for ‘telework’. "
        "‘telework’ is the name of this entity.",
    }


def test_facets_count_every_type() -> None:
    buckets = [{"key": "solution", "doc_count": 30}, {"key": "disability", "doc_count": 11}]
    found = answer(aggregations={"types": {"buckets": buckets}})
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
def test_the_best_hit_says_whether_a_query_is_a_name_or_needs_no_correction(
    tiers: list[str], *, strong: bool, whole: bool
) -> None:
    found = answer(hit(TELEWORK, tiers), hit(TELEWORK, ["name"]))
    assert (results.is_strong_match(found), results.is_whole_name(found)) == (strong, whole)


def test_no_hit_is_neither_a_name_nor_strong() -> None:
    assert (results.is_strong_match(answer()), results.is_whole_name(answer())) == (False, False)


def test_corrections_are_whole_names_first_and_none_changes_nothing() -> None:
    options = [{"options": [{"text": text}]} for text in ("telewrok", "teleworks")]
    said = answer(suggest={"fixes": options})
    near = [answer(hit(TELEWORK, alias_list=["Remote Work"])), answer()]
    assert results.corrections(parse("telewrok"), said, near, Dictionary(frozenset())) == [
        Correction(parse("Telework"), "<em>Telework</em>"),
        Correction(parse("teleworks"), "<em>teleworks</em>"),
    ]


def test_words_that_stand_in_names_are_not_guessed_away() -> None:
    far = answer(hit(TELEWORK, alias_list=["Low Work", "Tola Work"]))
    correct = Dictionary(frozenset(("work",)))
    assert results.weak_suggestions(parse("lpw work"), far, {"work"}, correct) == [
        Correction(parse("Low Work"), "<em>Low</em> Work", is_weak=True)
    ]
    assert results.weak_suggestions(parse("tele work"), far, {"tele", "work"}, correct) == []


NOTHING = answer()
AS_NAME, AS_ALIAS, AS_PHRASE, AS_WORDS, AS_NAMED, AS_MOST, AS_DESCRIPTION = (
    answer(hit(TELEWORK, [tier])) for tier in ("name", "alias", "phrase", "words", "named", "most", "description")
)


@pytest.mark.parametrize(
    ("fixed", "original", "query", "fix", "expected"),
    [
        (AS_NAME, NOTHING, "telewrok", "telework", True),
        (AS_PHRASE, NOTHING, "telewrok", "telework", True),
        (AS_WORDS, NOTHING, "telewrok", "telework", False),
        (AS_NAME, AS_MOST, "telewrok policy", "telework policy", True),
        (AS_ALIAS, AS_MOST, "telewrok policy", "telework policy", True),
        (AS_PHRASE, AS_MOST, "telewrok policy", "telework policy", True),  # what was found, was by chance
        (AS_PHRASE, AS_NAMED, "telewrok policy", "telework policy", False),  # a name stands in it
        (AS_MOST, AS_DESCRIPTION, "telewrok policy", "telework policy", False),
        (AS_NAME, AS_WORDS, "telewrok policy", "telework policy", False),  # a name accounts for every word typed
        (AS_NAME, NOTHING, "relework", "telework", True),
        (AS_ALIAS, NOTHING, "horoscope", "boroscope", False),  # another first letter, and not what it is shown as
    ],
)
def test_a_correction_replaces_the_query_only_where_it_is_certain(
    fixed: EngineResponse, original: EngineResponse, query: str, fix: str, *, expected: bool
) -> None:
    assert results.prefer_correction(fixed, original, parse(query), parse(fix)) is expected


def test_type_ahead_comes_in_order_and_by_type() -> None:
    chair, table = card("product", "Tele Chair"), card("product", "Tele Table")
    found = results.completions(parse("tele"), answer(hit(chair), hit(TELEWORK, score=2.00001), hit(table)))
    assert [one["id"] for one in found["results"]] == [chair["id"], TELEWORK["id"], table["id"]]
    assert found["results"][1]["match"]["why"] == "Telework goes on from what you typed."
    assert found["groups"] == [
        {"type": "product", "ids": [chair["id"], table["id"]]},
        {"type": "solution", "ids": [TELEWORK["id"]]},
    ]
    for one in found["results"]:
        models.Hit.model_validate(one)


def test_everyones_first_product_comes_before_anyones_second_and_none_twice() -> None:
    a, b, c, d = (card("product", name) for name in "abcd")
    found: list[JsonObject] = [{"products": [a, b]}, {"products": []}, {"products": [c, d]}, {"products": [a, d, b]}]
    assert top_products(found) == [a, c, b, d]
    assert top_products([]) == []


def test_a_long_answer_shows_its_first_twenty_products() -> None:
    many = [card("product", str(number)) for number in range(30)]
    assert top_products([{"products": many[:15]}, {"products": many[15:]}]) == [
        many[place // 2 + 15 * (place % 2)] for place in range(20)
    ]


def test_the_graph_is_described_with_calls_that_work(mappings: Path) -> None:
    shape = graph_summary(read_vocabulary(mappings), RELEASE.counts, {"recommends": "disability:migraine"})
    assert shape["totals"] == {"entities": 3, "edges": 2}  # an edge and its inverse are one
    types = {one["name"]: one for one in shape["types"]}
    assert (types["solution"]["total"], types["vendor"]["total"]) == (2, 0)
    assert types["solution"]["example"] == "/solution?limit=5"
    edges = {one["name"]: one for one in shape["edges"]}
    assert edges["recommends"]["example"] == "/disability/migraine/neighbors?edge=recommends&limit=5"
    assert edges["recommends"]["total"] == 2
    assert edges["has_limitation"]["example"] is None  # there is none to follow
    assert edges["recommended_for"]["example"] is None  # no entity is known to have it
    assert edges["broader"]["pairs"] == [[one, one] for one in ("disability", "limitation", "occupation")]
    sealed = {**shape, "provenance": provenance(RELEASE, ()), "notice": about.notice("/")}
    models.GraphSummary.model_validate(sealed)


def test_each_rule_that_took_part_is_shown_with_what_it_adds() -> None:
    query = parse("Wheel chair or WFH").with_rules(SynonymMatcher([WFH_RULE, CHAIR_RULE]))
    assert rule_interpretations(query, []) == [
        {"from": "wheel chair", "to": "wheelchair", "entity": None, "kind": "rule", "rule": CHAIR_RULE.text},
        {"from": "wfh", "to": "work from home, telework", "entity": None, "kind": "rule", "rule": WFH_RULE.text},
    ]


def test_a_rule_is_reported_with_the_first_hit_that_it_led_to() -> None:
    telework, ramps = card("solution", "Telework"), card("solution", "Wheelchair Ramps")
    typed, ruled = {"text": "Wheel Chair", "kind": "name"}, {"text": "Wheelchair Ramps", "kind": "synonym"}
    hits = [{**telework, "match": typed}, {**ramps, "match": ruled}]
    query = parse("wheel chair").with_rules(SynonymMatcher([CHAIR_RULE]))
    (read,) = rule_interpretations(query, hits)
    assert read["entity"] == ramps
    (read,) = rule_interpretations(query, hits[:1])
    assert read["entity"] is None  # it has what was typed


def test_another_name_in_the_query_is_read_as_its_entity() -> None:
    telework = card("solution", "Telework")
    why = {"kind": "alias", "text": "Working from Home", "field": "aliases", "why": "…"}
    hits = [
        {**telework, "score": 1.0, "match": why},
        {**telework, "score": 0.9, "match": {**why, "text": "Working from Home Policy"}},  # more than was typed
        {**telework, "score": 0.8, "match": {**why, "kind": "name"}},
    ]
    read = {"from": "Working from Home", "to": "Telework", "entity": telework, "kind": "alias"}
    assert alias_interpretations(parse(" working-from home "), hits) == [read]
    assert alias_interpretations(parse("working from home with ms"), hits) == [read]


def test_a_type_word_is_shown_with_the_types_it_stands_for() -> None:
    found = answer(hit(TELEWORK, ["scoped"]))
    assert results.interpretations(SearchRequest(parse("apps for low vision")), found, []) == [
        {"from": "apps", "to": "solution, product", "entity": None, "kind": "scope"}
    ]
    for text in ("low vision", "apps"):
        assert results.interpretations(SearchRequest(parse(text)), found, []) == []


def test_sorted_hits_have_their_score_as_first_sort_value_and_others_have_their_own() -> None:
    assert hit_score({"_score": None, "sort": [6886.4, 12]}) == hit_score({"_score": 6886.4}) == 6886.4
