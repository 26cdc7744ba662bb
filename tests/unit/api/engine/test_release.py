"""What is read from responses of OpenSearch: hits, cards, sources, nested edges, totals, counts and suggestions."""

import base64

import orjson
import pytest

from api.engine.release import NO_RELEASE, EngineResponse, Hit, missing_release_message
from tests.support.search_responses import RELEASE, TELEWORK, card, hit, response

OWN, EARLIER = "akg-entities-f1-20261121t120000z", "akg-entities-20261121t120000z"


@pytest.mark.parametrize("indices", [(), (OWN,), (OWN, EARLIER), ("akg-entities-aside-20261121t120000z",)])
def test_without_releases_of_other_formats_nothing_is_published(indices: tuple[str, ...]) -> None:
    assert missing_release_message("akg-entities", 1, indices) == NO_RELEASE


def test_releases_of_other_formats_are_named_with_the_command_that_publishes_one() -> None:
    indices = (EARLIER, "akg-entities-f2-20261121t120000z", "akg-entities-f2-20261122t120000z")
    assert missing_release_message("akg-entities", 1, indices) == (
        "This service reads releases of format 1, and OpenSearch has only releases of format 0, 2. "
        "`akg index build` of the same version publishes one, and leaves the others as they are."
    )


def test_cards_are_read_from_the_index() -> None:
    chair = card("solution", "Chair")
    found = response(hit(TELEWORK, sources=["atlas", "fair"]), hit(chair), hit(chair, sources=["atlas"]))
    assert found.cards == [TELEWORK, chair, chair]
    assert found.sources == ["atlas", "fair", "atlas"]
    assert found.total == 41


def test_the_score_of_a_sorted_hit_is_its_first_sort_value() -> None:
    assert Hit.parse({"_score": None, "sort": [6886.4, 12]}) == Hit.parse({"_score": 6886.4}) == Hit(score=6886.4)


@pytest.mark.parametrize("name", ["A", "AB", "ABC", "ABCD"])
def test_the_payload_of_a_search_is_read_without_the_padding_of_base64(name: str) -> None:
    payload = {"card": {"name": name}, "aliases": ["Crohn\u2019s"], "prior": 128.56}
    encoded = base64.b64encode(orjson.dumps(payload)).decode()
    for text in (encoded, encoded.rstrip("=")):
        assert Hit.parse({"_score": 1.0, "fields": {"hit": [text]}}).payload == payload


def test_a_hit_has_what_the_request_includes() -> None:
    assert Hit.parse({"_id": "a", "_score": 1.0, "_source": {"moved_to": "b"}}) == Hit(
        "a", 1.0, document={"moved_to": "b"}
    )
    found = Hit.parse({"_score": 1.0, "matched_queries": ["linked_to.0"], "fields": {"sources": ["atlas"]}})
    assert (found.clauses, found.sources, found.nested) == (["linked_to.0"], ["atlas"], ())
    with pytest.raises(KeyError, match="card"):
        _ = found.card
    with pytest.raises(KeyError, match="hit"):
        _ = found.payload


def test_a_hit_has_the_nested_edges_that_matched() -> None:
    edges = [{"target": "solution:telework", "weight": 0.5}, {"target": "solution:chair", "weight": 0.25}]
    inner = {"edges": {"hits": {"hits": [{"_id": "a", "_score": 0.0, "_source": edge} for edge in edges]}}}
    assert Hit.parse({"_score": 1.0, "inner_hits": inner}).nested == tuple(edges)
    assert Hit.parse({"_score": 1.0, "inner_hits": {"edges": {"hits": {"hits": []}}}}).nested == ()


def test_a_nested_edge_is_read_from_doc_values_too() -> None:
    fields = {
        "edges.target": ["solution:telework"],
        "edges.weight": [0.6666999459266663],  # 0.6667 as a float of 32 bits
        "edges.basis": ["derived"],
        "edges.sources": ["atlas", "fair"],
        "edges.target_total": [3],
    }
    inner = {"edges": {"hits": {"hits": [{"_score": 0.0, "fields": fields}]}}}
    edge = {"target": "solution:telework", "weight": 0.6667, "basis": "derived", "target_total": 3}
    assert Hit.parse({"_score": 1.0, "inner_hits": inner}).nested == ({**edge, "sources": ["atlas", "fair"]},)


def test_buckets_count_documents_by_key_and_suggestions_are_texts() -> None:
    buckets = [{"key": "solution", "doc_count": 30}, {"key": "disability", "doc_count": 11}]
    options = [{"options": [{"text": "low vision"}, {"text": "low visor"}]}, {"options": []}]
    found = response(aggregations={"types": {"buckets": buckets}}, suggest={"fixes": options})
    types = {"solution": 30, "disability": 11}
    assert found == EngineResponse(RELEASE, [], 41, {"types": types}, ["low vision", "low visor"])


def test_a_total_that_was_not_counted_is_not_zero() -> None:
    uncounted = EngineResponse.parse({"hits": {"hits": []}}, RELEASE)
    with pytest.raises(ValueError, match="did not count"):
        _ = uncounted.total
