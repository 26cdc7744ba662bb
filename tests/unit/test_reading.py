"""How a query was read and why a hit is there: each kind with its exact sentence."""

from __future__ import annotations

from typing import Any

import pytest

from api.reading import alias_readings, fired, match, rule_readings


def card(name: str, summary: str = "A sentence.") -> dict[str, Any]:
    return {"id": "solution:x", "type": "solution", "slug": "x", "name": name, "summary": summary, "url": "/solution/x"}


def rule(text: str) -> dict[str, Any]:
    """A rule as a release's `_meta` holds it."""
    left, arrow, right = text.partition(" => ")
    given = left.split(", ")
    return {"text": text, "given": given, "read_as": right.split(", ") if arrow else given, "file": "rules.txt"}


WFH = rule("wfh => work from home, telework")
TTS = rule("tts, text to speech")
CHAIR = rule("wheelchair, wheel chair")

# query, tiers that matched, name, other names, rules that fired → kind, text, field, why
MATCHES: dict[str, tuple[str, list[str], str, list[str], list[dict[str, Any]], tuple[str, str, str, str]]] = {
    "id": (
        " 15-1252.00 ", ["id"], "Software Developers", [], [],
        ("id", "15-1252.00", "id", "‘15-1252.00’ is the id of Software Developers."),
    ),
    "id before anything else": (
        "telework", ["description", "words", "name", "id"], "Telework", [], [],
        ("id", "telework", "id", "‘telework’ is the id of Telework."),
    ),
    "name": (
        "crohns disease", ["words", "phrase", "name"], "Crohn's Disease", ["Regional Enteritis"], [],
        ("name", "Crohn's Disease", "name", "‘crohns disease’ is the name of this entity."),
    ),
    "alias": (
        "adhd", ["phrase", "alias", "words"], "Attention Deficit/Hyperactivity Disorder", ["ADD", "ADHD"], [],
        ("alias", "ADHD", "aliases", "‘ADHD’ is another name of Attention Deficit/Hyperactivity Disorder."),
    ),
    "alias letter for letter": (
        "adhd", ["alias"], "Attention Deficit/Hyperactivity Disorder", ["AD/HD", "ADHD"], [],
        ("alias", "ADHD", "aliases", "‘ADHD’ is another name of Attention Deficit/Hyperactivity Disorder."),
    ),
    "alias but for punctuation": (
        "ad hd", ["alias"], "Attention Deficit/Hyperactivity Disorder", ["ADD", "AD/HD"], [],
        ("alias", "AD/HD", "aliases", "‘AD/HD’ is another name of Attention Deficit/Hyperactivity Disorder."),
    ),
    "alias but for an ending": (
        "noise cancelling headphone", ["alias"], "Noise Canceling Headsets", ["Noise-Cancelling Headphones"], [],
        ("alias", "Noise-Cancelling Headphones", "aliases",
         "‘Noise-Cancelling Headphones’ is another name of Noise Canceling Headsets."),
    ),
    "synonym of the name": (
        "wfh", ["synonym"], "Telework", ["Working from Home"], [WFH],
        ("synonym", "Telework", "name", "By the rule ‘wfh => work from home, telework’, ‘wfh’ is read as ‘Telework’."),
    ),
    "synonym of another name": (
        "tts", ["synonym"], "Reading Aloud", ["Text to Speech"], [TTS],
        ("synonym", "Text to Speech", "aliases",
         "By the rule ‘tts, text to speech’, ‘tts’ is read as ‘Text to Speech’."),
    ),
    "synonym within a name": (
        "wheel chair", ["phrase"], "Wheelchair Ramps", [], [CHAIR],
        ("synonym", "Wheelchair Ramps", "name",
         "By the rule ‘wheelchair, wheel chair’, ‘wheel chair’ is read as ‘Wheelchair Ramps’."),
    ),
    "synonym beside a word of the name": (
        "folding wheel chair", ["words", "phrase"], "Folding Wheelchair Ramps", [], [CHAIR],
        ("synonym", "Folding Wheelchair Ramps", "name",
         "By the rule ‘wheelchair, wheel chair’, ‘folding wheel chair’ is read as ‘Folding Wheelchair Ramps’."),
    ),
    "phrase in the name": (
        "low vision", ["words", "phrase"], "Low Vision Aids", ["Aids for Low Vision"], [],
        ("name", "Low Vision Aids", "name", "Its name has the words you typed, in this order."),
    ),
    "phrase in another name": (
        "working from", ["phrase"], "Telework", ["Home Office", "Working from Home"], [],
        ("alias", "Working from Home", "aliases",
         "‘Working from Home’, another name of Telework, has the words you typed, in this order."),
    ),
    "all words": (
        "vision low", ["words"], "Low Vision Aids", [], [],
        ("name", "Low Vision Aids", "name", "Its name has all the words you typed."),
    ),
    "all words though a rule fired as well": (
        "wheelchair ramp", ["words"], "Wheelchair Ramps", [], [CHAIR],
        ("name", "Wheelchair Ramps", "name", "Its name has all the words you typed."),
    ),
    "most words": (
        "flashing lights headache office", ["most"], "Flashing Lights in the Office", [], [],
        ("name", "Flashing Lights in the Office", "name", "Its name has most of the words you typed."),
    ),
    "most words of another name": (
        "trouble remembering names", ["most", "description"], "Memory Loss", ["trouble remembering"], [],
        ("alias", "trouble remembering", "aliases",
         "‘trouble remembering’, another name of Memory Loss, has most of the words you typed."),
    ),
    "the shown name wins a tie": (
        "headsets", ["words"], "Noise Canceling Headsets", ["Headset"], [],
        ("name", "Noise Canceling Headsets", "name", "Its name has all the words you typed."),
    ),
    "prefix": (
        "magnif", ["prefix"], "LargeView Magnifier", [], [],
        ("prefix", "LargeView Magnifier", "name", "Words in ‘LargeView Magnifier’ begin with ‘magnif’."),
    ),
    "description": (
        "gut", ["description"], "Crohn's Disease", ["Regional Enteritis"], [],
        ("description", "An inflammation of the gut.", "summary", "The summary of Crohn's Disease speaks of this."),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("query", "tiers", "name", "aliases", "rules", "expected"), MATCHES.values(), ids=MATCHES)
def test_a_hit_says_why_it_is_there(
    query: str, tiers: list[str], name: str, aliases: list[str], rules: list[dict[str, Any]], expected: tuple[str, ...]
) -> None:
    found = match(query, tiers, card(name, "An inflammation of the gut."), aliases, rules)
    assert tuple(found[key] for key in ("kind", "text", "field", "why")) == expected


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("wfh", [WFH["text"]]),
        ("WFH, please", [WFH["text"]]),
        ("telework", []),  # one-way: the other side does not fire
        ("Text-to-Speech software", [TTS["text"]]),
        ("tts in a wheel chair", [TTS["text"], CHAIR["text"]]),
        ("texts to speech", []),
        ("speech to text", []),
        ("wheelchairs", []),  # rules come before stemming
        ("", []),
    ],
)
def test_a_rule_fires_when_its_words_stand_in_the_query(query: str, texts: list[str]) -> None:
    assert [one["text"] for one in fired(query, [WFH, TTS, CHAIR])] == texts


def test_each_rule_that_took_part_is_shown_with_what_it_adds() -> None:
    assert rule_readings("Wheel chair or WFH", [WFH, CHAIR]) == [
        {"from": "wfh", "to": "work from home, telework", "entity": None, "kind": "rule", "rule": WFH["text"]},
        {"from": "wheel chair", "to": "wheelchair", "entity": None, "kind": "rule", "rule": CHAIR["text"]},
    ]


def test_a_whole_query_that_is_another_name_is_read_as_the_entity() -> None:
    telework = card("Telework")
    why = {"kind": "alias", "text": "Working from Home", "field": "aliases", "why": "…"}
    part = {**why, "text": "Working from Home Policy"}
    hits = [
        {**telework, "score": 1.0, "match": why},
        {**telework, "score": 0.9, "match": part},
        {**telework, "score": 0.8, "match": {**why, "kind": "name"}},
    ]
    assert alias_readings(" working-from home ", hits) == [
        {"from": "working-from home", "to": "Telework", "entity": telework, "kind": "alias"}
    ]
