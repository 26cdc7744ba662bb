"""Slow logs and exported queries are found on a real node."""

from opensearchpy import OpenSearch

from indexer.release.query_logs import QueryLogs, read_query_logs

ALIAS = "akg-query-logs"
INDEX, EXPORTED = f"{ALIAS}-1", "top_queries-2026.11.20-12345"
CLUSTER_SLOW_LOG = "cluster.search.request.slowlog.threshold.warn"


def test_finds_slow_logs_and_exported_queries(client: OpenSearch) -> None:
    assert read_query_logs(client, ALIAS) == QueryLogs()
    slow = {"index.search.slowlog.threshold.query.warn": "0ms"}
    client.indices.create(index=INDEX, body={"settings": slow})
    client.indices.create(index=EXPORTED)
    client.cluster.put_settings(body={"persistent": {CLUSTER_SLOW_LOG: "10s"}})
    try:
        expected = QueryLogs(insights_indices=(EXPORTED,), slow_logs=(INDEX, "cluster"))
        assert read_query_logs(client, ALIAS) == expected
        client.indices.put_settings(index=INDEX, body=dict.fromkeys(slow, "-1"))
        assert read_query_logs(client, ALIAS).slow_logs == ("cluster",)
    finally:
        client.cluster.put_settings(body={"persistent": {CLUSTER_SLOW_LOG: None}})
        client.indices.delete(index=f"{INDEX},{EXPORTED}")
