"""Which rules match a query, and where."""

import pytest

from schema.synonyms import RuleMatch, SynonymMatcher, SynonymRule, filter_rules
from schema.text import tokens

WFH = SynonymRule("rules.txt", 1, ("wfh",), ("work from home", "telework"))
TTS = SynonymRule("rules.txt", 2, ("tts", "text to speech"), ("tts", "text to speech"))
CHAIR = SynonymRule("rules.txt", 3, ("wheelchair", "wheel chair"), ("wheelchair", "wheel chair"))


@pytest.mark.parametrize(
    ("query", "rules"),
    [
        ("wfh", [WFH]),
        ("WFH, please", [WFH]),
        ("work from home", []),  # one-way rules do not apply backwards
        ("Text-to-Speech software", [TTS]),
        ("tts in a wheel chair", [TTS, CHAIR]),
        ("texts to speech", []),
        ("speech to text", []),
        ("wheelchairs", []),  # rules come before stemming
        ("", []),
    ],
)
def test_a_rule_matches_when_the_query_contains_one_of_its_terms(query: str, rules: list[SynonymRule]) -> None:
    assert [match.rule for match in SynonymMatcher([WFH, TTS, CHAIR]).matches(tokens(query))] == rules


def test_the_longest_term_matches_at_each_token() -> None:
    seat = SynonymRule("rules.txt", 4, ("chair", "seat"), ("chair", "seat"))
    wheel = SynonymRule("rules.txt", 5, ("wheel",), ("tire",))
    assert SynonymMatcher([wheel, seat, CHAIR]).matches(("a", "wheel", "chair", "seat")) == [
        RuleMatch(CHAIR, "wheel chair", 1, 3),
        RuleMatch(seat, "seat", 3, 4),
    ]
    assert SynonymMatcher(()).matches(("wheel", "chair")) == []


def test_british_spellings_of_rules_and_queries_are_american() -> None:
    blind = SynonymRule("rules.txt", 6, ("colourblind", "colour blind"), ("colourblind", "colour blind"))
    tumour = SynonymRule("rules.txt", 7, ("tumour",), ("tumour", "growth"))
    assert filter_rules([blind, tumour, WFH]) == [
        "colorblind, color blind",
        "tumor => tumor, growth",
        "wfh => work from home, telework",
    ]
    assert SynonymMatcher([blind]).matches(tokens("color blind"))
    assert SynonymMatcher([tumour]).matches(tokens("Tumour"))
