"""Similarity of conditions: the formula by hand, properties that hold for any conditions, and the query for them.

Then what is related, and in which order: pairs, siblings, and the similar ones that share enough.
"""

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
    NAMED_BOOST,
    ConditionLimitations,
    RelatedFacts,
    SimilarCondition,
    candidates_body,
    limitations_of,
    related_conditions,
    similar_conditions,
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


def similar(
    conditions: Iterable[ConditionLimitations], pairs: Pairs | None = None
) -> dict[str, list[SimilarCondition]]:
    """Return what is similar to each of these conditions, by key."""
    every = list(conditions)
    needs = needs_of(every, pairs)
    return {
        of.id.partition(":")[2]: similar_conditions(of, [other for other in every if other is not of], needs)
        for of in every
    }


def key_of(item: SimilarCondition) -> str:
    return item.id.removeprefix("disability:")


def keys(found: Iterable[SimilarCondition]) -> list[str]:
    return [*map(key_of, found)]


def conditions(has: Mapping[str, str], main: Mapping[str, str] | None = None) -> list[ConditionLimitations]:
    return [limitations(key, letters, (main or {}).get(key, "")) for key, letters in has.items()]


def test_similarity_is_the_rarity_weighted_overlap() -> None:
    found = similar(conditions({"a": "xy", "b": "x", "c": "yz"}))
    common, rare = log(1 + 3 / 2) ** 2, log(1 + 3 / 1) ** 2  # x and y: two of three conditions; z: one
    to_b, to_c = found["a"]
    assert keys(found["a"]) == ["b", "c"]
    assert to_b.score == pytest.approx(common / (sqrt(2 * common * common) + DAMPING))
    assert to_c.score == pytest.approx(common / (sqrt(2 * common * (common + rare)) + DAMPING))
    assert to_c.score == pytest.approx(0.1629, abs=1e-4)


def test_shared_limitations_are_sorted_by_their_share_of_the_score() -> None:
    first, *_ = similar(conditions({"a": "xyz", "b": "xyz", "c": "x"}))["a"]
    # three conditions have x, two have y and z: y precedes z by id
    assert [limitation for limitation, _ in first.shared] == ids("yzx")
    assert sum(part for _, part in first.shared) == pytest.approx(first.score)
    assert first.shared[0][1] == first.shared[1][1] > first.shared[2][1]


def test_more_shared_limitations_give_a_higher_similarity() -> None:
    few = similar(conditions({"a": "x", "b": "x"}))["a"][0].score
    many = similar(conditions({"a": "xyzuvw", "b": "xyzuvw"}))["a"][0].score
    weight = log(1 + 2 / 2) ** 2
    assert few == pytest.approx(weight / (weight + DAMPING))
    assert many == pytest.approx(6 * weight / (6 * weight + DAMPING))


def test_conditions_without_shared_limitations_are_not_related() -> None:
    assert similar(conditions({"a": "x", "b": "y"})) == {"a": [], "b": []}


def test_a_shared_rare_limitation_counts_more_than_a_shared_common_one() -> None:
    first, second = similar(conditions({"a": "xy", "rare": "xz", "common": "yz", "d": "y", "e": "y"}))["a"][:2]
    assert (keys([first]), first.shared[0][0]) == (["rare"], "limitation:x")
    assert first.score > second.score


def test_a_main_need_of_both_gives_a_higher_similarity() -> None:
    found = similar(conditions({"a": "xy", "b": "xz", "c": "yz"}, main={"a": "x", "b": "x", "c": "z"}))
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
    found = similar(conditions({"deaf": "x", "hard": "y", "mute": "z"}), BRANCH)
    weight = log(1 + 3 / 1) ** 2
    for condition, other in (("deaf", "hard"), ("hard", "deaf")):
        assert parts(found[condition]) == {other: {"limitation:w": pytest.approx(weight / (weight + DAMPING))}}
    assert parts(found["mute"]) == {}


