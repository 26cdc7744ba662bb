"""Warnings of `akg status`."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from akg.commands.status import warnings
from akg.commands.status_report import Files
from indexer.release.cluster_status import ClusterStatus, Disk, UsageIndices
from indexer.release.query_logs import QueryLogs
from indexer.release.retention import Release
from indexer.release.writer_lease import LeaseStatus

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
INDEX, EARLIER = "akg-entities-f1-20261120t120000z", "akg-entities-f1-20261001t120000z"
ABANDONED = "akg-entities-f1-20261121t110000z"


def release(index: str, released: str, *, live: bool) -> Release:
    return Release(index, index, live, released, "1", "2", 12, 34, 5_000_000)


HEALTHY = ClusterStatus(
    version="3.8.0",
    cluster="akg",
    health="green",
    nodes=1,
    live=(INDEX,),
    meta={"rules": []},
    documents=46,
    releases=(
        release(INDEX, "2026-11-20T12:00:00Z", live=True),
        release(EARLIER, "2026-10-01T12:00:00Z", live=False),
    ),
    other_formats={},
    unfinished=(),
    usage=UsageIndices(1, 100, 4, NOW - timedelta(minutes=2)),
    disk=Disk(100, 50),
    blocked=(),
    writer=None,
    query_logs=QueryLogs(),
)


def messages(cluster: ClusterStatus = HEALTHY, files: Files | None = None, *, usage_counted: bool = True) -> list[str]:
    return warnings(cluster, files or Files(), NOW, usage_counted=usage_counted)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"health": "red"}, "start the nodes that are down"),
        ({"health": "yellow"}, "start another node or lower AKG_INDEX_REPLICAS"),
        ({"disk": Disk(100, 15)}, "85% full. OpenSearch rejects writes at 95%. Make room: `akg index prune --keep 1`"),
        ({"disk": Disk(100, 4)}, "The disk is full (96%): OpenSearch is about to reject writes. Make room"),
        ({"blocked": ("akg-control", INDEX)}, f"rejects writes to 2 indices (akg-control, {INDEX}). Make room"),
        ({"live": (), "releases": ()}, "No release is live: run `akg index build`"),
        ({"live": (EARLIER, INDEX)}, f"points at 2 indices: run `akg index rollback {INDEX}`"),
        ({"releases": HEALTHY.releases[1:]}, "incomplete. Run `akg index rollback`"),
        ({"releases": HEALTHY.releases[:1]}, "no earlier release"),
        ({"unfinished": (ABANDONED,)}, f"left {ABANDONED}: run `akg index prune`"),
        ({"unfinished": (ABANDONED,), "writer": LeaseStatus("here", 1, expired=True)}, f"left {ABANDONED}"),
        (
            {"releases": (replace(HEALTHY.releases[0], released="2026-08-01T12:00:00Z"), *HEALTHY.releases[1:])},
            "112 days old",
        ),
        ({"usage": replace(HEALTHY.usage, latest=NOW - timedelta(hours=30))}, "No usage was counted for 30 hours"),
        ({"query_logs": QueryLogs(insights=("a.enabled", "b.enabled"))}, "set a.enabled, b.enabled to false"),
        ({"query_logs": QueryLogs(insights_indices=("top_queries-1",))}, "1 index of query insights may contain"),
        ({"query_logs": QueryLogs(slow_logs=(INDEX, "cluster"))}, f"the slow log thresholds of {INDEX}, cluster to -1"),
        ({"query_logs": QueryLogs(audit_has_bodies=True)}, "set `log_request_body` to false"),
    ],
)
def test_each_problem_has_a_warning_with_its_remedy(change: dict[str, Any], text: str) -> None:
    assert text in "\n".join(messages(replace(HEALTHY, **change)))


@pytest.mark.parametrize(
    ("files", "text"),
    [
        (Files(tables=True), "`akg index build --dry-run`"),
        (Files(added_rules=2, removed_rules=1), "(2 added, 1 removed): run `akg synonyms preview`"),
        (Files(added_rules=2, undone=True), "undone or replaced"),
        (Files(problems=3), "3 errors"),
    ],
)
def test_warns_of_files_that_differ(files: Files, text: str) -> None:
    (message,) = messages(files=files)
    assert text in message


@pytest.mark.parametrize(
    ("change", "usage_counted"),
    [
        ({}, True),
        ({"unfinished": (ABANDONED,), "writer": LeaseStatus("here", 1, expired=False)}, True),
        ({"usage": replace(HEALTHY.usage, latest=NOW - timedelta(days=2))}, False),
        ({"usage": UsageIndices(0, 0, 0, None)}, True),
    ],
    ids=["healthy", "a command runs", "usage is not counted", "no usage yet"],
)
def test_a_healthy_cluster_has_no_warnings(change: dict[str, Any], *, usage_counted: bool) -> None:
    assert messages(replace(HEALTHY, **change), usage_counted=usage_counted) == []


def test_a_full_disk_comes_before_all_other_warnings() -> None:
    cluster = replace(HEALTHY, health="red", live=(), releases=(), disk=Disk(100, 4), blocked=("akg-control",))
    first, *others = messages(cluster)
    assert "The disk is full (96%)" in first
    assert "`akg snapshot delete NAME`" in first
    assert len(others) > 1
