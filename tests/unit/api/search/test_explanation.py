"""Why a hit matched: each kind with its exact sentence; and how the words of a query were interpreted."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from api import models
from api.search.explanation import (
    KINDS,
    SENTENCES,
    correct_reason,
    explain_hit,
    interpretations,
    reason_without,
)
from api.search.features import Feature
from api.search.hit_order import rank_hits
from api.search.names import parse_name
from api.search.query import ParsedQuery, SearchRequest
from api.search.ranking import RankedHit
from api.search.ranking_table import MATCHES
from schema.json_types import JsonObject
from tests.support.search_matches import CASES, TTS, TV, WFH, MatchCase, parse, rule
from tests.support.search_responses import TELEWORK, card, search_hit

CHAIR = "wheelchair, wheel chair"


def ranked(query: ParsedQuery, *hits: tuple[JsonObject, Feature, dict[str, Any]]) -> list[RankedHit]:
    return rank_hits(query, [search_hit(shown, features, **payload) for shown, features, payload in hits])


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_hit_has_the_reason_of_its_match(case: MatchCase) -> None:
    hits = rank_hits(case.parsed, case.hits)
    (hit,) = [hit for hit in hits if hit.card["name"] == case.name]
    match = explain_hit(case.parsed, hit, case.named)
    assert (match["kind"], match["field"], match["why"]) == (*case.public, case.why)
    models.Match.model_validate(match)


def test_every_match_has_a_sentence_and_a_public_kind() -> None:
    kinds = {weight.name for weight in MATCHES}
    assert set(SENTENCES) == kinds
    public = {"id", "name", "alias", "synonym", "description", "prefix", "pinned"}
    assert {KINDS.get(kind, kind) for kind in kinds} == public
    assert all(sentence.endswith(".") for sentence in SENTENCES.values())


@pytest.mark.parametrize(
    ("features", "text"),
    [
        (Feature.DESCRIPTION, "A sentence."),  # the summary of the card
        (Feature.RELATED, "Telework"),
        (Feature.PHRASE, "Telework Policies"),
        (Feature.ID, "telework"),
    ],
)
def test_the_text_of_a_match_is_what_matched(features: Feature, text: str) -> None:
    (hit,) = ranked(parse("telework"), (card("solution", "Working"), features, {"aliases": ["Telework Policies"]}))
    match = explain_hit(parse("telework"), hit)
    assert match["text"] == (text if features != Feature.RELATED else hit.match.text)


def test_a_whole_name_of_a_narrower_condition_tells_its_broader_ones() -> None:
    shown = card("disability", "Optic Neuritis")
    for broader, names in (
        (["Low Vision"], "a kind of Low Vision."),
        (["Low Vision", "Multiple Sclerosis"], "a kind of Low Vision and Multiple Sclerosis."),
        (["A", "B", "C", "D"], "a kind of A, B and 2 more."),
    ):
        query = parse("optic neuritis")
        (hit,) = ranked(query, (shown, Feature.NAME, {"broader": broader}))
        assert explain_hit(query, hit)["why"] == f"‘optic neuritis’ is the name of this entity. It is {names}"
    query = parse("neuritis of the eye")
    (hit,) = ranked(query, (shown, Feature.DEMOTED_NAMES, {"broader": ["Low Vision"]}))
    assert "kind of" not in explain_hit(query, hit)["why"]


def test_a_sentence_names_at_most_two_needs_in_the_order_of_the_query() -> None:
    query = parse("shaky hands and pain and fatigue")
    (hit,) = ranked(query, (card("solution", "Pens"), Feature.NEED, {"needs": ["Fatigue", "Pain", "Tremors"]}))
    named = ["Tremors", "Mathematics", "Pain", "Fatigue"]
    assert explain_hit(query, hit, named)["why"] == "It is listed for Tremors, Pain and 1 more, which your query names."


def test_a_correction_comes_before_the_reason() -> None:
    query, corrected = parse(" telewrok "), parse("telework")
    (hit,) = ranked(corrected, (TELEWORK, Feature.NAME, {}))
    match = explain_hit(corrected, hit)
    assert correct_reason(match, query, corrected) == {
        "kind": "spelling",
        "text": "Telework",
        "field": "name",
        "why": (
            "No name matched ‘telewrok’ as written; these are results for ‘telework’. "
            "‘telework’ is the name of this entity."
        ),
    }
    assert match["kind"] == "name"  # unchanged: interpretations are computed from it


@pytest.mark.parametrize(
    ("type_name", "effect"),
    [
        ("limitation", "can be affected by"),
        ("disability", "can be a reason for"),
        ("solution", "often helps with"),
        ("product", "often helps with"),
    ],
)
def test_what_a_body_part_means_for_a_hit_depends_on_its_type(type_name: str, effect: str) -> None:
    query = replace(parse("broken ankle"), body_parts={"part:ankle": {f"{type_name}:crutches": 0}})
    (hit,) = ranked(query, (card(type_name, "Crutches"), Feature.BODY_PART, {}))
    assert explain_hit(query, hit)["why"] == f"Crutches {effect} what your query names."


def test_a_sentence_says_which_words_were_left_out() -> None:
    query = parse("headset")
    (hit,) = ranked(query, (card("solution", "Headset"), Feature.NAME, {}))
    match = explain_hit(query, hit)
    why = "Without ‘blue’ and ‘zebra’: ‘headset’ is the name of this entity."
    assert reason_without(match, hit, ["blue", "zebra"]) == {**match, "why": why}
    assert reason_without(match, hit, []) is match
    wording = replace(hit, match=hit.match._replace(kind="wording"))  # it has all words
    assert reason_without(match, wording, ["blue"]) is match


def test_query_text_is_not_cached() -> None:
    parse_name.cache_clear()
    for case in CASES.values():
        hits = rank_hits(case.parsed, case.hits)
        for hit in hits:
            explain_hit(case.parsed, hit, case.named)
        interpretations(SearchRequest(case.parsed), hits)
    cached = parse_name.cache_info().hits
    for text in ("flashing lights headache office", "my hands go numb", "wheelc", "where can I buy a Hearing Loop"):
        parse_name(text)
    assert parse_name.cache_info().hits == cached


# How words were interpreted


def read(query: ParsedQuery, hits: Sequence[RankedHit], **options: Any) -> list[JsonObject]:  # noqa: ANN401 - of a request
    """Return the interpretations of a query; each is valid."""
    found = interpretations(SearchRequest(query, **options), hits)
    for interpretation in found:
        models.Interpretation.model_validate(interpretation)
    return found


@pytest.mark.parametrize(
    ("query", "features", "payload", "text"),
    [
        (" working-from home ", Feature.NAME, {"aliases": ["Working from Home"]}, "Working from Home"),
        ("working from homes", Feature.NAME, {"aliases": ["Working from Home"]}, "Working from Home"),
        ("doctor", Feature.NAME, {"titles": ["Doctor"]}, "Doctor"),
        ("working from home with ms", Feature.MENTION, {"aliases": ["Working from Home"]}, "Working from Home"),
        ("hands go numb", Feature.KEYWORDS, {"aliases": ["numb hands"]}, "numb hands"),
        ("working from", Feature.PHRASE, {"aliases": ["Working from Home"]}, "Working from Home"),  # of the first hit
        ("telework", Feature.NAME, {"aliases": ["Working from Home"]}, None),  # the name
        ("hidden", Feature.NAME, {}, None),  # never shown
    ],
)
def test_an_alias_in_the_query_is_interpreted_as_its_entity(
    query: str, features: Feature, payload: dict[str, Any], text: str | None
) -> None:
    hits = ranked(parse(query), (TELEWORK, features, payload))
    expected = [{"from": text, "to": "Telework", "entity": TELEWORK, "kind": "alias"}] if text else []
    assert read(parse(query), hits) == expected


def test_each_rule_that_fires_is_an_interpretation_with_its_replacements() -> None:
    query = parse("Wheel chair or WFH", CHAIR, WFH)
    assert read(query, []) == [
        {"from": "wheel chair", "to": "wheelchair", "entity": None, "kind": "rule", "rule": CHAIR},
        {"from": "wfh", "to": "work from home, telework", "entity": None, "kind": "rule", "rule": rule(WFH).text},
    ]


def test_a_rule_interpretation_has_the_first_hit_that_the_rule_matched() -> None:
    ramps, query = card("solution", "Wheelchair Ramps"), parse("wheel chair", CHAIR)
    hits = ranked(
        query,
        (TELEWORK, Feature.NAME, {"aliases": ["Wheel Chair"]}),
        (ramps, Feature.ALL_BY_RULE, {}),
    )
    assert read(query, hits)[-1]["entity"] == ramps
    assert read(query, hits[:1])[-1]["entity"] is None  # its name matches the query as typed


def test_aliases_come_before_rules() -> None:
    query = parse("tts", TTS)
    hits = ranked(query, (card("solution", "Reading Aloud"), Feature.NAME, {"aliases": ["TTS"]}))
    assert [(item["kind"], item["to"]) for item in read(query, hits)] == [
        ("alias", "Reading Aloud"),
        ("rule", "text to speech"),
    ]


SCOPED: tuple[JsonObject, Feature, dict[str, Any]] = (TELEWORK, Feature.SCOPED, {})
SCOPE = {"from": "apps", "to": "solution, product", "entity": None, "kind": "scope"}


@pytest.mark.parametrize(
    ("text", "hits", "reported"),
    [
        ("apps for low vision", [SCOPED], True),
        ("apps for low vision", [(card("product", "Low Vision Apps"), Feature.PHRASE, {}), SCOPED], True),
        ("apps for low vision", [(TELEWORK, Feature.MENTION, {"aliases": ["apps"]})], False),  # matches no hit
        ("apps for low vision", [], False),
        # the type phrase is a part of a name
        ("apps for low vision", [(card("solution", "Apps for Low Vision"), Feature.NAME, {}), SCOPED], False),
        ("low vision", [SCOPED], False),
        ("apps", [SCOPED], False),
    ],
)
def test_a_type_hint_is_an_interpretation_if_it_changes_the_results(
    text: str, hits: list[tuple[JsonObject, Feature, dict[str, Any]]], *, reported: bool
) -> None:
    found = [item for item in read(parse(text), ranked(parse(text), *hits)) if item["kind"] == "scope"]
    assert found == ([SCOPE] if reported else [])


def test_a_setting_is_an_interpretation_unless_the_caller_sets_one() -> None:
    query = parse("dyslexia in exams", TV)
    expected = {"from": "in exams", "to": "testing", "entity": None, "kind": "setting"}
    assert read(query, []) == [expected]
    assert read(query, [], setting="work") == []
