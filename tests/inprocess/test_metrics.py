"""What Prometheus is told: the same counts, by the same fixed words."""

from __future__ import annotations

from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from api.metrics import registry
from api.observation import Observation
from api.usage import Usage


def told() -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    usage = Usage(["/search", "get_related"])
    for seconds in (0.004, 0.03, 0.2, 7.0):
        usage.note(Observation(route="/search", status=200, results=12, synonyms="rule", cache="fresh"), seconds)
    usage.note(Observation(door="mcp", route="get_related", status=404), 0.03)
    text = generate_latest(registry(usage, lambda: {"requests_running": ("Requests.", 3)})).decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name.startswith("akg_")
    }


def test_requests_answers_and_lists_are_counted_by_their_words() -> None:
    found = {key: value for key, value in told().items() if "duration" not in key[0]}
    assert found == {
        ("akg_requests_total", (("door", "rest"), ("route", "/search"), ("status", "2xx"))): 4,
        ("akg_requests_total", (("door", "mcp"), ("route", "get_related"), ("status", "4xx"))): 1,
        ("akg_answers_total", (("cache", "fresh"),)): 4,
        ("akg_answers_total", (("cache", "none"),)): 1,
        ("akg_lists_total", (("did_you_mean", "false"), ("results", "11-50"), ("synonyms", "rule"))): 4,
        ("akg_requests_running", ()): 3,
    }


def test_durations_are_a_histogram() -> None:
    place = (("door", "rest"), ("route", "/search"))
    found = told()
    below = {
        labels[1][1]: value
        for (name, labels), value in found.items()
        if name == "akg_request_duration_seconds_bucket" and (labels[0], labels[2]) == place
    }
    assert below == {
        "0.005": 1,
        "0.01": 1,
        "0.025": 1,
        "0.05": 2,
        "0.1": 2,
        "0.25": 3,
        "0.5": 3,
        "1.0": 3,
        "2.0": 3,
        "+Inf": 4,
    }
    assert found["akg_request_duration_seconds_count", place] == 4
    assert round(found["akg_request_duration_seconds_sum", place], 3) == 7.234
