"""The score of a hit: its features come back, also from a float of 32 bits, and its fit stays below them."""

import struct
from functools import reduce
from itertools import pairwise
from operator import or_

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.search.features import (
    ALL_FEATURES,
    BM25_SHARE,
    FIT_LIMIT,
    GOOD,
    MAX_IDF,
    MAX_PRIOR,
    PRIOR_SCALE,
    Feature,
    bm25_boost,
    decode,
    encode,
)
from api.search.query import MAX_QUERY_WORDS, ParsedQuery, SearchRequest
from api.search.query_builder import search_query
from indexer.documents.entity import static_rank
from schema.document_ids import ASSISTIVE_BOOST, POPULARITY_BOOST, TYPE_BOOSTS
from tests.support.json_bodies import objects
from tests.support.query_clauses import constant
from tests.support.small_graphs import entity

FEATURES = st.lists(st.sampled_from(list(Feature))).map(lambda features: reduce(or_, features, 0))
MAX_FIT = (BM25_SHARE + PRIOR_SCALE * MAX_PRIOR) / FIT_LIMIT
LOOSE = [feature for feature in Feature if feature < GOOD]


def as_float_of_32_bits(score: float) -> float:
    """Return the score as OpenSearch computes and sends it."""
    (rounded,) = struct.unpack("f", struct.pack("f", score))
    return float(rounded)


@given(FEATURES, st.floats(0, MAX_FIT))
def test_a_score_has_the_features_and_the_fit_that_made_it(features: int, fit: float) -> None:
    score = encode(features, fit)
    for sent in (score, as_float_of_32_bits(score)):
        found, found_fit = decode(sent)
        assert found == features
        assert found_fit == pytest.approx(fit, abs=0.02 if features & Feature.PINNED else 0.01)


@pytest.mark.parametrize(
    ("score", "features", "fit"),
    [
        (0.0, 0, 0.0),
        (3.0, 0, 0.75),
        (4.0, Feature.MOST_OF_RELATED, 0.0),
        (12.5, Feature.MOST_OF_RELATED | Feature.PART_OF_NEED, 0.125),
        (262_146.0, Feature.NAME, 0.5),
        (2_097_148.0, ALL_FEATURES, 0.0),
    ],
)
def test_features_are_powers_of_two_and_the_fit_is_the_rest(score: float, features: Feature, fit: float) -> None:
    assert decode(score) == (features, fit)
    assert encode(features, fit) == score


def test_each_feature_is_twice_the_one_before_and_all_fit_into_a_float() -> None:
    assert all(second == 2 * first for first, second in pairwise(Feature))
    assert next(iter(Feature)) == FIT_LIMIT
    assert reduce(or_, Feature) == ALL_FEATURES
    # A float of 32 bits has 24 significant ones. One hit at most is pinned, so that its fit decides nothing.
    resolution = 2.0 ** ((ALL_FEATURES & ~Feature.PINNED).bit_length() - 24)
    assert resolution / FIT_LIMIT < 0.02


def test_good_features_are_above_all_loose_ones_together() -> None:
    assert {Feature.MOST_OF_RELATED, Feature.PART_OF_NEED, Feature.DESCRIPTION} <= set(LOOSE)
    assert {Feature.DEMOTED_NAMES, Feature.RELATED, Feature.NAME}.isdisjoint(LOOSE)
    assert sum(LOOSE) + FIT_LIMIT <= GOOD
    assert min(set(Feature) - set(LOOSE)) == GOOD


@pytest.mark.parametrize("clauses", [0, 1, 2, 5])
@pytest.mark.parametrize("terms", [0, 1, 3, MAX_QUERY_WORDS])
def test_bm25_and_the_prior_stay_below_the_lowest_feature(terms: int, clauses: int) -> None:
    best = bm25_boost(terms, clauses) * MAX_IDF * terms * clauses
    assert best + PRIOR_SCALE * MAX_PRIOR < FIT_LIMIT


def scored_clauses(text: str) -> tuple[list[float], float]:
    """Return the boost of each clause of a search that is scored by BM25, and that of the prior."""
    parts = list(objects(search_query(SearchRequest(ParsedQuery.parse(text)))))
    options = [next(iter(part["match"].values())) for part in parts if "match" in part]
    (prior,) = [part["rank_feature"] for part in parts if "rank_feature" in part]
    return [field["boost"] for field in options if "boost" in field], prior["boost"]


@pytest.mark.parametrize("text", ["lamp", "low vision", "flashing lights headache office", "word " * MAX_QUERY_WORDS])
def test_the_clauses_of_a_search_stay_below_the_lowest_feature(text: str) -> None:
    boosts, prior = scored_clauses(text)
    terms = len(ParsedQuery.parse(text).tokens)
    assert boosts
    assert sum(boosts) * MAX_IDF * terms + prior * MAX_PRIOR < FIT_LIMIT


def test_every_prior_is_below_the_maximum() -> None:
    highest = [entity(f"{type_name}:a", kind="main", family="assistive") for type_name in TYPE_BOOSTS]
    assert max(map(static_rank, highest)) == ASSISTIVE_BOOST + max(TYPE_BOOSTS.values())
    assert max(map(static_rank, highest)) + POPULARITY_BOOST < MAX_PRIOR


def test_only_clauses_with_words_are_scored() -> None:
    query = search_query(SearchRequest(ParsedQuery.parse("lamp")))
    found = [part for one in objects(query) if (part := constant(one))]
    assert found
    assert {boost for boost, _ in found} <= set(map(float, Feature))
    assert not [part for _, part in found if "boost" in str(part)]
