"""A type word at either end of a query."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from api.search.type_hints import TYPE_PHRASES, TypeHint, detect_type_hint
from schema.text import tokens

if TYPE_CHECKING:
    from schema.vocabulary import Vocabulary

BY_NEED = ("solution", "disability", "limitation")
THING = ("solution", "product")


def hint(
    phrase: str, types: tuple[str, ...], label: str, remainder: str, connectors: str = "", *, is_last: bool = False
) -> TypeHint:
    return TypeHint(
        tuple(phrase.split()), types, label, tuple(remainder.split()), tuple(connectors.split()), is_last=is_last
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vendors of braille displays", hint("vendors", ("vendor",), "vendors", "braille displays", "of")),
        ("braille display vendors", hint("vendors", ("vendor",), "vendors", "braille display", is_last=True)),
        ("Who sells Zoom?", hint("who sells", ("vendor",), "vendors", "zoom")),
        ("adjustments for autism", hint("adjustments", BY_NEED, "adjustments", "autism", "for")),
        ("headset app", hint("app", THING, "apps", "headset", is_last=True)),
        # the longest phrase that fits
        (
            "functional limitations of ADHD",
            hint("functional limitations", ("limitation",), "functional limitations", "adhd", "of"),
        ),
        (
            "reasonable accommodations for M.S.",
            hint("reasonable accommodations", BY_NEED, "reasonable accommodations", "m s", "for"),
        ),
        ("job accommodations", hint("accommodations", BY_NEED, "accommodations", "job", is_last=True)),
        # all connectors after it, and no other filler
        ("products that, with dragon", hint("products", ("product",), "products", "dragon", "that with")),
        ("jobs for people with autism", hint("jobs", ("occupation",), "jobs", "people with autism", "for")),
        ("products products", hint("products", ("product",), "products", "products")),
        # phrases that ask for vendors
        ("companies that sell screen readers", hint("companies that sell", ("vendor",), "vendors", "screen readers")),
        ("Where can I buy a hearing loop?", hint("where can i buy", ("vendor",), "vendors", "hearing loop", "a")),
        (
            "hearing loop manufacturer",
            hint("manufacturer", ("vendor",), "manufacturers", "hearing loop", is_last=True),
        ),
        ("job coach service", hint("service", BY_NEED, "services", "job coach", is_last=True)),  # the longer of two
        ("equipment for the blind", hint("equipment", THING, "equipment", "blind", "for the")),
        # connecting verbs, some of which ask something of people
        (
            "Occupations that require standing",
            hint("occupations", ("occupation",), "occupations", "standing", "that require"),
        ),
        ("jobs needing typing", hint("jobs", ("occupation",), "jobs", "typing", "needing")),
        ("conditions which cause fatigue", hint("conditions", ("disability",), "conditions", "fatigue", "which cause")),
        ("technology for dyslexia", hint("technology", BY_NEED, "technologies", "dyslexia", "for")),
        ("disorders with fatigue", hint("disorders", ("disability",), "disorders", "fatigue", "with")),
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
    assert hint("jobs", ("occupation",), "jobs", "people with autism", "that require").keywords == ("autism",)


def test_type_phrases_ask_for_types_that_exist(vocabulary: Vocabulary) -> None:
    assert {name for types, _ in TYPE_PHRASES.values() for name in types} <= set(vocabulary.types)


def test_every_type_phrase_is_detected_at_both_ends() -> None:
    first = {phrase: hint(phrase, types, label, "lupus") for phrase, (types, label) in TYPE_PHRASES.items()}
    last = {phrase: replace(found, is_last=True) for phrase, found in first.items()}
    assert {phrase: detect_type_hint((*phrase.split(), "lupus")) for phrase in TYPE_PHRASES} == first
    assert {phrase: detect_type_hint(("lupus", *phrase.split())) for phrase in TYPE_PHRASES} == last
