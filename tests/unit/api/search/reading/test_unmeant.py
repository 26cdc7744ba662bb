"""Entities that a query names and does not mean: those it negates, and pieces of a guide's name."""

from dataclasses import replace

import pytest

from api.search.guides.names import GuideName
from api.search.reading.unmeant import NamedEntity, unmeant_ids
from tests.support.search_matches import parse

NAMED = [
    NamedEntity("deafness", "disability", frozenset(("deaf",))),
    NamedEntity("deaf", "limitation", frozenset(("deaf",))),
    NamedEntity("walking", "limitation", frozenset(("walking",))),
    NamedEntity("light", "workrelatedfunction", frozenset(("light",))),
    NamedEntity("wheelchair", "solution", frozenset(("wheelchair",))),
    NamedEntity("asthma", "disability", frozenset(("asthma",))),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("not deaf but hard of hearing", {"deafness", "deaf"}),
        ("not deaf, she is deaf", set()),  # once it applies
        ("not deaf or asthma", {"deafness", "deaf", "asthma"}),
        ("not deaf but asthma", {"deafness", "deaf"}),
        ("deaf", set()),
        ("can walk fine", {"walking"}),
        ("no walking", set()),  # a negated ability is the need
        ("no wheelchair, uses a cane", {"wheelchair"}),
        ("no wheelchair", set()),
        ("light duty", {"light"}),
        ("light duty in bright light", set()),
    ],
)
def test_names_that_do_not_apply_anywhere_are_unmeant(text: str, expected: set[str]) -> None:
    names = (GuideName("light duty", 0, 2, frozenset()),) if text.startswith("light duty") else ()
    query = replace(parse(text), guide_names=names)
    assert set(unmeant_ids(query, NAMED)) == expected
