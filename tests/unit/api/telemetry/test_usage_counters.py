"""Usage counts: every bound of every dimension, and no text from clients."""

from typing import Any, get_args

import pytest

from api import models
from api.telemetry.usage_counters import (
    INTERPRETATION_KINDS,
    MAX_KEYS_PER_MINUTE,
    RequestFacts,
    UsageCounters,
    UsageKey,
    current_request,
    record_request,
    usage_document,
)
from tests.support.metric_samples import samples_of

ROUTES = ("/search", "/{type}/{id}", "/suggest", "get_related")


def key_of(seconds: Any = 0.0, **facts: Any) -> UsageKey:  # noqa: ANN401 - the fields of `RequestFacts`
    usage = UsageCounters(ROUTES)
    usage.record(RequestFacts(**{"status": 200, **facts}), seconds)
    (key,) = usage.take()
    return key


LATENCIES = {0: "<5ms", 0.00499: "<5ms", 0.005: "<10ms", 0.0999: "<100ms", 0.1: "<250ms", 1.99: "<2s", 2: ">=2s"}
RESULTS = {None: "none", 0: "0", 1: "1", 2: "2-10", 10: "2-10", 11: "11-50", 50: "11-50", 51: "51+"}
STATUSES = {0: "none", 200: "2xx", 304: "3xx", 404: "4xx", 429: "4xx", 503: "5xx"}
KNOWN_ROUTES = ("/{type}/{id}", "unrouted", "options", "/mcp", "get_related")
UNKNOWN_ROUTES = ("/disability/what-a-person-has", "drop_tables")


@pytest.mark.parametrize(
    ("fact", "dimension", "counted"),
    [
        ("seconds", "latency", LATENCIES),
        ("results", "results", RESULTS),
        ("status", "status", STATUSES),
        ("status", "limited", {status: status == 429 for status in STATUSES}),
        ("route", "route", {route: route for route in KNOWN_ROUTES} | dict.fromkeys(UNKNOWN_ROUTES, "other")),
    ],
)
def test_each_dimension_has_few_values(fact: str, dimension: str, counted: dict[object, object]) -> None:
    assert {value: getattr(key_of(**{fact: value}), dimension) for value in counted} == counted


@pytest.mark.parametrize(
    ("body", "results", "did_you_mean", "synonyms"),
    [
        ({}, None, False, "none"),
        ({"results": [1, 2], "did_you_mean": [], "synonyms": []}, 2, False, "none"),
        ({"results": [], "did_you_mean": [{"query": "a"}]}, 0, True, "none"),
        ({"results": [1], "synonyms": [{"kind": "scope"}]}, 1, False, "scope"),
        ({"results": [1], "synonyms": [{"kind": "scope"}, {"kind": "alias"}]}, 1, False, "alias"),
        ({"results": [1], "synonyms": [{"kind": "alias"}, {"kind": "rule"}]}, 1, False, "rule"),
        ({"results": "text"}, None, False, "none"),
    ],
)
def test_facts_hold_the_length_and_interpretation_kind_of_a_result(
    body: dict[str, Any], results: int | None, synonyms: str, *, did_you_mean: bool
) -> None:
    facts = RequestFacts()
    facts.add_result(body)
    assert (facts.results, facts.did_you_mean, facts.synonyms) == (results, did_you_mean, synonyms)


@pytest.mark.parametrize(
    ("words", "counted"),
    [(0, "0"), (1, "1"), (2, "2"), (3, "3"), (4, "4-6"), (6, "4-6"), (7, "7+"), (400, "7+")],
)
@pytest.mark.parametrize(
    ("scope", "types"), [((), "all"), (("product",), "product"), (("product", "vendor"), "several")]
)
def test_an_empty_search_has_only_its_length_and_its_types(
    words: int, counted: str, scope: tuple[str, ...], types: str
) -> None:
    facts = RequestFacts()
    facts.add_empty_search(words, scope)
    assert (facts.empty_words, facts.empty_scope) == (counted, types)
    copied = RequestFacts()
    copied.copy_result(facts)
    assert (copied.empty_words, copied.empty_scope) == (counted, types)


def test_every_interpretation_kind_is_known() -> None:
    assert set(INTERPRETATION_KINDS) == set(get_args(models.Interpretation.model_fields["kind"].annotation))


def test_the_current_request_follows_the_context() -> None:
    with record_request() as outer:
        assert current_request() is outer
        with record_request() as inner:
            assert current_request() is inner
        assert current_request() is outer
    assert current_request() is not current_request()  # discarded


def test_counts_add_up_and_are_taken_once() -> None:
    usage = UsageCounters(ROUTES)
    for status in (200, 200, 404, 200):
        usage.record(RequestFacts(route="/search", status=status), 0.001)
    assert sorted(usage.take().values()) == [1, 3]
    assert usage.take() == {}
    usage.record(RequestFacts(route="/search", status=200), 0.002)
    assert sum(usage.totals.values()) == 5
    sums = samples_of([usage.durations], "akg_request_duration_seconds_sum")
    assert sums == {("rest", "/search"): pytest.approx(0.006)}


def test_responses_of_the_edge_have_no_duration() -> None:
    usage = UsageCounters(ROUTES)
    usage.record(RequestFacts(route="/search", status=200, cache="edge_hit"), 0.0, 7)
    assert sum(usage.totals.values()) == 7
    assert samples_of([usage.durations], "akg_request_duration_seconds_count") == {}


def test_a_minute_has_a_limited_number_of_keys() -> None:
    usage = UsageCounters(ROUTES)
    for number in range(MAX_KEYS_PER_MINUTE + 500):
        usage.record(RequestFacts(synonyms=str(number), status=200), 0.0)
    taken = usage.take()
    assert len(taken) == MAX_KEYS_PER_MINUTE + 1
    assert sum(taken.values()) == MAX_KEYS_PER_MINUTE + 500


def test_a_count_is_one_document() -> None:
    assert usage_document(key_of(route="/search"), 3, {"minute": "2026-11-21T10:00:00+00:00"}) == {
        "transport": "rest",
        "route": "/search",
        "status": "2xx",
        "latency": "<5ms",
        "results": "none",
        "did_you_mean": False,
        "synonyms": "none",
        "cache": "none",
        "limited": False,
        "empty_words": "none",
        "empty_scope": "none",
        "count": 3,
        "minute": "2026-11-21T10:00:00+00:00",
    }