def test_less_similar_limitations_count_less() -> None:
    found = similar(conditions({"deaf": "x", "hard": "y"}), {("x", "y"): (0.8, "w")})
    weight = log(1 + 2 / 1) ** 2
    assert parts(found["deaf"]) == {"hard": {"limitation:w": pytest.approx(0.8 * weight / (weight + DAMPING))}}


def test_each_limitation_is_paired_once() -> None:
    found = similar(conditions({"a": "x", "b": "xy", "c": "y"}), BRANCH)
    weight = log(1 + 3 / 2) ** 2
    assert parts(found["a"]) == {
        "b": {"limitation:x": pytest.approx(weight / (sqrt(2) * weight + DAMPING))},
        "c": {"limitation:w": pytest.approx(weight / (weight + DAMPING))},
    }


def test_the_heaviest_pair_of_similar_limitations_counts() -> None:
    # x is similar to u and v; u is rarer, so that v stays without a partner
    found = similar(conditions({"a": "x", "b": "uv", "c": "v"}), {("x", "u"): (0.9, "w"), ("x", "v"): (0.9, "q")})
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
        for condition, items in similar(conditions(has), pairs).items()
        for item in items
    }
    assert len(found) == count
    for (first, second), item in found.items():
        assert dict(item.shared) == pytest.approx(dict(found[second, first].shared))
        assert item.score == pytest.approx(found[second, first].score)


def test_the_relation_is_that_of_an_ancestor_or_descendant() -> None:
    wide, widest = limitations("wide", "x"), limitations("widest", "x")
    found = similar([wide, limitations("narrow", "x", ancestors=[wide.id, widest.id]), widest])
    assert {key_of(item): item.relation for item in found["narrow"]} == {"wide": "broader", "widest": "broader"}
    assert {key_of(item): item.relation for item in found["wide"]} == {"narrow": "narrower", "widest": None}


def test_equally_similar_conditions_are_sorted_by_id() -> None:
    assert keys(similar(conditions({"a": "x", "d": "x", "c": "x", "b": "x"}))["a"]) == ["b", "c", "d"]


def test_candidates_are_conditions_with_lists_of_their_own_and_an_equal_or_similar_limitation() -> None:
    needs = needs_of([limitations("a", "xz"), limitations("b", "y")], {("x", "y"): (0.5, "w")})
    rarity = log(1 + 2 / 1)
    main = MAIN_NEED_FACTOR * rarity * rarity
    clauses = [
        boosted(main, term("has_limitation", "limitation:x")),
        boosted(0.5 * main, term("has_limitation", "limitation:y")),
        boosted(rarity * rarity, term("has_limitation", "limitation:z")),
    ]
    stated = {"bool": {"must": {"bool": {"should": clauses}}, "must_not": {"exists": {"field": "inherits_from"}}}}
    assert candidates_body(limitations("a", "xz", main="x"), needs) == {
        "size": 300,
        "_source": False,
        "stored_fields": "_none_",
        "docvalue_fields": [
            *("entity", "position", "kind", "has_limitation", "main_needs"),
            *("ancestors", "broader", "inherits_from", "only_sides"),
        ],
        "query": {
            "bool": {
                "filter": [term("doc", "entity"), term("type", "disability")],
                "must_not": {"ids": {"values": ["disability:a"]}},
                "must": {"bool": {"should": [stated]}},
            }
        },
        "sort": ["_score", {"position": "asc"}],
    }


def named(*keys: str) -> dict[str, Any]:
    """Return the clause for pairs and siblings."""
    return boosted(NAMED_BOOST, {"ids": {"values": [f"disability:{key}" for key in keys]}})


