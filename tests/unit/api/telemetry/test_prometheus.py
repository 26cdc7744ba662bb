"""The Prometheus metrics."""

from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from api.telemetry.prometheus import metrics_registry
from api.telemetry.usage_counters import RequestFacts, UsageCounters


def samples() -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    usage = UsageCounters(["/search", "get_related"])
    for seconds in (0.004, 0.03, 0.2, 7.0):
        usage.record(RequestFacts(route="/search", status=200, results=12, synonyms="rule", cache="fresh"), seconds)
    usage.record(RequestFacts(transport="mcp", route="get_related", status=404), 0.03)
    text = generate_latest(metrics_registry(usage, lambda: {"requests_running": ("Requests.", 3)})).decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name.startswith("akg_")
    }


def test_counters_have_the_labels_of_requests() -> None:
    found = {key: value for key, value in samples().items() if "duration" not in key[0]}
    assert found == {
        ("akg_requests_total", (("route", "/search"), ("status", "2xx"), ("transport", "rest"))): 4,
        ("akg_requests_total", (("route", "get_related"), ("status", "4xx"), ("transport", "mcp"))): 1,
        ("akg_answers_total", (("cache", "fresh"),)): 4,
        ("akg_answers_total", (("cache", "none"),)): 1,
        ("akg_lists_total", (("did_you_mean", "false"), ("results", "11-50"), ("synonyms", "rule"))): 4,
        ("akg_requests_running", ()): 3,
    }


def test_durations_are_a_histogram() -> None:
    labels = (("route", "/search"), ("transport", "rest"))
    found = samples()
    cumulative = {
        bucket[0][1]: value
        for (name, bucket), value in found.items()
        if name == "akg_request_duration_seconds_bucket" and bucket[1:] == labels
    }
    counts = {1: ("0.005", "0.01", "0.025"), 2: ("0.05", "0.1"), 3: ("0.25", "0.5", "1.0", "2.0"), 4: ("+Inf",)}
    assert cumulative == {bound: count for count, bounds in counts.items() for bound in bounds}
    assert found["akg_request_duration_seconds_count", labels] == 4
    assert round(found["akg_request_duration_seconds_sum", labels], 3) == 7.234
