"""Similarity of conditions: the formula by hand, properties that hold for any conditions, and the query for them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain
from math import log, sqrt
from typing import Any

import pytest

from api.engine.release import Hit
from api.graph.listings import Need, SimilarLimitation
from api.recommend.related import (
    DAMPING,
    MAIN_NEED_FACTOR,
    ConditionLimitations,
    SimilarCondition,
    candidates_body,
    limitations_of,
    related_conditions,
)
from tests.support.listings import need
from tests.support.query_clauses import boosted, term

# x and y are narrower than w and limit the same ability; z limits another one
BRANCH = {("x", "y"): (1.0, "w")}
FOUR = {("x", "y"): (0.9, "w"), ("x", "u"): (0.8, "w"), ("v", "y"): (0.8, "w"), ("u", "v"): (0.7, "w")}
Pairs = Mapping[tuple[str, str], tuple[float, str]]  # similarity and common ancestor of two limitations


def ids(letters: Iterable[str]) -> list[str]:
    return [f"limitation:{letter}" for letter in letters]


def limitations(key: str, letters: str, main: str = "", ancestors: Iterable[str] = ()) -> ConditionLimitations:
    """Return a condition with the letters of its limitations and of its main needs."""
    return ConditionLimitations(f"disability:{key}", ids(letters), ids(main), list(ancestors))


def needs_of(of: Iterable[ConditionLimitations], pairs: Pairs | None = None) -> dict[str, Need]:
    """Return the limitations of conditions with their rarity, and those that are similar."""
    conditions = [condition.limitations for condition in of]
    counts = Counter(chain.from_iterable(conditions))
    similar: dict[str, list[SimilarLimitation]] = {}
    for (left, right), (similarity, ancestor) in (pairs or {}).items():
        for first, second in ((left, right), (right, left)):
            pair = SimilarLimitation(f"limitation:{second}", similarity, f"limitation:{ancestor}")
            similar.setdefault(f"limitation:{first}", []).append(pair)
    return {
        key: need(
            key,
            rarity=log(1 + len(conditions) / count),
            similar_limitations=[pair._asdict() for pair in similar.get(key, ())],
        )
        for key, count in counts.items()
    }


def related(
    conditions: Iterable[ConditionLimitations], pairs: Pairs | None = None
) -> dict[str, list[SimilarCondition]]:
    """Return what is related to each of these conditions, by key."""
    every = list(conditions)
    needs = needs_of(every, pairs)
    return {
        of.id.partition(":")[2]: related_conditions(of, [other for other in every if other is not of], needs)
        for of in every
    }


def key_of(item: SimilarCondition) -> str:
    return item.id.removeprefix("disability:")


def keys(found: Iterable[SimilarCondition]) -> list[str]:
    return [*map(key_of, found)]


def conditions(has: Mapping[str, str], main: Mapping[str, str] | None = None) -> list[ConditionLimitations]:
    return [limitations(key, letters, (main or {}).get(key, "")) for key, letters in has.items()]


def test_similarity_is_the_rarity_weighted_overlap() -> None:
    found = related(conditions({"a": "xy", "b": "x", "c": "yz"}))
    common, rare = log(1 + 3 / 2) ** 2, log(1 + 3 / 1) ** 2  # x and y: two of three conditions; z: one
    to_b, to_c = found["a"]
    assert keys(found["a"]) == ["b", "c"]
    assert to_b.score == pytest.approx(common / (sqrt(2 * common * common) + DAMPING))
    assert to_c.score == pytest.approx(common / (sqrt(2 * common * (common + rare)) + DAMPING))
    assert to_c.score == pytest.approx(0.1629, abs=1e-4)


def test_shared_limitations_are_sorted_by_their_share_of_the_score() -> None:
    first, *_ = related(conditions({"a": "xyz", "b": "xyz", "c": "x"}))["a"]
    # three conditions have x, two have y and z: y precedes z by id
    assert [limitation for limitation, _ in first.shared] == ids("yzx")
    assert sum(part for _, part in first.shared) == pytest.approx(first.score)
    assert first.shared[0][1] == first.shared[1][1] > first.shared[2][1]


def test_more_shared_limitations_give_a_higher_similarity() -> None:
    few = related(conditions({"a": "x", "b": "x"}))["a"][0].score
    many = related(conditions({"a": "xyzuvw", "b": "xyzuvw"}))["a"][0].score
    weight = log(1 + 2 / 2) ** 2
    assert few == pytest.approx(weight / (weight + DAMPING))
    assert many == pytest.approx(6 * weight / (6 * weight + DAMPING))


def test_conditions_without_shared_limitations_are_not_related() -> None:
    assert related(conditions({"a": "x", "b": "y"})) == {"a": [], "b": []}


def test_a_shared_rare_limitation_counts_more_than_a_shared_common_one() -> None:
    first, second = related(conditions({"a": "xy", "rare": "xz", "common": "yz", "d": "y", "e": "y"}))["a"][:2]
    assert (keys([first]), first.shared[0][0]) == (["rare"], "limitation:x")
    assert first.score > second.score


def test_a_main_need_of_both_gives_a_higher_similarity() -> None:
    found = related(conditions({"a": "xy", "b": "xz", "c": "yz"}, main={"a": "x", "b": "x", "c": "z"}))
    weight = log(1 + 3 / 2) ** 2
    to_b, to_c = found["a"]
    assert keys(found["a"]) == ["b", "c"]
    length = (MAIN_NEED_FACTOR**2 + 1) * weight
    assert to_b.score == pytest.approx(MAIN_NEED_FACTOR**2 * weight / (length + DAMPING))
    assert to_c.score == pytest.approx(weight / (length + DAMPING))


def parts(found: Iterable[SimilarCondition]) -> dict[str, Any]:
    """Return the shared limitations of a condition by the key of each related condition."""
    return {key_of(item): dict(item.shared) for item in found}


def test_similar_limitations_count_under_their_common_ancestor() -> None:
    found = related(conditions({"deaf": "x", "hard": "y", "mute": "z"}), BRANCH)
    weight = log(1 + 3 / 1) ** 2
    for condition, other in (("deaf", "hard"), ("hard", "deaf")):
        assert parts(found[condition]) == {other: {"limitation:w": pytest.approx(weight / (weight + DAMPING))}}
    assert parts(found["mute"]) == {}


def test_less_similar_limitations_count_less() -> None:
    found = related(conditions({"deaf": "x", "hard": "y"}), {("x", "y"): (0.8, "w")})
    weight = log(1 + 2 / 1) ** 2
    assert parts(found["deaf"]) == {"hard": {"limitation:w": pytest.approx(0.8 * weight / (weight + DAMPING))}}


def test_each_limitation_is_paired_once() -> None:
    found = related(conditions({"a": "x", "b": "xy", "c": "y"}), BRANCH)
    weight = log(1 + 3 / 2) ** 2
    assert parts(found["a"]) == {
        "b": {"limitation:x": pytest.approx(weight / (sqrt(2) * weight + DAMPING))},
        "c": {"limitation:w": pytest.approx(weight / (weight + DAMPING))},
    }


def test_the_heaviest_pair_of_similar_limitations_counts() -> None:
    # x is similar to u and v; u is rarer, so that v stays without a partner
    found = related(conditions({"a": "x", "b": "uv", "c": "v"}), {("x", "u"): (0.9, "w"), ("x", "v"): (0.9, "q")})
    assert list(parts(found["a"])["b"]) == ["limitation:w"]
    assert list(parts(found["a"])["c"]) == ["limitation:q"]


@pytest.mark.parametrize(
    ("has", "pairs", "count"),
    [
        ({"a": "xyz", "b": "xw", "c": "wvz", "d": "v"}, {}, 8),
        ({"a": "xyz", "b": "xw", "c": "wvz", "d": "vy", "e": "yz"}, BRANCH, 20),
        (
            {"a": "xv", "b": "yu", "c": "vu"},
            FOUR,
            6,
        ),
    ],
)
def test_similarity_and_shared_limitations_are_symmetric(has: dict[str, str], pairs: Pairs, count: int) -> None:
    found = {
        (condition, key_of(item)): item
        for condition, items in related(conditions(has), pairs).items()
        for item in items
    }
    assert len(found) == count
    for (first, second), item in found.items():
        assert dict(item.shared) == pytest.approx(dict(found[second, first].shared))
        assert item.score == pytest.approx(found[second, first].score)


def test_the_relation_is_that_of_an_ancestor_or_descendant() -> None:
    wide, widest = limitations("wide", "x"), limitations("widest", "x")
    found = related([wide, limitations("narrow", "x", ancestors=[wide.id, widest.id]), widest])
    assert {key_of(item): item.relation for item in found["narrow"]} == {"wide": "broader", "widest": "broader"}
    assert {key_of(item): item.relation for item in found["wide"]} == {"narrow": "narrower", "widest": None}


def test_equally_similar_conditions_are_sorted_by_id() -> None:
    assert keys(related(conditions({"a": "x", "d": "x", "c": "x", "b": "x"}))["a"]) == ["b", "c", "d"]


def test_candidates_are_conditions_with_lists_of_their_own_and_an_equal_or_similar_limitation() -> None:
    needs = needs_of([limitations("a", "xz"), limitations("b", "y")], {("x", "y"): (0.5, "w")})
    rarity = log(1 + 2 / 1)
    main = MAIN_NEED_FACTOR * rarity * rarity
    assert candidates_body(limitations("a", "xz", main="x"), needs) == {
        "size": 300,
        "_source": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["entity", "position", "has_limitation", "main_needs", "ancestors"],
        "query": {
            "bool": {
                "filter": [term("doc", "entity"), term("type", "disability")],
                "must_not": [{"exists": {"field": "inherits_from"}}, {"ids": {"values": ["disability:a"]}}],
                "must": {
                    "bool": {
                        "should": [
                            boosted(main, term("has_limitation", "limitation:x")),
                            boosted(0.5 * main, term("has_limitation", "limitation:y")),
                            boosted(rarity * rarity, term("has_limitation", "limitation:z")),
                        ]
                    }
                },
            }
        },
        "sort": ["_score", {"position": "asc"}],
    }


def test_the_limitations_of_a_candidate_are_read_from_its_fields() -> None:
    fields = {"entity": ["disability:a"], "has_limitation": ids("xy"), "position": ["0"]}
    assert limitations_of(Hit(fields=fields)) == ConditionLimitations("disability:a", ids("xy"), (), (), 0)
    known = {"main_needs": ids("x"), "ancestors": ["disability:b"]}
    assert limitations_of(Hit(fields={**fields, **known})) == limitations("a", "xy", "x", ["disability:b"])
