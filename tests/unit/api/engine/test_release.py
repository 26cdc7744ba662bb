"""What is read from responses of OpenSearch: cards, sources, totals and scores."""

from __future__ import annotations

from api.engine.release import cards, hit_score, hit_sources, total_hits
from tests.support.search_responses import TELEWORK, card, hit, response


def test_cards_are_read_from_the_index() -> None:
    chair = card("solution", "Chair")
    found = response(hit(TELEWORK, sources=["atlas", "fair"]), hit(chair), hit(chair, sources=["atlas"]))
    assert cards(found) == [TELEWORK, chair, chair]
    assert hit_sources(found) == ["atlas", "fair", "atlas"]
    assert total_hits(found) == 41


def test_the_score_of_a_sorted_hit_is_its_first_sort_value() -> None:
    assert hit_score({"_score": None, "sort": [6886.4, 12]}) == hit_score({"_score": 6886.4}) == 6886.4
