"""Hits and guides that share words with a query: what is searched for, when, and how they join few other hits."""

from collections.abc import Sequence

import pytest

from api.engine.release import EngineResponse, Hit
from api.search.fallback.wording import (
    GUIDE_ID,
    MAX_GUIDES,
    MAX_SHARED,
    MIN_OF_BEST,
    is_poor,
    with_wording_hits,
    wording_body,
)
from api.search.features import Feature
from api.search.query import ParsedQuery, SearchRequest
from api.search.results import ENOUGH_GOOD, SearchResults, select
from tests.support.search_responses import RELEASE, card, found, search_hit

QUERY = "he bolts out of the classroom"


def result(*hits: Hit, text: str = QUERY, loose: bool = False, scope: tuple[str, ...] = ()) -> SearchResults:
    return select(SearchRequest(ParsedQuery.parse(text), loose=loose, scope=scope), found(*hits))


def good(*names: str) -> list[Hit]:
    return [search_hit(card("solution", name), Feature.BODY_PART) for name in names]


def loose(*names: str) -> list[Hit]:
    return [search_hit(card("solution", name), Feature.DESCRIPTION) for name in names]


def shared(name: str, score: float, type_name: str = "limitation", clauses: Sequence[str] = ("bolts",)) -> Hit:
    return search_hit(card(type_name, name))._replace(score=score, clauses=clauses)


def guide(id_: str) -> Hit:
    return Hit(score=9.0, fields={GUIDE_ID: [id_]})


def names(after: SearchResults) -> list[str]:
    return [hit.card["name"] for hit in after.page]


def join(before: SearchResults, *hits: Hit) -> SearchResults:
    return with_wording_hits(before.request.query, EngineResponse(RELEASE, hits), before)


def test_it_looks_for_the_words_that_say_something_each_once() -> None:
    body = wording_body(SearchRequest(ParsedQuery.parse("lifting boxes, can't lift the box")), result())
    assert body is not None
    assert [clause["match"]["wording"]["_name"] for clause in body["query"]["bool"]["should"]] == ["lifting", "boxes"]


@pytest.mark.parametrize("text", ["classroom", "the classroom for people", "lifting lifted lifts"])
def test_one_word_is_not_enough(text: str) -> None:
    assert wording_body(SearchRequest(ParsedQuery.parse(text)), result(text=text)) is None


def test_the_number_of_words_is_bounded() -> None:
    text = " ".join(f"word{chr(97 + first)}{chr(97 + second)}" for first in range(6) for second in range(6))
    body = wording_body(SearchRequest(ParsedQuery.parse(text)), result(text=text))
    assert body is not None
    assert len(body["query"]["bool"]["should"]) == MAX_SHARED


def test_words_of_what_is_not_meant_are_left_out() -> None:
    text = "not deaf but misses words in meetings"
    deaf = search_hit(card("disability", "Deaf"), Feature.MENTION)
    before = result(deaf, text=text)
    assert [hit.match.kind for hit in before.head] == ["not_meant"]
    body = wording_body(before.request, before)
    assert body is not None
    words = [clause["match"]["wording"]["query"] for clause in body["query"]["bool"]["should"]]
    assert words == ["misses", "words", "meetings"]
    assert names(join(before, shared("Deaf", 9.0, "disability"), shared("Hearing", 8.0))) == ["Hearing"]


def test_words_of_a_job_that_is_meant_are_looked_for() -> None:
    text = "truck driver bolts out"
    jobs = [
        search_hit(card("occupation", name), Feature.MENTION, aliases=["Truck Driver"])
        for name in ("Heavy Truck Drivers", "Industrial Operators")
    ]
    before = result(*jobs, text=text)
    assert [hit.match.kind for hit in before.head] == ["mention", "not_meant"]
    body = wording_body(before.request, before)
    assert body is not None
    words = [clause["match"]["wording"]["query"] for clause in body["query"]["bool"]["should"]]
    assert words == ["truck", "driver", "bolts"]


