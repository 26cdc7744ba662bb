"""The Prometheus metrics."""

from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from api.telemetry.prometheus import Gauges, Info, UsageMetrics, metrics_registry
from api.telemetry.usage_counters import CACHE_STATES, RequestFacts, UsageCounters

Series = tuple[str, tuple[tuple[str, str], ...]]


def samples() -> dict[Series, float]:
    usage = UsageCounters(["/search", "get_related"])
    for seconds in (0.004, 0.03, 0.2, 7.0):
        usage.record(RequestFacts(route="/search", status=200, results=12, synonyms="rule", cache="fresh"), seconds)
    usage.record(RequestFacts(transport="mcp", route="get_related", status=404), 0.03)
    empty = RequestFacts(route="/suggest", status=200, results=0)
    empty.add_empty_search(5, ("product",))
    usage.totals[usage.key(empty, 0.0)] += 2
    gauges = Gauges(lambda: {"requests_running": ("Requests.", 3), "release_age_seconds": ("Age.", None)})
    release = Info("release", "The release.", lambda: {"data_version": "2026.11"})
    unknown = Info("unknown", "Not known yet.", lambda: None)
    text = generate_latest(metrics_registry([UsageMetrics(usage), gauges, release, unknown])).decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name.startswith("akg_")
    }


def test_counters_have_the_labels_of_requests() -> None:
    found = {key: value for key, value in samples().items() if "duration" not in key[0]}
    counts = {"fresh": 4, "none": 3}
    expected: dict[Series, float] = {
        ("akg_requests_total", (("route", "/search"), ("status", "2xx"), ("transport", "rest"))): 4,
        ("akg_requests_total", (("route", "get_related"), ("status", "4xx"), ("transport", "mcp"))): 1,
        **{("akg_answers_total", (("cache", state),)): counts.get(state, 0) for state in CACHE_STATES},
        ("akg_lists_total", (("did_you_mean", "false"), ("results", "11-50"), ("synonyms", "rule"))): 4,
        ("akg_requests_total", (("route", "other"), ("status", "2xx"), ("transport", "rest"))): 2,
        ("akg_lists_total", (("did_you_mean", "false"), ("results", "0"), ("synonyms", "none"))): 2,
        ("akg_empty_searches_total", (("empty_scope", "product"), ("empty_words", "4-6"))): 2,
        ("akg_requests_running", ()): 3,
        ("akg_release_info", (("data_version", "2026.11"),)): 1,
    }
    assert found == expected


def test_durations_are_a_histogram() -> None:
    labels = (("route", "/search"), ("transport", "rest"))
    found = samples()
    cumulative = {
        bucket[0][1]: value
        for (name, bucket), value in found.items()
        if name == "akg_request_duration_seconds_bucket" and bucket[1:] == labels
    }
    counts = {1: ("0.005", "0.01", "0.025"), 2: ("0.05", "0.1"), 3: ("0.25", "0.3", "0.5", "1.0", "2.0"), 4: ("+Inf",)}
    assert cumulative == {bound: count for count, bounds in counts.items() for bound in bounds}
    assert found["akg_request_duration_seconds_count", labels] == 4
    assert round(found["akg_request_duration_seconds_sum", labels], 3) == 7.234
