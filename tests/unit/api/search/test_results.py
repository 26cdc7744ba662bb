"""Results from responses of OpenSearch: hits, interpretations, facets, corrections and completions."""

import pytest

from api import models
from api.engine.release import EngineResponse
from api.search import results
from api.search.query import ParsedQuery, SearchRequest
from api.search.results import alias_interpretations, rule_interpretations
from api.search.spelling import Correction, Dictionary
from schema.synonyms import SynonymMatcher, SynonymRule
from tests.support.search_responses import RELEASE, TELEWORK, card, hit, response

parse = ParsedQuery.parse

WFH_RULE = SynonymRule("rules.txt", 1, ("wfh",), ("work from home", "telework"))
CHAIR_RULE = SynonymRule("rules.txt", 2, ("wheelchair", "wheel chair"), ("wheelchair", "wheel chair"))


def test_a_hit_is_the_card_with_its_score_and_match_reason() -> None:
    found = response(hit(TELEWORK, ["alias"], 1800.123456, alias_list=["Working from Home"]), hit(TELEWORK, ["name"]))
    first, second = results.hits(SearchRequest(parse("working from home")), found)
    why = "‘Working from Home’ is another name of Telework."
    match = {"kind": "alias", "text": "Working from Home", "field": "aliases", "why": why}
    assert first == {**TELEWORK, "score": 1800.1235, "match": match}
    models.Hit.model_validate(first)
    assert second["match"]["kind"] == "name"


def test_a_rule_is_reported_only_if_synonyms_are_enabled() -> None:
    found = response(hit(TELEWORK, ["synonym"]))
    request = SearchRequest(parse("wfh")).with_rules(RELEASE)
    (hit_by_rule,) = results.hits(request, found)
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
    correction = "No name matched ‘telewrok’ as written; these are results for ‘telework’."
    why = f"{correction} ‘telework’ is the name of this entity."
    assert found["match"] == {"kind": "spelling", "text": "Telework", "field": "name", "why": why}


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


def test_each_rule_that_fires_is_an_interpretation_with_its_replacements() -> None:
    query = parse("Wheel chair or WFH").with_rules(SynonymMatcher([WFH_RULE, CHAIR_RULE]))
    assert rule_interpretations(query, []) == [
        {"from": "wheel chair", "to": "wheelchair", "entity": None, "kind": "rule", "rule": CHAIR_RULE.text},
        {"from": "wfh", "to": "work from home, telework", "entity": None, "kind": "rule", "rule": WFH_RULE.text},
    ]


def test_a_rule_interpretation_has_the_first_hit_that_the_rule_matched() -> None:
    ramps = card("solution", "Wheelchair Ramps")
    typed, ruled = {"text": "Wheel Chair", "kind": "name"}, {"text": "Wheelchair Ramps", "kind": "synonym"}
    hits = [{**TELEWORK, "match": typed}, {**ramps, "match": ruled}]
    query = parse("wheel chair").with_rules(SynonymMatcher([CHAIR_RULE]))
    (interpretation,) = rule_interpretations(query, hits)
    assert interpretation["entity"] == ramps
    (interpretation,) = rule_interpretations(query, hits[:1])
    assert interpretation["entity"] is None  # its name matches the query as typed


def test_an_alias_in_the_query_is_interpreted_as_its_entity() -> None:
    why = {"kind": "alias", "text": "Working from Home", "field": "aliases", "why": "…"}
    hits = [
        {**TELEWORK, "score": 1.0, "match": why},
        {**TELEWORK, "score": 0.9, "match": {**why, "text": "Working from Home Policy"}},  # longer than the query
        {**TELEWORK, "score": 0.8, "match": {**why, "kind": "name"}},
    ]
    interpretation = {"from": "Working from Home", "to": "Telework", "entity": TELEWORK, "kind": "alias"}
    assert alias_interpretations(parse(" working-from home "), hits) == [interpretation]
    assert alias_interpretations(parse("working from home with ms"), hits) == [interpretation]


def test_a_type_hint_is_an_interpretation_with_its_types() -> None:
    found = response(hit(TELEWORK, ["scoped"]))
    assert results.interpretations(SearchRequest(parse("apps for low vision")), found, []) == [
        {"from": "apps", "to": "solution, product", "entity": None, "kind": "scope"}
    ]
    for text in ("low vision", "apps"):
        assert results.interpretations(SearchRequest(parse(text)), found, []) == []