@pytest.mark.parametrize(
    ("clauses", "is_shown"),
    [
        (["eye", "board"], False),  # a part of a name, and one word
        (["lazy", "eye"], False),  # a whole name alone
        (["lazy", "eye", "board"], True),
        (["board", "reading"], True),
    ],
)
def test_words_of_a_name_in_the_query_are_one_word(clauses: Sequence[str], *, is_shown: bool) -> None:
    named = search_hit(card("disability", "Lazy Eye"), Feature.MENTION)
    before = result(named, text="lazy eye and reading the board")
    after = join(before, shared("Shared", 9.0, "solution", clauses))
    assert names(after) == ["Lazy Eye", *(["Shared"] if is_shown else [])]


def test_beside_a_named_condition_another_one_is_not_meant() -> None:
    before = result(search_hit(card("disability", "Bolts"), Feature.MENTION))
    after = join(before, shared("Other", 9.0, "disability"), shared("Need", 9.0))
    assert names(after) == ["Bolts", "Need"]


def test_a_setting_and_the_scope_hold_for_shared_words_too() -> None:
    request = SearchRequest(ParsedQuery.parse(QUERY), setting="school", scope=("solution",))
    body = wording_body(request, result())
    assert body is not None
    of_setting, of_scope = body["query"]["bool"]["filter"]
    assert "settings" in str(of_setting)
    assert of_scope == {"bool": {"should": [{"terms": {"type": ["solution"]}}, {"exists": {"field": "guide.id"}}]}}


def test_what_is_only_for_school_is_not_added_for_a_job() -> None:
    for_school = search_hit({**card("solution", "Aide"), "settings": ["school"]}, Feature.NEED)
    before = result(for_school, text="warehouse worker bolts out")
    assert [hit.match.kind for hit in before.head] == ["elsewhere"]
    assert names(join(before, shared("Aide", 9.0, "solution"), shared("Elopement", 8.0))) == ["Elopement"]


def test_hits_say_which_words_they_share() -> None:
    after = join(result(), shared("Elopement", 7.0, clauses=["classroom", "bolts"]))
    assert [hit.match.text for hit in after.page] == ["bolts, classroom"]
    assert [dict(hit.parts) for hit in after.page] == [{"wording": 1400.0}]
    assert after.by_type == {"limitation": 1}


def test_they_fill_a_list_with_loose_hits_by_score_behind_good_ones() -> None:
    before = result(*good("Good"), *loose("Loose"))
    (score,) = (hit.score for hit in before.head if not hit.is_good)
    more, less = score / 200 + 1, score / 200 - 1
    after = join(before, shared("More", more), shared("Less", less), shared("Good", more, "solution"))
    assert names(after) == ["Good", "More", "Loose", "Less"]
    assert after.total == len(names(after))


def test_a_list_stays_short_and_counts_what_was_moved_out() -> None:
    before = result(*loose("A", "B", "C", "D", "E"))
    after = join(before, *(shared(f"Shared {number}", 20.0) for number in range(ENOUGH_GOOD)))
    assert len(after.page) == after.total == ENOUGH_GOOD
    assert after.less_likely == before.less_likely + ENOUGH_GOOD
    every = join(result(*loose("A", "B", "C", "D", "E"), loose=True), shared("Shared", 20.0))
    assert every.total == ENOUGH_GOOD + 1


def test_unlikely_ones_beside_the_best_are_left_out() -> None:
    after = join(result(), shared("Best", 10.0), shared("Far", 10.0 * MIN_OF_BEST - 0.1))
    assert names(after) == ["Best"]


def test_enough_good_hits_need_no_others() -> None:
    before = result(*good(*"ABCDE"))
    assert len(before.page) == ENOUGH_GOOD
    assert not is_poor(before)
    assert names(join(before, shared("Shared", 20.0))) == [*"ABCDE"]


def test_guides_among_the_first_are_named() -> None:
    after = join(result(), *map(guide, ("leave", "asking", "proof")), shared("Shared", 9.0))
    assert list(after.guides) == ["leave", "asking", "proof"][:MAX_GUIDES]
    last = join(result(), *(shared(str(number), 9.0) for number in range(ENOUGH_GOOD)), guide("leave"))
    assert not last.guides
