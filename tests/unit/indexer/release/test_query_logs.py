"""What stores the text of queries in OpenSearch, read from responses of clusters with and without the plugins."""

import json
from typing import Any

import pytest
from opensearchpy import OpenSearch
from opensearchpy.connection import Connection

from indexer.release.query_logs import QueryLogs, read_query_logs

METRICS = tuple(f"search.insights.top_queries.{metric}.enabled" for metric in ("cpu", "latency", "memory"))
INDEX = "akg-entities-20261120t120000z"
CLUSTER, INDICES, AUDIT = "/_cluster/settings", "/_settings", "/_plugins/_security/api/audit"
NO_PLUGINS: dict[str, tuple[int, Any]] = {
    CLUSTER: (200, {"persistent": {}, "transient": {}, "defaults": {"cluster.name": "akg"}}),
    INDICES: (200, {INDEX: {"settings": {"index.number_of_shards": "1"}}}),
    AUDIT: (400, {"error": "no handler found for uri [/_plugins/_security/api/audit] and method [GET]"}),
}
FORBIDDEN = (403, {"error": "no permissions"})


def connection_to(responses: dict[str, tuple[int, Any]]) -> type[Connection]:
    """Return a connection that answers each path with these responses."""

    class Recorded(Connection):
        def perform_request(self, method: str, url: str, *_: object, **__: object) -> tuple[int, dict[str, str], str]:  # noqa: ARG002
            path = next(path for path in responses if url.endswith(path))
            status, body = responses[path]
            if status != 200:
                self._raise_error(status, json.dumps(body), "application/json")
            return status, {"content-type": "application/json"}, json.dumps(body)

    return Recorded


def logs_of(**changed: tuple[int, Any]) -> QueryLogs:
    names = {"cluster": CLUSTER, "indices": INDICES, "audit": AUDIT}
    responses = {**NO_PLUGINS, **{names[name]: response for name, response in changed.items()}}
    return read_query_logs(OpenSearch(connection_class=connection_to(responses)), "akg-entities")


def cluster(persistent: dict[str, str], defaults: dict[str, str]) -> tuple[int, Any]:
    return 200, {"persistent": persistent, "transient": {}, "defaults": defaults}


def audit(*, enabled: bool, bodies: bool) -> tuple[int, Any]:
    return 200, {"config": {"enabled": enabled, "audit": {"enable_rest": True, "log_request_body": bodies}}}


ON, OFF = dict.fromkeys(METRICS, "true"), dict.fromkeys(METRICS, "false")
EXPORTED: dict[str, Any] = {"top_queries-2026.11.20-12345": {"settings": {}}}
SLOW_QUERY = {"index.search.slowlog.threshold.query.warn": "0ms"}
NO_SLOW_QUERY = {"index.search.slowlog.threshold.query.warn": "-1", "index.search.slowlog.level": "TRACE"}


@pytest.mark.parametrize(
    ("responses", "expected"),
    [
        ({}, QueryLogs()),
        ({"cluster": cluster({}, ON)}, QueryLogs(insights=METRICS)),
        ({"cluster": cluster({}, OFF)}, QueryLogs()),
        ({"cluster": cluster(OFF, ON)}, QueryLogs()),
        ({"cluster": cluster({METRICS[0]: "true"}, OFF)}, QueryLogs(insights=METRICS[:1])),
        ({"indices": (200, EXPORTED)}, QueryLogs(insights_indices=tuple(EXPORTED))),
        ({"indices": (200, {INDEX: {"settings": SLOW_QUERY}})}, QueryLogs(slow_logs=(INDEX,))),
        ({"indices": (200, {INDEX: {"settings": NO_SLOW_QUERY}})}, QueryLogs()),
        (
            {"cluster": cluster({"cluster.search.request.slowlog.threshold.info": "1s"}, {})},
            QueryLogs(slow_logs=("cluster",)),
        ),
        ({"audit": audit(enabled=True, bodies=True)}, QueryLogs(audit_has_bodies=True)),
        ({"audit": audit(enabled=True, bodies=False)}, QueryLogs()),
        ({"audit": audit(enabled=False, bodies=True)}, QueryLogs()),
        (
            {"cluster": FORBIDDEN, "indices": FORBIDDEN, "audit": FORBIDDEN},
            QueryLogs(unreadable=("cluster settings", "index settings", "audit configuration")),
        ),
    ],
)
def test_reads_what_stores_queries(responses: dict[str, tuple[int, Any]], expected: QueryLogs) -> None:
    assert logs_of(**responses) == expected
