"""The hits of a search: good ones, loose ones up to a few, totals, facets and pages."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from api.engine.release import EngineResponse, Hit
from api.search.features import Feature
from api.search.guides.names import GuideName
from api.search.query import ParsedQuery, SearchRequest
from api.search.query_builder import RANKED
from api.search.results import (
    ENOUGH_BESIDE_GUIDE,
    ENOUGH_GOOD,
    MAX_WITH_INDIRECT,
    SearchResults,
    select,
)
from tests.support.search_responses import card, found, search_hit

LAMP = ParsedQuery.parse("lamp")
GOOD, LOOSE = Feature.ALL_WORDS, Feature.DESCRIPTION


def hits(features: int, count: int, start: int = 0, type_name: str = "product") -> list[Hit]:
    """Return so many hits with these features; their order is that of OpenSearch."""
    return [search_hit(card(type_name, f"Lamp {number}"), features) for number in range(start, start + count)]


def search(offset: int = 0, limit: int = 20, **options: Any) -> SearchRequest:  # noqa: ANN401 - of a request
    return SearchRequest(LAMP, limit=limit, offset=offset, **options)


def names(result: SearchResults) -> list[str]:
    return [hit.card["name"] for hit in result.page]


@pytest.mark.parametrize(
    ("good", "loose", "total"),
    [
        (0, 0, 0),
        (0, 3, 3),
        (0, ENOUGH_GOOD + 1, ENOUGH_GOOD),
        (2, 1, 3),
        (2, ENOUGH_GOOD, ENOUGH_GOOD),
        (ENOUGH_GOOD, 9, ENOUGH_GOOD),
        (ENOUGH_GOOD + 2, 9, ENOUGH_GOOD + 2),
    ],
)
def test_loose_hits_follow_good_ones_up_to_a_few(good: int, loose: int, total: int) -> None:
    response = found(*hits(LOOSE, loose, start=good), *hits(GOOD, good))
    result = select(search(), response)
    assert names(result) == [*(f"Lamp {number}" for number in range(total))]
    assert (result.total, result.less_likely) == (total, good + loose - total)
    assert result.by_type == ({"product": total} if total else {})
    assert [hit.is_good for hit in result.page] == [*[True] * good, *[False] * (total - good)]


def test_beside_a_named_condition_others_are_not_found_by_their_descriptions() -> None:
    named = search_hit(card("disability", "Lamp"), Feature.MENTION)
    described = [*hits(LOOSE, 1, 1, "disability"), *hits(LOOSE, 1, 2)]
    assert names(select(search(), found(named, *described))) == ["Lamp", "Lamp 2"]
    assert names(select(search(), found(*described))) == ["Lamp 1", "Lamp 2"]


def test_a_broader_and_a_narrower_condition_than_the_named_one_may_be_found_by_their_descriptions() -> None:
    named = search_hit(card("disability", "Lamp"), Feature.MENTION, broader=["Lamp 1"])
    narrower = search_hit(card("disability", "Lamp 2"), LOOSE, broader=["Lamp"])
    described = [*hits(LOOSE, 1, 1, "disability"), narrower, *hits(LOOSE, 1, 3, "disability")]
    assert names(select(search(), found(named, *described))) == ["Lamp", "Lamp 1", "Lamp 2"]


@pytest.mark.parametrize(
    ("alias", "is_shown"),
    [
        ("little heater for a desk", False),  # a word of "little person", and one other
        ("little desk with low shelves", True),  # and two others
        ("desk for a little person", True),  # the whole name
        ("heater for a desk", False),  # one word, none of it
        ("office with low shelves", False),  # an office is only a place
    ],
)
def test_a_name_with_a_part_of_another_in_the_query_needs_two_more_words(alias: str, *, is_shown: bool) -> None:
    query = ParsedQuery.parse("little person at a low desk, office")
    named = search_hit(card("disability", "Little Person"), Feature.MENTION)
    similar = search_hit(card("solution", "Lamp"), Feature.MOST_WORDS, aliases=[alias])
    result = select(SearchRequest(query), found(named, similar))
    assert ("Lamp" in names(result)) is is_shown
    assert result.less_likely == int(not is_shown)


def test_behind_ten_hits_a_list_has_only_what_the_query_names() -> None:
    query = replace(LAMP, body_parts={"part:lamp": {}})
    named, brought = hits(GOOD, 9), hits(Feature.BODY_PART, 3, 9)
    response = found(*named, *brought)
    result = select(SearchRequest(query), response)
    assert names(result) == [f"Lamp {number}" for number in range(MAX_WITH_INDIRECT)]
    assert (result.total, result.less_likely, result.by_type) == (10, 2, {"product": 10})
    assert select(SearchRequest(query, loose=True), found(*named, *brought, total=12)).total == 12
    many = hits(GOOD, MAX_WITH_INDIRECT + 1)
    assert select(search(), found(*many)).total == len(many)


def test_a_job_with_a_named_thing_in_its_title_is_found_by_chance() -> None:
    query = ParsedQuery.parse("asked for a service dog yesterday")
    named = search_hit(card("solution", "Service Dog"), Feature.MENTION)
    titles = [search_hit(card(kind, f"Service Dog {kind}"), Feature.MOST_WORDS) for kind in ("occupation", "product")]
    assert names(select(SearchRequest(query), found(named, *titles))) == ["Service Dog", "Service Dog product"]


def test_beside_a_named_guide_fewer_loose_hits_follow_and_none_for_its_description() -> None:
    query = ParsedQuery.parse("can I get a lamp")
    named = replace(search(), query=replace(query, guide_names=(GuideName("can I get", 0, 3, frozenset()),)))
    partly, described = hits(Feature.PART_OF_NEED, ENOUGH_GOOD), hits(Feature.DESCRIPTION, 2, ENOUGH_GOOD)
    result = select(named, found(*described, *partly))
    assert names(result) == [f"Lamp {number}" for number in range(ENOUGH_BESIDE_GUIDE)]
    assert result.less_likely == ENOUGH_GOOD + 2 - ENOUGH_BESIDE_GUIDE
    assert names(select(named, found(*described))) == []


def test_loose_hits_are_shown_on_request() -> None:
    response = found(*hits(GOOD, 2), *hits(LOOSE, 9, 2), total=11, types={"product": 11})
    result = select(search(loose=True), response)
    assert (len(result.page), result.total, result.less_likely) == (11, 11, 0)
    assert result.by_type == {"product": 11}


def test_the_types_of_the_shown_hits_are_counted() -> None:
    good = [*hits(GOOD, 3), *hits(GOOD, 4, 3, "solution")]
    response = found(*good, *hits(LOOSE, 2, 7, "vendor"), types={"product": 3, "solution": 4, "vendor": 2})
    assert select(search(), response).by_type == {"product": 3, "solution": 4}


@pytest.mark.parametrize(
    ("request_", "response", "missing"),
    [
        (search(), found(), None),
        (search(), found(*hits(GOOD, 6)), None),  # all good hits are in the response
        (search(), found(*hits(GOOD, RANKED - 1), *hits(LOOSE, 1), total=900), None),
        (search(), found(*hits(GOOD, RANKED), total=900), range(RANKED, RANKED)),  # only their counts
        (search(20, 20), found(*hits(GOOD, RANKED), total=900), range(RANKED, RANKED)),
        (search(30, 20), found(*hits(GOOD, RANKED), total=900), range(RANKED, RANKED + 10)),
        (search(60, 20), found(*hits(GOOD, RANKED), total=900), range(60, 80)),
        (search(limit=100), found(*hits(GOOD, RANKED), total=900), range(RANKED, 100)),
        (search(loose=True), found(*hits(GOOD, RANKED), total=900), None),
        (search(60, 20, loose=True), found(*hits(LOOSE, RANKED), total=900), range(60, 80)),
        (search(60, 20, loose=True), found(*hits(LOOSE, RANKED), total=RANKED), None),
    ],
)
def test_hits_behind_the_ranked_ones_and_their_counts_are_missing(
    request_: SearchRequest, response: EngineResponse, missing: range | None
) -> None:
    assert select(request_, response).missing == missing


@pytest.mark.parametrize(
    ("offset", "limit", "expected"),
    [(0, 3, [0, 1, 2]), (3, 3, [3, 4, 5]), (6, 3, [6]), (7, 3, []), (0, 0, [])],
)
def test_a_page_is_a_part_of_the_shown_hits(offset: int, limit: int, expected: Sequence[int]) -> None:
    result = select(search(offset, limit), found(*hits(GOOD, 7), *hits(LOOSE, 4, 7)))
    assert names(result) == [f"Lamp {number}" for number in expected]
    assert (result.total, len(result.head)) == (7, 11)


def test_the_first_ranked_hits_are_reordered_and_the_others_follow() -> None:
    best = search_hit(card("product", "Lamp"), Feature.NAME)
    result = select(search(0, RANKED + 20), found(*hits(GOOD, RANKED - 1), best, total=500))
    result = result.with_missing(found(*hits(GOOD, 20, RANKED), total=450, types={"product": 450}))
    assert len(result.head) == RANKED
    assert names(result)[:2] == ["Lamp", "Lamp 0"]  # the last one of the head comes first
    assert names(result)[RANKED:] == [f"Lamp {number}" for number in range(RANKED, RANKED + 20)]
    assert (result.total, result.less_likely, result.by_type) == (450, 50, {"product": 450})


def test_a_deep_page_has_only_later_hits() -> None:
    result = select(search(60, 20), found(*hits(GOOD, RANKED), total=900))
    result = result.with_missing(found(*hits(GOOD, 3, 60), total=63, types={"product": 63}))
    assert names(result) == ["Lamp 60", "Lamp 61", "Lamp 62"]
    assert len(result.head) == RANKED
    assert (result.total, result.less_likely, result.by_type) == (63, 837, {"product": 63})


def test_a_page_behind_the_last_hit_is_empty() -> None:
    result = select(search(60, 20), found(*hits(GOOD, 7), *hits(LOOSE, 4, 7)))
    assert (names(result), result.total, result.less_likely, result.missing) == ([], 7, 4, None)


def test_a_deep_page_of_loose_hits_has_all_of_them() -> None:
    head = found(*hits(GOOD, RANKED), total=900, types={"product": 900})
    result = select(search(60, 2, loose=True), head).with_missing(found(*hits(LOOSE, 2, 60), total=900))
    assert (names(result), result.total, result.less_likely) == (["Lamp 60", "Lamp 61"], 900, 0)
    assert result.by_type == {"product": 900}


NOT_DEAF = ParsedQuery.parse("not deaf but hard of hearing")


def page_of(engine: Sequence[Hit], offset: int, limit: int) -> SearchResults:
    """Return a page of what OpenSearch found; all are good hits."""
    request = SearchRequest(NOT_DEAF, limit=limit, offset=offset)
    types = {"product": len(engine) - 1, "disability": 1}
    result = select(request, found(*engine[:RANKED], total=len(engine)))
    assert result.missing is not None
    return result.with_missing(
        found(*engine[slice(result.missing.start, result.missing.stop)], total=len(engine), types=types)
    )


@pytest.mark.parametrize("limit", [1, 3, 7, 13, 19, 20, 38, 39, 40, 41, 100])
def test_pages_continue_a_list_without_a_hit_that_is_not_meant(limit: int) -> None:
    engine = [search_hit(card("disability", "Deaf"), Feature.MENTION), *hits(GOOD, 89)]
    pages = [page_of(engine, offset, limit) for offset in range(0, len(engine), limit)]
    listed = [name for page in pages for name in names(page)]
    assert sorted(listed) == sorted(f"Lamp {number}" for number in range(89))
    assert {(page.total, page.less_likely) for page in pages} == {(89, 1)}
    assert all(page.by_type == {"product": 89} for page in pages)


def test_a_part_of_a_longer_name_does_not_hide_the_hits_behind_the_ranked_ones() -> None:
    query = ParsedQuery.parse("color blind painter")
    named = [search_hit(card("disability", name), Feature.MENTION) for name in ("Color Blind", "Blind")]
    result = select(SearchRequest(query), found(*named, *hits(Feature.RELATED, RANKED - 2), total=900))
    assert result.missing is not None
    result = result.with_missing(found(total=600, types={"disability": 2, "product": 598}))
    assert result.total >= 599
    assert result.total == sum(result.by_type.values())


@pytest.mark.parametrize(
    ("features", "best", "is_strong"),
    [
        (Feature.ID, "id", True),
        (Feature.NAME, "alias", True),
        (Feature.PHRASE, "phrase", True),
        (Feature.ALL_WORDS | Feature.DESCRIPTION, "all_words", True),
        (Feature.MENTION, "mention", False),
        (Feature.DESCRIPTION, "description", False),
        (0, "prefix", False),
    ],
)
def test_the_best_hit_tells_whether_the_query_needs_a_correction(features: int, best: str, *, is_strong: bool) -> None:
    result = select(search(), found(search_hit(card("product", "Bright Lamp"), features)))
    assert (result.best, result.is_strong) == (best, is_strong)


def test_without_hits_there_is_no_best_match() -> None:
    result = select(search(), found())
    assert (result.best, result.is_strong, result.total, result.page) == ("", False, 0, [])
