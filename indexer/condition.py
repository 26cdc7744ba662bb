"""How the engine is, and everything behind one alias: read in a few requests, changed by none."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from indexer.lock import holder_of
from indexer.release import stamped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opensearchpy import OpenSearch

    from indexer.release import Release, Releases


@dataclass(frozen=True, slots=True)
class Disk:
    """Bytes of the fullest disk of the cluster."""

    total: int
    free: int

    @property
    def used(self) -> float:
        """The share that is taken."""
        return 1 - self.free / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage indices: how many, how large, how many counts, and when the latest was (UTC)."""

    indices: int
    size_bytes: int
    counts: int
    latest: datetime | None


@dataclass(frozen=True, slots=True)
class Condition:
    """What was found. `live` are the indices behind the alias; `unfinished` those that no command completed."""

    version: str
    cluster: str
    health: str
    nodes: int
    live: tuple[str, ...]
    meta: Mapping[str, Any] | None
    documents: int
    releases: tuple[Release, ...]
    unfinished: tuple[str, ...]
    usage: Usage
    disk: Disk
    writer: Mapping[str, Any] | None

    @property
    def release(self) -> Release | None:
        """The live release, if it is one and complete."""
        return next((one for one in self.releases if one.live), None) if len(self.live) == 1 else None


def look(desk: Releases, usage: str) -> Condition:
    """Ask the engine. `usage` is the first part of the names of the usage indices."""
    client = desk.client
    health = client.cluster.health()
    live = tuple(desk.live_indices())
    metas = desk.metas()
    documents = client.count(index=desk.alias)["count"] if live else 0
    return Condition(
        version=client.info()["version"]["number"],
        cluster=health["cluster_name"],
        health=health["status"],
        nodes=health["number_of_nodes"],
        live=live,
        meta=metas.get(live[0]) if len(live) == 1 else None,
        documents=documents,
        releases=tuple(desk.complete()),
        unfinished=tuple(sorted(index for index, meta in metas.items() if not stamped(index, meta))),
        usage=_usage(client, usage),
        disk=_disk(client),
        writer=holder_of(client, desk.alias),
    )


def _usage(client: OpenSearch, name: str) -> Usage:
    stats = client.indices.stats(index=f"{name}-*", metric="store", params={"expand_wildcards": "open"})["indices"]
    size = sum(one["total"]["store"]["size_in_bytes"] for one in stats.values())
    body = {"size": 0, "track_total_hits": True, "aggs": {"latest": {"max": {"field": "minute"}}}}
    found = client.search(index=f"{name}-*", body=body, params={"allow_no_indices": "true"})
    latest = found.get("aggregations", {}).get("latest", {}).get("value")
    moment = datetime.fromtimestamp(latest / 1000, UTC) if latest else None
    return Usage(len(stats), size, found["hits"]["total"]["value"], moment)


def _disk(client: OpenSearch) -> Disk:
    nodes = client.nodes.stats(metric="fs")
    totals = [one["fs"]["total"] for one in nodes["nodes"].values()]
    disks = [Disk(one["total_in_bytes"], one["available_in_bytes"]) for one in totals]
    return max(disks, key=lambda one: one.used, default=Disk(0, 0))