def test_pairs_and_siblings_are_candidates_whatever_they_inherit() -> None:
    owner = limitations("owner", "x")
    facts = RelatedFacts("disability:narrow", {"disability:pair": PUBLICATION}, ["disability:s", "disability:pair"])
    query = candidates_body(owner, needs_of([owner]), facts)["query"]["bool"]
    assert query["must_not"] == {"ids": {"values": ["disability:owner", "disability:narrow"]}}
    assert query["must"]["bool"]["should"][1:] == [named("pair", "s")]
    without_limitations = candidates_body(limitations("narrow", ""), {}, facts)["query"]["bool"]
    assert without_limitations["must_not"] == {"ids": {"values": ["disability:narrow"]}}
    assert without_limitations["must"]["bool"]["should"] == [named("pair", "s")]


def test_the_limitations_of_a_candidate_are_read_from_its_fields() -> None:
    fields = {"entity": ["disability:a"], "has_limitation": ids("xy"), "position": ["0"], "kind": ["main"]}
    assert limitations_of(Hit(fields=fields)) == ConditionLimitations("disability:a", ids("xy"), (), (), 0)
    known = {"main_needs": ids("x"), "ancestors": ["disability:b"]}
    assert limitations_of(Hit(fields={**fields, **known})) == limitations("a", "xy", "x", ["disability:b"])
    without = {"entity": ["disability:a"], "position": ["7"], "kind": ["narrower"], "broader": ["disability:b"]}
    assert limitations_of(Hit(fields={**without, "inherits_from": ["disability:c"]})) == ConditionLimitations(
        "disability:a", (), (), (), 7, ["disability:c"], ["disability:b"], is_main=False
    )


PUBLICATION = {"title": "Pairs", "url": "https://pages.example.org/pairs", "as_of": "2018", "read": None}


def facts_of(
    key: str, pairs: Iterable[str] = (), siblings: Iterable[str] = (), ancestors: Iterable[str] = ()
) -> RelatedFacts:
    """Return the facts of a condition, all by key."""
    return RelatedFacts(
        f"disability:{key}",
        {f"disability:{pair}": PUBLICATION for pair in pairs},
        [f"disability:{sibling}" for sibling in siblings],
        [f"disability:{ancestor}" for ancestor in ancestors],
    )


def related(
    of: ConditionLimitations,
    others: Iterable[ConditionLimitations],
    facts: RelatedFacts | None = None,
    pairs: Pairs | None = None,
) -> list[SimilarCondition]:
    listed = list(others)
    return related_conditions(of, listed, needs_of([of, *listed], pairs), facts or facts_of("a"))


def narrower(key: str, letters: str, source: str, broader: str = "") -> ConditionLimitations:
    """Return a narrower condition with the limitations that it inherits from a source."""
    inherited = limitations(key, letters)._replace(inherits_from=[f"disability:{source}"], is_main=False)
    return inherited._replace(broader=[f"disability:{broader}"] if broader else [])


def relations(found: Iterable[SimilarCondition]) -> list[tuple[str, str | None]]:
    return [(key_of(item), item.relation) for item in found]


def test_one_shared_limitation_is_not_enough_unless_it_is_a_main_need_of_both() -> None:
    others = conditions({"one": "xu", "two": "xyv", "mine": "yw", "both": "zw"}, main={"one": "u", "both": "z"})
    assert keys(related(limitations("a", "xyz", main="yz"), others)) == ["both", "two"]
    assert keys(related(limitations("a", "xyz"), others)) == ["two"]


def test_similar_main_needs_of_both_are_enough() -> None:
    deaf = limitations("deaf", "xu", main="x")
    for main, expected in (("y", ["hard"]), ("v", []), ("", [])):
        assert keys(related(deaf, [limitations("hard", "yv", main=main)], pairs=BRANCH)) == expected


def test_two_pairs_of_similar_limitations_under_one_ancestor_are_one_shared_limitation() -> None:
    similar_pairs = {("x", "y"): (0.9, "w"), ("u", "v"): (0.9, "w"), ("s", "t"): (0.9, "q")}
    assert keys(related(limitations("a", "xu"), [limitations("b", "yv")], pairs=similar_pairs)) == []
    assert keys(related(limitations("a", "xs"), [limitations("b", "yt")], pairs=similar_pairs)) == ["b"]


