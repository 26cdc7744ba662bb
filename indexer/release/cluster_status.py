"""Status of the cluster and of everything behind one alias; reads only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from opensearchpy import OpenSearch

from indexer.release.control_index import CONTROL_INDEX
from indexer.release.full_disks import FLOOD_STAGE_BLOCK
from indexer.release.query_logs import QueryLogs, read_query_logs
from indexer.release.releases import Releases
from indexer.release.retention import Release, is_complete
from indexer.release.writer_lease import LeaseStatus, lease_status


@dataclass(frozen=True, slots=True)
class Disk:
    """Bytes of the fullest disk of the cluster."""

    total: int
    free: int

    @property
    def used(self) -> float:
        """The used share."""
        return 1 - self.free / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class UsageIndices:
    """The usage indices: their number, size, number of counts, and the time of the latest (UTC)."""

    indices: int
    size_bytes: int
    counts: int
    latest: datetime | None


@dataclass(frozen=True, slots=True)
class ClusterStatus:
    """`live` has the indices behind the alias, `unfinished` those that no command completed.

    `other_formats` has the indices of releases of other formats, by format. `blocked` has those that reject writes
    because a disk is above the flood-stage watermark.
    """

    version: str
    cluster: str
    health: str
    nodes: int
    live: tuple[str, ...]
    meta: Mapping[str, Any] | None
    documents: int
    releases: tuple[Release, ...]
    other_formats: Mapping[int, Sequence[str]]
    unfinished: tuple[str, ...]
    usage: UsageIndices
    disk: Disk
    blocked: tuple[str, ...]
    writer: LeaseStatus | None
    query_logs: QueryLogs

    @property
    def release(self) -> Release | None:
        """The live release; None if the alias does not point at exactly one complete release."""
        return next((release for release in self.releases if release.live), None) if len(self.live) == 1 else None


def read_status(releases: Releases, usage_prefix: str) -> ClusterStatus:
    """Read the status. `usage_prefix` starts the names of the usage indices."""
    client = releases.client
    health = client.cluster.health()
    live = tuple(releases.live_indices())
    metadata = releases.metadata_by_index()
    documents = client.count(index=releases.index_alias)["count"] if live else 0
    return ClusterStatus(
        version=client.info()["version"]["number"],
        cluster=health["cluster_name"],
        health=health["status"],
        nodes=health["number_of_nodes"],
        live=live,
        meta=metadata.get(live[0]) if len(live) == 1 else None,
        documents=documents,
        releases=tuple(releases.complete_releases()),
        other_formats=releases.other_formats(),
        unfinished=tuple(sorted(index for index, meta in metadata.items() if not is_complete(index, meta))),
        usage=_usage(client, usage_prefix),
        disk=_disk(client),
        blocked=_blocked_indices(client, releases.index_alias),
        writer=lease_status(client, releases.index_alias),
        query_logs=read_query_logs(client, releases.alias),
    )


def _usage(client: OpenSearch, prefix: str) -> UsageIndices:
    pattern = f"{prefix}-*"
    stats = client.indices.stats(index=pattern, metric="store", params={"expand_wildcards": "open"})["indices"]
    size = sum(index["total"]["store"]["size_in_bytes"] for index in stats.values())
    body = {"size": 0, "track_total_hits": True, "aggs": {"latest": {"max": {"field": "minute"}}}}
    response = client.search(index=pattern, body=body, params={"allow_no_indices": "true"})
    milliseconds = response.get("aggregations", {}).get("latest", {}).get("value")
    latest = datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds else None
    return UsageIndices(len(stats), size, response["hits"]["total"]["value"], latest)


def _blocked_indices(client: OpenSearch, alias: str) -> tuple[str, ...]:
    params = {"ignore_unavailable": "true", "allow_no_indices": "true"}
    releases = client.indices.get_settings(index=f"{alias}-*", name=FLOOD_STAGE_BLOCK, params=dict(params))
    control = client.indices.get_settings(index=CONTROL_INDEX, name=FLOOD_STAGE_BLOCK, params=dict(params))
    blocks = {**releases, **control}
    return tuple(sorted(index for index, body in blocks.items() if _is_blocked(body["settings"])))


def _is_blocked(settings: Mapping[str, Any]) -> bool:
    return bool(settings) and settings["index"]["blocks"]["read_only_allow_delete"] == "true"


def _disk(client: OpenSearch) -> Disk:
    nodes = client.nodes.stats(metric="fs")["nodes"]
    totals = [node["fs"]["total"] for node in nodes.values()]
    disks = [Disk(total["total_in_bytes"], total["available_in_bytes"]) for total in totals]
    return max(disks, key=lambda disk: disk.used, default=Disk(0, 0))
