"""How a query was interpreted: the aliases, rules and type words in it."""

from __future__ import annotations

from typing import Any

from api.search.query import ParsedQuery
from api.search.query_interpretation import alias_interpretations, rule_interpretations, type_interpretations
from schema.synonyms import SynonymMatcher, SynonymRule

parse = ParsedQuery.parse
WFH = SynonymRule("rules.txt", 1, ("wfh",), ("work from home", "telework"))
CHAIR = SynonymRule("rules.txt", 2, ("wheelchair", "wheel chair"), ("wheelchair", "wheel chair"))


def card(name: str) -> dict[str, Any]:
    return {"id": "solution:x", "type": "solution", "slug": "x", "name": name, "summary": "A sentence."}


def test_each_rule_that_took_part_is_shown_with_what_it_adds() -> None:
    assert rule_interpretations(parse("Wheel chair or WFH").with_rules(SynonymMatcher([WFH, CHAIR]))) == [
        {"from": "wheel chair", "to": "wheelchair", "entity": None, "kind": "rule", "rule": CHAIR.text},
        {"from": "wfh", "to": "work from home, telework", "entity": None, "kind": "rule", "rule": WFH.text},
    ]


def test_a_rule_is_reported_with_the_first_hit_that_it_led_to() -> None:
    telework, ramps = card("Telework"), card("Wheelchair Ramps")
    typed, ruled = {"text": "Wheel Chair", "kind": "name"}, {"text": "Wheelchair Ramps", "kind": "synonym"}
    hits = [{**telework, "match": typed}, {**ramps, "match": ruled}]
    query = parse("wheel chair").with_rules(SynonymMatcher([CHAIR]))
    (read,) = rule_interpretations(query, hits)
    assert read["entity"] == ramps
    (read,) = rule_interpretations(query, hits[:1])
    assert read["entity"] is None  # it has what was typed


def test_another_name_in_the_query_is_read_as_its_entity() -> None:
    telework = card("Telework")
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
    assert type_interpretations(parse("apps for low vision")) == [
        {"from": "apps", "to": "solution, product", "entity": None, "kind": "scope"}
    ]
    assert type_interpretations(parse("low vision")) == type_interpretations(parse("apps")) == []