def test_pairs_come_first_then_siblings_then_those_that_share_enough() -> None:
    others = conditions({"pair": "z", "far-pair": "v", "sibling": "x", "close": "xy", "loose": "x"})
    found = related(limitations("a", "xyz"), others, facts_of("a", ["far-pair", "pair"], ["sibling"]))
    assert relations(found) == [
        ("pair", "co_occurring"),
        ("far-pair", "co_occurring"),
        ("sibling", "sibling"),
        ("close", None),
    ]
    assert [item.publication for item in found] == [PUBLICATION, PUBLICATION, None, None]
    assert found[3].score > found[2].score
    assert (found[1].score, found[1].shared) == (0.0, ())


def test_a_pair_that_is_also_a_sibling_or_broader_is_named_once() -> None:
    others = [limitations("both", "xy"), limitations("wide", "xy")]
    of = limitations("a", "xy", ancestors=["disability:wide"])
    found = related(of, others, facts_of("a", ["both"], ["both"]))
    assert relations(found) == [("both", "co_occurring"), ("wide", "broader")]


def test_main_siblings_are_sorted_by_similarity_and_narrower_ones_stay_in_their_order() -> None:
    source = limitations("source", "xyz", main="x")
    others = [
        narrower("rare", "xyz", "source"),
        narrower("known", "x", "source"),
        limitations("little", "x"),
        limitations("much", "xy"),
        limitations("nothing", "v"),
    ]
    siblings = ["known", "little", "nothing", "much", "rare"]
    found = related(source, others, facts_of("narrow", siblings=siblings))
    assert keys(found) == ["much", "little", "nothing", "known", "rare"]


def test_a_sibling_names_the_nearest_broader_condition_that_both_have() -> None:
    of = limitations("a", "x")
    others = [narrower("near", "x", "arms", "nerve"), narrower("far", "x", "arms", "arms"), narrower("none", "x", "b")]
    facts = facts_of("a", siblings=["near", "far", "none"], ancestors=["nerve", "arms"])
    assert [(key_of(item), item.broader) for item in related(of, others, facts)] == [
        ("near", "disability:nerve"),
        ("far", "disability:arms"),
        ("none", None),
    ]


def test_an_inheriting_sibling_has_the_main_needs_of_what_it_inherits_from() -> None:
    source = limitations("source", "xy", main="x")
    facts = facts_of("narrow", siblings=["same"])
    (same,) = related(source, [narrower("same", "xy", "source")], facts)
    (alike,) = related(source, [limitations("same", "xy", main="x")], facts)
    assert same == alike
    others = [narrower("same", "yz", "second"), limitations("second", "yz", main="y")]
    second = next(item for item in related(source, others, facts) if item.id == "disability:same")
    others[0] = limitations("same", "yz", main="y")
    assert second == next(item for item in related(source, others, facts) if item.id == "disability:same")


def test_a_condition_that_the_release_lacks_is_left_out() -> None:
    assert related(limitations("a", "x"), [], facts_of("a", ["gone"], ["lost"])) == []


def test_the_facts_are_read_from_the_document_of_a_condition() -> None:
    pair = {"id": "disability:b", "title": "Pairs", "url": PUBLICATION["url"], "as_of": "2018", "read": None}
    document = {"co_occurring": [pair], "siblings": ["disability:c", "disability:b"], "ancestors": ["disability:d"]}
    facts = RelatedFacts.parse("disability:a", document)
    assert facts == facts_of("a", ["b"], ["c", "b"], ["d"])
    assert facts.named == ["disability:b", "disability:c"]
    assert RelatedFacts.parse("disability:a", {}) == RelatedFacts("disability:a")
