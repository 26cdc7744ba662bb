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
    needs_good_counts,
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
    result = select(search(), response, None)
    assert names(result) == [*(f"Lamp {number}" for number in range(total))]
    assert (result.total, result.less_likely) == (total, good + loose - total)
    assert result.by_type == ({"product": total} if total else {})
    assert [hit.is_good for hit in result.page] == [*[True] * good, *[False] * (total - good)]


def test_beside_a_named_condition_others_are_not_found_by_their_descriptions() -> None:
    named = search_hit(card("disability", "Lamp"), Feature.MENTION)
    described = [*hits(LOOSE, 1, 1, "disability"), *hits(LOOSE, 1, 2)]
    assert names(select(search(), found(named, *described), None)) == ["Lamp", "Lamp 2"]
    assert names(select(search(), found(*described), None)) == ["Lamp 1", "Lamp 2"]


def test_a_broader_and_a_narrower_condition_than_the_named_one_may_be_found_by_their_descriptions() -> None:
    named = search_hit(card("disability", "Lamp"), Feature.MENTION, broader=["Lamp 1"])
    narrower = search_hit(card("disability", "Lamp 2"), LOOSE, broader=["Lamp"])
    described = [*hits(LOOSE, 1, 1, "disability"), narrower, *hits(LOOSE, 1, 3, "disability")]
    assert names(select(search(), found(named, *described), None)) == ["Lamp", "Lamp 1", "Lamp 2"]


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
    result = select(SearchRequest(query), found(named, similar), None)
    assert ("Lamp" in names(result)) is is_shown
    assert result.less_likely == int(not is_shown)


def test_behind_ten_hits_a_list_has_only_what_the_query_names() -> None:
    query = replace(LAMP, body_parts={"part:lamp": {}})
    named, brought = hits(GOOD, 9), hits(Feature.BODY_PART, 3, 9)
    response = found(*named, *brought)
    result = select(SearchRequest(query), response, None)
    assert names(result) == [f"Lamp {number}" for number in range(MAX_WITH_INDIRECT)]
    assert (result.total, result.less_likely, result.by_type) == (10, 2, {"product": 10})
    assert select(SearchRequest(query, loose=True), found(*named, *brought, total=12), None).total == 12
    many = hits(GOOD, MAX_WITH_INDIRECT + 1)
    assert select(search(), found(*many), None).total == len(many)


def test_a_job_with_a_named_thing_in_its_title_is_found_by_chance() -> None:
    query = ParsedQuery.parse("asked for a service dog yesterday")
    named = search_hit(card("solution", "Service Dog"), Feature.MENTION)
    titles = [search_hit(card(kind, f"Service Dog {kind}"), Feature.MOST_WORDS) for kind in ("occupation", "product")]
    assert names(select(SearchRequest(query), found(named, *titles), None)) == ["Service Dog", "Service Dog product"]


def test_beside_a_named_guide_fewer_loose_hits_follow_and_none_for_its_description() -> None:
    query = ParsedQuery.parse("can I get a lamp")
    named = replace(search(), query=replace(query, guide_names=(GuideName("can I get", 0, 3, frozenset()),)))
    partly, described = hits(Feature.PART_OF_NEED, ENOUGH_GOOD), hits(Feature.DESCRIPTION, 2, ENOUGH_GOOD)
    result = select(named, found(*described, *partly), None)
    assert names(result) == [f"Lamp {number}" for number in range(ENOUGH_BESIDE_GUIDE)]
    assert result.less_likely == ENOUGH_GOOD + 2 - ENOUGH_BESIDE_GUIDE
    assert names(select(named, found(*described), None)) == []


def test_loose_hits_are_shown_on_request() -> None:
    response = found(*hits(GOOD, 2), *hits(LOOSE, 9, 2), total=11, types={"product": 11})
    result = select(search(loose=True), response, None)
    assert (len(result.page), result.total, result.less_likely) == (11, 11, 0)
    assert result.by_type == {"product": 11}


def test_the_types_of_the_shown_hits_are_counted() -> None:
    good = [*hits(GOOD, 3), *hits(GOOD, 4, 3, "solution")]
    response = found(*good, *hits(LOOSE, 2, 7, "vendor"), types={"product": 3, "solution": 4, "vendor": 2})
    assert select(search(), response, None).by_type == {"product": 3, "solution": 4}


def test_with_a_scope_the_counts_are_those_of_all_types() -> None:
    """The hits are of the scope, so OpenSearch counts the good ones of other types."""
    response = found(*hits(GOOD, 6), *hits(LOOSE, 3, 6), types={"product": 9, "solution": 90})
    request = search(scope=("product",))
    assert needs_good_counts(request, response)
    result = select(request, response, found(total=6, types={"product": 6, "solution": 50}))
    assert (result.total, result.less_likely, result.by_type) == (6, 3, {"product": 6, "solution": 50})


