"""Reads what in OpenSearch stores the text of queries: query insights, slow logs and the audit log; reads only.

What this account may not read is listed as unreadable, not as off.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import AuthorizationException, NotFoundError, RequestError

INSIGHTS_PREFIX = "search.insights.top_queries."
INSIGHTS_INDICES = "top_queries-*"
SLOW_LOG_PREFIXES = ("index.search.slowlog.threshold.", "cluster.search.request.slowlog.threshold.")
OFF = "-1"


@dataclass(frozen=True, slots=True)
class QueryLogs:
    """Settings and indices with which OpenSearch stores the text of queries.

    `insights` are the settings that switch query insights on, `insights_indices` what they have stored, `slow_logs` the
    indices with a slow log (or `cluster`). `unreadable` names what this account may not read.
    """

    insights: tuple[str, ...] = ()
    insights_indices: tuple[str, ...] = ()
    slow_logs: tuple[str, ...] = ()
    audit_has_bodies: bool = False
    unreadable: tuple[str, ...] = ()


def read_query_logs(client: OpenSearch, alias: str) -> QueryLogs:
    """Read the settings of the cluster, of the indices of this alias, and of the audit log."""
    unreadable: list[str] = []

    def read(name: str, request: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
        try:
            return request()
        except AuthorizationException:
            unreadable.append(name)
        except (NotFoundError, RequestError):
            pass  # without the security plugin there is no such URL
        return {}

    indices = f"{alias},{alias}-*,{INSIGHTS_INDICES}"
    flat = {"flat_settings": "true"}
    cluster = read("cluster settings", lambda: client.cluster.get_settings(params={**flat, "include_defaults": "true"}))
    by_index = read(
        "index settings",
        lambda: client.indices.get_settings(index=indices, params={**flat, "ignore_unavailable": "true"}),
    )
    audit = read("audit configuration", client.security.get_audit_configuration).get("config", {})
    effective = {**cluster.get("defaults", {}), **cluster.get("persistent", {}), **cluster.get("transient", {})}
    slow_logs = [index for index, found in by_index.items() if _has_slow_log(found["settings"])]
    return QueryLogs(
        insights=tuple(sorted(name for name, value in effective.items() if _switches_insights_on(name, value))),
        insights_indices=tuple(sorted(index for index in by_index if index.startswith(INSIGHTS_INDICES.rstrip("*")))),
        slow_logs=(*sorted(slow_logs), *(["cluster"] if _has_slow_log(effective) else [])),
        audit_has_bodies=bool(audit.get("enabled") and audit.get("audit", {}).get("log_request_body")),
        unreadable=tuple(unreadable),
    )


def _switches_insights_on(name: str, value: object) -> bool:
    return name.startswith(INSIGHTS_PREFIX) and name.endswith(".enabled") and value == "true"


def _has_slow_log(settings: Mapping[str, str]) -> bool:
    return any(name.startswith(SLOW_LOG_PREFIXES) and not value.startswith(OFF) for name, value in settings.items())
