"""Completions of a query: the search for them, their order, and which name continues the query."""

from typing import Any

import pytest

from api import models
from api.engine.release import Hit
from api.search.query import ParsedQuery
from api.search.suggest import (
    BEGINS_ALIAS,
    BEGINS_NAME,
    IN_ORDER,
    WHOLE_NAME,
    WHOLE_WORD,
    completions,
    ids_by_type,
    suggest_body,
)
from schema.json_types import JsonObject
from tests.support.query_clauses import HIT, boosted, term
from tests.support.search_responses import TELEWORK, card, found, search_hit

parse = ParsedQuery.parse


def finished(text: str) -> JsonObject:
    """Return the clause for the words before the last one of a completion; each may have a typo."""
    words = {"query": text, "operator": "and"}
    exactly, fuzzily = {"spelling.words": words}, {"spelling": {**words, "fuzziness": "AUTO:5,9"}}
    return {"bool": {"should": [{"match": exactly}, {"match": fuzzily}]}}


def begun(letters: str) -> JsonObject:
    return {"multi_match": {"query": letters, "fields": ["spelling.words", "british"]}}


def test_a_completion_takes_the_last_word_as_a_prefix_and_allows_typos_before_it() -> None:
    name = term("spelling.names", "screenread")
    by_words = {"bool": {"filter": [begun("read"), finished("screen")]}}
    better = [
        boosted(800.0, term("keys", "name:screenread")),
        boosted(550.0, term("display_name", "screenread")),
        boosted(350.0, name),
        {"rank_feature": {"field": "standing", "linear": {}}},
    ]
    assert suggest_body(parse("Screen Read"), ("product",)) == {
        "size": 60,
        **HIT,
        "track_total_hits": True,
        "query": {
            "bool": {
                "filter": [{"bool": {"should": [by_words, name]}}, {"terms": {"type": ["product"]}}],
                "should": better,
            }
        },
    }


@pytest.mark.parametrize(
    ("text", "words", "name"),
    [
        ("tele", [begun("tele")], "tele"),
        # its first 20 letters, the longest indexed prefix
        ("Electroencephalographically", [begun("electroencephalograp")], "electroencephalograp"),
        ("depresion ", [finished("depresion")], "depresion"),  # a space after the last word finishes it
        ("screen readr ", [finished("screen readr")], "screenreadr"),
        ("colours ", [finished("colors")], "colors"),
        ("haem", [begun("heme haem")], "heme"),  # "haem" is a word, too
        ("?!", [begun("?!")], ""),
    ],
)
def test_words_are_finished_by_a_space(text: str, words: list[JsonObject], name: str) -> None:
    (either,) = suggest_body(parse(text), ())["query"]["bool"]["filter"]
    assert either == {"bool": {"should": [{"bool": {"filter": words}}, term("spelling.names", name)]}}


def hit(name: str, *aliases: str, type_name: str = "product", standing: float = 0.0, **payload: Any) -> Hit:  # noqa: ANN401 - JSON
    return search_hit(card(type_name, name), 0, aliases=list(aliases), standing=standing, **payload)


def completed(text: str, *hits: Hit, limit: int = 10) -> list[JsonObject]:
    results = [completion.result for completion in completions(parse(text), found(*hits), limit)]
    for result in results:
        models.Hit.model_validate(result)
    return results


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        # a name that begins so, an alias that does, words of a name in this order, words of a name
        (
            "screen read",
            [
                hit("Screen Reader"),
                hit("JAWS", "Screen Reading"),
                hit("Big Screen Readers"),
                hit("Reader for a Screen", standing=90),
            ],
        ),
        # what was typed is a name but for the plural, however well others are known
        ("wheelchair", [hit("Wheelchairs"), hit("Wheelchair Lifts", standing=90), hit("Ramps for Wheelchairs")]),
        # a name that begins so, before a whole word of an alias
        ("teach", [hit("Teaching Assistants"), hit("Instruction", "teach me alone", standing=190)]),
        # the last word is complete
        ("arm", [hit("Arm Supports"), hit("Army Boots", standing=100)]),
        ("desk lamp", [hit("Desk Lampshades"), hit("Bright Desk Lamp"), hit("Lamp for a Desk")]),
        # what is known better
        (
            "tele",
            [hit("Telework", standing=190, type_name="solution"), hit("Telephone", standing=90), hit("Telescope")],
        ),
    ],
)
def test_completions_are_in_the_order_of_their_scores(text: str, hits: list[Hit]) -> None:
    expected = [one.payload["card"]["name"] for one in hits]
    assert [result["name"] for result in completed(text, *reversed(hits))] == expected


