"""Warnings of `akg status`, each with what to do. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.release.cluster_status import ClusterStatus

OLD_RELEASE_DAYS = 90
DISK_USED = 0.8  # from 85 % OpenSearch allocates no shards to the disk, at 95 % it rejects writes
NO_USAGE_SECONDS = 3600  # a running service counts its own health checks each minute
DAY_SECONDS = 86_400
MAX_LISTED = 5


@dataclass(frozen=True, slots=True)
class Files:
    """How the files differ from the live release. `tables` is None if they could not be compared."""

    tables: bool | None = None
    added_rules: int = 0
    removed_rules: int = 0
    undone: bool = False
    problems: int = 0


def warnings(cluster: ClusterStatus, files: Files, now: datetime, *, usage_counted: bool) -> list[str]:
    """Return all warnings, the most serious first."""
    return [
        *_cluster(cluster),
        *_alias(cluster),
        *_age(cluster, now),
        *_files(files),
        *(_usage(cluster, now) if usage_counted else ()),
    ]


def _cluster(cluster: ClusterStatus) -> Iterator[str]:
    if cluster.health == "red":
        yield "Some primary shards are unassigned, so their documents are missing: start the nodes that are down."
    if cluster.health == "yellow":
        yield "Some replica shards are unassigned: start another node or lower AKG_INDEX_REPLICAS."
    if cluster.disk.used >= DISK_USED:
        percent = f"{cluster.disk.used:.0%}"
        yield f"The disk is {percent} full. Writes fail at 95 %: run `akg index prune --keep 1` to delete old releases."


def _alias(cluster: ClusterStatus) -> Iterator[str]:
    if not cluster.live:
        yield "No release is live: run `akg index build`."
    elif len(cluster.live) > 1:
        yield f"The alias points at {len(cluster.live)} indices: run `akg index rollback {cluster.live[-1]}`."
    elif cluster.release is None:
        yield "The live index is incomplete. Run `akg index rollback` for an earlier release, or `akg index build`."
    abandoned = [index for index in cluster.unfinished if index not in cluster.live]
    if abandoned and (cluster.writer is None or cluster.writer.expired):
        names = ", ".join(abandoned[:MAX_LISTED])
        yield f"A killed command left {names}: run `akg index prune`. The next build or apply deletes them, too."
    if len(cluster.releases) == 1 and cluster.live:
        yield "There is no earlier release for a rollback. The next build keeps the live one."


def _age(cluster: ClusterStatus, now: datetime) -> Iterator[str]:
    if cluster.release is None:
        return
    days = age_seconds(cluster, now) // DAY_SECONDS
    if days >= OLD_RELEASE_DAYS:
        yield f"The release is {days:.0f} days old: run `akg market verify`, then `akg index build`."


def age_seconds(cluster: ClusterStatus, now: datetime) -> float:
    """Return the seconds since the live release was published."""
    if cluster.release is None:
        return 0.0
    return (now - datetime.fromisoformat(cluster.release.released)).total_seconds()


def _files(files: Files) -> Iterator[str]:
    if files.problems:
        yield f"The rule files have {files.problems} errors, so builds fail: `akg synonyms lint` lists them."
    if files.undone:
        yield "The rule files contain rules that were undone or replaced: revert them, or run `akg synonyms apply`."
    elif files.added_rules or files.removed_rules:
        change = f"{files.added_rules} added, {files.removed_rules} removed"
        yield f"The rule files differ from the live rules ({change}): run `akg synonyms preview`, then `apply`."
    if files.tables:
        yield "The tables or the mapping differ from the live release: `akg index build --dry-run` shows the changes."


def _usage(cluster: ClusterStatus, now: datetime) -> Iterator[str]:
    latest = cluster.usage.latest
    if latest is not None and (now - latest).total_seconds() > NO_USAGE_SECONDS:
        hours = (now - latest).total_seconds() / 3600
        yield (
            f"No usage was counted for {hours:.0f} hours: no service runs, or it cannot write to the usage indices. "
            "Check its log."
        )
