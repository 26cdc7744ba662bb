"""Which entities a tier demotes, and which hits matched by a hidden name only."""

import pytest

from api.search.demotion import DEMOTED_BY_TIER, demoted_clauses, matched_hidden_alias, without_demoted
from api.search.query_builder import TIERS
from tests.support.query_clauses import MAINSTREAM, NARROWER, phrase, term


def test_a_tier_excludes_what_it_demotes() -> None:
    query = phrase("names", "asthma")
    assert without_demoted("scoped", query) == {"bool": {"must": query, "must_not": MAINSTREAM}}
    vendor = term("type", "vendor")
    assert without_demoted("everywhere", query) == {"bool": {"must": query, "must_not": [NARROWER, MAINSTREAM, vendor]}}


def test_demoted_entities_of_a_tier_are_ranked_above_mentions_or_most_words() -> None:
    clauses = {tier: [phrase("names", "asthma")] for tier in DEMOTED_BY_TIER}
    boosts = {"mention": 1000.0, "most": 100.0}
    found = demoted_clauses(clauses, boosts.__getitem__, equal=DEMOTED_BY_TIER)
    fixed = [clause["constant_score"] for clause in found]
    assert {clause["_name"]: clause["boost"] for clause in fixed} == {
        "phrase-demoted": 1420.0,
        "scoped-demoted": 1470.0,
        "words-demoted": 1370.0,
        "prefix-demoted": 1320.0,
        "everywhere-demoted": 420.0,
    }


@pytest.mark.parametrize(
    ("matched", "hidden"),
    [
        (["alias-unshown"], True),
        (["alias-unshown", "words"], True),  # the best tier is of a hidden name
        (["alias-unshown", "alias"], False),
        (["aliasform-unshown", "name-narrower"], False),
        (["words"], False),
    ],
)
def test_a_hit_that_matched_best_by_a_hidden_name_is_recognized(matched: list[str], *, hidden: bool) -> None:
    assert matched_hidden_alias(matched, TIERS) is hidden
