"""A query and a name compared: in order, by all words, and up to endings."""

from operator import eq

import pytest

from api.search.name_match import has_phrase, name_matches, parse_name, same_but_for_endings, same_stem, similar_stem
from api.search.query import ParsedQuery


def test_a_name_has_the_same_parts_as_a_query() -> None:
    name, query = parse_name("Crohn's Diseases"), ParsedQuery.parse("crohns disease")
    assert name.stems == query.stems == ("crohn", "disease")
    assert (name.text, name.tokens, name.key) == ("Crohn's Diseases", ("crohns", "diseases"), "crohnsdiseases")


@pytest.mark.parametrize(
    ("tier", "required", "name", "matches"),
    [
        ("name", "low vision", "low vision", True),
        ("name", "low vision", "very low vision", False),
        ("phrase", "low vision", "very low vision", True),
        ("phrase", "low vision", "vision low", False),
        ("words", "low vision", "vision that is low", True),
        ("words", "low vision", "low hearing", False),
        ("words", "", "low hearing", False),
    ],
)
def test_a_tier_requires_the_whole_name_the_phrase_or_all_words(
    tier: str, required: str, name: str, *, matches: bool
) -> None:
    for same in (eq, same_stem):
        assert name_matches(tier, tuple(required.split()), tuple(name.split()), same) is matches


@pytest.mark.parametrize(
    ("one", "other", "same", "similar"),
    [
        ("forgets", "forgetting", True, True),
        ("adjustible", "adjustable", False, True),
        ("desk", "disk", False, False),
        ("working", "walking", False, False),
    ],
)
def test_words_have_the_same_stem_if_they_differ_by_an_ending(
    one: str, other: str, *, same: bool, similar: bool
) -> None:
    assert (same_stem(one, other), similar_stem(one, other)) == (same, similar)


@pytest.mark.parametrize(("query", "same"), [("memory losses", True), ("memory", False), ("memory lapses", False)])
def test_a_query_is_a_name_but_for_endings(query: str, *, same: bool) -> None:
    assert same_but_for_endings("Memory Loss", ParsedQuery.parse(query)) is same


def test_a_phrase_is_a_run_of_whole_words() -> None:
    words = ("screen", "reader", "app")
    assert has_phrase(words, ("reader", "app"))
    assert not has_phrase(words, ("screen", "app"))
    assert not has_phrase(words, ("screen", "read"))
