"""Words that shape a query: fillers, type phrases at either end, and phrases of a setting."""

import pytest

from api.search.words.lexicon import (
    TYPE_PHRASES,
    TypeHint,
    ability_verbs,
    detect_type_hint,
    find_setting,
    find_settings,
    keywords,
    reads_joined,
)
from schema.text import tokens
from schema.vocabulary import Vocabulary

BY_NEED = ("solution", "disability", "limitation")
THING = ("solution", "product")
VENDOR = ("vendor",)


def hint(phrase: str, types: tuple[str, ...], remainder: str, connectors: str = "", *, label: str = "") -> TypeHint:
    words = [tuple(text.split()) for text in (phrase, remainder, connectors)]
    return TypeHint(words[0], types, label or phrase, words[1], words[2])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vendors of braille displays", hint("vendors", VENDOR, "braille displays", "of")),
        ("braille display vendors", hint("vendors", VENDOR, "braille display")),
        ("Who sells Zoom?", hint("who sells", VENDOR, "zoom", label="vendors")),
        ("adjustments for autism", hint("adjustments", BY_NEED, "autism", "for")),
        ("headset app", hint("app", THING, "headset", label="apps")),
        # the longest phrase that matches
        ("functional limitations of ADHD", hint("functional limitations", ("limitation",), "adhd", "of")),
        ("reasonable accommodations for M.S.", hint("reasonable accommodations", BY_NEED, "m s", "for")),
        ("job accommodations", hint("accommodations", BY_NEED, "job")),
        # all connectors after the phrase, but no other filler
        ("products that, with dragon", hint("products", ("product",), "dragon", "that with")),
        ("jobs for people with autism", hint("jobs", ("occupation",), "people with autism", "for")),
        ("products products", hint("products", ("product",), "products")),
        # phrases that mean vendors
        ("companies that sell screen readers", hint("companies that sell", VENDOR, "screen readers", label="vendors")),
        ("Where can I buy a hearing loop?", hint("where can i buy", VENDOR, "hearing loop", "a", label="vendors")),
        (
            "hearing loop manufacturer",
            hint("manufacturer", VENDOR, "hearing loop", label="manufacturers"),
        ),
        # the longer of two phrases
        ("job coach service", hint("service", BY_NEED, "job coach", label="services")),
        ("equipment for the blind", hint("equipment", THING, "blind", "for the")),
        # connecting verbs
        ("Occupations that require standing", hint("occupations", ("occupation",), "standing", "that require")),
        ("jobs needing typing", hint("jobs", ("occupation",), "typing", "needing")),
        ("conditions which cause fatigue", hint("conditions", ("disability",), "fatigue", "which cause")),
        ("technology for dyslexia", hint("technology", BY_NEED, "dyslexia", "for", label="technologies")),
        ("disorders with fatigue", hint("disorders", ("disability",), "fatigue", "with")),
        ("anxiety disorders", None),  # a name
        ("disorders fatigue", None),  # not connected
        ("products", None),  # nothing else is left
        ("products for", None),
        ("who makes", None),
        ("large products here", None),  # in the middle
        ("productsheet stand", None),  # a part of a word
        ("braille displays", None),
        ("", None),
    ],
)
def test_a_type_phrase_at_either_end_is_detected(text: str, expected: TypeHint | None) -> None:
    assert detect_type_hint(tokens(text)) == expected


def test_a_hint_has_the_keywords_of_the_remainder() -> None:
    assert hint("jobs", ("occupation",), "people with autism", "that require").keywords == ("autism",)


def test_the_types_of_type_phrases_exist(vocabulary: Vocabulary) -> None:
    assert {name for types, _ in TYPE_PHRASES.values() for name in types} <= set(vocabulary.types)


def test_every_type_phrase_is_detected_at_both_ends() -> None:
    hints = {phrase: hint(phrase, types, "lupus", label=label) for phrase, (types, label) in TYPE_PHRASES.items()}
    assert {phrase: detect_type_hint((*phrase.split(), "lupus")) for phrase in TYPE_PHRASES} == hints
    assert {phrase: detect_type_hint(("lupus", *phrase.split())) for phrase in TYPE_PHRASES} == hints


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("conditions that cause fatigue", True),
        ("conditions with low vision", True),
        ("condition fatigue", False),  # not connected
        ("limitations of arthritis", True),
        ("fatigue vendors", True),
        ("vendors fatigue", True),
        ("jobs that involve fatigue", True),
        ("jobs requiring lifting", True),
        ("jobs with fatigue", False),  # a property of people, not a requirement of the job
        ("jobs that cause fatigue", False),
        ("solutions for fatigue", False),  # several types
    ],
)
def test_names_of_neighbors_match_if_the_query_connects_type_and_remainder(query: str, *, expected: bool) -> None:
    found = detect_type_hint(tokens(query))
    assert found
    assert reads_joined(found) is expected


@pytest.mark.parametrize(
    ("text", "setting", "phrase"),
    [
        ("adhd at school", "school", "at school"),
        ("during an exam adhd", "testing", "during an exam"),
        ("adhd in an exam room", "testing", "in an exam"),  # the longest phrase
        ("my exam room lamp", "testing", "exam room"),
        ("in school at work", "school", "in school"),  # the first of equally long ones
        ("adhd schools", None, ""),
        ("at school", None, ""),  # nothing would be left
        ("exam", None, ""),
        ("", None, ""),
    ],
)
def test_a_setting_is_found_by_its_longest_phrase(text: str, setting: str | None, phrase: str) -> None:
    words = tokens(text)
    found, places = find_setting(words)
    assert (found, " ".join(words[place] for place in places)) == (setting, phrase)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dyslexia in exams at college", [("school", "at college"), ("testing", "in exams")]),
        ("in exam room at work", [("testing", "in exam"), ("work", "at work")]),  # words count once
        ("lamp for work", [("work", "for work")]),
        ("child on field trip", [("school", "field trip")]),
        ("test questions for the blind", [("testing", "test questions")]),
        ("lamp", []),
    ],
)
def test_all_settings_of_a_query_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    words = tokens(text)
    found = [(setting, " ".join(words[place] for place in places)) for setting, places in find_settings(words)]
    assert sorted(found) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("headset for my employee", "headset"),
        ("need help", "need help"),  # fillers, but not stop words
        ("what is it", ""),
        ("a b", ""),  # single letters
        ("b", "b"),
        ("", ""),
    ],
)
def test_keywords_are_tokens_without_fillers(text: str, expected: str) -> None:
    assert " ".join(keywords(tokens(text))) == expected


@pytest.mark.parametrize(
    ("text", "verbs"),
    [
        ("can't bend or kneel", ["bend", "kneel"]),
        ("hard to stand for long", ["stand"]),
        ("no lifting", ["lifting"]),
        ("third floor with no lift", []),  # an elevator
        ("can't handle heat", []),
    ],
)
def test_verbs_of_what_somebody_cannot_do_are_found(text: str, verbs: list[str]) -> None:
    words = tokens(text)
    assert [words[place] for place in ability_verbs(words)] == verbs
