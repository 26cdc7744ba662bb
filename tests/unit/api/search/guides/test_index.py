"""Guides are matched by what people type, a crisis first, and stand beside results."""

from typing import Any

import pytest

from api.search.guides.index import Guide, GuideIndex, guide_names
from api.search.hit_order import rank_hits
from api.search.query import ParsedQuery
from api.search.reading.reader import read
from tests.support.search_matches import parse
from tests.support.search_responses import card, search_hit


def guide(id_: str, *names: str, kind: str = "process") -> Guide:
    text = "First sentence. Second sentence. Third sentence."
    body: dict[str, Any] = {"id": id_, "title": id_.title(), "kind": kind, "country": "US", "text": text}
    return Guide({**body, "checked": "2026-11-25", "names": list(names), "links": [], "entities": ["solution:lamp"]})


BOOK = GuideIndex(
    {
        one.id: one
        for one in (
            guide("crisis", "want to die", "suicidal", "kill myself", kind="crisis"),
            guide("plan", "504 plan", "section 504"),
            guide("how-to-ask", "how do i ask for an accommodation", "boss denied my request", "special education"),
            guide("note", "doctor's note", "medical documentation"),
            guide("leave", "mental health day", "medical leave"),
        )
    }
)


def matched(text: str, *unknown: str) -> list[str]:
    return [match.guide.id for match in BOOK.match(ParsedQuery.parse(text), unknown=frozenset(unknown))]


@pytest.mark.parametrize("text", ["my manager denied my request", "HR denied the request", "employer denied a request"])
def test_all_words_for_an_employer_are_one(text: str) -> None:
    assert matched(text) == ["how-to-ask"]


def test_where_somebody_asks_is_no_filler() -> None:
    index = GuideIndex(
        {one.id: one for one in (guide("school", "student with service dog"), guide("work", "work stool"))}
    )
    found = {text: index.match(ParsedQuery.parse(text), unknown=frozenset()) for text in ("service dog", "stool")}
    assert found == {"service dog": [], "stool": []}
    (match,) = index.match(ParsedQuery.parse("service dog of my student"), unknown=frozenset())
    assert match.guide.id == "school"


def test_words_that_stand_apart_may_have_typos() -> None:
    assert matched("boss denyed the requst", "denyed", "requst") == ["how-to-ask"]
    assert matched("boss denyed the requst") == []  # correct words are not typos


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("504 plan", ["plan"]),
        ("504 plan for diabetes", ["plan"]),
        ("doctors note for a standing desk", ["note"]),
        ("so how do i ask for an accommodation here", ["how-to-ask"]),
        ("boss denied the request", ["how-to-ask"]),  # the words of a name, with others between
        ("boss of a friend who was denied by somebody else at my request", []),  # too far apart
        ("medical leave and a 504 plan", ["leave", "plan"]),
        ("mental health", []),  # the name says more
        ("lamp", []),
        ("", []),
    ],
)
def test_a_query_names_guides(text: str, expected: list[str]) -> None:
    assert sorted(matched(text)) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("i want to die", ()),
        ("504 plan, I feel suicidal", ()),
        ("suicidle", ("suicidle",)),
        ("kil myself", ("kil",)),
        ("wnat to die", ("wnat",)),
        (f"{'word ' * 60}i want to die", ()),  # behind the words that are searched
    ],
)
def test_a_crisis_comes_first_even_if_it_is_misspelled(text: str, unknown: tuple[str, ...]) -> None:
    assert matched(text, *unknown)[0] == "crisis"


@pytest.mark.parametrize("text", ["kill switch by myself", "dead spots and life jackets", "killer app"])
def test_other_words_are_no_crisis(text: str) -> None:
    assert "crisis" not in matched(text)


@pytest.mark.parametrize(("text", "name"), [("i want to die", "want to die"), ("back pain, i want to die", "")])
def test_words_of_a_crisis_have_other_meanings_only_beside_others(text: str, name: str) -> None:
    (match,) = BOOK.match(ParsedQuery.parse(text), unknown=set())
    assert match.name == name
    assert [one.is_crisis for one in guide_names([match])] == [True] * bool(name)


def test_known_words_are_not_misspelled() -> None:
    assert matched("special educations nots", "nots") == ["how-to-ask"]
    assert matched("doctor's vote") == []


def test_a_guide_beside_results_has_its_first_sentence_or_all_in_a_crisis() -> None:
    plan, crisis = BOOK.guides["plan"].brief(), BOOK.guides["crisis"].brief()
    assert (plan["summary"], plan["url"]) == ("First sentence.", "/guides/plan")
    assert crisis["summary"] == "First sentence. Second sentence. Third sentence."
    assert plan["about"] == "Information about the United States, not legal advice."
    assert BOOK.guides["plan"].full()["entities"] == ["solution:lamp"]


def test_the_words_of_a_guide_are_a_part_of_the_question() -> None:
    query = parse("504 plan for dyslexia")
    hits = rank_hits(query, [search_hit(card("disability", "Dyslexia"))])
    found = read(query, hits, BOOK.match(query, unknown=frozenset()))
    assert [(part.role, part.text, part.guide) for part in found.parts] == [
        ("guide", "504 plan", "plan"),
        ("setting", "504 plan", None),
        ("condition", "dyslexia", None),
    ]
    assert [one.id for one in found.guides] == ["plan"]


def test_a_guide_within_a_longer_name_does_not_count() -> None:
    query = parse("special education teachers")
    hits = rank_hits(query, [search_hit(card("occupation", "Special Education Teachers"))])
    assert read(query, hits, BOOK.match(query, unknown=frozenset())).guides == []


@pytest.mark.parametrize(
    ("text", "entity", "parts"),
    [
        ("medical leave", card("limitation", "Leave"), [("guide", "medical leave")]),  # a piece of the name
        ("medical leave with a lamp", card("solution", "Lamp"), [("guide", "medical leave"), ("solution", "lamp")]),
        ("medical leave", card("disability", "medical"), [("condition", "medical"), ("guide", "leave")]),
    ],
)
def test_a_name_inside_the_name_of_a_guide_is_a_piece_of_it(
    text: str, entity: dict[str, Any], parts: list[tuple[str, str]]
) -> None:
    query = parse(text)
    hits = rank_hits(query, [search_hit(entity)])
    found = read(query, hits, BOOK.match(query, unknown=frozenset()))
    assert [(part.role, part.text) for part in found.parts] == parts