@pytest.mark.parametrize(
    ("request_", "response", "needed"),
    [
        (search(), found(), False),
        (search(), found(*hits(GOOD, 6)), False),  # all good hits are in the response
        (search(), found(*hits(GOOD, RANKED - 1), *hits(LOOSE, 5), total=900), False),
        (search(), found(*hits(GOOD, RANKED), total=900), True),
        (search(limit=100), found(*hits(GOOD, 60), total=900), True),
        (search(loose=True), found(*hits(GOOD, RANKED), total=900), False),
        (search(scope=("product",)), found(*hits(GOOD, 6)), True),
        (search(scope=("product",)), found(), False),
        (search(scope=("product",), facets=False), found(*hits(GOOD, 6)), False),
        (search(scope=("product",), loose=True), found(*hits(GOOD, 6)), False),
    ],
)
def test_good_hits_are_counted_if_the_response_may_not_have_all(
    request_: SearchRequest, response: EngineResponse, *, needed: bool
) -> None:
    assert needs_good_counts(request_, response) is needed


@pytest.mark.parametrize(
    ("offset", "limit", "expected"),
    [(0, 3, [0, 1, 2]), (3, 3, [3, 4, 5]), (6, 3, [6]), (7, 3, []), (0, 0, [])],
)
def test_a_page_is_a_part_of_the_shown_hits(offset: int, limit: int, expected: Sequence[int]) -> None:
    result = select(search(offset, limit), found(*hits(GOOD, 7), *hits(LOOSE, 4, 7)), None)
    assert names(result) == [f"Lamp {number}" for number in expected]
    assert (result.total, len(result.head)) == (7, 11)


def test_the_head_has_the_first_ranked_hits_whatever_the_page() -> None:
    best = search_hit(card("product", "Lamp"), Feature.NAME)
    response = found(*hits(GOOD, RANKED - 1), best, *hits(GOOD, 20, RANKED), total=500)
    result = select(search(0, RANKED + 20), response, found(total=450, types={"product": 450}))
    assert len(result.head) == RANKED
    assert names(result)[:2] == ["Lamp", "Lamp 0"]  # the last one of the head comes first
    assert names(result)[RANKED:] == [f"Lamp {number}" for number in range(RANKED, RANKED + 20)]
    assert (result.total, result.less_likely, result.by_type) == (450, 50, {"product": 450})


def test_behind_the_ranked_hits_loose_ones_are_left_out() -> None:
    response = found(*hits(GOOD, RANKED), *hits(GOOD, 2, RANKED), *hits(LOOSE, 8, RANKED + 2), total=900)
    result = select(search(0, 50), response, found(total=RANKED + 2, types={"product": RANKED + 2}))
    assert len(result.page) == result.total == RANKED + 2
    assert result.less_likely == 900 - RANKED - 2


def test_a_deep_page_has_the_hits_of_its_own_request() -> None:
    head = found(*hits(GOOD, RANKED), total=900)
    later = found(*hits(GOOD, 3, 60), total=63, types={"product": 63})
    result = select(search(60, 20), head, later, later)
    assert names(result) == ["Lamp 60", "Lamp 61", "Lamp 62"]
    assert len(result.head) == RANKED
    assert (result.total, result.less_likely, result.by_type) == (63, 837, {"product": 63})


def test_a_page_behind_the_last_hit_is_empty() -> None:
    head, later = found(*hits(GOOD, 7), *hits(LOOSE, 4, 7)), found(total=7, types={"product": 7})
    result = select(search(60, 20), head, later, later)
    assert (names(result), result.total, result.less_likely) == ([], 7, 4)


def test_a_deep_page_of_loose_hits_has_all_of_them() -> None:
    head, later = found(*hits(GOOD, RANKED), total=900, types={"product": 900}), found(*hits(LOOSE, 2, 60), total=900)
    result = select(search(60, 2, loose=True), head, None, later)
    assert (names(result), result.total, result.less_likely) == (["Lamp 60", "Lamp 61"], 900, 0)
    assert result.by_type == {"product": 900}


def test_a_part_of_a_longer_name_does_not_hide_the_hits_behind_the_ranked_ones() -> None:
    query = ParsedQuery.parse("color blind painter")
    named = [search_hit(card("disability", name), Feature.MENTION) for name in ("Color Blind", "Blind")]
    response = found(*named, *hits(Feature.RELATED, RANKED - 2), total=900)
    request = SearchRequest(query)
    assert needs_good_counts(request, response)
    result = select(request, response, found(total=600, types={"disability": 2, "product": 598}))
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
    result = select(search(), found(search_hit(card("product", "Bright Lamp"), features)), None)
    assert (result.best, result.is_strong) == (best, is_strong)


def test_without_hits_there_is_no_best_match() -> None:
    result = select(search(), found(), None)
    assert (result.best, result.is_strong, result.total, result.page) == ("", False, 0, [])
