"""The metrics of a whole service without OpenSearch: their names, and that every label has a fixed set of values."""

from prometheus_client.samples import Sample

from api.app import create_app
from api.settings import Settings
from api.telemetry.prometheus import metrics_registry
from tests.support.asgi_clients import client_of

TYPED = "what-a-person-typed"
BEFORE_THE_FIRST_REQUEST = {
    *("akg_build_info", "akg_requests_in_flight", "akg_requests_running", "akg_requests_waiting"),
    *("akg_circuit_breaker_open", "akg_opensearch_retries_total", "akg_rate_limit_rejections_total"),
    *("akg_response_cache_hits_total", "akg_response_cache_misses_total", "akg_response_cache_entries"),
    *("akg_response_cache_bytes", "akg_answers_total", "akg_usage_waiting", "akg_usage_dropped"),
}
LABELS = {
    *("version", "cache", "quota", "transport", "route", "status", "operation", "le"),
    *("release", "data_version", "synonyms_version"),
}


async def test_the_metrics_of_a_service_that_cannot_reach_opensearch() -> None:
    app = create_app(Settings(rate_limit=4, usage_months=0), ["http://127.0.0.1:9"])
    registry = metrics_registry(app.collectors)

    def samples() -> list[Sample]:
        found = [sample for family in registry.collect() for sample in family.samples]
        return [sample for sample in found if sample.name.startswith("akg_")]

    assert {sample.name for sample in samples()} == BEFORE_THE_FIRST_REQUEST
    async with client_of(app, "http://127.0.0.1") as client:
        for path in (f"/search?query={TYPED}", f"/{TYPED}/{TYPED}", f"/{TYPED}", "/graph", "/graph", "/readyz"):
            await client.get(path, headers={"User-Agent": TYPED, "X-Forwarded-For": TYPED})
    after = samples()
    values = {(sample.name, tuple(sample.labels.values())): sample.value for sample in after}
    assert values["akg_rate_limit_rejections_total", ("default",)] == 1
    assert values["akg_rate_limit_rejections_total", ("suggest",)] == 0
    assert values["akg_probes_total", ("/readyz", "5xx")] == 1
    assert values["akg_opensearch_retries_total", ()] > 0
    assert values["akg_opensearch_request_duration_seconds_count", ("search", "unreachable")] > 0
    assert {label for sample in after for label in sample.labels} <= LABELS
    assert not any(TYPED in value for sample in after for value in sample.labels.values())