@pytest.mark.parametrize(
    ("text", "name", "aliases", "score"),
    [
        ("tele", "Telework", [], BEGINS_NAME + IN_ORDER),
        ("telework", "Telework", [], WHOLE_NAME + BEGINS_NAME + WHOLE_WORD + IN_ORDER),
        ("wheelchair", "Wheelchairs", [], WHOLE_NAME + BEGINS_NAME + WHOLE_WORD + IN_ORDER),
        ("wheelchair", "Ramps for Wheelchairs", [], WHOLE_WORD + IN_ORDER),
        ("haem", "Hemophilia", [], BEGINS_NAME + IN_ORDER),
        ("colou", "Tests of Color", [], IN_ORDER),
        ("tele", "Working from Home", ["Telework"], BEGINS_ALIAS + IN_ORDER),
        ("home", "Working from Home", [], WHOLE_WORD + IN_ORDER),
        ("home working", "Working from Home", [], WHOLE_WORD),
        ("sitstand", "Sit/Stand Desk", [], BEGINS_NAME),  # written as one word
        ("nothing", "Telework", [], 0.0),  # by a typo
    ],
)
def test_the_score_tells_how_well_a_name_completes_the_query(
    text: str, name: str, aliases: list[str], score: float
) -> None:
    (result,) = completed(text, hit(name, *aliases, standing=12.345))
    assert result["score"] == pytest.approx(score + 12.35, abs=0.01)


@pytest.mark.parametrize(
    ("typed", "aliases", "text", "why"),
    [
        ("tele", ["Working from Home"], "Telework", "Telework begins with what you typed."),
        (
            "working fr",
            ["Home Office", "Working from Home"],
            "Working from Home",
            "‘Working from Home’, another name of Telework, begins with what you typed.",
        ),
        (
            "home",
            ["Working from Home", "Home Office"],
            "Home Office",
            "‘Home Office’, another name of Telework, begins with what you typed.",
        ),
        ("tele", ["Teleworking"], "Telework", "Telework begins with what you typed."),
        (
            "from",
            ["Working from Home"],
            "Working from Home",
            "‘Working from Home’, another name of Telework, has words that begin with what you typed.",
        ),
    ],
)
def test_a_completion_explains_which_name_continues_the_query(
    typed: str, aliases: list[str], text: str, why: str
) -> None:
    (result,) = completed(typed, search_hit(TELEWORK, 0, aliases=aliases))
    field = "name" if text == "Telework" else "aliases"
    assert result == {
        **TELEWORK,
        "score": result["score"],
        "match": {"kind": "prefix", "text": text, "field": field, "why": why},
    }


def test_a_job_title_completes_a_query() -> None:
    (result,) = completed("doc", hit("Physicians", type_name="occupation", titles=["Doctor"]))
    assert (result["match"]["text"], result["match"]["field"]) == ("Doctor", "aliases")


def test_completions_are_limited_and_grouped_by_type() -> None:
    hits = [
        hit("Telechair", standing=9),
        hit("Telework", type_name="solution", standing=8),
        hit("Teletable", standing=7),
        hit("Teledesk", standing=6),
    ]
    shown = completions(parse("tele"), found(*hits), 3)
    assert [completion.result["name"] for completion in shown] == ["Telechair", "Telework", "Teletable"]
    assert ids_by_type(shown) == [
        {"type": "product", "ids": ["product:telechair", "product:teletable"]},
        {"type": "solution", "ids": ["solution:telework"]},
    ]
    assert completions(parse("tele"), found(), 3) == []
    assert ids_by_type([]) == []


def test_a_completion_has_the_sources_of_its_entity() -> None:
    (completion,) = completions(parse("tele"), found(hit("Telework", sources=["atlas", "fair"])), 3)
    assert completion.sources == ["atlas", "fair"]
